#include "stiffly/contact/part_sieve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

void PartSieve::begin(std::size_t count, const Eigen::Vector3d& origin) {
  leaves_.resize((count + width - 1) / width);
  origin_ = origin;
}

void PartSieve::set(std::size_t place, const MovingPart& part) {
  // Of places, single precision is off by so much of the largest coordinate; differences by some times that.
  constexpr float unsure = 16 * std::numeric_limits<float>::epsilon();
  Leaf& leaf = leaves_[place / width];
  const std::size_t c = place % width;
  float far = 0;
  const auto put = [&](End& at, const Eigen::Vector3d& first, const Eigen::Vector3d& last) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<Eigen::Index>(axis);
      at.first[axis][c] = static_cast<float>(first[a] - origin_[a]);
      at.along[axis][c] = static_cast<float>(last[a] - first[a]);
      far = std::max({far, std::abs(at.first[axis][c]), std::abs(at.along[axis][c])});
    }
  };
  put(leaf.start, part.first, part.last);
  put(leaf.end, part.later_first, part.later_last);
  leaf.reach[c] = static_cast<float>(part.reach) + unsure * far;
}

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
