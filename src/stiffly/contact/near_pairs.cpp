#include "stiffly/contact/near_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

/// From this growth of the boxes on, a new tree costs less than what queries lose by the old one.
constexpr double spoilt = 1.5;
constexpr std::size_t pairs_at_once = 4096;

/// Where sides that go straight on a part of a way would be at both ends of all of it.
void extend(Box& from, Box& to, const PartOfWay& part) {
  const double parts = 1 / (part.until - part.from);
  const auto sides = [&](Eigen::Vector3d& begin, Eigen::Vector3d& end) {
    const Eigen::Vector3d way = parts * (end - begin);
    begin -= part.from * way;
    end = begin + way;
  };
  sides(from.min(), to.min());
  sides(from.max(), to.max());
}

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

double ElementPair::approach(const Corners& way) const {
  const Eigen::Index own = kind == Meeting::segments ? 2 : 1,
                     all = kind == Meeting::points ? 2 : 4;  // corners of one, and of both
  double most = 0;
  for (Eigen::Index a = 0; a < own; ++a)
    for (Eigen::Index b = own; b < all; ++b) most = std::max(most, (way.col(a) - way.col(b)).squaredNorm());
  return std::sqrt(most);
}

NearPairs::NearPairs(std::vector<ThickElement> elements)
    : elements_(std::move(elements)),
      all_segments_(std::ranges::all_of(elements_, [](const ThickElement& e) { return e.count() == 2; })) {
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

void NearPairs::fit(std::span<const double> from, std::span<const double> to, double reach) {
  later_.resize(from.data() == to.data() ? 0 : boxes_.size());
  for_chunks<pairs_at_once>(elements_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      fit(i, from, reach, boxes_);
      if (!later_.empty()) fit(i, to, reach, later_);
    }
  });
}

void NearPairs::fit(std::size_t i, std::span<const double> x, double reach, std::vector<Box>& boxes) const {
  using Eigen::Vector3d;
  const ThickElement& element = elements_[i];
  const Vector3d margin = Vector3d::Constant(element.radius + reach / 2);
  const std::size_t first = first_box_[i], parts = first_box_[i + 1] - first;
  for (std::size_t k = first; k < first + parts; ++k) {
    Box box;
    if (parts == 1) {
      for (std::size_t c = 0; c < element.count(); ++c)
        box.extend(Vector3d::Map(x.data() + 3 * element.corners[c]));
    } else {
      const auto& [begin, end] = part(k, x);
      box.extend(begin);
      box.extend(end);
    }
    boxes[k] = Box(box.min() - margin, box.max() + margin);
  }
}

std::pair<Eigen::Vector3d, Eigen::Vector3d> NearPairs::part(std::size_t box,
                                                            std::span<const double> x) const {
  using Eigen::Vector3d;
  const auto owner = static_cast<std::size_t>(owners_[box]);
  const ThickElement& element = elements_[owner];
  const Vector3d begin = Vector3d::Map(x.data() + 3 * element.corners[0]),
                 end = Vector3d::Map(x.data() + 3 * element.corners[1]);
  const std::size_t parts = first_box_[owner + 1] - first_box_[owner];
  const auto at = [&](std::size_t k) -> Vector3d {
    return k == parts ? end : begin + static_cast<double>(k) / static_cast<double>(parts) * (end - begin);
  };
  return {at(box - first_box_[owner]), at(box - first_box_[owner] + 1)};
}

MovingPart NearPairs::moving_part(std::size_t box, std::span<const double> from, std::span<const double> to,
                                  double reach) const {
  const auto& [first, last] = part(box, from);
  const auto& [later_first, later_last] = part(box, to);
  return {first, last, later_first, later_last,
          elements_[static_cast<std::size_t>(owners_[box])].radius + reach / 2};
}

std::vector<std::pair<int, int>> NearPairs::candidates(std::span<const double> from,
                                                       std::span<const double> to, double reach) {
  if (!all_segments_) return tree_.overlaps(owners_);
  sieve_.begin(tree_.size(), tree_.origin());
  for_chunks<pairs_at_once>(tree_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place)
      sieve_.set(place, moving_part(static_cast<std::size_t>(tree_.order()[place]), from, to, reach));
  });
  return tree_.overlaps(owners_, &sieve_);
}

bool NearPairs::come_near(int i, int j, std::span<const double> from, std::span<const double> to,
                          double reach) const {
  const ElementPair both = pair(i, j);
  if (both.kind == Meeting::none) return false;
  const double radii =
      elements_[static_cast<std::size_t>(i)].radius + elements_[static_cast<std::size_t>(j)].radius;
  const auto distance = [&](const Corners& corners) { return both.nearest(corners).between(corners).norm(); };
  const Corners end = both.corners(to);
  if (from.data() == to.data()) return distance(end) - radii < reach;
  const Corners start = both.corners(from), way = end - start;
  return (distance(start) + distance(end) - both.approach(way)) / 2 - radii < reach;
}

std::vector<std::pair<int, int>> NearPairs::near_among(std::span<const std::pair<int, int>> candidates,
                                                       std::span<const double> from,
                                                       std::span<const double> to, double reach) const {
  std::vector<std::vector<std::pair<int, int>>> near((candidates.size() + pairs_at_once - 1) / pairs_at_once);
  // The second elements may be anywhere in memory: they are sent for some candidates ahead.
  constexpr std::size_t corners_ahead = 8, elements_ahead = 16;
  const auto second = [&](std::size_t k) -> const ThickElement& {
    return elements_[static_cast<std::size_t>(candidates[std::min(k, candidates.size() - 1)].second)];
  };
  for_chunks<pairs_at_once>(candidates.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      __builtin_prefetch(&second(k + elements_ahead));
      for (const int corner : second(k + corners_ahead).corners)
        if (corner >= 0) __builtin_prefetch(to.data() + 3 * corner);
      if (const auto& [i, j] = candidates[k]; come_near(i, j, from, to, reach))
        near[begin / pairs_at_once].push_back({i, j});
    }
  });
  std::vector<std::pair<int, int>> out;
  for (const auto& part : near) out.insert(out.end(), part.begin(), part.end());
  return out;
}

std::vector<std::pair<int, int>> NearPairs::find(std::span<const double> from, std::span<const double> to,
                                                 double reach) {
  if (builds_ > 0) {
    fit(from, to, reach);
    tree_.refit(boxes_, later_);
  }
  if (builds_ == 0 || tree_.degradation() > spoilt) {
    divide(to, reach);
    fit(from, to, reach);
    tree_.build(boxes_, later_);
    ++builds_;
  }
  return near_among(candidates(from, to, reach), from, to, reach);
}

std::vector<int> NearPairs::boxes_of(std::span<const int> elements) const {
  std::vector<int> out;
  for (const int element : elements) {
    const auto i = static_cast<std::size_t>(element);
    for (std::size_t box = first_box_[i]; box < first_box_[i + 1]; ++box)
      out.push_back(static_cast<int>(box));
  }
  return out;
}

void NearPairs::refit(std::span<const int> elements, std::span<const double> from, std::span<const double> to,
                      double reach, const PartOfWay& part) {
  assert(later_.size() == boxes_.size());
  for_chunks<64>(elements.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto i = static_cast<std::size_t>(elements[k]);
      fit(i, from, reach, boxes_);
      fit(i, to, reach, later_);
      for (std::size_t box = first_box_[i]; box < first_box_[i + 1]; ++box)
        if (!part.is_whole())
          extend(boxes_[box], later_[box], part);
        else if (all_segments_)
          sieve_.set(tree_.place(static_cast<int>(box)), moving_part(box, from, to, reach));
    }
  });
  tree_.refit_some(boxes_of(elements), boxes_, later_);
}

std::vector<std::pair<int, int>> NearPairs::find_of(std::span<const int> elements,
                                                    std::span<const double> from, std::span<const double> to,
                                                    double reach, const PartOfWay& part) {
  refit(elements, from, to, reach, part);
  const PartSieve* sieve = all_segments_ && part.is_whole() ? &sieve_ : nullptr;
  return near_among(tree_.overlaps_of(boxes_of(elements), boxes_, later_, part, owners_, sieve), from, to,
                    reach);
}

}  // namespace stiffly
