#include "stiffly/fibres/fibre.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Of a square of side 1: A = a², I = a⁴/12, and the torsion constant (Timoshenko & Goodier, §109).
constexpr double second_moment = 1.0 / 12;
constexpr double torsion_constant = 0.1405770;

/// How much stiffer the sides of a cross-section are than the diagonals of faces and its diagonals than those
/// of the space, in its plane: large numbers keep its shape, small ones keep it from being the stiffest part.
constexpr double side_factor = 8;
constexpr double diagonal_factor = 1;
/// What the sides leave of the stiffness of faces against bending.
constexpr double face_share = side_factor / (1 + side_factor);
/// The diagonals of the faces may carry this much of the bending stiffness; the edges carry the rest.
constexpr double largest_face_part = 0.75;

/// A straight segment, its cross-sections alike.
struct Segment {
  double length;     ///< l
  double thickness;  ///< a
};

/// c: the diagonals of the faces, which resist torsion, carry c/b² of the bending stiffness.
double bending_by_faces(const FibreMaterial& m, double length) {
  return face_share * m.torsion * torsion_constant * length * length / (2 * m.young * second_moment);
}

/// At this torsion modulus c = l²: the widest cross-section carries all bending by its faces.
double largest_torsion(double young) { return 2 * young * second_moment / (face_share * torsion_constant); }

/// The square b² of the width of the particles' square. The least at which the springs can carry EA, EI and
/// GJ at once without one that pushes is the root of b⁴ = (a²/3)(b² + q c); it is wider where the faces would
/// carry too much, up to the segment's length.
double squared_width(const FibreMaterial& m, const Segment& segment) {
  constexpr double q = (3 + 2 * side_factor) / (1 + 2 * side_factor);
  const double a2 = segment.thickness * segment.thickness;
  const double c = bending_by_faces(m, segment.length);
  const double least = a2 / 6 + std::sqrt(a2 * a2 / 36 + a2 * q * c / 3);
  return std::max(least, std::min(c / largest_face_part, segment.length * segment.length));
}

struct Stiffnesses {
  double edge, face_diagonal, space_diagonal, side, section_diagonal;
};

/// docs/fibres.md, "Stiffnesses"; f and s are k/L² of the diagonals of faces and space:
///   GJ/l = 2 f b⁴,  EI/l = b² (k_e + f l² σ/(1+σ)),
///   EA/l = 4 k_e + 8 f l² + 4 s l² − 8 l² (f+s)²/((1+2σ) f + 2(1+τ) s).
Stiffnesses stiffnesses(const FibreMaterial& m, const Segment& segment, double b2) {
  const double l = segment.length, l2 = l * l, a2 = segment.thickness * segment.thickness;
  const double EA = m.young * a2, EI = m.young * second_moment * a2 * a2;
  const double f = m.torsion * torsion_constant * a2 * a2 / (2 * l * b2 * b2);
  const double edge = EI / (l * b2) - f * l2 * face_share;
  constexpr double sigma = 1 + 2 * side_factor, tau = 2 * (1 + diagonal_factor);
  const double rest = (EA / l - 4 * edge) / (4 * l2) - 2 * f;
  // (rest − s)(σ f + τ s) + 2 (f + s)² = 0
  const double square = 2 - tau, linear = tau * rest + (4 - sigma) * f, constant = (sigma * rest + 2 * f) * f;
  const double root = std::sqrt(std::max(0.0, linear * linear - 4 * square * constant));
  const double s = std::max(0.0, (-linear - root) / (2 * square));
  const double side = 2 * side_factor * f * b2;
  return {edge, f * (l2 + b2), s * (l2 + 2 * b2), side, side + 4 * diagonal_factor * s * b2};
}

void check_input(const CentreLine& line, const FibreMaterial& m, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw InputError(name + what); };
  if (line.points.size() < 2)
    fail(fmt::format("{} point{}; a fibre needs two at least", line.points.size(),
                     line.points.size() == 1 ? "" : "s"));
  if (line.thickness.size() != line.points.size())
    fail(fmt::format("{} thicknesses for {} points", line.thickness.size(), line.points.size()));
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    if (!line.points[i].allFinite()) fail(fmt::format("point {} is not finite", i));
    if (!(line.thickness[i] > 0) || !std::isfinite(line.thickness[i]))
      fail(fmt::format("thickness {} m at point {} must be positive and finite", line.thickness[i], i));
  }
  for (const auto& [what, value] : {std::pair("Young's modulus", m.young),
                                    std::pair("torsion modulus", m.torsion), std::pair("density", m.density)})
    if (!(value > 0) || !std::isfinite(value))
      fail(fmt::format("{} {} must be positive and finite", what, value));
}

std::vector<Segment> segments_of(const CentreLine& line, const std::string& name) {
  std::vector<Segment> out;
  double total = 0;
  for (std::size_t i = 0; i + 1 < line.points.size(); ++i) {
    const double length = (line.points[i + 1] - line.points[i]).norm();
    out.push_back({length, (line.thickness[i] + line.thickness[i + 1]) / 2});
    total += length;
  }
  if (!(total > 0)) throw InputError(name + "its length is zero");
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!(out[i].length > 1e-6 * total))
      throw InputError(fmt::format("{}points {} and {} are at the same place", name, i, i + 1));
  return out;
}

/// Directions of the line at its points: the mean of both sides.
std::vector<Vector3d> tangents(const CentreLine& line, const std::string& name) {
  std::vector<Vector3d> out(line.points.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    Vector3d sum = Vector3d::Zero();
    if (i > 0) sum += (line.points[i] - line.points[i - 1]).normalized();
    if (i + 1 < out.size()) sum += (line.points[i + 1] - line.points[i]).normalized();
    if (!(sum.norm() > 1e-3))
      throw InputError(fmt::format("{}the line turns back on itself at point {}", name, i));
    out[i] = sum.normalized();
  }
  return out;
}

/// First axis of the cross-section at the root.
Vector3d first_axis(const Vector3d& tangent, const Vector3d& side) {
  Vector3d axis = side - side.dot(tangent) * tangent;
  if (!(axis.norm() > 1e-6 * side.norm())) axis = tangent.unitOrthogonal();
  return axis.normalized();
}

}  // namespace

FibreShape make_fibre(const CentreLine& line, const FibreMaterial& material, std::size_t number,
                      const Vector3d& side) {
  const std::string name = fmt::format("fibre {}: ", number);
  check_input(line, material, name);
  const std::vector<Segment> segments = segments_of(line, name);
  const std::vector<Vector3d> direction = tangents(line, name);
  const int n = static_cast<int>(segments.size());

  std::vector<double> width2(segments.size() + 1, 0.0);  // of cross-sections: what the wider neighbour needs
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (const std::size_t section : {i, i + 1})
      width2[section] = std::max(width2[section], squared_width(material, segments[i]));

  FibreShape out;
  out.segments = n;
  Vector3d axis = first_axis(direction[0], side);
  for (std::size_t i = 0; i < width2.size(); ++i) {
    if (i > 0) axis = transported(axis, direction[i - 1], direction[i]);
    const Vector3d u = std::sqrt(width2[i]) / 2 * axis, w = direction[i].cross(u);
    for (const Vector3d& corner : {Vector3d(-u - w), Vector3d(u - w), Vector3d(u + w), Vector3d(w - u)})
      out.position.push_back(line.points[i] + corner);
  }

  out.mass.resize(out.position.size(), 0.0);
  for (int spring = 0; spring < fibre::springs(n); ++spring) {
    const auto [first, second] = fibre::ends(spring);
    const auto at = [&](int p) { return out.position[static_cast<std::size_t>(p)]; };
    out.springs.push_back({.first = first, .second = second, .rest_length = (at(second) - at(first)).norm()});
  }
  for (int i = 0; i < n; ++i) {
    const Segment& segment = segments[static_cast<std::size_t>(i)];
    const double b = (std::sqrt(width2[static_cast<std::size_t>(i)]) +
                      std::sqrt(width2[static_cast<std::size_t>(i) + 1])) /
                     2;
    const Stiffnesses k = stiffnesses(material, segment, b * b);
    if (k.edge < 0)
      throw InputError(fmt::format(
          "{}with a torsion modulus of {} Pa and a Young's modulus of {} Pa the edges of its cuboids would "
          "have "
          "to push, and cross-sections would warp by themselves; take a torsion modulus of {:.3g} Pa at most",
          name, material.torsion, material.young, largest_torsion(material.young)));
    auto* along = &out.springs[static_cast<std::size_t>(fibre::first_of_segment(i))];
    for (int j = 0; j < fibre::segment_springs; ++j)
      along[j].stiffness = j < 4 ? k.edge : j < 12 ? k.face_diagonal : k.space_diagonal;
    const double mass = material.density * segment.thickness * segment.thickness * segment.length;
    for (const int section : {i, i + 1}) {  // each end has half of what belongs to the segment
      auto* across = &out.springs[static_cast<std::size_t>(fibre::first_of_section(section))];
      for (int j = 0; j < fibre::section_springs; ++j)
        across[j].stiffness += (j < 4 ? k.side : k.section_diagonal) / 2;
      for (int corner = 0; corner < fibre::corners; ++corner)
        out.mass[static_cast<std::size_t>(fibre::particle(section, corner))] += mass / (2 * fibre::corners);
    }
    const Vector3d d =
        line.points[static_cast<std::size_t>(i) + 1] - line.points[static_cast<std::size_t>(i)];
    for (int corner = 0; corner < fibre::corners; ++corner) {
      const auto at = [&](int section) {
        return out.position[static_cast<std::size_t>(fibre::particle(section, corner))];
      };
      if (!((at(i + 1) - at(i)).dot(d) > 0.1 * d.squaredNorm()))
        throw InputError(
            fmt::format("{}the line bends so tightly at segment {} that cross-sections cut each other; "
                        "use more segments or a wider curl",
                        name, i));
    }
  }
  return out;
}

// The quaternion (cos α/2, sin α/2 n) of the least rotation from one direction to the other. Eigen has it
// too, with a decomposition for opposite directions, where any axis across will do.
Vector3d transported(const Vector3d& axis, const Vector3d& from, const Vector3d& to) {
  const Vector3d start = from.normalized(), end = to.normalized();
  const double cosine = end.dot(start);
  Eigen::Quaterniond turn;
  if (cosine < -1 + 1e-12) {
    turn.w() = 0;
    turn.vec() = start.unitOrthogonal();
  } else {
    const double scale = std::sqrt((1 + cosine) * 2);  // 2 cos α/2
    turn.vec() = start.cross(end) * (1 / scale);
    turn.w() = scale * 0.5;
  }
  return turn * axis;
}

std::vector<Vector3d> centre_line(std::span<const double> positions) {
  std::vector<Vector3d> out;
  for (std::size_t i = 0; i + fibre::section_size <= positions.size(); i += fibre::section_size) {
    Vector3d sum = Vector3d::Zero();
    for (int corner = 0; corner < fibre::corners; ++corner)
      sum += Vector3d::Map(positions.data() + i + 3 * static_cast<std::size_t>(corner));
    out.push_back(sum / fibre::corners);
  }
  return out;
}

}  // namespace stiffly
