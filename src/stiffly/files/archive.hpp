// Arrays of numbers and texts by name in one file with a checksum: what a program saves for itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiffly {

/// The file, all numbers little-endian:
///   the format, a line of text
///   for each entry: u32 length of its name, the name, u32 kind (0: text, 1: doubles), u64 size of its data
///   in bytes, the data u32 CRC-32 (of zlib) of all before it
class ArchiveWriter {
 public:
  explicit ArchiveWriter(std::string_view format);
  /// About so many bytes will follow: memory for them is taken once.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }

  void write(std::string_view name, std::span<const double> values);
  void write(std::string_view name, std::string_view text);
  /// The whole of it; to be called once.
  std::string finish();

 private:
  void entry(std::string_view name, std::uint32_t kind, std::string_view data);

  std::string bytes_;
};

/// Nothing is believed before the checksum is right, and nothing is allocated that the bytes do not back.
/// Throws InputError "NAME: …" for what is damaged, of another format, or not there.
class ArchiveReader {
 public:
  /// `what` it is, for messages: "checkpoint".
  ArchiveReader(std::string bytes, std::string name, std::string_view format, std::string_view what);

  bool has(std::string_view name) const { return entries_.contains(name); }
  std::vector<double> numbers(std::string_view name) const;
  std::string text(std::string_view name) const;

  [[noreturn]] void refuse(std::string_view name, std::string_view why) const;

 private:
  struct Entry {
    std::uint32_t kind;
    std::string_view data;
  };
  [[noreturn]] void damaged(std::string_view how) const;
  const Entry& find(std::string_view name, std::uint32_t kind, std::string_view kind_name) const;

  std::string bytes_, name_, what_;
  std::map<std::string, Entry, std::less<>> entries_;  ///< their data are in bytes_
};

}  // namespace stiffly
