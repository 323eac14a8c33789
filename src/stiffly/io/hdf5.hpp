// Arrays of numbers and texts by name, in HDF5 files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace stiffly {

/// A new file. It is written beside its name and gets it when it is complete. All throw FileError.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(std::filesystem::path path);
  /// Without finish() nothing is left.
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void write(const std::string& name, std::span<const double> values);
  void write(const std::string& name, std::span<const int> values, std::size_t columns);
  void write(const std::string& name, const std::string& text);
  /// Adds a row to a table, which the first one makes; all rows are of one length.
  void append(const std::string& name, std::span<const double> row);
  void finish();

 private:
  [[noreturn]] void fail(const std::string& name) const;

  std::filesystem::path path_, partial_;
  std::int64_t file_ = -1;
};

/// Throws FileError for what is no HDF5 file, and InputError for a name that is not there or something else.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  bool has(const std::string& name) const;
  std::vector<double> numbers(const std::string& name) const;
  std::string text(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::int64_t file_ = -1;
};

}  // namespace stiffly
