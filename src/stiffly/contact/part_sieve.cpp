#include "stiffly/contact/part_sieve.hpp"

namespace stiffly {
namespace {

using Eight = Eigen::Array<float, 8, 1>;
/// Three numbers of eight pairs.
using Eight3 = std::array<Eight, 3>;

Eight dot(const Eight3& a, const Eight3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Eight3 cross(const Eight3& a, const Eight3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// One part and eight others at one end of the way.
struct Pairs {
  Eight3 a, b, between;  ///< both, and from where the one begins to where the others do

  /// How far the others are beyond the one along n, and before it.
  std::pair<Eight, Eight> beyond_and_before(const Eight3& n) const {
    const Eight gap = dot(between, n), own = dot(a, n), theirs = dot(b, n);
    return {gap + theirs.min(0.0f) - own.max(0.0f), own.min(0.0f) - gap - theirs.max(0.0f)};
  }
};

/// Above 0: more than the reach apart along n all the way. Along a line of no length none are.
Eight room(const Pairs& start, const Pairs& end, const Eight3& n, const Eight& reach) {
  const auto [beyond, before] = start.beyond_and_before(n);
  const auto [later_beyond, later_before] = end.beyond_and_before(n);
  return beyond.min(later_beyond).max(before.min(later_before)) - reach * dot(n, n).sqrt();
}

}  // namespace

unsigned PartSieve::pass(std::size_t place, std::size_t leaf, unsigned which) const {
  const Leaf &own = leaves_[place / width], &others = leaves_[leaf];
  const std::size_t one = place % width;
  const auto eight = [](const Numbers& numbers) { return Eigen::Map<const Eight>(numbers.data()); };
  const auto at = [&](const End& mine, const End& theirs) {
    Pairs out;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      out.a[axis].setConstant(mine.along[axis][one]);
      out.b[axis] = eight(theirs.along[axis]);
      out.between[axis] = eight(theirs.first[axis]) - mine.first[axis][one];
    }
    return out;
  };
  const Pairs start = at(own.start, others.start), end = at(own.end, others.end);
  const Eight reach = own.reach[one] + eight(others.reach);
  const Eight aa = dot(start.a, start.a), along = dot(start.between, start.a);
  Eight3 across;
  for (std::size_t axis = 0; axis < 3; ++axis)
    across[axis] = start.between[axis] * aa - start.a[axis] * along;
  const Eight most = room(start, end, cross(start.a, start.b), reach).max(room(start, end, across, reach));
  for (unsigned c = 0; c < width; ++c) which &= ~(static_cast<unsigned>(most[c] > 0) << c);
  return which;
}

}  // namespace stiffly
