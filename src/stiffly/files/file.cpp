#include "stiffly/files/file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "stiffly/error.hpp"
#include "stiffly/files/disk.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

constexpr const char* unfinished = ".part";

/// In the same folder, so that the rename stays on one file system; hidden, and unlike any other run's.
fs::path temporary_name(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}{}", path.filename().string(), getpid(), unfinished);
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
  write_file(path, [&](OutputFile& out) { out.write(0, bytes); });
}

void write_file(const fs::path& path, const std::function<void(OutputFile&)>& content) {
  const fs::path temporary = temporary_name(path);
  try {
    OutputFile out(temporary, OutputFile::Mode::create, path);
    content(out);
    out.sync();
    out.close();
    rename_file(temporary, path);
  } catch (const FileError&) {
    std::error_code ignored;  // the first error is the one to be told
    fs::remove(temporary, ignored);
    throw;
  }
}

void prepare_folder(const fs::path& path) {
  make_folder(path);
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    throw FileError(fmt::format("{}: files cannot be written into this folder: {}", path.string(), reason()));
}

void remove_unfinished(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") && name.ends_with(unfinished)) remove_file(entry.path());
  }
}

}  // namespace stiffly
