// A file with changes that come to it all at once or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace stiffly {

/// What is on the disk, and over it, in memory, what has been changed since. commit() brings it to the disk:
/// what lies past the old end first, then a journal of the rest beside the file, then the rest itself.
/// Whoever opens the file between the last two sees it through the journal, so it is as before or as after,
/// whenever the process ends. For one writer at a time; all throw FileError.
class FileImage {
 public:
  enum class Access { create, change, read };
  FileImage(std::filesystem::path path, Access access);
  ~FileImage();
  FileImage(const FileImage&) = delete;
  FileImage& operator=(const FileImage&) = delete;

  std::uint64_t size() const { return size_; }
  /// Past the end there are zeros.
  void read(std::uint64_t offset, std::span<char> out) const;
  void write(std::uint64_t offset, std::string_view bytes);
  /// To be shorter, or longer by zeros; nothing is written past the end of a file that was made shorter.
  void resize(std::uint64_t size);

  /// Once, as the last thing.
  void commit();

  /// The same file under another name.
  void copy_to(const std::filesystem::path& path) const;

  const std::filesystem::path& path() const { return path_; }
  /// The journal that a file of that name has while it changes.
  static std::filesystem::path journal(const std::filesystem::path& path);

 private:
  using Pages = std::map<std::uint64_t, std::string>;  ///< changed ones of the part that is on the disk

  void load_journal();
  void read_disk(std::uint64_t offset, std::span<char> out) const;
  std::string& page(std::uint64_t number);
  std::uint64_t end_of(std::uint64_t page) const;

  std::filesystem::path path_;
  Access access_;
  int disk_ = -1;
  std::uint64_t physical_size_ = 0;         ///< of the file as it is
  std::uint64_t disk_size_ = 0, size_ = 0;  ///< before the changes and after them
  Pages pages_;
  std::string tail_;  ///< past the end of what is on the disk
};

}  // namespace stiffly
