#include "stiffly/files/disk.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "stiffly/error.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t largest_write = 1u << 30;  // Linux writes no more at once than 2 GiB

using Clock = std::chrono::steady_clock;
const Clock::time_point beginning = Clock::now();
constexpr std::chrono::seconds worth_waiting_for{10};

DiskHook& hook() {
  static DiskHook the_hook;
  return the_hook;
}

DiskFault fault_at(DiskOperation operation, const fs::path& path) {
  return hook() ? hook()(operation, path) : DiskFault{};
}

/// 0, or the error that the operation ends with; `work` returns what system calls do.
template <class Work>
int attempt(DiskOperation operation, const fs::path& path, const Work& work) {
  if (const int fault = fault_at(operation, path).error) return fault;
  int result = 0;
  do result = work();
  while (result < 0 && errno == EINTR);
  return result < 0 ? errno : 0;
}

[[noreturn]] void cannot_be(const char* what, const fs::path& path, int error) {
  throw FileError(fmt::format("{}: cannot be {}: {}", path.string(), what, std::strerror(error)));
}

}  // namespace

std::string name_of(DiskOperation operation) {
  switch (operation) {
    case DiskOperation::open:
      return "open";
    case DiskOperation::write:
      return "write";
    case DiskOperation::sync:
      return "sync";
    case DiskOperation::truncate:
      return "truncate";
    case DiskOperation::close:
      return "close";
    case DiskOperation::rename:
      return "rename";
    case DiskOperation::remove:
      return "remove";
    case DiskOperation::make_folder:
      return "make_folder";
  }
  return {};
}

void set_disk_hook(DiskHook new_hook) { hook() = std::move(new_hook); }

OutputFile::OutputFile(fs::path path, Mode mode, const fs::path& shown_as)
    : path_(std::move(path)), shown_(shown_as.empty() ? path_ : shown_as) {
  const int flags = O_CLOEXEC | (mode == Mode::create ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY);
  if (const int error =
          attempt(DiskOperation::open, path_, [&] { return file_ = ::open(path_.c_str(), flags, 0666); }))
    fail(error);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

void OutputFile::fail(int error) const { cannot_be("written", shown_, error); }

void OutputFile::write(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, largest_write);
    const DiskFault fault = fault_at(DiskOperation::write, path_);
    if (fault.error && !fault.after_half) fail(fault.error);
    if (fault.after_half) part = part.substr(0, (part.size() + 1) / 2);
    const ssize_t written = ::pwrite(file_, part.data(), part.size(), static_cast<off_t>(offset));
    if (fault.error) fail(fault.error);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : ENOSPC);
    offset += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::truncate(std::uint64_t size) {
  if (const int error = attempt(DiskOperation::truncate, path_,
                                [&] { return ::ftruncate(file_, static_cast<off_t>(size)); }))
    fail(error);
}

void OutputFile::sync() {
  const bool worth_it = Clock::now() - beginning > worth_waiting_for;
  if (const int error =
          attempt(DiskOperation::sync, path_, [&] { return worth_it ? ::fdatasync(file_) : 0; }))
    if (error != EINVAL && error != EROFS) fail(error);  // not a file that can be synced
}

void OutputFile::close() {
  // Never again, whatever it says: the number may be another file's by then.
  const int file = std::exchange(file_, -1);
  if (const int fault = fault_at(DiskOperation::close, path_).error) {
    ::close(file);
    fail(fault);
  }
  if (::close(file) < 0 && errno != EINTR) fail(errno);
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (const int error =
          attempt(DiskOperation::rename, to, [&] { return std::rename(from.c_str(), to.c_str()); }))
    cannot_be("written", to, error);
}

void remove_file(const fs::path& path) {
  const int error = attempt(DiskOperation::remove, path, [&] { return std::remove(path.c_str()); });
  if (error && error != ENOENT && error != ENOTDIR) cannot_be("removed", path, error);
}

void make_folder(const fs::path& path) {
  std::error_code error;
  if (const int fault = fault_at(DiskOperation::make_folder, path).error)
    error = std::error_code(fault, std::generic_category());
  else
    fs::create_directories(path, error);
  if (error || !fs::is_directory(path))
    throw FileError(fmt::format("{}: the folder cannot be made: {}", path.string(),
                                error ? error.message() : "it is a file"));
}

}  // namespace stiffly
