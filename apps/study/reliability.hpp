// stiffly reproduce reliability: runs on disks that fail, and runs that are killed.
#pragma once

#include <string>

namespace stiffly::app {

struct ReliabilityOptions {
  std::string scale, output;  ///< small: one kind of run; full: all of them
};

/// Makes every operation that runs make on files fail in turn, and kills them at each; looks at what is left
/// and goes on from there. Writes reliability.md. Exit code 3 where anything was lost or differed.
int measure_reliability(const ReliabilityOptions& options);

}  // namespace stiffly::app
