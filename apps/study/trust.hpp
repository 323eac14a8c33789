// How far results can be trusted: errors that were asked for and errors that came out.
#pragma once

#include <string>
#include <vector>

namespace stiffly::app {

struct TrustOptions {
  std::string output = "docs";
  double time_limit = 60;         ///< s of computing for one run
  double reference_limit = 120;   ///< s of computing for a reference
  std::vector<std::string> rows;  ///< only these: names of scenes; empty: all
  bool again = false;
  double work_limit = 0.6;       ///< s that its counted work takes on a nominal machine (effort.hpp)
  double frame_work_limit = 20;  ///< the same for runs whose frames are looked at
};

/// OUTPUT/trust.md, from one file per scene under OUTPUT/trust: what is done is not done again. The scenes
/// that do not come with the program are written there, too.
int measure_trust(const TrustOptions& options);

}  // namespace stiffly::app
