// Every scene at full size with several methods: a table of what runs cost.
#pragma once

#include <string>
#include <vector>

namespace stiffly::app {

struct RunsOptions {
  std::string scale = "full", output = "docs";
  double time_limit = 300;  ///< s of computing for one run
  /// Only these, named by scene, by scene and settings as on the page, or by these and the method; empty:
  /// all.
  std::vector<std::string> rows;
  bool again = false;
};

/// OUTPUT/runs.md, from one file per run under OUTPUT/runs: what is done is not done again, and what is not
/// done yet says so. Each run is a program of its own, so that its memory can be told.
int table_of_runs(const RunsOptions& options);

}  // namespace stiffly::app
