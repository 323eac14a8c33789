// Entries of several lanes, read and written one by one.
#pragma once

#include <algorithm>
#include <Eigen/Core>

#include "stiffly/fibres/batch_array.hpp"

namespace stiffly::test {

class LaneArray {
 public:
  LaneArray(int lanes, int entries) : lanes_(lanes), values_(static_cast<std::size_t>(lanes * entries)) {}
  double& operator()(int entry, int lane) { return values_[static_cast<std::size_t>(entry * lanes_ + lane)]; }
  double* data() { return values_.data(); }
  void fill(double value) { std::fill(values_.begin(), values_.end(), value); }
  /// All entries of a lane.
  Eigen::VectorXd lane(int lane) const {
    const auto entries = static_cast<Eigen::Index>(values_.size()) / lanes_;
    return Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<>>(values_.data() + lane, entries,
                                                                      Eigen::InnerStride<>(lanes_));
  }

 private:
  int lanes_;
  LineVector values_;
};

}  // namespace stiffly::test
