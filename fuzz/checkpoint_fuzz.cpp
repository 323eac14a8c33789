// A checkpoint. Inputs that do not begin as one get the right first line and the right checksum, so that what
// lies behind them is reached.
#include "seeds.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stiffly;
  static const fuzz::InputFile file(".bin");
  static const State start = fuzz::checkpoint_start();
  const std::string_view bytes = fuzz::text_of(data, size);
  const std::filesystem::path& path =
      bytes.starts_with("stiffly") ? file.with(bytes) : file.with(fuzz::with_line_and_checksum(bytes));
  fuzz::tried([&] { read_request(path); });
  return fuzz::tried([&] { read_checkpoint(path, "{}", start, 0); });
}
