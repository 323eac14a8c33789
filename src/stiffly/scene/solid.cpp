#include "stiffly/scene/solid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/neo_hookean.hpp"
#include "stiffly/forces/saint_venant_kirchhoff.hpp"
#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/mesh/fill.hpp"
#include "stiffly/mesh/report.hpp"
#include "stiffly/mesh/tetgen.hpp"
#include "stiffly/mesh/tetrahedra.hpp"
#include "stiffly/mesh/thin_part.hpp"
#include "stiffly/scene/body_builder.hpp"
#include "stiffly/system/masses.hpp"

namespace stiffly {

using namespace mesh;
namespace {

/// Left over by readers and fillers, they would be particles without mass.
void drop_unused_points(Mesh& mesh) {
  std::vector<int> number(mesh.points.size(), -1);
  std::vector<Eigen::Vector3d> used;
  for (auto& t : mesh.tetrahedra)
    for (int& corner : t) {
      int& renumbered = number[static_cast<std::size_t>(corner)];
      if (renumbered < 0) {
        renumbered = static_cast<int>(used.size());
        used.push_back(mesh.points[static_cast<std::size_t>(corner)]);
      }
      corner = renumbered;
    }
  mesh.points = std::move(used);
}

/// A share of all numbers that is spread evenly: those whose multiples of the golden ratio end in the lowest
/// part of the unit interval.
bool chosen(std::size_t number, double share) {
  const double multiple = 0.6180339887498949 * static_cast<double>(number);
  return multiple - std::floor(multiple) < share;
}

std::vector<WeightedSpring> diagonals(std::span<const Tetrahedron> tetrahedra, std::span<const Point> rest,
                                      const SpringSolid& solid) {
  const auto at = [&](int i) { return Eigen::Vector3d::Map(rest[static_cast<std::size_t>(i)].data()); };
  std::vector<WeightedSpring> out;
  for (std::size_t e = 0; e < tetrahedra.size(); ++e)
    for (std::size_t corner = 0; corner < 4; ++corner) {
      if (!chosen(4 * e + corner, solid.diagonal_fraction)) continue;
      const Tetrahedron& t = tetrahedra[e];
      const int a = t[(corner + 1) % 4], b = t[(corner + 2) % 4], c = t[(corner + 3) % 4];
      constexpr double third = 1.0 / 3;
      const double length = (third * at(a) + third * at(b) + third * at(c) - at(t[corner])).norm();
      out.push_back({{{t[corner]}, {1}},
                     {{a, b, c}, {third, third, third}},
                     {solid.diagonal, length, 0, SpringLaw::linear}});
    }
  return out;
}

void add_material(BodyBuilder& builder, const Mesh& mesh, const Particles& particles,
                  const SpringSolid& solid) {
  const auto edges = edges_of(mesh.tetrahedra);
  builder.add_springs(springs_at_rest(edges, particles.position, solid.edge, solid.damping));
  if (solid.diagonal > 0)
    builder.add(std::make_unique<WeightedSprings>(
        diagonals(builder.inner(std::span<const Tetrahedron>(mesh.tetrahedra)), builder.inner_positions(),
                  solid),
        particles.size()));
}

void add_material(BodyBuilder& builder, const Mesh& mesh, const Particles&, const ElasticSolid& solid) {
  const auto add = [&]<class Law>(Law law) {
    builder.add(
        std::make_unique<TetrahedronForce<Law>>(builder.inner(std::span<const Tetrahedron>(mesh.tetrahedra)),
                                                builder.inner_positions(), std::vector<Law>{law}));
  };
  switch (solid.law) {
    case ElasticLaw::corotational:
      return add(Corotational{solid.moduli});
    case ElasticLaw::stvk:
      return add(SaintVenantKirchhoff{solid.moduli});
    case ElasticLaw::neo_hookean:
      return add(NeoHookean{solid.moduli});
  }
}

void warn_of_loose_body(const std::vector<bool>& pinned, const Mesh& mesh, const SolidParameters& p,
                        Warnings& out) {
  if (!std::isfinite(p.pinned_below) || std::ranges::any_of(pinned, [](bool b) { return b; })) return;
  double lowest = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3d& x : mesh.points) lowest = std::min(lowest, p.pinned_normal.normalized().dot(x));
  out.push_back(
      {"nothing-pinned",
       fmt::format("no particle is pinned: all should be up to {:.6g} m along [{:g}, {:g}, {:g}], but "
                   "the body begins at {:.6g} m",
                   p.pinned_below, p.pinned_normal.x(), p.pinned_normal.y(), p.pinned_normal.z(), lowest)});
}

/// Springs are as stiff as their user says, whatever lies across the body.
void warn_of_thin_body(const Mesh& mesh, const SolidParameters& p, Warnings& out) {
  constexpr double worth_a_word = 0.2;
  if (!std::holds_alternative<ElasticSolid>(p.material)) return;
  const auto shares = thin_shares(mesh.tetrahedra);
  const auto thin = std::ranges::find_if(shares, [](double share) { return share >= worth_a_word; });
  if (thin == shares.end()) return;
  constexpr std::array<const char*, few_tetrahedra> across = {
      "one tetrahedron", "two tetrahedra", "three tetrahedra", "four tetrahedra", "five tetrahedra"};
  constexpr int enough = 8;
  const auto thickness = thin - shares.begin() + 1;
  out.push_back(
      {"thin-body",
       fmt::format("{:.0f} % of the body is only {} thick: linear elements bend too stiffly, a beam of these "
                   "sags by about {:.0f} % too little; take {} for eight elements across (about {:.0f} %)",
                   100 * *thin, across[static_cast<std::size_t>(thickness - 1)],
                   100 * missing_sag(static_cast<int>(thickness)), p.finer, 100 * missing_sag(enough))});
}

}  // namespace

Body make_solid(const Mesh& given, const SolidParameters& p, const std::array<double, 3>& gravity) {
  if (given.tetrahedra.empty()) throw InputError("the body has no tetrahedra");
  if (!(p.pinned_normal.norm() > 0)) throw InputError("'pinned_normal' must not be zero");
  Mesh mesh = given;
  drop_unused_points(mesh);
  Particles particles = still_particles(mesh.points, {});
  particles.mass = p.particle_mass > 0
                       ? std::vector<double>(particles.size(), p.particle_mass)
                       : lumped_masses(mesh.tetrahedra, particles.position, std::span(&p.density, 1));
  for (std::size_t i = 0; i < particles.size(); ++i)
    particles.pinned[i] = p.pinned_normal.normalized().dot(mesh.points[i]) <= p.pinned_below;

  BodyBuilder builder(particles);
  std::visit([&](const auto& material) { add_material(builder, mesh, particles, material); }, p.material);
  builder.add_gravity(gravity);
  Body body = builder.finish();
  if (std::holds_alternative<SpringSolid>(p.material)) body.springs = edges_of(mesh.tetrahedra);
  body.triangles = surface_of(mesh.tetrahedra);
  body.notes = mesh.notes;
  body.warnings = mesh.warnings;
  warn_of_loose_body(particles.pinned, mesh, p, body.warnings);
  warn_of_thin_body(mesh, p, body.warnings);
  body.tetrahedra = std::move(mesh.tetrahedra);
  return body;
}

Mesh as_volume(Mesh mesh, int particles, Filler filler) {
  if (!mesh.tetrahedra.empty()) return mesh;
  constexpr double tetrahedra_per_particle = 5;
  Mesh filled =
      filler == Filler::lattice
          ? fill_surface(mesh, particles)
          : fill_with_tetgen(mesh, std::abs(inspect(mesh).volume) / (tetrahedra_per_particle * particles));
  filled.notes.insert(filled.notes.begin(), mesh.notes.begin(), mesh.notes.end());
  if (constexpr double many = 1.5; static_cast<double>(filled.points.size()) > many * particles)
    filled.warnings.push_back(
        {"more-particles",
         fmt::format("the body has {} particles, not about {}: {}", filled.points.size(), particles,
                     filler == Filler::tetgen ? "tetgen keeps all points of the surface, which has "
                                                "too many"
                                              : "fewer do not fill the surface")});
  return filled;
}

}  // namespace stiffly
