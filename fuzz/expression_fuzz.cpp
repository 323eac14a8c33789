#include "stiffly/scene/expression.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  return fuzz::tried([&] {
    const Expression function(fuzz::text_of(data, size));
    for (const double t : {0.0, 0.7, -3.1}) function.at(t);
  });
}
