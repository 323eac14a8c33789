// What the programs share: the command line becomes an action, exceptions become messages and exit codes.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>

#include "commands.hpp"

namespace stiffly::app {

using AddCommand = void (*)(CLI::App& program, Action& action);

/// Does what the command line says with one of these commands; returns the exit code.
int run_command_line(int argc, char** argv, std::initializer_list<AddCommand> commands);

/// The exit code of `work`, or that of the error it ends with, which is said on standard error.
int report_errors(int argc, char** argv, const std::function<int()>& work);

/// The file of the program that runs.
std::filesystem::path this_program();
/// Another program of this build or installation: they stand in one folder.
std::filesystem::path sibling_program(const char* name);

}  // namespace stiffly::app
