// .node, .ele and .face of one mesh, one after the other in the input, with a zero byte between them.
#include <fstream>

#include "stiffly/mesh/readers.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const fuzz::InputFile nodes(".node"), elements(".ele"), faces(".face");
  std::string_view rest = fuzz::text_of(data, size);
  const auto part = [&] {
    const std::string_view out = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), out.size() + 1));
    return out;
  };
  // All three lie in the folder of the first.
  static const bool beside = [] {
    const std::filesystem::path folder = nodes.with({}).parent_path();
    std::filesystem::create_symlink(elements.with({}), folder / "input.ele");
    std::filesystem::create_symlink(faces.with({}), folder / "input.face");
    return true;
  }();
  const std::filesystem::path& path = nodes.with(part());
  elements.with(part());
  faces.with(part());
  return fuzz::tried([&] {
    if (beside) mesh::read_tetgen(path);
  });
}
