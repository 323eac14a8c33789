// Other programs, run as such.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiffly {

/// Where PATH has the program; nothing if it is not installed.
std::optional<std::filesystem::path> find_program(const std::string& name);

struct ProgramResult {
  int status = 0;          ///< exit status; 128 + signal if it was killed
  bool timed_out = false;  ///< it was stopped after the time it was given
  std::string output;      ///< the end of what it printed, of both kinds
};

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

/// A program that runs beside this one, without a shell and with `folder` as its working folder. Throws
/// FileError if it cannot be started.
class RunningProgram {
 public:
  enum class Input { nothing, written };  ///< whether `write` gives it something to read

  RunningProgram(std::filesystem::path program, const std::vector<std::string>& arguments,
                 const std::filesystem::path& folder, Input input = Input::nothing);
  /// Stops it, and what it has started.
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  bool ended();
  /// Its exit status after it has ended; 128 + signal if it was killed.
  int status() const { return status_; }
  /// Throws FileError where it does not read. The process must ignore SIGPIPE.
  void write(std::string_view bytes);
  /// Nothing more will be written.
  void end_of_input();
  void stop();
  /// The end of what it has printed, of both kinds.
  std::string output() const;

 private:
  ScratchFolder scratch_;
  std::filesystem::path program_;
  int process_ = 0, input_ = -1, status_ = -1;
};

/// Runs it without a shell, with `folder` as its working folder and nothing to read, and waits. Throws
/// FileError if it cannot be started.
ProgramResult run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder, std::chrono::seconds limit);

}  // namespace stiffly
