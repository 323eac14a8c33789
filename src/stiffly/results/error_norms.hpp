// How far a trajectory is from a reference, in norms that have names.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stiffly/scene/body.hpp"

namespace stiffly {

/// What of a state is compared. With hats on the reference, j the moments, 0 the start, c the centre (mean)
/// of the particles and ‖·‖ the Euclidean norm over all of them, pinned ones included:
///
///   position      max_j ‖x_j − x̂_j‖ / max_j ‖x̂_j − ĉ_j‖   relative to the body's size (the papers' norm)
///   displacement  max_j ‖x_j − x̂_j‖ / max_j ‖x̂_j − x_0‖   relative to the amplitude of the motion
///   velocity      max_j ‖v_j − v̂_j‖ / max_j ‖v̂_j‖
///   energy        max_j |H_j − Ĥ_j| / max_j T̂_j             T the kinetic energy
///   area          max_j |A_j − Â_j| / A_0                    A the area of the surface's triangles
///
/// Maxima below the line include the start. Where the unknowns are no positions in space, c is zero.
enum class Norm { position, displacement, velocity, energy, area };

struct NormInfo {
  std::string_view name;
  Norm norm;
  std::string_view summary;
};
std::span<const NormInfo> norms();
/// Throws InputError that names the nearest one.
Norm find_norm(std::string_view name);
std::string_view name_of(Norm norm);

/// Errors against one reference. The body must outlive it.
class ErrorMeasure {
 public:
  /// Throws InputError for the area of a body without a surface.
  ErrorMeasure(const Body& body, Norm norm, std::vector<State> reference);

  /// Over as many moments as there are in `states`, at most those of the reference. Infinite where a state is
  /// not finite.
  double error(std::span<const State> states) const;
  /// max_j ‖x̂_j − x_0‖ / max_j ‖x̂_j − ĉ_j‖: how far the body moves relative to its size. A body that stands
  /// still has this error in the position norm.
  double amplitude() const { return amplitude_; }
  /// The error of a body that stands still: a bound above it says nothing.
  double still() const;

  const std::vector<State>& reference() const { return reference_; }
  Norm norm() const { return norm_; }

 private:
  /// What the norm compares: numbers of a state, the norm of whose difference is the error before scaling.
  std::vector<double> features(const State& state) const;

  const Body* body_;
  Norm norm_;
  std::vector<State> reference_;
  std::vector<std::vector<double>> features_;  ///< of the reference
  double scale_ = 0, amplitude_ = 0;
};

}  // namespace stiffly
