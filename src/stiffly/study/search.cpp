#include "stiffly/study/search.hpp"

#include <cmath>

namespace stiffly::study {

SearchResult find_largest(const SearchRange& range, const std::function<Verdict(double)>& judge) {
  double passes = range.largest, fails = 0;  // no failure above the largest
  bool late = false;
  for (;;) {
    const Verdict verdict = judge(passes);
    if (verdict != Verdict::pass) {
      if (verdict == Verdict::out_of_time && late) return {verdict, passes};
      const double next = passes / std::pow(range.coarse, verdict == Verdict::far ? 3 : 1);
      if (next < range.smallest) return {verdict == Verdict::far ? Verdict::out_of_time : verdict, passes};
      late = verdict == Verdict::out_of_time;
      fails = passes;
      passes = next;
      continue;
    }
    late = false;
    while (fails > range.fine * passes) {
      const double middle = std::sqrt(passes * fails);
      (judge(middle) == Verdict::pass ? passes : fails) = middle;
    }
    fails = passes / range.fine;
    if (judge(fails) != Verdict::fail) return {Verdict::pass, passes};
    passes = fails / range.coarse;
  }
}

}  // namespace stiffly::study
