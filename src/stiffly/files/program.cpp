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

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"

namespace stiffly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t output_tail = 2000;

/// Settings of posix_spawn, released at the end.
class SpawnSettings {
 public:
  SpawnSettings(const fs::path& folder, const fs::path& output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
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

ProgramResult run_program(const fs::path& program, const std::vector<std::string>& arguments,
                          const fs::path& folder, std::chrono::seconds limit) {
  const ScratchFolder scratch;
  const fs::path output = scratch.path() / "output";
  const SpawnSettings settings(folder, output);
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  if (const int error = posix_spawn(&process, program.c_str(), settings.actions(), settings.attributes(),
                                    pointers.data(), environ))
    throw FileError(fmt::format("{}: cannot be started: {}", program.string(), std::strerror(error)));

  ProgramResult result;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (!result.timed_out && std::chrono::steady_clock::now() > deadline) {
      kill(-process, SIGKILL);
      result.timed_out = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = read_file(output, std::uintmax_t{1} << 30);
  if (result.output.size() > output_tail) result.output.erase(0, result.output.size() - output_tail);
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
