// The largest setting that is good enough.
#pragma once

#include <functional>

namespace stiffly::study {

/// far: so much too large that settings close to it need not be tried.
enum class Verdict { pass, fail, out_of_time, far };

struct SearchRange {
  double largest = 1, smallest = 1e-12;
  double coarse = 2;  ///< factor from setting to setting on the way down
  double fine = 1.1;  ///< factor to which the answer is known
};

struct SearchResult {
  Verdict verdict = Verdict::fail;  ///< pass: there is an answer
  double setting = 0;               ///< the answer, or the last one tried
};

/// From the largest setting down by the coarse factor to one that passes, then up again by bisection (on the
/// logarithmic scale) between it and the last that did not. Errors are not monotone: a setting may pass by
/// luck, where an error changes its sign. An answer therefore counts only if the next smaller setting (by the
/// fine factor) does not fail; otherwise the way leads on down from there. Two settings in a row out of time
/// end it, since smaller ones cost more. Where all are too large the answer is that of the last one, out of
/// time where it was far off.
SearchResult find_largest(const SearchRange& range, const std::function<Verdict(double setting)>& judge);

}  // namespace stiffly::study
