// Whole files in and out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stiffly {

/// The file's bytes. Throws FileError if it is missing, a folder, or not readable, and InputError if it is
/// larger than `limit` bytes, which no file of that kind sensibly is.
std::string read_file(const std::filesystem::path& path, std::uintmax_t limit);

/// Writes beside `path`, waits until it is on the disk and renames, so that a file of that name is always
/// whole: after a failure (FileError), a kill or a loss of power it is the old one, or none.
void write_file(const std::filesystem::path& path, std::string_view bytes);
class OutputFile;
void write_file(const std::filesystem::path& path, const std::function<void(OutputFile&)>& content);

/// Makes the folder, with its parents, if it is not there and checks that files can be written into it.
/// Throws FileError.
void prepare_folder(const std::filesystem::path& path);

/// Removes what write_file had begun there when its process was killed. Not while others write there.
void remove_unfinished(const std::filesystem::path& folder);

}  // namespace stiffly
