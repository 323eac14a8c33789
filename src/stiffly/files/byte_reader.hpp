// Numbers out of the bytes of a binary file, never past its end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace stiffly {

class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string name, std::endian order)
      : bytes_(bytes), name_(std::move(name)), swapped_(order != std::endian::native) {}

  /// The next value of that type; fails, saying that `wanted` is missing, if the bytes do not suffice.
  template <class T>
  T take(std::string_view wanted) {
    require(1, sizeof(T), wanted);
    char raw[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) raw[swapped_ ? sizeof(T) - 1 - i : i] = bytes_[at_ + i];
    at_ += sizeof(T);
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
  }

  /// Fails unless `count` things of at least `size` bytes each are still there.
  void require(std::uint64_t count, std::uint64_t size, std::string_view wanted) const;
  void skip(std::uint64_t size, std::string_view wanted) {
    require(size, 1, wanted);
    at_ += size;
  }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t offset() const { return at_; }

  /// Throws InputError "NAME: message (at byte …)".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string_view bytes_;
  std::string name_;
  bool swapped_;
  std::size_t at_ = 0;
};

}  // namespace stiffly
