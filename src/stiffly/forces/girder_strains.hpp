// Joints of girders with their stretch as an unknown.
#pragma once

#include "stiffly/forces/element_assembly.hpp"

namespace stiffly {

/// The girders at a particle, as columns.
struct GirderJoint {
  Eigen::Matrix3Xd rest;    ///< e₀
  Eigen::VectorXd bending;  ///< b
};

/// The energy Σ b/4 |e − R e₀|² of a joint depends on e through A = Σ b e e₀ᵀ = RS and a rest that is linear:
/// with X = Σ b e₀e₀ᵀ it is
///   Σ b/4 |e − A X⁻¹e₀|² + ¼ tr((S − X) X⁻¹ (S − X)).
/// The first does not turn with the body, and so has no strains; of the second, S is the strain. `joints` has
/// the particle of a joint first, then the other ends.
std::unique_ptr<MixedElements> joint_strains(std::span<const GirderJoint> shapes,
                                             const ElementAssembly& joints, std::size_t particles,
                                             std::size_t free, const BlockPattern& pattern);

/// One after the other as one.
std::unique_ptr<MixedElements> sum_of_elements(std::vector<std::unique_ptr<MixedElements>> parts);

}  // namespace stiffly
