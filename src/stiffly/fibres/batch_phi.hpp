// φ-functions of the derivative of W fibres' motion, each to its own accuracy.
#pragma once

#include <span>
#include <vector>

#include "stiffly/fibres/batch_progress.hpp"
#include "stiffly/fibres/lanes_set.hpp"
#include "stiffly/fibres/phi_workspace.hpp"

namespace stiffly {

/// Nodes that are whole parts of a step, ascending: c_i = at_i/parts.
struct PhiNodes {
  int parts = 1;
  std::vector<int> at = {1};

  /// Throws InputError where they are no multiples of 1/72, or of a larger part.
  static PhiNodes of(std::span<const double> nodes);
};

/// w(c) = Σ_k c^k φ_k(c hJ) b_k, as PhiEvaluator has it, with J = [[0, I], [−M⁻¹K, −M⁻¹C]] at one state.
///
/// w is the head of exp(c Ã) applied to the border's start, Ã = [[hJ, B], [0, N]] (AugmentedOperator). A
/// space is grown with (I − γÃ)⁻¹, whatever the stiffness some dozens of vectors, in the energy's inner
/// product, and Ã itself is projected to it: the factor, of a symmetric matrix, only has to make a good
/// space. W small exponentials give all lanes' values at once. A lane has converged where two differences in
/// a row, from a space of two or four vectors fewer, say so; its space then ends. Where 64 vectors do not
/// suffice it takes half of the step, with the space it has, and goes on from there. Lanes know nothing of
/// each other.
class BatchPhi {
 public:
  /// All arrays of the view but those of an iteration are used, the factor's among them.
  BatchPhi(const FibreBatch& batch, const BatchView& view, PhiWorkspace& workspace);

  /// J at positions and velocities of all particles, for steps of h; f of the free ones there.
  void linearize(const double* x, const double* v, double h, double* f);
  /// The force −Kx − Cv of y = (x, v).
  void respond(const double* y, double* force) const;

  /// out_i = w(c_i) for b_1, b_2, …; those that are not there are zero. ‖error‖ ≤ tolerance max(‖w‖, least)
  /// of each lane, where rounding leaves so much; norms are the energy's. Throws SimulationError, naming the
  /// fibre, where it cannot be had.
  void evaluate(std::span<const double* const> b, const PhiNodes& nodes, double tolerance,
                std::span<const double> least, std::span<double* const> out);
  /// ‖w‖ at the last node, of each lane.
  std::span<const double> sizes() const { return sizes_; }

  /// Of each lane, and of all at once, so far: factors, and solves as iterations.
  const FibreWork& work(int lane) const { return lanes_[static_cast<std::size_t>(lane)].work; }
  const FibreWork& batch_work() const { return batch_work_; }

 private:
  struct Lane {
    int order = 0;           ///< of the last b_k that is not zero
    double scale = 1;        ///< of the border
    long done = 0;           ///< of the step, in units
    int halvings = 0;        ///< of the step
    double size = 0;         ///< the largest ‖w‖ so far
    double start_norm = 0;   ///< of the space's first vector
    int vectors = 0;         ///< of the last space
    double difference = 0;   ///< at the last look
    long solves_before = 0;  ///< this evaluation
    FibreWork work;
  };

  Lane& lane(int i) { return lanes_[static_cast<std::size_t>(i)]; }
  std::size_t at(int entry, int lane) const;
  double* vector(int j) const { return basis_.vectors + at(j * basis_.stride(), 0); }
  /// τ: the part of the step that a lane's next substep is.
  double part(int i) const;
  bool chained(int i, int entry) const {
    return entry >= border_ - lanes_[static_cast<std::size_t>(i)].order;
  }

  void set_border(std::span<const double* const> b);
  void factor();
  void begin_space();
  void grow(int j);
  void solve_shifted(double* y);
  void orthogonalize(int j);
  void finish(int j, std::span<const double> before);
  void border_products(int j);
  /// Coefficients of w at all parts of the substep, in the space of the first m vectors.
  void follow(int m);
  /// Looks at lanes that still grow: those that have converged end.
  void look(int m, bool twice);
  void shorten(int before, int m);
  void take(int m, const PhiNodes& nodes, std::span<double* const> out);
  [[noreturn]] void fail(int i, const char* what) const;

  const FibreBatch& batch_;
  const BatchKernelTable& kernels_;
  BatchView view_;
  PhiWorkspace& work_;
  TangentView tangent_;
  BasisView basis_;
  int W_, unknowns_;
  double h_ = 0, tolerance_ = 0;
  int border_ = 0, parts_ = 1;
  std::vector<const double*> b_;
  std::vector<Lane> lanes_;
  LaneSet active_, growing_;
  LineVector shift_, factored_, metric_shift_, ones_, norms_;
  std::vector<double> sizes_;
  FibreWork batch_work_;
};

}  // namespace stiffly
