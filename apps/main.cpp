// The program stiffly: runs scenes and says what there is. Studies, and showing runs in a browser, are
// programs of their own beside it, so that who only wants to run a scene does not have to build them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "command_line.hpp"
#include "stiffly/error.hpp"

namespace {

using namespace stiffly::app;

/// A program beside this one, and the target it is built as.
struct OtherProgram {
  const char *name, *target;
};

/// The one that does what the command line asks for, if it is not this one.
std::optional<OtherProgram> other_program(std::span<char*> words) {
  if (words.size() < 2) return {};
  const auto among = [](const auto& commands, std::string_view name) {
    return std::ranges::find(commands, name, &CommandHelp::name) != commands.end();
  };
  if (among(study_commands, words[1])) return OtherProgram{"stiffly-study", "stiffly_study_app"};
  const bool live = std::string_view(words[1]) == "run" &&
                    std::ranges::any_of(words, [](std::string_view word) { return word == "--view"; });
  if (live || among(view_commands, words[1])) return OtherProgram{"stiffly-view", "stiffly_view_app"};
  return {};
}

void add_others(CLI::App& program, Action&) {
  for (const CommandHelp& command : view_commands) add_view_command(program, command.name);
  for (const CommandHelp& command : study_commands) add_study_command(program, command.name);
}

/// Replaces this process; returns only to throw.
[[noreturn]] void become(const OtherProgram& other, char** argv) {
  const std::filesystem::path program = sibling_program(other.name);
  execv(program.c_str(), argv);
  throw stiffly::FileError(
      fmt::format("'{}' needs the program {}, which cannot be started ({}): build the target "
                  "{}, or start ./stiffly in the sources, which does",
                  argv[1], program.string(), std::strerror(errno), other.target));
}

}  // namespace

int main(int argc, char** argv) {
  return report_errors(argc, argv, [&] {
    if (const auto other = other_program({argv, static_cast<std::size_t>(argc)})) become(*other, argv);
    return run_command_line(argc, argv, {add_run, add_list, add_others, add_mesh, add_assets, add_doctor});
  });
}
