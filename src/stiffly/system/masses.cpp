#include "stiffly/system/masses.hpp"

#include <fmt/format.h>

#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

/// ρV of each tetrahedron.
std::vector<double> element_masses(std::span<const Tetrahedron> tetrahedra, std::span<const Point> positions,
                                   std::span<const double> densities) {
  if (densities.size() != 1 && densities.size() != tetrahedra.size())
    throw InputError(fmt::format("{} densities for {} tetrahedra: give one, or one for each",
                                 densities.size(), tetrahedra.size()));
  std::vector<double> out;
  out.reserve(tetrahedra.size());
  for (const Tetrahedron& t : tetrahedra) {
    const auto x = [&](std::size_t a) {
      if (t[a] < 0 || static_cast<std::size_t>(t[a]) >= positions.size())
        throw InputError(fmt::format("tetrahedron {}: {} is not a particle (there are {}, counted from 0)",
                                     out.size(), t[a], positions.size()));
      return Eigen::Vector3d::Map(positions[static_cast<std::size_t>(t[a])].data());
    };
    const double volume = (x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0)) / 6;
    const double density = densities[densities.size() == 1 ? 0 : out.size()];
    if (!(volume > 0 && density > 0 && std::isfinite(volume * density)))
      throw InputError(
          fmt::format("tetrahedron {}: volume and density must be positive and finite, not {} and {}",
                      out.size(), volume, density));
    out.push_back(density * volume);
  }
  return out;
}

}  // namespace

std::vector<double> lumped_masses(std::span<const Tetrahedron> tetrahedra, std::span<const Point> positions,
                                  std::span<const double> densities) {
  const std::vector<double> masses = element_masses(tetrahedra, positions, densities);
  std::vector<double> out(positions.size(), 0.0);
  for (std::size_t e = 0; e < tetrahedra.size(); ++e)
    for (const int particle : tetrahedra[e]) out[static_cast<std::size_t>(particle)] += masses[e] / 4;
  return out;
}

MassMatrix lumped_mass(std::span<const Tetrahedron> tetrahedra, std::span<const Point> positions,
                       std::span<const double> densities, std::size_t free) {
  const std::vector<double> masses = lumped_masses(tetrahedra, positions, densities);
  std::vector<double> per_unknown(3 * free);
  for (std::size_t u = 0; u < per_unknown.size(); ++u) per_unknown[u] = masses[u / 3];
  return MassMatrix::diagonal(per_unknown);
}

CoupledMass consistent_mass(std::span<const Tetrahedron> tetrahedra, std::span<const Point> positions,
                            std::span<const double> densities, std::size_t free) {
  const std::vector<double> masses = element_masses(tetrahedra, positions, densities);
  const auto is_free = [&](int particle) { return static_cast<std::size_t>(particle) < free; };
  CoupledMass out;
  for (const Tetrahedron& t : tetrahedra)
    for (const int a : t)
      for (const int b : t)
        if (a < b && is_free(b)) out.pairs.emplace_back(a, b);
  BlockMatrix M(BlockPattern::symmetric(free, 3, out.pairs));
  for (std::size_t e = 0; e < tetrahedra.size(); ++e)
    for (const int a : tetrahedra[e])
      for (const int b : tetrahedra[e])
        if (is_free(a) && is_free(b))
          Eigen::Matrix3d::Map(M.block(M.pattern().find(static_cast<std::size_t>(a), b)))
              .diagonal()
              .array() += masses[e] / 20 * (a == b ? 2 : 1);
  out.matrix = MassMatrix::sparse(std::move(M));
  return out;
}

}  // namespace stiffly
