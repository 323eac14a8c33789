// How many times faster one method of a comparison is than another, as far as runs that were cut off can
// tell, and what that says about a claim.
#pragma once

#include <string>

#include "stiffly/study/compare.hpp"

namespace stiffly::study {

/// Between `least` and `most`: equal where both methods met the bound.
struct Speedup {
  double least = 0, most = 0;
};

/// Costs of `other` over those of `ours`. A method that was cut off costs at least as much as it did until
/// then; one that failed at every setting is no faster than any other.
Speedup speedup(const ComparisonEntry& ours, const ComparisonEntry& other);

std::string describe(const Speedup& speedup);

enum class Standing { refuted, open, holds };  // in this order: of several claims at once the least counts

/// Of the claim that it is `claimed` at least.
Standing standing(const Speedup& measured, double claimed);

}  // namespace stiffly::study
