// The program stiffly: runs scenes and says what there is. Studies are a program of their own beside it, so
// that who only wants to run a scene does not have to build them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "command_line.hpp"
#include "stiffly/error.hpp"

namespace {

using namespace stiffly::app;

bool is_study(const char* name) {
  return std::any_of(study_commands.begin(), study_commands.end(),
                     [&](const StudyCommand& command) { return std::strcmp(command.name, name) == 0; });
}

void add_studies(CLI::App& program, Action&) {
  for (const StudyCommand& command : study_commands) add_study_command(program, command.name);
}

/// Replaces this process; returns only to throw.
[[noreturn]] void become_study_program(char** argv) {
  const std::filesystem::path program = sibling_program("stiffly-study");
  execv(program.c_str(), argv);
  throw stiffly::FileError(
      fmt::format("'{}' is done by the program {}, which cannot be started ({}): build the target "
                  "stiffly_study_app, or start ./stiffly in the sources, which does",
                  argv[1], program.string(), std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  return report_errors(argc, argv, [&] {
    if (argc > 1 && is_study(argv[1])) become_study_program(argv);
    return run_command_line(argc, argv, {add_run, add_list, add_studies, add_mesh, add_assets, add_doctor});
  });
}
