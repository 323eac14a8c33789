#include "stiffly/mesh/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"
#include "stiffly/mesh/repair.hpp"
#include "stiffly/mesh/small_pieces.hpp"
#include "stiffly/mesh/stuffing.hpp"
#include "stiffly/mesh/winding_number.hpp"

namespace stiffly::mesh {
namespace {

constexpr int fewest = 30, most = 50'000'000;
constexpr double accepted = 0.02;  // relative error of the number of particles
/// Pieces with less of the tetrahedra than this are left-overs of details that the lattice cannot resolve.
constexpr double least_piece = 0.01, least_hinged_piece = 0.05;
/// Of the body's volume, how much must be filled.
constexpr double least_volume = 0.85;

double volume(const Mesh& body) {
  double sum = 0;
  for (const auto& t : body.tetrahedra) {
    const auto at = [&](std::size_t i) -> const Eigen::Vector3d& {
      return body.points[static_cast<std::size_t>(t[i])];
    };
    sum += (at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0)) / 6;
  }
  return sum;
}

/// The i-th number of the Halton sequence in that base.
double halton(int i, int base) {
  double value = 0, digit = 1;
  for (; i > 0; i /= base) value += (digit /= base) * (i % base);
  return value;
}

/// By sampling, as the volume under a dirty surface means nothing.
double estimated_volume(const Inside& inside, const Eigen::AlignedBox3d& box) {
  constexpr int samples = 20'000;
  int hits = 0;
  for (int i = 1; i <= samples; ++i) {
    const Eigen::Vector3d share(halton(i, 2), halton(i, 3), halton(i, 5));
    hits += inside(box.min() + share.cwiseProduct(box.sizes()));
  }
  return box.volume() * hits / samples;
}

/// The spacing that gives `wanted` particles. A cube of the lattice holds two of them, and those that lie on
/// the surface come on top: n = 2V/h³ + c/h², with c from the `count` that another spacing gave.
double spacing_for(double wanted, double volume_filled, double count, double spacing) {
  const double on_surface =
      std::max(0.0, count - 2 * volume_filled / std::pow(spacing, 3)) * spacing * spacing;
  double h = std::cbrt(2 * volume_filled / wanted);
  for (int i = 0; i < 60; ++i)  // a fixed point: the surface's share changes slowly
    h = std::cbrt((2 * volume_filled + on_surface * h) / wanted);
  return h;
}

/// A body, what was left out of it, and how far its number of particles is from the one wanted.
struct Filling {
  Mesh body;
  SmallPieces small_pieces;
  double error = INFINITY, spacing = 0;
  double volume_left_out = 0;  ///< as a part of all that was filled
};

Filling fill(const Inside& inside, const Eigen::AlignedBox3d& box, double spacing, double wanted) {
  Filling out{stuff(inside, box, spacing), {}, 0, spacing};
  const double all = volume(out.body);
  out.small_pieces = drop_small_pieces(out.body, least_piece, least_hinged_piece);
  out.volume_left_out = 1 - volume(out.body) / all;
  out.error = std::abs(static_cast<double>(out.body.points.size()) - wanted) / wanted;
  return out;
}

double extent(const Mesh& body) {
  Eigen::AlignedBox3d box;
  for (const auto& x : body.points) box.extend(x);
  return box.sizes().sum();
}

/// Where a thin part came out as a piece that hangs by a point, the lattice may lie better elsewhere, so that
/// it holds.
Filling with_thin_parts(const Inside& inside, const Eigen::AlignedBox3d& box, double wanted, Filling best) {
  const int tries =
      std::clamp(static_cast<int>(60'000 / wanted), 4, 60);  // coarse bodies need it, and cost little
  const double spacing = best.spacing;
  for (int i = 1; best.small_pieces.hinged > 0 && i <= tries; ++i) {
    Eigen::AlignedBox3d moved = box;
    moved.extend(box.min() - spacing * Eigen::Vector3d(halton(i, 2), halton(i, 3), halton(i, 5)));
    Filling other = fill(inside, moved, spacing, wanted);
    if (other.error <= 2.5 * accepted && other.small_pieces.hinged == 0 &&
        other.small_pieces.kept == best.small_pieces.kept && extent(other.body) > extent(best.body))
      best = std::move(other);
  }
  return best;
}

}  // namespace

Mesh fill_surface(const Mesh& surface, int particles) {
  if (particles < fewest || particles > most)
    throw InputError(
        fmt::format("a filled body must have {} … {} particles, not {}", fewest, most, particles));
  if (surface.triangles.empty()) throw InputError("only a surface of triangles can be filled");
  Mesh clean = surface;
  const SurfaceRepair repair = repair_surface(clean);
  const WindingNumber winding(clean.points, clean.triangles);
  const Inside inside = [&](const Eigen::Vector3d& x) { return winding(x) > 0.5; };
  Eigen::AlignedBox3d box;
  for (const auto& t : clean.triangles)
    for (const int corner : t) box.extend(clean.points[static_cast<std::size_t>(corner)]);
  const double space = estimated_volume(inside, box);
  if (!(space > 0))
    throw InputError(
        "the surface encloses nothing; is it closed? (stiffly mesh FILE says what is wrong with it)");

  // A coarse body first, which tells what the surface adds; each attempt corrects the next.
  const double wanted = particles;
  double spacing = 1.1 * std::cbrt(2 * space / std::max<double>(wanted / 8, fewest));
  double too_fine = 0, too_coarse = INFINITY;
  Filling found;
  for (int attempt = 0; attempt < 5 && found.error > accepted; ++attempt) {
    Filling now = fill(inside, box, spacing, wanted);
    const auto count = static_cast<double>(now.body.points.size());
    (count > wanted ? too_fine : too_coarse) = spacing;
    spacing = spacing_for(wanted, std::max(volume(now.body), least_volume * space), count, spacing);
    // Walls along the lattice make the count jump, and with it the prediction.
    if (spacing <= too_fine || spacing >= too_coarse)
      spacing = too_fine == 0            ? 0.8 * too_coarse
                : std::isinf(too_coarse) ? 1.25 * too_fine
                                         : std::sqrt(too_fine * too_coarse);
    if (now.error < found.error) found = std::move(now);
  }
  found = with_thin_parts(inside, box, wanted, std::move(found));
  Mesh best = std::move(found.body);
  if (found.small_pieces.all > 0)
    best.warnings.push_back(
        {"parts-left-out",
         fmt::format(
             "{} small pieces with {:.2g} % of the volume are left out of the body, as they are loose "
             "or hang by a point: fill it with more particles than {} to have thin parts hold",
             found.small_pieces.all, 100 * found.volume_left_out, particles)});
  if (volume(best) < least_volume * space)
    throw InputError(fmt::format("the body has parts too thin for {} particles; ask for more", particles));
  if (repair.merged_points > 0) best.notes.push_back(fmt::format("{} points merged", repair.merged_points));
  if (repair.dropped_triangles > 0)
    best.notes.push_back(
        fmt::format("{} triangles without area or given twice left out", repair.dropped_triangles));
  if (repair.turned_triangles > 0)
    best.notes.push_back(fmt::format("{} triangles turned", repair.turned_triangles));
  return best;
}

}  // namespace stiffly::mesh
