// phipm: substeps of adaptive length, each in a Krylov space of adaptive dimension.
// Niesen & Wright (2012); paper 000 eq. 16–19, paper 001 eq. 23–26 and §4.2.2, paper 002 §4.2.
#pragma once

#include <string>
#include <vector>

#include "stiffly/limits.hpp"
#include "stiffly/phi/arnoldi.hpp"
#include "stiffly/phi/evaluator.hpp"
#include "stiffly/phi/small_functions.hpp"

namespace stiffly {

class Phipm : public EstimatingEvaluator {
 public:
  struct Options {
    std::string name;
    int orthogonalization =
        Arnoldi::full;             ///< new basis vectors are made orthogonal to that many earlier ones
    int first_basis = 10;          ///< dimension to begin with when nothing is known
    int max_basis = 160;           ///< Niesen & Wright: 100; longer substeps need fewer products in all
    int max_products = 2'000'000;  ///< per evaluation; more is refused
    double max_effort = infinite;  ///< s (effort.hpp), the same
  };
  /// The original: full orthogonalisation.
  static Options full();
  /// Incomplete orthogonalisation of length 2. Basis vectors cost little then, so there may be more of them:
  /// with 256 about 1.2 products per unit of h‖J‖ at a tolerance of 1e-6, with 100 about 1.4.
  static Options simul_iom2();

  explicit Phipm(Options options) : options_(std::move(options)) {}
  std::string name() const override { return options_.name; }
  Options& options() { return options_; }

 protected:
  PhiResult attempt(const Task& task) override;

 private:
  struct Sweep;  // what belongs to one attempt

  Options options_;
  int basis_ = 0;         // dimension of the last basis
  double frequency_ = 0;  // largest of J, as the last spaces saw it
  // workspace
  Arnoldi krylov_;
  ProjectedSolution small_;
  std::vector<Vector> w_;
  Vector next_, rate_, metric_;
};

}  // namespace stiffly
