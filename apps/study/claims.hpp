// What papers report, as experiments.
#pragma once

#include <string>
#include <vector>

#include "scene_study.hpp"

namespace stiffly::app {

/// What came out of an experiment.
struct Finding {
  std::string verdict;  ///< "confirmed", "confirmed only with …", "not confirmed", "undecided", "not tried"
  std::string measured;         ///< with its reason where it is not as published
  std::string command;          ///< that does the same by hand
  std::string comparison = {};  ///< every run, as a JSON object; empty: there is none
};

struct ClaimScale {
  bool full = false;
  double time_limit = 60;        ///< s of computing for one run
  double reference_limit = 600;  ///< s for a reference
};

struct Claim {
  std::string id;     ///< of the row
  std::string group;  ///< table1, table2, fput, hauth
  std::string what;
  std::string published;
  std::function<Finding(const ClaimScale&)> run;
};

/// Every row of the ledger, in its order.
std::vector<Claim> claims();

}  // namespace stiffly::app
