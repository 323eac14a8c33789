// A checkpoint. Inputs that end with an even byte get the right first line and the right checksum, so that
// what lies behind them is reached; the others are read as they are.
#include <zlib.h>

#include <cstring>

#include "stiffly/results/checkpoint_file.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const fuzz::InputFile file(".bin");
  std::string bytes(fuzz::text_of(data, size));
  if (size > 0 && data[size - 1] % 2 == 0) {
    bytes = "stiffly checkpoint 6\n" + bytes.substr(0, size - 1);
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
    char raw[sizeof sum];
    std::memcpy(raw, &sum, sizeof sum);
    bytes.append(raw, sizeof sum);
  }
  const std::filesystem::path& path = file.with(bytes);
  fuzz::tried([&] { read_request(path); });
  const std::vector<double> y = {0, 0, 0.1, 0, 0, 0};
  return fuzz::tried([&] { read_checkpoint(path, "{}", State(0.0, Vector(std::span<const double>(y))), 0); });
}
