// Scaling and squaring of the augmented matrix [Al-Mohy & Higham 2011]: small systems, and the oracle.
#pragma once

#include "stiffly/phi/evaluator.hpp"

namespace stiffly {

struct DenseOptions {
  std::size_t max_size = 2000;  ///< unknowns; memory grows with their square, time with the cube
};

/// Writes the matrix out (n products), takes its independent blocks apart, balances each and exponentiates
/// [[hJ, B], [0, N]]. The error estimate is round-off, ε‖hJ‖ after balancing: nothing else is left.
class DenseEvaluator final : public EstimatingEvaluator {
 public:
  explicit DenseEvaluator(const DenseOptions& options = {}) : options_(options) {}
  std::string name() const override { return "dense"; }

 protected:
  PhiResult attempt(const Task& task) override;

 private:
  DenseOptions options_;
};

}  // namespace stiffly
