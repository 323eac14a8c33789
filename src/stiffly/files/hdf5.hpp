// Arrays of numbers and texts by name, in HDF5 files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stiffly {

class FileImage;

/// A new file, with checksums. It is made in memory, written beside its name and gets it when it is complete.
/// All throw FileError.
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
  enum class Precision { single, full };
  /// A table without rows yet, each to be of that shape (none: a number); see Hdf5Tables.
  void table(const std::string& name, const std::vector<std::size_t>& row_shape,
             Precision precision = Precision::full);
  void finish();

 private:
  [[noreturn]] void fail(const std::string& name) const;

  std::unique_ptr<FileImage> image_;
  std::int64_t file_ = -1;
};

/// Tables of a file that is there, which grow. All changes come to the file in finish(), and all of them or
/// none (FileImage): others can read it between writes, and a program that is killed leaves a whole one. All
/// throw FileError.
class Hdf5Tables {
 public:
  explicit Hdf5Tables(const std::filesystem::path& path);
  ~Hdf5Tables();
  Hdf5Tables(const Hdf5Tables&) = delete;
  Hdf5Tables& operator=(const Hdf5Tables&) = delete;

  std::size_t rows(const std::string& name) const;
  /// Adds rows, one after the other in `values`.
  void append(const std::string& name, std::span<const double> values);
  /// Drops all rows but the first ones.
  void keep(const std::string& name, std::size_t rows);
  void finish();

 private:
  [[noreturn]] void fail(const std::string& name) const;

  std::unique_ptr<FileImage> image_;
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
  std::vector<int> integers(const std::string& name) const;
  /// Lengths along each axis.
  std::vector<std::size_t> shape(const std::string& name) const;
  /// One row of a table.
  std::vector<double> row(const std::string& name, std::size_t number) const;
  std::string text(const std::string& name) const;

 private:
  template <class T>
  std::vector<T> read(const std::string& name, const char* what, int type_class,
                      std::int64_t memory_type) const;
  /// Nothing is allocated that the file's size does not back.
  void check_backed(const std::string& name, std::span<const std::size_t> lengths, std::size_t entry) const;

  std::unique_ptr<FileImage> image_;
  std::int64_t file_ = -1;
};

}  // namespace stiffly
