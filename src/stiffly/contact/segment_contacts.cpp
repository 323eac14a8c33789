#include "stiffly/contact/segment_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/contact/crossing.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr std::size_t pairs_looked_at = 1024;
/// Of the reach: a node may move so far before its pairs are listed anew. Two that were listed at different
/// times have then come nearer by three quarters of it at most.
constexpr double stale = 0.25;

/// Beyond the thickness, so that pairs stay the same while projections put things apart.
double reach_of(std::span<const ThickElement> segments) {
  double thickest = 0;
  for (const ThickElement& segment : segments) thickest = std::max(thickest, 2 * segment.radius);
  return thickest;
}

}  // namespace

SegmentContacts::SegmentContacts(std::vector<ThickElement> segments, std::vector<int> body, bool themselves)
    : search_(std::move(segments)),
      body_(std::move(body)),
      themselves_(themselves),
      reach_(reach_of(search_.elements())) {}

bool SegmentContacts::can_touch(const std::pair<int, int>& pair) const {
  const auto body = [&](int element) {
    return body_[static_cast<std::size_t>(search_.elements()[static_cast<std::size_t>(element)].corners[0])];
  };
  return themselves_ || body(pair.first) != body(pair.second);
}

void SegmentContacts::begin(std::span<const double> start, std::span<const double> end) {
  start_ = start;
  listed_.assign(end.begin(), end.end());
  seen_.clear();
  list_.clear();
  for (const auto& pair : search_.find(start, end, reach_))
    if (can_touch(pair)) list_.push_back({pair.first, pair.second});
}

void SegmentContacts::follow(std::span<const double> end) {
  std::vector<bool> moved(body_.size());
  for (std::size_t node = 0; node < body_.size(); ++node)
    moved[node] = (Vector3d::Map(end.data() + 3 * node) - Vector3d::Map(listed_.data() + 3 * node)).norm() >
                  stale * reach_;
  std::vector<int> anew;
  for (std::size_t i = 0; i < search_.elements().size(); ++i) {
    const auto& corners = search_.elements()[i].corners;
    if (moved[static_cast<std::size_t>(corners[0])] || moved[static_cast<std::size_t>(corners[1])])
      anew.push_back(static_cast<int>(i));
  }
  if (anew.empty()) return;
  const auto before = std::ssize(list_);
  for (const auto& pair : search_.find_of(anew, start_, end, reach_))
    if (can_touch(pair)) list_.push_back({pair.first, pair.second, true});
  // Of those that were known the first is kept, which is to be looked at again as well.
  const auto order = [](const Listed& a, const Listed& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  };
  std::inplace_merge(list_.begin(), list_.begin() + before, list_.end(), order);
  list_.erase(std::unique(list_.begin(), list_.end(),
                          [&](const Listed& a, const Listed& b) { return !order(a, b) && !order(b, a); }),
              list_.end());
  for (std::size_t node = 0; node < body_.size(); ++node)
    if (moved[node]) std::copy_n(end.data() + 3 * node, 3, listed_.data() + 3 * node);
}

std::optional<SegmentContacts::Met> SegmentContacts::meet(const ElementPair& pair, double radii,
                                                          std::span<const double> end) const {
  const Corners to = pair.corners(end), way = to - pair.corners(start_);
  const Proximity nearest = pair.nearest(to);
  const Vector3d between = nearest.between(to);
  const double distance = between.norm();
  if (distance <= pair.approach(way))  // on the way they were nearer by that at most
    if (const auto crossing = crossing_of_segments(to - way, to))
      return Met{crossing->weights, crossing->normal, crossing->normal.dot(to * crossing->weights) - radii,
                 true};
  if (!(distance < radii && distance > 0)) return std::nullopt;
  return Met{nearest.weights, between / distance, distance - radii, false};
}

void SegmentContacts::add(std::span<const double> end, ContactSet& out) {
  follow(end);
  std::vector<bool> moved(body_.size(), true);  // since the last look
  for (std::size_t node = 0; node < moved.size() && !seen_.empty(); ++node)
    moved[node] =
        !std::equal(seen_.begin() + static_cast<std::ptrdiff_t>(3 * node),
                    seen_.begin() + static_cast<std::ptrdiff_t>(3 * node + 3), end.data() + 3 * node);
  seen_.assign(end.begin(), end.end());
  std::vector<ContactSet> parts((list_.size() + pairs_looked_at - 1) / pairs_looked_at);
  for_chunks<pairs_looked_at>(list_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      auto& [i, j, touched] = list_[k];
      const ElementPair pair = search_.pair(i, j);
      if (!touched && std::ranges::none_of(pair.particles,
                                           [&](int node) { return moved[static_cast<std::size_t>(node)]; }))
        continue;
      const double radii = search_.elements()[static_cast<std::size_t>(i)].radius +
                           search_.elements()[static_cast<std::size_t>(j)].radius;
      const std::optional<Met> met = meet(pair, radii, end);
      touched = met.has_value();
      if (!met) continue;
      std::array<ParticleShare, 4> shares;
      for (std::size_t c = 0; c < 4; ++c)
        shares[c] = {pair.particles[c], met->weights[static_cast<Eigen::Index>(c)]};
      parts[first / pairs_looked_at].add(met->gap, met->normal, Vector3d::Zero(), shares, met->crossing);
    }
  });
  for (const ContactSet& part : parts) out.append(part);
}

}  // namespace stiffly
