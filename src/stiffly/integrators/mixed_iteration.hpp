// Stages and steps solved for positions and strains together, on a factor that is kept.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "stiffly/integrators/contraction.hpp"
#include "stiffly/integrators/integrator.hpp"
#include "stiffly/integrators/resolved_modes.hpp"
#include "stiffly/integrators/stage_matrix.hpp"
#include "stiffly/system/force.hpp"
#include "stiffly/system/mixed_force.hpp"

namespace stiffly {

class MemoryReader;

/// Newton's method for M(μz + w) = f(x, ε), ε = ε(x) with x = p + bz, as MixedForce describes it. Directions
/// and stiffness are frozen with each factor. The factor serves as long as the iteration contracts well, from
/// one stage or step to the next, too, while b, c and μ stay the same.
class MixedIteration : private Compliance {
 public:
  explicit MixedIteration(const IntegratorOptions& options);
  /// For steps that follow vibrations (ResolvedModes) up to that angle.
  MixedIteration(const IntegratorOptions& options, double largest_angle) : MixedIteration(options) {
    modes_.emplace(largest_angle);
  }
  void start(const SecondOrderSystem& system, const Backend& backend);

  std::size_t strains() const { return force_->strains(); }
  /// ε(x)
  void measure(double t, ConstVectorView x, ConstVectorView v, std::vector<double>& strain) const;
  /// z and ε in: where to begin; out: the solution to `tolerance`, relative to the velocities. `path` says
  /// where a step begins, and is empty for a stage. False where there is no convergence, z and ε being then
  /// of no use.
  bool solve(const Stage& stage, ForcePath path, double tolerance, Vector& z, std::vector<double>& strain);
  /// The same for a step that follows vibrations, those of the stiffness where it begins: the solution
  /// depends on them, so a factor is made for each step, and no other is tried.
  bool solve_following(const Stage& stage, ForcePath path, double tolerance, Vector& z,
                       std::vector<double>& strain);
  /// The velocities where such a step from v ends, given v + hz.
  void finish(ConstVectorView v, const Vector& z, VectorView end) const;
  /// Iterations of the last solve.
  int iterations() const { return iterations_; }
  /// Drops what was learnt on the way: the factor, and how well it served.
  void restart();
  /// Adds to an integrator's memory what it takes to make the factor again. Where things touch, it is dropped
  /// instead.
  void save(IntegratorMemory& memory);
  void restore(MemoryReader& memory);

 private:
  void forget() { frozen_.reset(); }
  struct Outcome {
    Contraction::Verdict verdict;
    int corrections;
  };
  Outcome iterate(const Stage& stage, ForcePath& path, double tolerance, Vector& z,
                  std::vector<double>& strain);
  /// Tells what may touch where the iteration begins.
  void begin(const Stage& stage, const Vector& z, ForcePath& path);
  double along(std::span<const ParticleShare> shares, const Eigen::Vector3d& a) const override;
  void place(const Stage& stage, const Vector& z, ForcePath& path);
  /// Corrections stay within what constraints leave free; empty where there are none.
  ConjugateGradients::Filter filter() const;

  struct Shift {
    double b, c, mu;
    /// Equal but for rounding: the stages of a method.
    bool serves(const Shift& other) const {
      const auto near = [](double mine, double its) { return std::abs(mine - its) <= 1e-9 * std::abs(mine); };
      return near(b, other.b) && near(c, other.c) && near(mu, other.mu);
    }
  };

  /// Where a factor was made.
  struct Frozen {
    Shift shift;
    double time, start_time, theta;
    Vector x, v, start_x;  ///< the last is empty for a stage
    std::vector<double> strain, start_strain;
  };
  /// Makes the factor there. False where the matrix is of no use: the iteration has gone astray.
  bool freeze(const ForcePath& path, std::span<const double> strain, const Shift& shift);

  std::shared_ptr<const ParticleConstraints> constraints_;
  const SecondOrderSystem* system_ = nullptr;
  std::unique_ptr<MixedForce> force_;
  mutable StageMatrix matrix_;
  Tangent tangent_;
  std::optional<ResolvedModes> modes_;
  std::optional<Frozen> frozen_;  // the factor; none: there is none
  KeptFactor factor_;
  int iterations_ = 0;
  Vector x_, v_, residual_, dz_, dv_, work_;
  std::vector<double> gap_;
};

}  // namespace stiffly
