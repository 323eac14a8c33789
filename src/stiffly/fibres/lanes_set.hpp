// Some of the lanes of a batch.
#pragma once

#include <algorithm>

#include "stiffly/fibres/batch_array.hpp"

namespace stiffly {

/// Lanes that something is to be done with, as kernels take it.
class LaneSet {
 public:
  explicit LaneSet(int lanes) : values_(static_cast<std::size_t>(lanes), 0.0) {}
  void insert(int lane) { values_[static_cast<std::size_t>(lane)] = 1; }
  void erase(int lane) { values_[static_cast<std::size_t>(lane)] = 0; }
  bool contains(int lane) const { return values_[static_cast<std::size_t>(lane)] != 0; }
  bool empty() const {
    return std::ranges::all_of(values_, [](double value) { return value == 0; });
  }
  void clear() { std::ranges::fill(values_, 0.0); }
  const double* data() const { return values_.data(); }

 private:
  LineVector values_;
};

}  // namespace stiffly
