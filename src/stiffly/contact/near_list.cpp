#include "stiffly/contact/near_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Beyond this, m, boxes of single precision have lost all meaning, and so has the simulation.
constexpr double too_far = 1e15;

/// Times what is wanted: the margin that one wild state of an iteration leaves behind, with a list of
/// everything.
constexpr double far_too_wide = 16;

double mean_size(std::span<const ThickElement> elements, std::span<const double> x) {
  double sum = 0;
  for (const ThickElement& element : elements)
    if (element.count() > 1)
      sum += (Vector3d::Map(x.data() + 3 * element.corners[1]) -
              Vector3d::Map(x.data() + 3 * element.corners[0]))
                 .norm();
  return elements.empty() ? 0 : sum / static_cast<double>(elements.size());
}

}  // namespace

NearList::NearList(ContactBodies bodies, double reach, std::span<const double> x)
    : bodies_(std::move(bodies)),
      reach_(reach),
      least_margin_(std::max(reach, mean_size(bodies_.elements, x) / 4)),
      search_(bodies_.elements) {
  margin_ = least_margin_;
  on_surface_.assign(bodies_.nodes.size(), false);
  for (const ThickElement& element : bodies_.elements)
    if (element.count() == 3)
      for (const int corner : element.corners) on_surface_[static_cast<std::size_t>(corner)] = true;
  long overlaps = 0;
  double deepest = 0;
  std::pair<int, int> worst;
  for (const auto& [i, j] : search_.find(x, reach_)) {
    if (!can_touch(i, j)) continue;
    if (bodies_.body_of(i) == bodies_.body_of(j)) {
      one_shape_.emplace_back(i, j);
      continue;
    }
    const double gap = search_.gap(i, j, x);
    if (gap < 0) ++overlaps;
    if (gap < deepest) deepest = gap, worst = {i, j};
  }
  if (overlaps == 0) return;
  const auto name = [&](int element) {
    const ThickElement& e = bodies_.elements[static_cast<std::size_t>(element)];
    return fmt::format("the one at particle {}",
                       bodies_.nodes[static_cast<std::size_t>(e.corners[0])].particles[0]);
  };
  throw InputError(fmt::format(
      "two bodies begin {:.4g} m inside each other, {} and {}{}: move one of them, or make 'radius' smaller",
      -deepest, name(worst.first), name(worst.second),
      overlaps > 1 ? fmt::format(", and {} other pair{} less deep", overlaps - 1, overlaps > 2 ? "s" : "")
                   : ""));
}

bool NearList::can_touch(int i, int j) const {
  const ElementPair pair = search_.pair(i, j);
  if (pair.kind == Meeting::none) return false;
  if (pair.kind == Meeting::points && on_surface_[static_cast<std::size_t>(pair.particles[0])] &&
      on_surface_[static_cast<std::size_t>(pair.particles[1])])
    return false;  // corners of surfaces meet triangles
  if (bodies_.body_of(i) != bodies_.body_of(j)) return true;
  return bodies_.themselves && !std::binary_search(one_shape_.begin(), one_shape_.end(), std::pair(i, j));
}

Neighbours NearList::neighbours(int i, int j) const {
  return {i, j, search_.pair(i, j),
          bodies_.elements[static_cast<std::size_t>(i)].radius +
              bodies_.elements[static_cast<std::size_t>(j)].radius};
}

void NearList::make(std::span<const double> x) {
  list_.clear();
  for (const auto& [i, j] : search_.find(x, reach_ + margin_))
    if (can_touch(i, j)) list_.push_back(neighbours(i, j));
  made_at_.assign(x.begin(), x.end());
}

std::span<const Neighbours> NearList::at(std::span<const double> x, double wander) {
  for (const double place : x)
    if (!(std::abs(place) < too_far)) return {};
  const auto motion = [&] {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); i += 3)
      most = std::max(most, (Vector3d::Map(x.data() + i) - Vector3d::Map(made_at_.data() + i)).squaredNorm());
    return std::sqrt(most) + wander;
  };
  const double wanted = std::max(least_margin_, 4 * wander);
  if (made_at_.empty() || margin_ > far_too_wide * wanted || !((moved_ = motion()) <= margin_ / 2)) {
    margin_ = wanted;
    make(x);
    moved_ = wander;
  }
  return list_;
}

}  // namespace stiffly
