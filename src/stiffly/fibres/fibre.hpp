// What a fibre is: a chain of cuboids, four particles in each cross-section, held by springs.
//
// Michels, Mueller, Sobottka (2015), "A physically based approach to the accurate simulation of stiff fibers
// and stiff fiber meshes", has the idea; docs/fibres.md derives the stiffnesses used here.
#pragma once

#include <array>
#include <Eigen/Core>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/forces/springs.hpp"

namespace stiffly {

struct FibreMaterial {
  double young = 0;    ///< E, Pa
  double torsion = 0;  ///< G: a square fibre of thickness a twists by T/(0.1406 G a⁴) radians per metre
  double density = 0;  ///< kg/m³
};

/// The line that the centres of the cross-sections follow at rest.
struct CentreLine {
  std::vector<Eigen::Vector3d> points;  ///< one per cross-section, from the root to the tip; m
  std::vector<double> thickness;        ///< of the square cross-section there, side to side; m
};

namespace fibre {

inline constexpr int corners = 4;        ///< particles of a cross-section
inline constexpr int section_size = 12;  ///< unknowns of a cross-section
inline constexpr int section_springs = 6;
inline constexpr int segment_springs = 16;
inline constexpr int period = section_springs + segment_springs;

/// Particle 4·section + corner. Corners go around: 0 and 2 are opposite, so are 1 and 3.
constexpr int particle(int section, int corner) { return corners * section + corner; }
/// Unknown 12·section + 3·corner + axis.
constexpr int unknown(int section, int corner, int axis) {
  return section_size * section + 3 * corner + axis;
}
constexpr int particles(int segments) { return corners * (segments + 1); }
constexpr int springs(int segments) { return period * segments + section_springs; }

/// Springs stand section 0, segment 0, section 1, segment 1, …, section n.
constexpr int first_of_section(int section) { return period * section; }
constexpr int first_of_segment(int segment) { return period * segment + section_springs; }

using Ends = std::array<int, 2>;
/// Corners joined within a cross-section: four sides, two diagonals.
inline constexpr std::array<Ends, section_springs> section_ends = {
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}}};
/// Corner of a cross-section and corner of the next one, joined within a segment: four edges, eight diagonals
/// of the faces, four diagonals of the space.
inline constexpr std::array<Ends, segment_springs> segment_ends = {{{0, 0},
                                                                    {1, 1},
                                                                    {2, 2},
                                                                    {3, 3},  //
                                                                    {0, 1},
                                                                    {1, 0},
                                                                    {1, 2},
                                                                    {2, 1},
                                                                    {2, 3},
                                                                    {3, 2},
                                                                    {3, 0},
                                                                    {0, 3},
                                                                    {0, 2},
                                                                    {1, 3},
                                                                    {2, 0},
                                                                    {3, 1}}};
/// The two particles of a spring; they follow from its number alone.
constexpr Ends ends(int spring) {
  const int section = spring / period, k = spring % period;
  if (k < section_springs) {
    const Ends e = section_ends[static_cast<std::size_t>(k)];
    return {particle(section, e[0]), particle(section, e[1])};
  }
  const Ends e = segment_ends[static_cast<std::size_t>(k - section_springs)];
  return {particle(section, e[0]), particle(section + 1, e[1])};
}

}  // namespace fibre

/// A fibre at rest, its particles and springs numbered as above.
struct FibreShape {
  int segments = 0;
  std::vector<Eigen::Vector3d> position;  ///< of each particle, m
  std::vector<double> mass;               ///< of each particle, kg
  std::vector<Spring> springs;            ///< all lengths are rest lengths
};

/// The fibre along a line. Cross-sections stand across it and do not twist about it: the frame of the root,
/// whose first axis is as close to `side` as it can be (any axis if that is zero), is transported in
/// parallel. Throws InputError, "fibre NUMBER: …", for a line of one point, points on top of each other or
/// not finite, a thickness or modulus that is not positive, moduli at which no such springs are stable (G too
/// large for E), and lines so bent that cross-sections cut each other.
FibreShape make_fibre(const CentreLine& line, const FibreMaterial& material, std::size_t number = 0,
                      const Eigen::Vector3d& side = Eigen::Vector3d::Zero());

/// An axis across a line, carried in parallel from where the line has the direction `from` to where it has
/// `to`: turned with it and not about it.
Eigen::Vector3d transported(const Eigen::Vector3d& axis, const Eigen::Vector3d& from,
                            const Eigen::Vector3d& to);

/// Centres of the cross-sections, from positions of a fibre's particles (three numbers each).
std::vector<Eigen::Vector3d> centre_line(std::span<const double> positions);

}  // namespace stiffly
