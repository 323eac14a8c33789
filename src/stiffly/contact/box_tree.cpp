#include "stiffly/contact/box_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

constexpr float farthest = std::numeric_limits<float>::infinity();

/// Boxes end there, if not earlier: places in the tree without a box are further out, and met by none.
constexpr double beyond = 1e38;

/// By a bit more than rounding may have done: without a branch, so that many are rounded at once.
float rounded_down(double value) {
  value = std::clamp(value, -beyond, beyond);
  constexpr float bit = std::numeric_limits<float>::epsilon(), least = std::numeric_limits<float>::min();
  const auto f = static_cast<float>(value);
  return f - (bit * std::abs(f) + least);
}
float rounded_up(double value) { return -rounded_down(-value); }

/// Every third bit of the result is one of the lower 21 bits of `value`.
std::uint64_t spread(std::uint64_t value) {
  value &= 0x1fffff;
  value = (value | value << 32) & 0x1f00000000ffff;
  value = (value | value << 16) & 0x1f0000ff0000ff;
  value = (value | value << 8) & 0x100f00f00f00f00f;
  value = (value | value << 4) & 0x10c30c30c30c30c3;
  return (value | value << 2) & 0x1249249249249249;
}

/// Boxes by the Morton codes of their centres.
std::vector<int> morton_order(std::span<const Box> boxes) {
  Box centres;
  for (const Box& box : boxes) centres.extend(box.center());
  const double scale = 2097151 / std::max(centres.sizes().maxCoeff(), std::numeric_limits<double>::min());
  std::vector<std::pair<std::uint64_t, int>> codes(boxes.size());
  for_chunks<4096>(boxes.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Eigen::Vector3d cell = scale * (boxes[i].center() - centres.min());
      std::uint64_t code = 0;
      for (int axis = 0; axis < 3; ++axis)
        code |= spread(static_cast<std::uint64_t>(std::max(0.0, cell[axis]))) << axis;
      codes[i] = {code, static_cast<int>(i)};
    }
  });
  std::sort(codes.begin(), codes.end());
  std::vector<int> order;
  order.reserve(codes.size());
  for (const auto& code : codes) order.push_back(code.second);
  return order;
}

/// Pairs in ascending order, each once. Many are brought to their first numbers by counting these, as there
/// are few to each.
BoxTree::Pairs sorted(std::span<const BoxTree::Pairs> parts) {
  std::size_t total = 0, numbers = 0;
  for (const BoxTree::Pairs& part : parts) {
    total += part.size();
    for (const auto& pair : part) numbers = std::max(numbers, static_cast<std::size_t>(pair.first) + 1);
  }
  BoxTree::Pairs out(total);
  if (total < numbers) {
    auto at = out.begin();
    for (const BoxTree::Pairs& part : parts) at = std::copy(part.begin(), part.end(), at);
    std::ranges::sort(out);
  } else {
    std::vector<std::size_t> begin(numbers + 1, 0);
    for (const BoxTree::Pairs& part : parts)
      for (const auto& pair : part) ++begin[static_cast<std::size_t>(pair.first) + 1];
    for (std::size_t i = 0; i < numbers; ++i) begin[i + 1] += begin[i];
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (const BoxTree::Pairs& part : parts)
      for (const auto& pair : part) out[next[static_cast<std::size_t>(pair.first)]++] = pair;
    for_chunks<4096>(numbers, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin[i]),
                  out.begin() + static_cast<std::ptrdiff_t>(begin[i + 1]));
    });
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

BoxTree::FloatBox BoxTree::rounded(const Box& box) const {
  FloatBox out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    out.low[axis] = rounded_down(box.min()[a] - origin_[a]);
    out.high[axis] = rounded_up(box.max()[a] - origin_[a]);
  }
  return out;
}

BoxTree::FloatBox BoxTree::around(const Node& node) {
  FloatBox out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out.low[axis] = *std::min_element(node.low[axis].begin(), node.low[axis].end());
    out.high[axis] = *std::max_element(node.high[axis].begin(), node.high[axis].end());
  }
  return out;
}

BoxTree::FloatBox BoxTree::child_of(const Node& node, std::size_t child) {
  FloatBox out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out.low[axis] = node.low[axis][child];
    out.high[axis] = node.high[axis][child];
  }
  return out;
}

void BoxTree::extend(FloatBox& box, const FloatBox& by) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min(box.low[axis], by.low[axis]);
    box.high[axis] = std::max(box.high[axis], by.high[axis]);
  }
}

void BoxTree::build(std::span<const Box> boxes, std::span<const Box> later) {
  order_ = morton_order(boxes);
  place_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) place_[static_cast<std::size_t>(order_[i])] = i;
  levels_.clear();
  Box all;
  for (const Box& box : boxes) all.extend(box);
  origin_ = boxes.empty() ? Eigen::Vector3d(0, 0, 0) : Eigen::Vector3d(all.center());
  for (std::size_t count = boxes.size(); levels_.empty() ? count > 0 : levels_.back().size() > 1;) {
    count = (count + width - 1) / width;
    levels_.emplace_back(count);
  }
  refit(boxes, later);
  surface_when_built_ = surface_;
}

void BoxTree::set_child(Levels& levels, std::size_t level, std::size_t child, const FloatBox& box) {
  Node& node = levels[level][child / width];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    node.low[axis][child % width] = box.low[axis];
    node.high[axis][child % width] = box.high[axis];
  }
}

void BoxTree::fit_some(Levels& levels, std::span<const int> changed, std::span<const Box> boxes) const {
  std::vector<std::size_t> children;
  for (const int box : changed) {
    const auto b = static_cast<std::size_t>(box);
    set_child(levels, 0, place_[b], rounded(boxes[b]));
    children.push_back(place_[b]);
  }
  for (std::size_t level = 1; level < levels.size(); ++level) {
    for (std::size_t& child : children) child /= width;
    std::ranges::sort(children);
    children.erase(std::unique(children.begin(), children.end()), children.end());
    for (const std::size_t child : children)
      set_child(levels, level, child, around(levels[level - 1][child]));
  }
}

void BoxTree::refit_some(std::span<const int> changed, std::span<const Box> boxes,
                         std::span<const Box> later) {
  fit_some(levels_, changed, boxes);
  if (moving()) fit_some(later_, changed, later);
}

void BoxTree::fit(Levels& levels, std::span<const Box> boxes) const {
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::vector<Node>& nodes = levels[level];
    const std::size_t children = level == 0 ? order_.size() : levels[level - 1].size();
    for_chunks<1024>(nodes.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t c = 0; c < width; ++c) {
          const std::size_t child = width * i + c;
          FloatBox box{{farthest, farthest, farthest}, {-farthest, -farthest, -farthest}};
          if (child < children)
            box = level == 0 ? rounded(boxes[static_cast<std::size_t>(order_[child])])
                             : around(levels[level - 1][child]);
          set_child(levels, level, child, box);
        }
    });
  }
}

void BoxTree::refit(std::span<const Box> boxes, std::span<const Box> later) {
  fit(levels_, boxes);
  if (later.empty()) {
    later_.clear();
  } else {
    later_.resize(levels_.size());
    for (std::size_t level = 0; level < levels_.size(); ++level) later_[level].resize(levels_[level].size());
    fit(later_, later);
  }
  surface_ = 0;
  for (const std::vector<Node>& nodes : levels_)
    surface_ += sum_chunks<1024>(nodes.size(), [&](std::size_t i) {
      const FloatBox box = around(nodes[i]);
      std::array<double, 3> side;
      for (std::size_t axis = 0; axis < 3; ++axis)
        side[axis] = static_cast<double>(box.high[axis]) - static_cast<double>(box.low[axis]);
      return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
    });
}

// Without branches, so that all eight are compared at once.
unsigned BoxTree::overlapping(std::size_t level, std::size_t node, const Query& query) const {
  const Node& at = levels_[level][node];
  unsigned out = 0;
  if (!moving()) {
    for (unsigned c = 0; c < width; ++c) {
      unsigned all = 1;
      for (std::size_t axis = 0; axis < 3; ++axis)
        all &= static_cast<unsigned>(at.low[axis][c] <= query.box.high[axis]) &
               static_cast<unsigned>(at.high[axis][c] >= query.box.low[axis]);
      out |= all << c;
    }
    return out;
  }
  const Node& then = later_[level][node];
  for (unsigned c = 0; c < width; ++c) {
    unsigned all = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      all &= (static_cast<unsigned>(at.low[axis][c] <= query.box.high[axis]) |
              static_cast<unsigned>(then.low[axis][c] <= query.later.high[axis])) &
             (static_cast<unsigned>(at.high[axis][c] >= query.box.low[axis]) |
              static_cast<unsigned>(then.high[axis][c] >= query.later.low[axis]));
    out |= all << c;
  }
  return out;
}

unsigned BoxTree::overlapping_on(const PartOfWay& part, std::size_t level, std::size_t node,
                                 const Query& query) const {
  const Node &at = levels_[level][node], &then = later_[level][node];
  const auto from = static_cast<float>(part.from), until = static_cast<float>(part.until);
  unsigned out = 0;
  for (unsigned c = 0; c < width; ++c) {
    unsigned all = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float low = at.low[axis][c], high = at.high[axis][c];
      const float rise = then.low[axis][c] - low, rise_of_high = then.high[axis][c] - high;
      all &= (static_cast<unsigned>(low + from * rise <= query.box.high[axis]) |
              static_cast<unsigned>(low + until * rise <= query.later.high[axis])) &
             (static_cast<unsigned>(high + from * rise_of_high >= query.box.low[axis]) |
              static_cast<unsigned>(high + until * rise_of_high >= query.later.low[axis]));
    }
    out |= all << c;
  }
  return out;
}

float BoxTree::unsure() const {
  float far = 0;
  for (const Levels* levels : {&levels_, &later_})
    if (!levels->empty()) {
      const FloatBox all = around(levels->back().front());
      for (std::size_t axis = 0; axis < 3; ++axis)
        far = std::max({far, std::abs(all.low[axis]), std::abs(all.high[axis])});
    }
  return 8 * std::numeric_limits<float>::epsilon() * far;
}

BoxTree::Query BoxTree::on(const PartOfWay& part, const Box& box, const Box& later) const {
  const auto at = [&](double share) {
    const Box then(box.min() + share * (later.min() - box.min()),
                   box.max() + share * (later.max() - box.max()));
    FloatBox out = rounded(then);
    for (std::size_t axis = 0; axis < 3; ++axis) out.low[axis] -= unsure(), out.high[axis] += unsure();
    return out;
  };
  return {at(part.from), at(part.until)};
}

// The boxes of a leaf go down the tree together.
void BoxTree::pairs_of(const Question& question, std::span<const int> names, const Sieve* sieve,
                       Pairs& out) const {
  const std::size_t leaf = question.leaf;
  const bool whole = question.part.is_whole() || !moving();
  const auto overlapping_there = [&](std::size_t level, std::size_t node, const Query& query) {
    return whole ? overlapping(level, node, query) : overlapping_on(question.part, level, node, query);
  };
  const auto meet = [&](std::size_t other) {
    for (unsigned which = question.which; which != 0; which &= which - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(which));
      unsigned hits = overlapping_there(0, other, question.boxes[c]);
      if (question.of_all && other == leaf) hits &= ~0u << (c + 1);
      if (sieve && hits != 0) hits = sieve->pass(width * leaf + c, other, hits);
      for (; hits != 0; hits &= hits - 1) {
        const int i = names[width * leaf + c];
        const int j = names[width * other + static_cast<std::size_t>(std::countr_zero(hits))];
        if (i != j) out.emplace_back(std::min(i, j), std::max(i, j));
      }
    }
  };
  if (levels_.size() == 1) return meet(0);
  std::vector<std::pair<std::size_t, std::size_t>> open = {{levels_.size() - 1, 0}};
  while (!open.empty()) {
    const auto [level, node] = open.back();
    open.pop_back();
    unsigned hits = overlapping_there(level, node, question.all);
    for (; hits != 0; hits &= hits - 1) {
      const std::size_t child = width * node + static_cast<std::size_t>(std::countr_zero(hits));
      if (level > 1)
        open.emplace_back(level - 1, child);
      else if (!question.of_all || child >= leaf)
        meet(child);
    }
  }
}

BoxTree::Question BoxTree::all_of(std::size_t leaf) const {
  Question out{leaf, true};
  const Levels& then = moving() ? later_ : levels_;
  const std::size_t count = std::min<std::size_t>(width, order_.size() - width * leaf);
  out.which = (1u << count) - 1;
  for (std::size_t c = 0; c < count; ++c)
    out.boxes[c] = {child_of(levels_[0][leaf], c), child_of(then[0][leaf], c)};
  out.all = {around(levels_[0][leaf]), around(then[0][leaf])};
  return out;
}

// By places, so that what is near in the tree is near in memory.
std::vector<int> BoxTree::names(std::span<const int> owners) const {
  std::vector<int> out = order_;
  if (!owners.empty())
    for (int& name : out) name = owners[static_cast<std::size_t>(name)];
  return out;
}

BoxTree::Pairs BoxTree::overlaps(std::span<const int> owners, const Sieve* sieve) const {
  if (levels_.empty()) return {};
  const std::vector<int> names = this->names(owners);
  const std::size_t leaves = levels_[0].size();
  std::vector<Pairs> parts((leaves + leaves_at_once - 1) / leaves_at_once);
  for_chunks<leaves_at_once>(leaves, [&](std::size_t first, std::size_t last) {
    for (std::size_t leaf = first; leaf < last; ++leaf)
      pairs_of(all_of(leaf), names, sieve, parts[first / leaves_at_once]);
  });
  return sorted(parts);
}

BoxTree::Pairs BoxTree::overlaps_of(std::span<const int> some, std::span<const Box> boxes,
                                    std::span<const Box> later, const PartOfWay& part,
                                    std::span<const int> owners, const Sieve* sieve) const {
  const bool whole = part.is_whole() || !moving();
  std::vector<std::size_t> places;
  for (const int box : some) places.push_back(place(box));
  std::ranges::sort(places);
  std::vector<Question> questions;
  for (const std::size_t place : places) {
    if (questions.empty() || questions.back().leaf != place / width)
      questions.push_back({place / width, false, part});
    Question& q = questions.back();
    const auto b = static_cast<std::size_t>(order_[place]);
    const Query query = whole ? Query{rounded(boxes[b]), rounded(later.empty() ? boxes[b] : later[b])}
                              : on(part, boxes[b], later[b]);
    if (q.which == 0) q.all = query;
    extend(q.all.box, query.box);
    extend(q.all.later, query.later);
    q.boxes[place % width] = query;
    q.which |= 1u << (place % width);
  }
  const std::vector<int> names = this->names(owners);
  constexpr std::size_t asked_at_once = 16;
  std::vector<Pairs> parts((questions.size() + asked_at_once - 1) / asked_at_once);
  for_chunks<asked_at_once>(questions.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      pairs_of(questions[k], names, sieve, parts[first / asked_at_once]);
  });
  return sorted(parts);
}

std::array<double, BoxTree::width> BoxTree::squared_distances(const Node& node,
                                                              const Eigen::Vector3d& x) const {
  const Eigen::Vector3d p = x - origin_;
  std::array<double, width> out{};
  for (std::size_t c = 0; c < width; ++c)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at = p[static_cast<Eigen::Index>(axis)];
      const double away = std::max(
          {0.0, static_cast<double>(node.low[axis][c]) - at, at - static_cast<double>(node.high[axis][c])});
      out[c] += away * away;
    }
  return out;
}

}  // namespace stiffly
