// How far along a way things can go without meeting.
#pragma once

namespace stiffly {

/// The share t ≤ 1 of a way over which a gap stays above a tenth of what it is where the way begins, or 1:
/// `gap_at(t)` measures it, and over all of the way it shrinks by at most `approach`. Nothing is missed in
/// between, however long the way: each advance is nine tenths of what the gap then allows. Where things slide
/// along each other, closer than the way is long by far, it ends after many looks. [additive continuous
/// collision detection: Li, Kaufman and Jiang 2021]
template <class GapAt>
double clear_share(const GapAt& gap_at, double approach) {
  constexpr double advance = 0.9, left = 0.1;
  constexpr int most_looks = 1000;
  const double first = gap_at(0.0);
  double gap = first, share = 0;
  for (int looks = 0; looks < most_looks; ++looks) {
    const double next = share + advance * gap / approach;
    if (!(next < 1)) return 1;
    gap = gap_at(next);
    if (share > 0 && !(gap > left * first)) return share;
    if (!(next > share)) return share;
    share = next;
  }
  return share;
}

}  // namespace stiffly
