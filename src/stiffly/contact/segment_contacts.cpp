#include "stiffly/contact/segment_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stiffly/contact/crossing.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr std::size_t pairs_looked_at = 1024;
/// Of the reach: a node may move so far before its pairs are listed anew. Two that were listed at different
/// times have then come nearer by three quarters of it at most.
constexpr double stale = 0.25;

/// Of the thickness: what is no further apart may be pushed together.
constexpr double beside = 0.25;

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
      elements_of_node_(body_.size()),
      themselves_(themselves),
      reach_(reach_of(search_.elements())) {
  elements_of_body_.resize(body_.empty() ? 0
                                         : static_cast<std::size_t>(*std::ranges::max_element(body_)) + 1);
  for (std::size_t i = 0; i < search_.elements().size(); ++i) {
    const int element = static_cast<int>(i);
    for (std::size_t c = 0; c < 2; ++c)
      elements_of_node_[static_cast<std::size_t>(search_.elements()[i].corners[c])].push_back(element);
    elements_of_body_[static_cast<std::size_t>(body_of(element))].push_back(element);
  }
}

void SegmentContacts::list(std::span<const std::pair<int, int>> pairs, std::span<const double> start,
                           std::span<const double> end) {
  start_ = start;
  listed_at_.assign(end.begin(), end.end());
  at_ = listed_at_;
  gone_.assign(body_.size(), 0.0);
  list_.clear();
  for (const auto& [i, j] : pairs)
    if (can_touch(i, j)) list_.push_back({i, j});
  looked_ = false;
  looked_at_.clear();
}

void SegmentContacts::begin(std::span<const double> start, std::span<const double> end) {
  part_ = {};
  list(search_.find(start, end, reach_), start, end);
}

void SegmentContacts::begin_part(std::span<const double> start, std::span<const double> end,
                                 std::span<const int> bodies, const PartOfWay& part) {
  part_ = part;
  list(search_.find_of(elements_of(bodies), start, end, reach_, part_), start, end);
}

void SegmentContacts::go_straight(std::span<const double> start, std::span<const double> end,
                                  std::span<const int> bodies) {
  search_.refit(elements_of(bodies), start, end, reach_, {});
}

std::vector<int> SegmentContacts::elements_of(std::span<const int> bodies) const {
  std::vector<int> out;
  for (const int body : bodies) {
    const std::vector<int>& own = elements_of_body_[static_cast<std::size_t>(body)];
    out.insert(out.end(), own.begin(), own.end());
  }
  std::ranges::sort(out);
  return out;
}

void SegmentContacts::enter(int place) {
  const Listed& pair = list_[static_cast<std::size_t>(place)];
  const int first = body_of(pair.first), second = body_of(pair.second);
  pairs_of_body_[static_cast<std::size_t>(first)].push_back(place);
  if (second != first) pairs_of_body_[static_cast<std::size_t>(second)].push_back(place);
}

void SegmentContacts::follow(std::span<const double> end, std::span<const int> moved) {
  std::vector<int> anew;
  for (const int node : moved) {
    const auto at = [&](std::span<const double> x) { return Vector3d::Map(x.data() + 3 * node); };
    if (!((at(end) - at(listed_at_)).norm() > stale * reach_)) continue;
    const std::vector<int>& own = elements_of_node_[static_cast<std::size_t>(node)];
    anew.insert(anew.end(), own.begin(), own.end());
    std::copy_n(end.data() + 3 * node, 3, listed_at_.data() + 3 * node);
  }
  std::ranges::sort(anew);
  anew.erase(std::unique(anew.begin(), anew.end()), anew.end());
  if (anew.empty()) return;
  for (const auto& [i, j] : search_.find_of(anew, start_, listed_at_, reach_, part_)) {
    if (!can_touch(i, j)) continue;
    const auto known = [&, first = i, second = j](int place) {
      const Listed& pair = list_[static_cast<std::size_t>(place)];
      return pair.first == first && pair.second == second;
    };
    if (std::ranges::any_of(pairs_of_body_[static_cast<std::size_t>(body_of(i))], known)) continue;
    list_.push_back({i, j});
    enter(static_cast<int>(list_.size()) - 1);
  }
}

std::vector<int> SegmentContacts::to_look_at(std::span<const int> moved) {
  std::vector<int> bodies;
  for (const int node : moved) bodies.push_back(body_[static_cast<std::size_t>(node)]);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());  // nodes of one often come together
  std::ranges::sort(bodies);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  std::vector<int> out;
  looked_at_.resize(list_.size(), false);
  for (const int body : bodies)
    for (const int place : pairs_of_body_[static_cast<std::size_t>(body)])
      if (!std::exchange(looked_at_[static_cast<std::size_t>(place)], true)) out.push_back(place);
  for (const int place : out) looked_at_[static_cast<std::size_t>(place)] = false;
  return out;
}

void SegmentContacts::go(std::span<const double> end, int node) {
  const auto k = static_cast<std::size_t>(node);
  gone_[k] += (Vector3d::Map(end.data() + 3 * k) - Vector3d::Map(at_.data() + 3 * k)).norm();
  std::copy_n(end.data() + 3 * k, 3, at_.data() + 3 * k);
}

double SegmentContacts::gone(const ElementPair& pair) const {
  double sum = 0;
  for (const int node : pair.particles) sum += gone_[static_cast<std::size_t>(node)];
  return sum;
}

std::optional<SegmentContacts::Met> SegmentContacts::meet(const ElementPair& pair, double radii,
                                                          std::span<const double> end, double& clear) const {
  const Corners to = pair.corners(end), way = to - pair.corners(start_);
  const Proximity nearest = pair.nearest(to);
  const Vector3d between = nearest.between(to);
  const double distance = between.norm();
  const double approach = pair.approach(way);
  clear = 0;
  if (distance <= approach)  // on the way they were nearer by that at most
    if (const auto crossing = crossing_of_segments(to - way, to))
      return Met{crossing->weights, crossing->normal, crossing->normal.dot(to * crossing->weights) - radii,
                 true};
  if (!(distance < (1 + beside) * radii && distance > 0)) {
    clear = std::max(0.0, std::min(distance - (1 + beside) * radii, (distance - approach) / 2));
    return std::nullopt;
  }
  return Met{nearest.weights, between / distance, distance - radii, false,
             distance < (1 + just_apart) * radii};
}

// When a pair came into the list depends on what else is near, as trees have it: the order does not.
void SegmentContacts::keep_due(std::vector<int>& places) const {
  const auto listed = [&](int place) -> const Listed& { return list_[static_cast<std::size_t>(place)]; };
  std::vector<char> due(places.size());
  for_chunks<pairs_looked_at>(places.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const auto& [i, j, until] = listed(places[k]);
      due[k] = !(gone(search_.pair(i, j)) < until);
    }
  });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < places.size(); ++k)
    if (due[k]) places[kept++] = places[k];
  places.resize(kept);
  const auto elements = [&](int place) { return std::pair(listed(place).first, listed(place).second); };
  if (!std::ranges::is_sorted(places, {}, elements)) std::ranges::sort(places, {}, elements);
}

void SegmentContacts::add(std::span<const double> end, std::span<const int> moved, ContactSet& out) {
  std::vector<int> places;
  if (looked_) {
    for (const int node : moved) go(end, node);
    follow(end, moved);
    places = to_look_at(moved);
  } else {
    places.resize(list_.size());
    std::iota(places.begin(), places.end(), 0);
    pairs_of_body_.resize(elements_of_body_.size());
    for (std::vector<int>& pairs : pairs_of_body_) pairs.clear();
    for (const int place : places) enter(place);
    looked_ = true;
  }
  keep_due(places);
  std::vector<ContactSet> parts((places.size() + pairs_looked_at - 1) / pairs_looked_at);
  for_chunks<pairs_looked_at>(places.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      auto& [i, j, until] = list_[static_cast<std::size_t>(places[k])];
      const ElementPair pair = search_.pair(i, j);
      double clear = 0;
      const double radii = search_.elements()[static_cast<std::size_t>(i)].radius +
                           search_.elements()[static_cast<std::size_t>(j)].radius;
      const std::optional<Met> met = meet(pair, radii, end, clear);
      until = gone(pair) + clear;
      if (!met) continue;
      std::array<ParticleShare, 4> shares;
      for (std::size_t c = 0; c < 4; ++c)
        shares[c] = {pair.particles[c], met->weights[static_cast<Eigen::Index>(c)]};
      ContactSet& part = parts[first / pairs_looked_at];
      if (met->touches)
        part.add(met->gap, met->normal, Vector3d::Zero(), shares, met->crossing);
      else
        part.add_near(met->gap, met->normal, shares);
    }
  });
  for (const ContactSet& part : parts) out.append(part);
}

}  // namespace stiffly
