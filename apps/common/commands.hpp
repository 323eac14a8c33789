// The verbs of the programs. Each adds its options to the parser and puts what is to be done into `action`,
// which returns the exit code.
#pragma once

#include <array>
#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

namespace stiffly::app {

using Action = std::function<int()>;

enum ExitCode { done = 0, wrong_input = 2, simulation_failed = 3, file_failed = 4, interrupted = 130 };

// The program stiffly.
void add_run(CLI::App& program, Action& action);
void add_list(CLI::App& program, Action& action);
void add_mesh(CLI::App& program, Action& action);
void add_assets(CLI::App& program, Action& action);
void add_doctor(CLI::App& program, Action& action);

// The program stiffly-study, which stiffly calls for these.
void add_compare(CLI::App& program, Action& action);
void add_study(CLI::App& program, Action& action);
void add_advise(CLI::App& program, Action& action);
void add_report(CLI::App& program, Action& action);
void add_reproduce(CLI::App& program, Action& action);

// The program stiffly-view, likewise.
void add_view(CLI::App& program, Action& action);
void add_movie(CLI::App& program, Action& action);
void add_picture(CLI::App& program, Action& action);

struct CommandHelp {
  const char *name, *help;
};

/// What stiffly's own help says of them.
inline constexpr std::array<CommandHelp, 5> study_commands = {{
    {"compare",
     "Equal quality: the largest step of each integrator whose error stays below a bound, and its time"},
    {"study",
     "Measure the methods: stability, convergence, precision, energy, stiffness, scaling, amplitude, map"},
    {"advise", "Try methods on a scene and say which one to take"},
    {"report", "One HTML page from the folders of runs and studies"},
    {"reproduce", "Measure what the papers report, with a verdict on every claim"},
}};

inline constexpr std::array<CommandHelp, 3> view_commands = {{
    {"view", "Show the folder of a run in the browser, or two side by side"},
    {"movie", "An MP4 and a GIF of a run, or of two side by side"},
    {"picture", "A PNG of a run at one time, or of two side by side"},
}};

/// One of these, with its help.
CLI::App* add_study_command(CLI::App& program, std::string_view name);
CLI::App* add_view_command(CLI::App& program, std::string_view name);

}  // namespace stiffly::app
