// Springs with their elongations as unknowns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stiffly/forces/element_assembly.hpp"
#include "stiffly/forces/spring_law.hpp"

namespace stiffly {

struct PlasticSpring;

/// Springs along e = Σ c_i x_i over the particles of each element: elongation δ = |e| − l, and ê·ė where any
/// of them has a dashpot. Over a step from e₀ to e₁, with ē and L̄ the means of vector and length,
///   P = (ΔU/Δδ + d·rate + (θ−½)k Δδ) n̄,  n̄ = ē/L̄,
/// whose work is that of U and of the dashpots exactly, as n̄·(e₁−e₀) = |e₁| − |e₀|. [Simo and Tarnow 1992]
std::unique_ptr<MixedElements> spring_strains(std::vector<SpringMaterial> materials, ElementAssembly elements,
                                              std::vector<double> coefficients, std::size_t free);

/// The same of springs that yield, whose plastic elongations are read where they are.
std::unique_ptr<MixedElements> spring_strains(std::span<const PlasticSpring> springs,
                                              ElementAssembly elements, std::vector<double> coefficients,
                                              std::size_t free);

}  // namespace stiffly
