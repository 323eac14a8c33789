// A run in words, for people.
#pragma once

#include <string>

#include "stiffly/results/run_report.hpp"

namespace stiffly::app {

/// A row for each thing one asks first.
std::string summary_table(const RunReport& report);

}  // namespace stiffly::app
