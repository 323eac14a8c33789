#include "stiffly/forces/element_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {

void ElementAssembly::add(std::span<const int> corners, std::size_t particles, const std::string& kind) {
  for (auto corner = corners.begin(); corner != corners.end(); ++corner) {
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("{} {}: {}", kind, size(), what));
    };
    if (*corner < 0 || static_cast<std::size_t>(*corner) >= particles)
      fail(fmt::format("{} is not a particle (there are {}, counted from 0)", *corner, particles));
    if (std::find(corners.begin(), corner, *corner) != corner)
      fail(fmt::format("particle {} comes twice", *corner));
  }
  corners_.insert(corners_.end(), corners.begin(), corners.end());
  starts_.push_back(corners_.size());
}

void ElementAssembly::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  for (std::size_t e = 0; e < size(); ++e)
    for (const int a : corners(e))
      for (const int b : corners(e))
        if (a < b && static_cast<std::size_t>(b) < free) pairs.emplace_back(a, b);
}

std::vector<PieceElements> divided(const ElementAssembly& elements, const Partition& partition) {
  std::vector<PieceElements> out(partition.pieces());
  for (std::size_t e = 0; e < elements.size(); ++e)
    if (const auto piece = partition.piece_of(elements.corners(e))) {
      out[*piece].numbers.push_back(e);
      auto& corners = out[*piece].corners.emplace_back();
      for (const int corner : elements.corners(e)) corners.push_back(partition.number(*piece, corner));
    }
  return out;
}

void ElementAssembly::attach(std::size_t free, const BlockPattern& pattern) {
  free_ = free;
  const auto is_free = [&](int particle) { return static_cast<std::size_t>(particle) < free; };
  positions_.clear();
  position_starts_ = {0};
  for (std::size_t e = 0; e < size(); ++e) {
    for (const int a : corners(e))
      for (const int b : corners(e))
        positions_.push_back(is_free(a) && is_free(b) ? pattern.find(static_cast<std::size_t>(a), b) : -1);
    position_starts_.push_back(positions_.size());
  }

  // Greedy: the first colour that none of the free corners has met.
  colours_.clear();
  std::vector<std::vector<std::size_t>> met(free);
  for (std::size_t e = 0; e < size(); ++e) {
    std::vector<bool> taken(colours_.size() + 1, false);
    for (const int a : corners(e))
      if (is_free(a))
        for (const std::size_t colour : met[static_cast<std::size_t>(a)]) taken[colour] = true;
    const auto colour =
        static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    if (colour == colours_.size()) colours_.emplace_back();
    colours_[colour].push_back(e);
    for (const int a : corners(e))
      if (is_free(a)) met[static_cast<std::size_t>(a)].push_back(colour);
  }
}

}  // namespace stiffly
