// Whole files in and out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace stiffly {

/// The file's bytes. Throws FileError if it is missing, a folder, or not readable, and InputError if it is
/// larger than `limit` bytes, which no file of that kind sensibly is.
std::string read_file(const std::filesystem::path& path, std::uintmax_t limit);

/// Writes beside `path` and renames, so that a file of that name is always whole: after a failure (FileError)
/// the old one is still there, or none.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Makes the folder, with its parents, if it is not there and checks that files can be written into it.
/// Throws FileError.
void prepare_folder(const std::filesystem::path& path);

}  // namespace stiffly
