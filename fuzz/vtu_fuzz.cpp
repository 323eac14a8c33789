#include "stiffly/mesh/readers.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  return fuzz::tried([&] { mesh::read_vtu(fuzz::text_of(data, size), "input.vtu"); });
}
