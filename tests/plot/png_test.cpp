// The encoder against a decoder written from the specification, independent of it but for zlib.
#include "stiffly/plot/png.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <random>

namespace stiffly {
namespace {

std::uint32_t number(const std::string& s, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<std::uint8_t>(s[at + i]);
  return out;
}

struct Chunk {
  std::string name, data;
};

std::vector<Chunk> chunks(const std::string& file) {
  std::vector<Chunk> out;
  for (std::size_t at = 8; at < file.size();) {
    const std::size_t length = number(file, at);
    out.push_back({file.substr(at + 4, 4), file.substr(at + 8, length)});
    const auto* body = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    EXPECT_EQ(number(file, at + 8 + length), crc32(0, body, static_cast<uInt>(length + 4)))
        << out.back().name;
    at += 12 + length;
  }
  return out;
}

std::vector<std::uint8_t> decode(const std::string& data, std::size_t width, std::size_t height) {
  std::string raw((3 * width + 1) * height, '\0');
  uLongf size = raw.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(raw.data()), &size,
                       reinterpret_cast<const Bytef*>(data.data()), data.size()),
            Z_OK);
  EXPECT_EQ(size, raw.size());
  std::vector<std::uint8_t> out;
  for (std::size_t y = 0; y < height; ++y) {
    EXPECT_EQ(raw[y * (3 * width + 1)], 4);
    for (std::size_t i = 0; i < 3 * width; ++i) {
      const int a = i >= 3 ? out[out.size() - 3] : 0, b = y > 0 ? out[out.size() - 3 * width] : 0;
      const int c = i >= 3 && y > 0 ? out[out.size() - 3 * width - 3] : 0, p = a + b - c;
      int best = c;
      if (std::abs(p - a) <= std::abs(p - b) && std::abs(p - a) <= std::abs(p - c))
        best = a;
      else if (std::abs(p - b) <= std::abs(p - c))
        best = b;
      out.push_back(
          static_cast<std::uint8_t>(static_cast<std::uint8_t>(raw[y * (3 * width + 1) + 1 + i]) + best));
    }
  }
  return out;
}

TEST(Png, GivesEveryPixelBack) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-0.1f, 1.1f);
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{7, 5}, std::pair{64, 33}}) {
    Image image(width, height, {0, 0, 0});
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) image.at(x, y) = {uniform(random), uniform(random), uniform(random)};
    const std::string file = encode_png(image);
    EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1A\n");
    const std::vector<Chunk> all = chunks(file);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].name, "IHDR");
    EXPECT_EQ(all[1].name, "IDAT");
    EXPECT_EQ(all[2].name, "IEND");
    EXPECT_EQ(number(all[0].data, 0), static_cast<std::uint32_t>(width));
    EXPECT_EQ(number(all[0].data, 4), static_cast<std::uint32_t>(height));
    EXPECT_EQ(all[0].data.substr(8), std::string("\x08\x02\0\0\0", 5));
    EXPECT_EQ(decode(all[1].data, static_cast<std::size_t>(width), static_cast<std::size_t>(height)),
              image.bytes());
  }
}

}  // namespace
}  // namespace stiffly
