// A mesh in a .gz file.
#include "stiffly/mesh/mesh.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const fuzz::InputFile file(".off.gz");
  return fuzz::tried([&] { mesh::read_mesh(file.with(fuzz::text_of(data, size))); });
}
