// The verbs of the program. Each adds its options to the parser and puts what is to be done into `action`,
// which returns the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace stiffly::app {

using Action = std::function<int()>;

enum ExitCode { done = 0, wrong_input = 2, simulation_failed = 3, file_failed = 4, interrupted = 130 };

void add_run(CLI::App& program, Action& action);
void add_list(CLI::App& program, Action& action);
void add_compare(CLI::App& program, Action& action);
void add_study(CLI::App& program, Action& action);
void add_advise(CLI::App& program, Action& action);
void add_report(CLI::App& program, Action& action);
void add_reproduce(CLI::App& program, Action& action);
void add_mesh(CLI::App& program, Action& action);
void add_assets(CLI::App& program, Action& action);
void add_doctor(CLI::App& program, Action& action);

}  // namespace stiffly::app
