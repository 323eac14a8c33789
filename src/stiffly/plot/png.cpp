#include "stiffly/plot/png.hpp"

#include <zlib.h>

#include <cstdlib>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

void add_number(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}

/// Length, name, data, and a checksum of the last two.
void add_chunk(std::string& out, const char* name, const std::string& data) {
  add_number(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = name + data;
  out += body;
  add_number(out, static_cast<std::uint32_t>(
                      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

/// The predictor of the PNG specification: whichever of left, above and upper left is nearest to left + above
/// − both.
int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int a = std::abs(guess - left), b = std::abs(guess - above), c = std::abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/// Every row as differences to its prediction, which compress better than the values.
std::string filtered(const Image& image) {
  constexpr std::size_t channels = 3;
  constexpr char filter_paeth = 4;
  const std::vector<std::uint8_t> bytes = image.bytes();
  const std::size_t row = channels * static_cast<std::size_t>(image.width());
  std::string out;
  out.reserve(bytes.size() + static_cast<std::size_t>(image.height()));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool has_left = i % row >= channels, has_above = i >= row;
    if (i % row == 0) out += filter_paeth;
    const int left = has_left ? bytes[i - channels] : 0, above = has_above ? bytes[i - row] : 0;
    const int corner = has_left && has_above ? bytes[i - row - channels] : 0;
    out += static_cast<char>(bytes[i] - paeth(left, above, corner));
  }
  return out;
}

std::string deflated(const std::string& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                static_cast<uLong>(data.size()), 6) != Z_OK)
    throw FileError("a picture could not be compressed: out of memory");
  out.resize(size);
  return out;
}

}  // namespace

std::string encode_png(const Image& image) {
  std::string header;
  add_number(header, static_cast<std::uint32_t>(image.width()));
  add_number(header, static_cast<std::uint32_t>(image.height()));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, deflate, filters per row, not interlaced
  std::string out = "\x89PNG\r\n\x1A\n";
  add_chunk(out, "IHDR", header);
  add_chunk(out, "IDAT", deflated(filtered(image)));
  add_chunk(out, "IEND", "");
  return out;
}

}  // namespace stiffly
