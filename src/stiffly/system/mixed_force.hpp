// The forces of a system with the strains of its elements as unknowns of their own.
#pragma once

#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

class Compliance;

/// Where a force is taken: at one state (a stage), or as an average over the step that ends there.
struct ForcePath {
  double time = 0;
  ConstVectorView x = {}, v = {};  ///< over a step v is the mean velocity, (x − start_x)/h

  // Where the step begins; empty for a stage.
  double start_time = 0;
  ConstVectorView start_x = {};
  std::span<const double> start_strain = {};
  /// Elastic forces are averaged with the weights 1 − θ and θ: ½ keeps their energy, more dissipates it.
  double theta = 0.5;

  bool is_step() const { return !start_x.empty(); }
};

/// f(x, ε): the force where strains ε (elongations of springs, strains of tetrahedra) are unknowns beside the
/// positions, with the equation ε = ε(x) for them. A stiff spring that turns is stretched by every guess of
/// its new place, with a tension that is beyond all measure and points in a wrong direction; as an unknown,
/// its strain is what it was until the solution says otherwise. For an iteration with frozen directions
/// B ≈ ∂ε/∂x and stiffness D ≈ Bᵀ∂f/∂ε,
///   force       r = f(x, ε) − BᵀDκ,  κ = ε(x) − ε,
///   positions   x ← x + dx, dx from r and the matrix with K = BᵀDB + G,
///   strains     ε ← ε + κ + B dx,
/// which is Newton's method for both unknowns with the strains eliminated element by element: the matrix has
/// the size and the pattern of the tangent. [mixed integration points: Leonetti, Magisano et al. 2019]
///
/// Over a step the average is a discrete gradient: f·(x − start_x) is the energy lost, and neither it nor its
/// torque about any point changes what inner forces must leave alone. [Simo and Tarnow 1992; Gonzalez 1996]
///
/// Forces that have no strains are taken at the middle of the path (at θ), with their usual tangent. This
/// class, as it is, is for systems that have no others.
class MixedForce {
 public:
  explicit MixedForce(const SecondOrderSystem& system) : system_(&system) {}
  virtual ~MixedForce() = default;

  /// How many numbers the strains of a state are.
  virtual std::size_t strains() const { return 0; }
  /// ε(x); `strain` has strains() entries.
  virtual void measure(double t, ConstVectorView x, ConstVectorView v, std::span<double> strain) const;
  /// Whether there are elements that must know where an iteration begins.
  virtual bool touching() const { return false; }
  /// An iteration for M(μz + w) = f at x = p + bz, v = q + cz begins; the path ends at the first guess.
  /// Where things touch, whatever follows throws InputError until one has begun.
  void begin(const ForcePath& guess, double b_per_mu, double c_per_mu);
  virtual void respond(const Compliance& matrix);
  virtual void restart();
  /// Freezes B and D where the iteration is, and gives K = −∂f/∂x and C = −∂f/∂v there, positive semidefinite
  /// as far as elements go: compression that would push sideways is left out.
  void freeze(const ForcePath& path, std::span<const double> strain, Tangent& out);
  /// f ← f(x, ε) − BᵀDκ, and κ
  void force(const ForcePath& path, std::span<const double> strain, std::span<double> gap,
             VectorView f) const;
  /// ε ← ε + κ + B(dx, dv)
  virtual void follow(ConstVectorView dx, ConstVectorView dv, std::span<const double> gap,
                      std::span<double> strain) const;

 protected:
  virtual void do_begin(const ForcePath& guess, double b_per_mu, double c_per_mu);
  virtual void do_freeze(const ForcePath& path, std::span<const double> strain, Tangent& out);
  virtual void do_force(const ForcePath& path, std::span<const double> strain, std::span<double> gap,
                        VectorView f) const;
  /// Time and positions at which forces without strains are taken.
  static double middle_time(const ForcePath& path);
  static void middle(const ForcePath& path, Vector& x);

 private:
  void check_begun() const;

  const SecondOrderSystem* system_;
  bool begun_ = false;
  mutable Vector middle_;
};

}  // namespace stiffly
