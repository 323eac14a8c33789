// kiops: φ-functions as one exponential of a bordered matrix, incomplete orthogonalisation.
// Gaudreault, Rainwater & Tokman (2018); METHODS §2.
#pragma once

#include <string>
#include <vector>

#include "stiffly/phi/arnoldi.hpp"
#include "stiffly/phi/evaluator.hpp"
#include "stiffly/phi/small_functions.hpp"

namespace stiffly {

/// The large part of exp(c Ã)(b_0, η e_p) is w(c) for every c, Ã = [[hJ, B/η], [0, N]] (augmented.hpp).
/// Substeps as in phipm, but the dimension of the basis comes first: it grows while it may, and only then the
/// substep is cut. Outputs within a substep are read from its basis.
class Kiops : public EstimatingEvaluator {
 public:
  struct Options {
    int orthogonalization = 2;
    int first_basis = 10;
    int max_basis = 256;           ///< 128 in the original; see Phipm::simul_iom2()
    int max_products = 2'000'000;  ///< per evaluation; more is refused
  };
  Kiops() = default;
  explicit Kiops(Options options) : options_(options) {}
  std::string name() const override { return "kiops"; }

 protected:
  PhiResult attempt(const Task& task) override;

 private:
  struct Sweep;  // what belongs to one attempt

  Options options_ = {};
  int basis_ = 0;         // dimension of the last basis
  double frequency_ = 0;  // largest of J, as the last spaces saw it
  // workspace
  Arnoldi krylov_;
  ProjectedSolution small_;
  Vector u_, next_, metric_;
};

}  // namespace stiffly
