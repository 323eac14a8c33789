// The automatic choice of methods on every scene, against the best choice in hindsight.
#pragma once

#include <string>
#include <vector>

namespace stiffly::app {

struct AutoOptions {
  std::string scale = "small", output = "docs";
  double seconds = 10;                   ///< of computing, of the automatic run at least …
  double time_limit = 60;                ///< … and at most
  std::vector<std::string> rows;         ///< only these: SCENE or SCENE-TOLERANCE; empty: all
  std::vector<std::string> integrators;  ///< to run against; empty: those that it chooses from
  bool again = false;
};

/// OUTPUT/auto.md, from one file per row under OUTPUT/auto: what is done is not done again, and what is not
/// done yet says so.
int automatic_in_hindsight(const AutoOptions& options);

}  // namespace stiffly::app
