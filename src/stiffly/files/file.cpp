#include "stiffly/files/file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "stiffly/error.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

/// In the same folder, so that the rename stays on one file system; hidden, and unlike any other run's.
fs::path temporary_name(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.part", path.filename().string(), getpid());
}

std::string reason() { return errno ? std::strerror(errno) : "unknown reason"; }

}  // namespace

std::string read_file(const fs::path& path, std::uintmax_t limit) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw FileError(fmt::format("{}: no such file", path.string()));
  if (fs::is_directory(status)) throw FileError(fmt::format("{}: is a folder, not a file", path.string()));
  if (!fs::is_regular_file(status)) throw FileError(fmt::format("{}: is not a regular file", path.string()));
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) throw FileError(fmt::format("{}: cannot be read: {}", path.string(), error.message()));
  if (size > limit)
    throw InputError(fmt::format("{}: {} MB is too large; such a file has at most {} MB", path.string(),
                                 size >> 20, limit >> 20));
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!in || !in.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw FileError(fmt::format("{}: cannot be read: {}", path.string(), reason()));
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  const fs::path temporary = temporary_name(path);
  const auto fail = [&](const std::string& why) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw FileError(fmt::format("{}: cannot be written: {}", path.string(), why));
  };
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) fail(reason());
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail(reason());
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) fail(error.message());
}

void prepare_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path)) {
    throw FileError(fmt::format("{}: the folder cannot be made: {}", path.string(),
                                error ? error.message() : "it is a file"));
  }
  const fs::path probe = temporary_name(path / "probe");
  errno = 0;
  const bool writable = static_cast<bool>(std::ofstream(probe));
  const std::string why = reason();
  fs::remove(probe, error);
  if (!writable)
    throw FileError(fmt::format("{}: files cannot be written into this folder: {}", path.string(), why));
}

}  // namespace stiffly
