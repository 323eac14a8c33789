#include "stiffly/files/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "stiffly/error.hpp"
#include "stiffly/files/disk.hpp"
#include "stiffly/files/file.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t longest_introduction = 200;

/// What the holder has written, as far as it is printable.
std::string holder(int file) {
  std::array<char, longest_introduction> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  std::string out;
  for (ssize_t i = 0; i < size && text[static_cast<std::size_t>(i)] >= ' '; ++i)
    out += text[static_cast<std::size_t>(i)];
  return out.empty() ? "another process" : out;
}

std::vector<fs::path> missing(fs::path path) {
  std::vector<fs::path> out;
  std::error_code error;  // makes it count as there: who uses it will say what is wrong
  for (path = fs::absolute(path).lexically_normal();
       !path.empty() && !fs::exists(path, error) && (!error || error == std::errc::no_such_file_or_directory);
       path = path.parent_path())
    out.insert(out.begin(), path);
  return out;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder)
    : folder_(folder), path_(folder / ".lock"), made_(missing(folder)) {
  prepare_folder(folder_);
  while (!take()) continue;
  try {
    introduce();
  } catch (const FileError&) {
    release();
    throw;
  }
}

FolderLock::~FolderLock() { release(); }

void FolderLock::release() {
  std::error_code ignored;
  fs::remove(path_, ignored);  // while it is held: whoever waits for it notices
  ::close(file_);
  for (auto path = made_.rbegin(); path != made_.rend(); ++path)
    if (!fs::remove(*path, ignored)) break;
}

bool FolderLock::take() {
  // Nor into another file, to which somebody has laid a link of that name.
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file_ < 0 && errno == ELOOP) throw FileError(fmt::format("{}: is a link; remove it", path_.string()));
  if (file_ < 0)
    throw FileError(fmt::format("{}: files cannot be written into this folder: {}", folder_.string(),
                                std::strerror(errno)));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const std::string who = holder(file_);
    ::close(std::exchange(file_, -1));
    throw FileError(fmt::format("{}: the folder is in use by {}: wait for its end, or take another folder",
                                folder_.string(), who));
  }
  struct stat held {
  }, there{};
  if (::fstat(file_, &held) == 0 && ::stat(path_.c_str(), &there) == 0 && held.st_ino == there.st_ino)
    return true;
  ::close(std::exchange(file_, -1));
  return false;
}

void FolderLock::introduce() const {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  OutputFile out(path_, OutputFile::Mode::change);
  out.truncate(0);
  out.write(0, fmt::format("process {} on {} since {:%Y-%m-%d %H:%M:%S} UTC\n", ::getpid(), host.data(),
                           fmt::gmtime(std::time(nullptr))));
}

}  // namespace stiffly
