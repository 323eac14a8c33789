// What a checkpoint's target and its seeds agree on.
#pragma once

#include <zlib.h>

#include <cstring>

#include "stiffly/results/checkpoint_file.hpp"

namespace stiffly::fuzz {

/// Where the runs of all checkpoints start.
inline State checkpoint_start() {
  const std::vector<double> y = {0, 0, 0.1, 0, 0, 0};
  return State(0.0, Vector(std::span<const double>(y)));
}

/// Between the first line and the checksum of a checkpoint.
inline std::string inner_part(const std::string& bytes) {
  const std::size_t begin = bytes.find('\n') + 1;
  return bytes.substr(begin, bytes.size() - begin - sizeof(std::uint32_t));
}

inline std::string with_line_and_checksum(std::string_view inner) {
  std::string bytes = std::string(checkpoint_format) + "\n" + std::string(inner);
  const auto sum =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  char raw[sizeof sum];
  std::memcpy(raw, &sum, sizeof sum);
  return bytes.append(raw, sizeof sum);
}

}  // namespace stiffly::fuzz
