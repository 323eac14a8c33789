// A run in words, for people.
#pragma once

#include <string>

#include "stiffly/results/results.hpp"

namespace stiffly::app {

/// `most_kinetic` is the largest kinetic energy seen, against which drift is judged.
std::string summary_table(const RunReport& report, double most_kinetic);

}  // namespace stiffly::app
