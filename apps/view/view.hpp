// Showing runs in a browser.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "stiffly/view/site.hpp"

namespace stiffly::app {

/// The folders of one run, or of two that are to be compared. Throws InputError for more.
std::vector<std::shared_ptr<view::RunSource>> open_runs(const std::vector<std::string>& folders);

/// Says where the viewer is and, where there is a screen and it is wanted, shows it.
void announce(const std::string& url, bool open, std::FILE* to = stdout);

/// The command `run`, with --view.
void add_live_run(CLI::App& program, Action& action);

/// Until Ctrl-C, or until `enough`.
void wait_for_interrupt(const std::function<bool()>& enough = {});

}  // namespace stiffly::app
