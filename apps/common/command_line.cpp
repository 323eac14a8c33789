#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>

#include "json_text.hpp"
#include "stiffly/error.hpp"
#include "stiffly/text.hpp"
#include "stiffly/version.hpp"

namespace stiffly::app {
namespace {

/// Errors too are one JSON object for those who asked for JSON.
int report_error(int code, const std::string& message, bool json) {
  // Not fmt::print, which throws where nothing can be written: the code says enough then.
  std::fputs(fmt::format("stiffly: {}\n", message).c_str(), stderr);
  if (json) std::fputs(dump({{"status", "error"}, {"exit_code", code}, {"error", message}}).c_str(), stdout);
  return code;
}

/// The parser's message, and the nearest option or command where one was not known.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error, std::string_view first) {
  std::vector<std::string> commands, options;
  for (const CLI::App* command : program.get_subcommands({})) commands.push_back(command->get_name());
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  const std::string help = fmt::format("stiffly{}{} --help shows what there is", chosen.empty() ? "" : " ",
                                       chosen.empty() ? "" : chosen.front()->get_name());
  if (chosen.empty() && !first.empty() && first.front() != '-')
    return fmt::format("unknown command '{}'; did you mean '{}'? ({})", first, nearest(first, commands),
                       help);
  if (!chosen.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    for (const CLI::Option* option : chosen.front()->get_options())
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    // The parser has dropped the extra arguments by now; its message still lists them.
    std::istringstream words(error.what());
    for (std::string extra; words >> extra;)
      if (extra.starts_with("--"))
        return fmt::format("unknown option '{}'; did you mean '{}'? ({})", extra, nearest(extra, options),
                           help);
  }
  return fmt::format("{} ({})", error.what(), help);
}

bool wants_json(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view word) { return word == "--json"; });
}

CLI::App* add_listed(CLI::App& program, std::span<const CommandHelp> commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, &CommandHelp::name);
  return program.add_subcommand(found->name, found->help);
}

}  // namespace

int run_command_line(int argc, char** argv, std::initializer_list<AddCommand> commands) {
  CLI::App program("Exponential and classical integrators for stiff elastodynamics.", "stiffly");
  program.set_version_flag("--version", std::string(version));
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 done; 2 wrong usage or scene; 3 the simulation failed; 4 a file could not be read or "
      "written;\n"
      "130 interrupted. The launcher adds: test, bench.");
  Action action;
  for (const AddCommand add : commands) add(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // help or version
    return report_error(wrong_input, usage_message(program, error, argc > 1 ? argv[1] : ""),
                        wants_json(argc, argv));
  }
  return action();
}

int report_errors(int argc, char** argv, const std::function<int()>& work) {
  const bool json = wants_json(argc, argv);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large for a limit is an error of writing, not an end
  try {
    const int code = work();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
    return report_error(file_failed,
                        fmt::format("standard output cannot be written: {}", std::strerror(errno)), false);
  } catch (const InputError& error) {
    return report_error(wrong_input, error.what(), json);
  } catch (const FileError& error) {
    return report_error(file_failed, error.what(), json);
  } catch (const SimulationError& error) {
    return report_error(simulation_failed, error.what(), json);
  } catch (const std::filesystem::filesystem_error& error) {
    return report_error(file_failed, fmt::format("{}: {}", error.path1().string(), error.code().message()),
                        json);
  } catch (const std::system_error& error) {  // what printing ends with
    return report_error(file_failed,
                        fmt::format("standard output cannot be written: {}", error.code().message()), false);
  } catch (const std::bad_alloc&) {
    return report_error(simulation_failed, "out of memory; try a smaller scene or another integrator", json);
  } catch (const std::exception& error) {
    return report_error(1, fmt::format("a mistake in the program: {}", error.what()), json);
  }
}

CLI::App* add_study_command(CLI::App& program, std::string_view name) {
  return add_listed(program, study_commands, name);
}

CLI::App* add_view_command(CLI::App& program, std::string_view name) {
  return add_listed(program, view_commands, name);
}

std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::filesystem::path sibling_program(const char* name) { return this_program().parent_path() / name; }

}  // namespace stiffly::app
