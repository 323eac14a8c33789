#include "stiffly/scene/coil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

#include "stiffly/error.hpp"
#include "stiffly/scene/body_builder.hpp"
#include "stiffly/scene/spring_system.hpp"

namespace stiffly {

using namespace mesh;
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

/// The particles of one cross-section: concentric rings, ring r with 6r particles, joined as in a triangular
/// lattice. `colour` differs between any two neighbours; there are three.
struct CrossSection {
  struct Node {
    double x, y;
    int colour;
  };
  std::vector<Node> nodes;
  std::vector<Triangle> triangles;
};

/// Axial coordinates (q, r) of a triangular lattice, pushed out radially so that its hexagons become circles.
CrossSection cross_section(int rings) {
  CrossSection out;
  const int width = 2 * rings + 1;
  std::vector<int> number(static_cast<std::size_t>(width * width), -1);
  const auto distance = [](int q, int r) { return std::max({std::abs(q), std::abs(r), std::abs(q + r)}); };
  const auto at = [&](int q, int r) -> int& {
    return number[static_cast<std::size_t>((q + rings) * width + r + rings)];
  };
  const auto inside = [&](int q, int r) { return distance(q, r) <= rings; };
  for (int q = -rings; q <= rings; ++q)
    for (int r = -rings; r <= rings; ++r) {
      if (!inside(q, r)) continue;
      const double x = q + 0.5 * r, y = r * std::sqrt(3.0) / 2, radius = std::hypot(x, y);
      const double stretch = radius > 0 ? distance(q, r) / (radius * rings) : 0;
      at(q, r) = static_cast<int>(out.nodes.size());
      out.nodes.push_back({x * stretch, y * stretch, ((q - r) % 3 + 3) % 3});
    }
  for (int q = -rings; q <= rings; ++q)
    for (int r = -rings; r <= rings; ++r) {
      if (!inside(q, r)) continue;
      if (inside(q + 1, r) && inside(q, r + 1))
        out.triangles.push_back({at(q, r), at(q + 1, r), at(q, r + 1)});
      if (inside(q - 1, r) && inside(q, r - 1))
        out.triangles.push_back({at(q, r), at(q - 1, r), at(q, r - 1)});
    }
  return out;
}

/// Splits the prism between the triangles `low` and `high` (corner i of one above corner i of the other) into
/// three tetrahedra. Each side gets the diagonal that climbs from its first corner to its second, so prisms
/// that share a side agree if both list its corners in the same order.
void split_prism(const Triangle& low, const Triangle& high, std::vector<Tetrahedron>& out) {
  out.push_back({low[0], low[1], low[2], high[2]});
  out.push_back({low[0], low[1], high[1], high[2]});
  out.push_back({low[0], high[0], high[1], high[2]});
}

void check(const CoilParameters& p) {
  const auto positive = [](double value, const char* name) {
    if (!(std::isfinite(value) && value > 0))
      throw InputError(fmt::format("coil: {} must be positive, not {}", name, value));
  };
  positive(p.turns, "turns");
  positive(p.coil_radius, "coil_radius");
  positive(p.wire_radius, "wire_radius");
  positive(p.pitch, "pitch");
  positive(p.total_mass, "total_mass");
  positive(p.stiffness, "stiffness");
  if (p.rings < 1 || p.rings > 20)
    throw InputError(fmt::format("coil: rings must be 1 … 20, not {}", p.rings));
  if (p.sections != 0 && (p.sections < 3 || p.sections > 1'000'000))
    throw InputError(
        fmt::format("coil: sections must be 3 … 1000000, or 0 to choose them, not {}", p.sections));
  if (!(p.held_turns >= 0 && p.held_turns < p.turns))
    throw InputError(fmt::format("coil: held_turns must be at least 0 and less than the {} turns, not {}",
                                 p.turns, p.held_turns));
  if (!(p.wire_radius < p.coil_radius))
    throw InputError(fmt::format("coil: a wire of radius {} m does not fit into a coil of radius {} m",
                                 p.wire_radius, p.coil_radius));
  if (p.turns > 1 && p.pitch < 2 * p.wire_radius)
    throw InputError(fmt::format("coil: with a pitch of {} m the windings of a wire {} m thick overlap",
                                 p.pitch, 2 * p.wire_radius));
}

double wire_length(const CoilParameters& p) { return p.turns * std::hypot(two_pi * p.coil_radius, p.pitch); }

void place_particles(const CoilParameters& p, const CrossSection& disc, int sections, Particles& out) {
  const std::size_t count = disc.nodes.size() * static_cast<std::size_t>(sections);
  for (int s = 0; s < sections; ++s) {
    const double turn = p.turns * s / (sections - 1), angle = two_pi * turn;
    const Eigen::Vector3d outward(std::cos(angle), std::sin(angle), 0);
    const Eigen::Vector3d forward(-std::sin(angle), std::cos(angle), 0);
    const Eigen::Vector3d tangent =
        (two_pi * p.coil_radius * forward + p.pitch * Eigen::Vector3d::UnitZ()).normalized();
    const Eigen::Vector3d up = outward.cross(tangent);
    const Eigen::Vector3d centre =
        p.coil_radius * outward + (p.pitch * turn + p.wire_radius) * Eigen::Vector3d::UnitZ();
    for (const auto& node : disc.nodes) {
      const Eigen::Vector3d x = centre + p.wire_radius * (node.x * outward - node.y * up);
      out.position.push_back({x.x(), x.y(), x.z()});
      out.velocity.push_back({0, 0, 0});
      out.mass.push_back(p.total_mass / static_cast<double>(count));
      out.pinned.push_back(turn <= p.held_turns);
    }
  }
}

}  // namespace

CoilParameters small_coil() {
  CoilParameters p;
  p.turns = 3;
  p.coil_radius = 0.16;
  p.wire_radius = 0.04;
  p.pitch = 0.23;
  p.rings = 1;
  p.sections = 71;
  p.total_mass = 120;
  p.gravity = {0, 0, -4};
  return p;
}

Coil make_coil(const CoilParameters& p) {
  check(p);
  const CrossSection disc = cross_section(p.rings);
  const int per_section = static_cast<int>(disc.nodes.size());
  const double wanted = std::ceil(wire_length(p) * p.rings / p.wire_radius);
  if (p.sections == 0 && wanted * per_section > 5e7)
    throw InputError(
        fmt::format("coil: so thin and long a wire needs {:.2g} particles", wanted * per_section));
  const int sections = p.sections > 0 ? p.sections : static_cast<int>(wanted) + 1;

  Coil coil;
  place_particles(p, disc, sections, coil.particles);
  for (int s = 0; s + 1 < sections; ++s)
    for (Triangle triangle : disc.triangles) {
      // Colours decide which way diagonals climb. They turn round from layer to layer: a bias would couple
      // stretch with twist.
      std::sort(triangle.begin(), triangle.end(), [&](int a, int b) {
        const auto colour = [&](int i) { return disc.nodes[static_cast<std::size_t>(i)].colour; };
        return s % 2 == 0 ? colour(a) < colour(b) : colour(b) < colour(a);
      });
      Triangle low, high;
      for (std::size_t i = 0; i < 3; ++i) {
        low[i] = s * per_section + triangle[i];
        high[i] = low[i] + per_section;
      }
      split_prism(low, high, coil.tetrahedra);
    }
  const std::span<const Point> positions = coil.particles.position;
  for (Tetrahedron& t : coil.tetrahedra)
    if (signed_volume(t, positions) < 0) std::swap(t[2], t[3]);
  coil.triangles = surface_of(coil.tetrahedra);
  coil.springs = springs_at_rest(edges_of(coil.tetrahedra), positions, p.stiffness, p.damping, p.law);
  return coil;
}

std::unique_ptr<ParticleSystem> make_coil_system(const CoilParameters& p) {
  Coil coil = make_coil(p);
  return make_spring_system(coil.particles, std::move(coil.springs), p.gravity);
}

}  // namespace stiffly
