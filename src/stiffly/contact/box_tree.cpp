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

/// Pairs in ascending order, each once: by counting the first numbers, as there are few to each.
std::vector<std::pair<int, int>> sorted(std::span<const std::vector<std::pair<int, int>>> parts,
                                        std::size_t numbers) {
  std::vector<std::size_t> begin(numbers + 1, 0);
  for (const auto& part : parts)
    for (const auto& pair : part) ++begin[static_cast<std::size_t>(pair.first) + 1];
  for (std::size_t i = 0; i < numbers; ++i) begin[i + 1] += begin[i];
  std::vector<std::pair<int, int>> out(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const auto& part : parts)
    for (const auto& pair : part) out[next[static_cast<std::size_t>(pair.first)]++] = pair;
  for_chunks<4096>(numbers, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin[i]),
                out.begin() + static_cast<std::ptrdiff_t>(begin[i + 1]));
  });
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

void BoxTree::build(std::span<const Box> boxes) {
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
  refit(boxes);
  surface_when_built_ = surface_;
}

void BoxTree::set_child(std::size_t level, std::size_t child, const FloatBox& box) {
  Node& node = levels_[level][child / width];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    node.low[axis][child % width] = box.low[axis];
    node.high[axis][child % width] = box.high[axis];
  }
}

void BoxTree::refit(std::span<const Box> boxes, std::span<const int> changed) {
  std::vector<std::size_t> children;
  for (const int box : changed) {
    const auto b = static_cast<std::size_t>(box);
    set_child(0, place_[b], rounded(boxes[b]));
    children.push_back(place_[b]);
  }
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    for (std::size_t& child : children) child /= width;
    std::ranges::sort(children);
    children.erase(std::unique(children.begin(), children.end()), children.end());
    for (const std::size_t child : children) set_child(level, child, around(levels_[level - 1][child]));
  }
}

void BoxTree::refit(std::span<const Box> boxes) {
  surface_ = 0;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::vector<Node>& nodes = levels_[level];
    const std::size_t children = level == 0 ? order_.size() : levels_[level - 1].size();
    for_chunks<1024>(nodes.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t c = 0; c < width; ++c) {
          const std::size_t child = width * i + c;
          FloatBox box{{farthest, farthest, farthest}, {-farthest, -farthest, -farthest}};
          if (child < children)
            box = level == 0 ? rounded(boxes[static_cast<std::size_t>(order_[child])])
                             : around(levels_[level - 1][child]);
          set_child(level, child, box);
        }
    });
    surface_ += sum_chunks<1024>(nodes.size(), [&](std::size_t i) {
      const FloatBox box = around(nodes[i]);
      std::array<double, 3> side;
      for (std::size_t axis = 0; axis < 3; ++axis)
        side[axis] = static_cast<double>(box.high[axis]) - static_cast<double>(box.low[axis]);
      return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
    });
  }
}

unsigned BoxTree::overlapping(const Node& node, const FloatBox& box) {
  unsigned out = 0;
  for (unsigned c = 0; c < width; ++c) {
    unsigned all = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      all &= static_cast<unsigned>(node.low[axis][c] <= box.high[axis]) &
             static_cast<unsigned>(node.high[axis][c] >= box.low[axis]);
    out |= all << c;
  }
  return out;
}

void BoxTree::overlaps(const Box& box, std::vector<int>& out) const {
  out.clear();
  const FloatBox query = rounded(box);
  std::vector<std::pair<std::size_t, std::size_t>> open;
  if (!levels_.empty()) open.emplace_back(levels_.size() - 1, 0);
  while (!open.empty()) {
    const auto [level, node] = open.back();
    open.pop_back();
    for (unsigned hits = overlapping(levels_[level][node], query); hits != 0; hits &= hits - 1) {
      const std::size_t child = width * node + static_cast<std::size_t>(std::countr_zero(hits));
      if (level == 0)
        out.push_back(order_[child]);
      else
        open.emplace_back(level - 1, child);
    }
  }
}

// The eight boxes of a leaf go down the tree together; of two leaves that meet, the first looks for the
// second.
void BoxTree::pairs_of(std::size_t leaf, std::span<const int> names,
                       std::vector<std::pair<int, int>>& out) const {
  const Node& own = levels_[0][leaf];
  const FloatBox query = around(own);
  std::array<FloatBox, width> boxes;
  const std::size_t count = std::min<std::size_t>(width, order_.size() - width * leaf);
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      boxes[c].low[axis] = own.low[axis][c];
      boxes[c].high[axis] = own.high[axis][c];
    }
  const auto meet = [&](std::size_t other) {
    for (std::size_t c = 0; c < count; ++c) {
      unsigned hits = overlapping(levels_[0][other], boxes[c]);
      if (other == leaf) hits &= ~0u << (c + 1);
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
    for (unsigned hits = overlapping(levels_[level][node], query); hits != 0; hits &= hits - 1) {
      const std::size_t child = width * node + static_cast<std::size_t>(std::countr_zero(hits));
      if (level > 1)
        open.emplace_back(level - 1, child);
      else if (child >= leaf)
        meet(child);
    }
  }
}

std::vector<std::pair<int, int>> BoxTree::overlaps(std::span<const int> owners) const {
  if (levels_.empty()) return {};
  std::vector<int> names = order_;
  if (!owners.empty())
    for (int& name : names) name = owners[static_cast<std::size_t>(name)];
  const auto numbers = static_cast<std::size_t>(*std::max_element(names.begin(), names.end())) + 1;
  constexpr std::size_t leaves_at_once = 256;
  const std::size_t leaves = levels_[0].size();
  std::vector<std::vector<std::pair<int, int>>> parts((leaves + leaves_at_once - 1) / leaves_at_once);
  for_chunks<leaves_at_once>(leaves, [&](std::size_t first, std::size_t last) {
    for (std::size_t leaf = first; leaf < last; ++leaf) pairs_of(leaf, names, parts[first / leaves_at_once]);
  });
  return sorted(parts, numbers);
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
