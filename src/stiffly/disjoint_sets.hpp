// Which things hang together.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace stiffly {

/// Things that each begin as a set by themselves; sets are joined.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t things) : parent_(things) { clear(); }

  void clear() { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  /// The one that stands for all of its set.
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) { parent_[find(i)] = find(j); }
  std::size_t size() const { return parent_.size(); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace stiffly
