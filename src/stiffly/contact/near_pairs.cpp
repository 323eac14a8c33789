#include "stiffly/contact/near_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

/// From this growth of the boxes on, a new tree costs less than what queries lose by the old one.
constexpr double spoilt = 1.5;
constexpr std::size_t pairs_at_once = 4096;

bool share_a_corner(const ThickElement& a, const ThickElement& b) {
  return std::any_of(a.corners.begin(), a.corners.end(), [&](int corner) {
    return corner >= 0 && std::find(b.corners.begin(), b.corners.end(), corner) != b.corners.end();
  });
}

}  // namespace

Corners ElementPair::corners(std::span<const double> x) const {
  Corners out;
  for (int i = 0; i < 4; ++i)
    out.col(i) = Eigen::Vector3d::Map(x.data() + 3 * particles[static_cast<std::size_t>(i)]);
  return out;
}

Proximity ElementPair::nearest(const Corners& corners) const {
  switch (kind) {
    case Meeting::segments:
      return nearest_of_segments(corners);
    case Meeting::point_triangle:
      return nearest_of_point_and_triangle(corners);
    default:
      return nearest_of_points();
  }
}

NearPairs::NearPairs(std::vector<ThickElement> elements) : elements_(std::move(elements)) {
  for (std::size_t i = 0; i < elements_.size(); ++i)
    if (!(std::isfinite(elements_[i].radius) && elements_[i].radius >= 0))
      throw InputError(
          fmt::format("element {}: radius {} m must be finite and not negative", i, elements_[i].radius));
}

ElementPair NearPairs::pair(int i, int j) const {
  const ThickElement *a = &elements_[static_cast<std::size_t>(i)],
                     *b = &elements_[static_cast<std::size_t>(j)];
  if (share_a_corner(*a, *b)) return {};
  if (a->count() > b->count()) std::swap(a, b);
  const auto &p = a->corners, &q = b->corners;
  if (a->count() == 1 && b->count() == 1) return {Meeting::points, {p[0], q[0], p[0], p[0]}};
  if (a->count() == 2 && b->count() == 2) return {Meeting::segments, {p[0], p[1], q[0], q[1]}};
  if (a->count() == 1 && b->count() == 3) return {Meeting::point_triangle, {p[0], q[0], q[1], q[2]}};
  return {};
}

double NearPairs::gap(int i, int j, std::span<const double> x) const {
  const ElementPair both = pair(i, j);
  const Corners corners = both.corners(x);
  return both.nearest(corners).between(corners).norm() - elements_[static_cast<std::size_t>(i)].radius -
         elements_[static_cast<std::size_t>(j)].radius;
}

void NearPairs::divide(std::span<const double> x, double reach) {
  constexpr double most = 4, thicknesses = 4;
  first_box_.assign(1, 0);
  owners_.clear();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const ThickElement& element = elements_[i];
    double parts = 1;
    if (element.count() == 2) {
      const double length = (Eigen::Vector3d::Map(x.data() + 3 * element.corners[1]) -
                             Eigen::Vector3d::Map(x.data() + 3 * element.corners[0]))
                                .norm();
      const double thickness = 2 * element.radius + reach;
      parts = thickness > 0 ? std::clamp(std::ceil(length / (thicknesses * thickness)), 1.0, most) : most;
    }
    owners_.insert(owners_.end(), static_cast<std::size_t>(parts), static_cast<int>(i));
    first_box_.push_back(owners_.size());
  }
  boxes_.resize(owners_.size());
}

void NearPairs::fit(std::span<const double> x, double reach) {
  for_chunks<pairs_at_once>(elements_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const ThickElement& element = elements_[i];
      const auto corner = [&](std::size_t c) {
        return Eigen::Vector3d::Map(x.data() + 3 * element.corners[c]);
      };
      const Eigen::Vector3d margin = Eigen::Vector3d::Constant(element.radius + reach / 2);
      const std::size_t first = first_box_[i], parts = first_box_[i + 1] - first;
      for (std::size_t part = 0; part < parts; ++part) {
        Box box(corner(0));
        for (std::size_t c = 1; c < element.count(); ++c) box.extend(corner(c));
        if (parts > 1) {
          const Eigen::Vector3d along = corner(1) - corner(0);
          const auto at = [&](std::size_t k) {
            return Eigen::Vector3d(corner(0) + static_cast<double>(k) / static_cast<double>(parts) * along);
          };
          box = Box(at(part));
          box.extend(part + 1 == parts ? Eigen::Vector3d(corner(1)) : at(part + 1));
        }
        boxes_[first + part] = Box(box.min() - margin, box.max() + margin);
      }
    }
  });
}

std::vector<std::pair<int, int>> NearPairs::find(std::span<const double> x, double reach) {
  if (builds_ > 0) {
    fit(x, reach);
    tree_.refit(boxes_);
  }
  if (builds_ == 0 || tree_.degradation() > spoilt) {
    divide(x, reach);
    fit(x, reach);
    tree_.build(boxes_);
    ++builds_;
  }
  const std::vector<std::pair<int, int>> candidates = tree_.overlaps(owners_);
  std::vector<std::vector<std::pair<int, int>>> near((candidates.size() + pairs_at_once - 1) / pairs_at_once);
  for_chunks<pairs_at_once>(candidates.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto [i, j] = candidates[k];
      if (pair(i, j).kind != Meeting::none && gap(i, j, x) < reach)
        near[begin / pairs_at_once].push_back({i, j});
    }
  });
  std::vector<std::pair<int, int>> out;
  for (const auto& part : near) out.insert(out.end(), part.begin(), part.end());
  return out;
}

}  // namespace stiffly
