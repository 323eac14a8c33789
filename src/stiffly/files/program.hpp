// Other programs, run as such.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stiffly {

/// Where PATH has the program; nothing if it is not installed.
std::optional<std::filesystem::path> find_program(const std::string& name);

struct ProgramResult {
  int status = 0;          ///< exit status; 128 + signal if it was killed
  bool timed_out = false;  ///< it was stopped after the time it was given
  std::string output;      ///< the end of what it printed, of both kinds
};

/// Runs it without a shell, with `folder` as its working folder and nothing to read, and waits. Throws
/// FileError if it cannot be started.
ProgramResult run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder, std::chrono::seconds limit);

/// A new empty folder for intermediate files, removed with its contents at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace stiffly
