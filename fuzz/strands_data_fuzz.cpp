#include "stiffly/fibres/strand_files.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const fuzz::InputFile file(".data");
  return fuzz::tried([&] { read_strands(file.with(fuzz::text_of(data, size)), 0.01, 1e-4); });
}
