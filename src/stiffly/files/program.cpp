#include "stiffly/files/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t output_tail = 2000;
constexpr auto look_again = std::chrono::milliseconds(5);

/// Settings of posix_spawn, released at the end.
class SpawnSettings {
 public:
  /// `input`: what it reads from; none: nothing.
  SpawnSettings(const fs::path& folder, const fs::path& output, int input) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    if (input >= 0)
      posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    else
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    // A group of its own, so that what it starts can be stopped with it.
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  const char* folders = std::getenv("PATH");
  for (std::string_view rest = folders ? folders : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.size(), rest.find(':'));
    const fs::path candidate = fs::path(rest.substr(0, end)) / name;
    std::error_code error;
    if (candidate.is_absolute() && fs::is_regular_file(candidate, error) &&
        access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return std::nullopt;
}

RunningProgram::RunningProgram(fs::path program, const std::vector<std::string>& arguments,
                               const fs::path& folder, Input input)
    : program_(std::move(program)) {
  int ends[2] = {-1, -1};  // to read from, to write to; neither is for other programs
  if (input == Input::written && pipe2(ends, O_CLOEXEC) != 0)
    throw FileError(fmt::format("{}: cannot be given input: {}", program_.string(), std::strerror(errno)));
  const SpawnSettings settings(folder, scratch_.path() / "output", ends[0]);
  std::vector<std::string> words = {program_.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int error = posix_spawn(&process_, program_.c_str(), settings.actions(), settings.attributes(),
                                pointers.data(), environ);
  if (ends[0] >= 0) close(ends[0]);
  input_ = ends[1];
  if (error == 0) return;
  end_of_input();
  throw FileError(fmt::format("{}: cannot be started: {}", program_.string(), std::strerror(error)));
}

RunningProgram::~RunningProgram() {
  end_of_input();
  stop();
}

bool RunningProgram::ended() {
  int status = 0;
  if (status_ < 0 && waitpid(process_, &status, WNOHANG) != 0)
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_ >= 0;
}

void RunningProgram::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(input_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw FileError(fmt::format("{}: does not take its input: {}", program_.string(), output()));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void RunningProgram::end_of_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

void RunningProgram::stop() {
  if (ended()) return;
  kill(-process_, SIGKILL);
  while (!ended()) std::this_thread::sleep_for(look_again);
}

std::string RunningProgram::output() const {
  std::string out = read_file(scratch_.path() / "output", std::uintmax_t{1} << 30);
  if (out.size() > output_tail) out.erase(0, out.size() - output_tail);
  return out;
}

ProgramResult run_program(const fs::path& program, const std::vector<std::string>& arguments,
                          const fs::path& folder, std::chrono::seconds limit) {
  RunningProgram running(program, arguments, folder);
  ProgramResult result;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!running.ended()) {
    if (std::chrono::steady_clock::now() > deadline) {
      result.timed_out = true;
      running.stop();
    }
    std::this_thread::sleep_for(look_again);
  }
  result.status = running.status();
  result.output = running.output();
  return result;
}

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "stiffly-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw FileError(fmt::format("{}: the folder cannot be made: {}", name, std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace stiffly
