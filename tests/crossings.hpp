// Whether segments have passed through each other from one state to the next.
#pragma once

#include <array>
#include <cmath>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "stiffly/contact/near_pairs.hpp"

namespace stiffly::test {

/// How often two segments, p0 p1 and q0 q1, pass through each other while their ends go straight from `from`
/// to `to`, one way less the other: changes of the side on which the four points are, looked for at many
/// times, where the lines meet within both.
inline int signed_crossings(const Corners& from, const Corners& to, int looks = 64) {
  const auto side = [&](double time) {
    const Corners x = from + time * (to - from);
    const Eigen::Vector3d p = x.col(1) - x.col(0), q = x.col(3) - x.col(2);
    return p.cross(q).dot(x.col(2) - x.col(0));
  };
  int sum = 0;
  for (int k = 0; k < looks; ++k) {
    double low = static_cast<double>(k) / looks, high = static_cast<double>(k + 1) / looks;
    const double before = side(low), after = side(high);
    if (before == 0 || (before < 0) == (after < 0)) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      ((side(middle) < 0) == (before < 0) ? low : high) = middle;
    }
    const Corners x = from + high * (to - from);
    const Eigen::Vector3d p = x.col(1) - x.col(0), q = x.col(3) - x.col(2), r = x.col(2) - x.col(0);
    // s p − t q = r, in the plane of both
    const double pp = p.dot(p), pq = p.dot(q), qq = q.dot(q), area = pp * qq - pq * pq;
    const double s = (qq * r.dot(p) - pq * r.dot(q)) / area, t = (pq * r.dot(p) - pp * r.dot(q)) / area;
    // Of parallel lines all corners are in a plane, wherever they are: what meets is in one place.
    const bool meet = (s * p - t * q - r).norm() < 1e-6 * (p.norm() + q.norm());
    if (meet && s >= 0 && s <= 1 && t >= 0 && t <= 1) sum += before < 0 ? 1 : -1;
  }
  return sum;
}

/// What a scene of segments did from one state to the next.
struct Passage {
  long through = 0;    ///< pairs that passed through each other
  double deepest = 0;  ///< overlap at the end, m
};

/// Of segments between nodes, pairs i < j for which `meet(i, j)` holds.
template <class Meet>
Passage passage(NearPairs& segments, std::span<const double> from, std::span<const double> to,
                const Meet& meet) {
  Passage out;
  for (const auto& [i, j] : segments.find(from, to, 0)) {
    const ElementPair pair = segments.pair(i, j);
    if (pair.kind != Meeting::segments || !meet(i, j)) continue;
    out.through += signed_crossings(pair.corners(from), pair.corners(to)) != 0;
    out.deepest = std::max(out.deepest, -segments.gap(i, j, to));
  }
  return out;
}

/// Those of different bodies, of which each node has one.
inline Passage passage(NearPairs& segments, std::span<const int> bodies, std::span<const double> from,
                       std::span<const double> to) {
  const auto body = [&](int i) {
    return bodies[static_cast<std::size_t>(segments.elements()[static_cast<std::size_t>(i)].corners[0])];
  };
  return passage(segments, from, to, [&](int i, int j) { return body(i) != body(j); });
}

}  // namespace stiffly::test
