// The Fermi–Pasta–Ulam–Tsingou model with m stiff springs (paper 002, eq. 5.1–5.3).
#pragma once

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// H = ½|x'|² + ½|√A x|² + U(x), A = diag(I, ω²I), with x = (x_0, x_1): positions of the stiff springs and
/// their elongations, and
///   U = ¼[(x_{0,1}−x_{1,1})⁴ + Σ_{i<m} (x_{0,i+1}−x_{1,i+1}−x_{0,i}−x_{1,i})⁴ + (x_{0,m}+x_{1,m})⁴].
class Fput final : public SecondOrderSystem {
 public:
  Fput(int stiff_springs, double omega);
  /// x_{0,1} = x'_{0,1} = x'_{1,1} = 1, x_{1,1} = 1/ω, all else 0.
  State initial_state() const;

  std::size_t unknowns() const override { return 2 * m_; }
  const MassMatrix& mass() const override { return mass_; }
  double potential_energy(double t, ConstVectorView x) const override;
  /// A: the quartic springs are the nonlinearity.
  void linear_part(const State& start, Tangent& out) const override;

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override;
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override;

 private:
  /// visit(elongation, its nonzero derivatives as (unknown, ±1) pairs) for each soft spring.
  template <class Visit>
  void soft_springs(std::span<const double> x, const Visit& visit) const;

  std::size_t m_;
  double omega_;
  MassMatrix mass_;
  std::shared_ptr<const BlockPattern> pattern_;
};

}  // namespace stiffly
