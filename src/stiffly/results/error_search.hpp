// Which tolerances lead to a result whose error is within a bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stiffly {

/// A run on the way.
struct ErrorRun {
  double tolerance = 0;
  std::string method = {};                ///< that it was made by
  double seconds = 0;                     ///< of computing
  std::optional<double> difference = {};  ///< of its result to that of the run before
};

/// A tolerance bounds what single steps add, not the error of the result: that is seen by making the run
/// again at a smaller tolerance. Of two runs the difference says what the coarser one was off by. Where three
/// show that the error falls with the tolerance, the finer one is off by that much less [Richardson]; as long
/// as they do not, it counts as no better; nor does it where they were made by different methods, whose
/// errors at a tolerance have nothing to do with each other. Runs are made until the estimate is within the
/// bound.
class ErrorSearch {
 public:
  explicit ErrorSearch(double bound);

  /// Of the next run.
  double tolerance() const { return tolerance_; }
  /// The run at that tolerance was made, and differs by so much from the one before; none for the first.
  void add(std::string method, double seconds, std::optional<double> difference);

  enum class Verdict {
    open,      ///< another run is needed
    met,       ///< the last run is within the bound
    hopeless,  ///< smaller tolerances do not bring results closer to each other
  };
  Verdict verdict() const { return verdict_; }
  /// Of the error of the last run; infinite after the first.
  double estimate() const { return estimate_; }
  double bound() const { return bound_; }
  const std::vector<ErrorRun>& runs() const { return runs_; }

 private:
  bool converges(std::size_t run) const;

  double bound_, tolerance_, estimate_;
  Verdict verdict_ = Verdict::open;
  std::vector<ErrorRun> runs_;
};

}  // namespace stiffly
