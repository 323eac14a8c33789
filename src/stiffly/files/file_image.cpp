#include "stiffly/files/file_image.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "stiffly/error.hpp"
#include "stiffly/files/archive.hpp"
#include "stiffly/files/disk.hpp"
#include "stiffly/files/file.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t page_size = 4096;
constexpr std::uint64_t copied_at_once = 1 << 20;
constexpr const char* journal_format = "stiffly journal 1";
constexpr std::uintmax_t largest_journal = 1ull << 34;

}  // namespace

FileImage::FileImage(fs::path path, Access access) : path_(std::move(path)), access_(access) {
  if (access_ == Access::create) return;
  if (!fs::exists(path_)) throw FileError(fmt::format("{}: no such file", path_.string()));
  if (!fs::is_regular_file(path_)) throw FileError(fmt::format("{}: is not a regular file", path_.string()));
  disk_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (disk_ < 0) throw FileError(fmt::format("{}: cannot be read: {}", path_.string(), std::strerror(errno)));
  disk_size_ = size_ = physical_size_ = fs::file_size(path_);
  if (!fs::exists(journal(path_))) return;
  try {
    load_journal();
  } catch (const Error&) {
    if (!fs::exists(journal(path_))) return;  // the writer is done with it by now
    ::close(disk_);
    throw;
  }
}

FileImage::~FileImage() {
  if (disk_ >= 0) ::close(disk_);
}

fs::path FileImage::journal(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.journal", path.filename().string());
}

void FileImage::load_journal() {
  const fs::path file = journal(path_);
  const ArchiveReader in(read_file(file, largest_journal), file.string(), journal_format, "journal");
  const std::vector<double> size = in.numbers("size"), pages = in.numbers("pages");
  if (size.size() != 1 || !(size[0] >= 0 && size[0] <= static_cast<double>(disk_size_)))
    in.refuse("size", "is not that of the file");
  size_ = disk_size_ = static_cast<std::uint64_t>(size[0]);  // what lies behind it is to be cut off
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::string bytes = in.text(fmt::format("page{}", i));
    if (!(pages[i] >= 0 && pages[i] * page_size < static_cast<double>(disk_size_)) ||
        bytes.size() > page_size)
      in.refuse("pages", "do not lie in the file");
    // The last page may have grown on the disk since.
    std::string& to = page(static_cast<std::uint64_t>(pages[i]));
    to.replace(0, std::min(to.size(), bytes.size()), bytes, 0, std::min(to.size(), bytes.size()));
  }
}

std::uint64_t FileImage::end_of(std::uint64_t page) const {
  return std::min(disk_size_, (page + 1) * page_size);
}

void FileImage::read_disk(std::uint64_t offset, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(disk_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw FileError(fmt::format("{}: cannot be read: {}", path_.string(),
                                  got < 0 ? std::strerror(errno) : "it has become shorter"));
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

void FileImage::read(std::uint64_t offset, std::span<char> out) const {
  while (!out.empty()) {
    std::size_t count = out.size();
    if (offset >= disk_size_) {
      const std::uint64_t at = offset - disk_size_, there = tail_.size() - std::min(at, tail_.size());
      const auto copied = static_cast<std::size_t>(std::min<std::uint64_t>(count, there));
      if (copied > 0) std::memcpy(out.data(), tail_.data() + at, copied);
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(copied), out.end(), '\0');
      return;
    }
    const auto next = pages_.lower_bound(offset / page_size);
    if (next != pages_.end() && next->first == offset / page_size) {
      const std::uint64_t within = offset % page_size;
      count = static_cast<std::size_t>(std::min<std::uint64_t>(count, next->second.size() - within));
      std::memcpy(out.data(), next->second.data() + within, count);
    } else {
      const std::uint64_t end = next == pages_.end() ? disk_size_ : next->first * page_size;
      count = static_cast<std::size_t>(std::min<std::uint64_t>(count, end - offset));
      read_disk(offset, out.first(count));
    }
    offset += count;
    out = out.subspan(count);
  }
}

std::string& FileImage::page(std::uint64_t number) {
  const auto [at, is_new] = pages_.try_emplace(number);
  if (is_new) {
    at->second.resize(end_of(number) - number * page_size);
    read_disk(number * page_size, at->second);
  }
  return at->second;
}

void FileImage::write(std::uint64_t offset, std::string_view bytes) {
  size_ = std::max(size_, offset + bytes.size());
  while (!bytes.empty()) {
    if (offset >= disk_size_) {
      const std::uint64_t at = offset - disk_size_;
      if (tail_.size() < at + bytes.size()) tail_.resize(at + bytes.size());
      std::memcpy(tail_.data() + at, bytes.data(), bytes.size());
      return;
    }
    std::string& to = page(offset / page_size);
    const std::uint64_t within = offset % page_size;
    const std::size_t count = std::min(bytes.size(), to.size() - within);
    std::memcpy(to.data() + within, bytes.data(), count);
    offset += count;
    bytes.remove_prefix(count);
  }
}

void FileImage::resize(std::uint64_t size) {
  size_ = size;
  tail_.resize(size - std::min(size, disk_size_));
  if (size < disk_size_) pages_.erase(pages_.lower_bound((size + page_size - 1) / page_size), pages_.end());
}

void FileImage::copy_to(const fs::path& path) const {
  write_file(path, [this](OutputFile& out) {
    std::string block;
    for (std::uint64_t at = 0; at < size_; at += block.size()) {
      block.resize(std::min<std::uint64_t>(copied_at_once, size_ - at));
      read(at, block);
      out.write(at, block);
    }
  });
}

void FileImage::commit() {
  if (access_ == Access::create) return write_file(path_, tail_);
  OutputFile out(path_, OutputFile::Mode::change);
  try {
    out.write(disk_size_, tail_);
    out.sync();
    ArchiveWriter changes(journal_format);
    std::vector<double> numbers;
    const auto size = static_cast<double>(size_);
    for (const auto& [number, bytes] : pages_) {
      changes.write(fmt::format("page{}", numbers.size()), bytes);
      numbers.push_back(static_cast<double>(number));
    }
    changes.write("pages", numbers);
    changes.write("size", std::span(&size, 1));
    write_file(journal(path_), changes.finish());
  } catch (const FileError&) {
    try {
      out.truncate(disk_size_);
    } catch (const FileError&) {  // nobody looks past the end
    }
    throw;
  }
  for (const auto& [number, bytes] : pages_) out.write(number * page_size, bytes);
  if (size_ < physical_size_) out.truncate(size_);
  out.sync();
  out.close();
  remove_file(journal(path_));
}

}  // namespace stiffly
