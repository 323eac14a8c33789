#include "stiffly/fibres/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

constexpr double none = -std::numeric_limits<double>::infinity();
constexpr double straight = 1e-9;  ///< rad

/// Where the axis is: ahead of the middle of the head by this part of half its depth, in front of every root.
constexpr double ahead = 0.9;
/// The ray that stands for level 0 at every azimuth, from the front, rad. Others turn with the azimuth, as
/// the head is narrower where a half plane grazes it: the less, the nearer they are to this.
constexpr double level_zero = 1.2;
/// The least of the way between levels that a first or last piece is long.
constexpr double shortest_first = 0.3, shortest_last = 0.25;
constexpr double first_rise = 0.05;      ///< of a first piece above the head's tangent
constexpr double first_outward = 0.004;  ///< m: of a first piece where the head recedes
constexpr double kept_height = 0.8;      ///< of that above the head, from one level to the next
/// Centre lines are so many thicknesses apart.
constexpr double clearance = 1.2;

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// A half plane through the axis: a place in it is its distance from the axis and its height. Of the head it
/// has an ellipse.
struct Slice {
  double azimuth = 0;
  double middle = 0;  ///< of the ellipse, from the axis
  Vector2d radii;

  Slice(const Head& head, double at) : azimuth(at) {
    // Of (r sin φ/a)² + (r cos φ/b − ahead)² + (z/c)² = 1.
    const double s = std::sin(azimuth) / head.radii.x(), c = std::cos(azimuth) / head.radii.y();
    const double square = s * s + c * c;
    middle = ahead * c / square;
    radii.x() = std::sqrt(middle * middle + (1 - ahead * ahead) / square);
    radii.y() = head.radii.z() * radii.x() * std::sqrt(square);
  }
  Slice(const Head& head, const Vector3d& place)
      : Slice(head, std::atan2(place.x() - axis(head).x(), place.y() - axis(head).y())) {}
  static Vector3d axis(const Head& head) { return head.centre - Vector3d(0, ahead * head.radii.y(), 0); }
  Vector2d flat(const Head& head, const Vector3d& place) const {
    const Vector3d from = place - axis(head);
    return {std::hypot(from.x(), from.y()), from.z()};
  }
  Vector3d place(const Head& head, const Vector2d& flat) const {
    return axis(head) + Vector3d(flat.x() * std::sin(azimuth), flat.x() * std::cos(azimuth), flat.y());
  }
  /// As if the ellipse were the circle of radius 1.
  Vector2d round(const Vector2d& flat) const { return (flat - Vector2d(middle, 0)).cwiseQuotient(radii); }
  Vector2d unround(const Vector2d& round) const { return round.cwiseProduct(radii) + Vector2d(middle, 0); }
};

/// A half line that hairs cross. The place of a point on it is the point's product with the direction, the
/// same in every half plane where the level has that direction.
struct Level {
  Vector2d origin, along;

  double foot() const { return origin.dot(along); }
  Vector2d at(double place) const { return origin + (place - foot()) * along; }
  /// Where the line from `from` through `via` meets it; infinite where that goes another way.
  double hit(const Vector2d& from, const Vector2d& via) const {
    const Vector2d way = via - from;
    const double turn = cross(along, way);
    return turn < 0 ? foot() + cross(from - origin, way) / turn : std::numeric_limits<double>::infinity();
  }
};

/// A hair in its half plane: its root, and where it crosses levels from `first_level` on; the last is at its
/// tip or beyond.
struct Course {
  std::vector<Vector2d> points;
  int first_level = 0;
  double length = 0;
};

double angle_between(const Vector2d& a, const Vector2d& b) {
  return std::abs(std::atan2(cross(a, b), a.dot(b)));
}

class Layers {
 public:
  /// Of hairs whose segments are to reach from one level to the next, `way` apart.
  Layers(const Head& head, double thickness, double way)
      : head_(head), way_(way), clear_(clearance * thickness), roots_(cells, Vector2d(none, none)) {}

  /// The next hair. Of hairs near its half plane, all laid before have their roots behind its own.
  Course lay(const Slice& slice, const Vector2d& root, const LayeredHair& hair) {
    const double start = progress(slice, root);
    const Course out = course(slice, root, start, hair);
    for_cells(slice, root.x(), [&](std::size_t cell) { roots_[cell] = root; });
    for (int k = level_after(start); k < out.first_level; ++k)
      raise(k, slice, std::span(out.points).first(2));
    for (std::size_t i = 1; i < out.points.size(); ++i)
      raise(out.first_level + static_cast<int>(i) - 1, slice,
            std::span(out.points).subspan(i - 1, std::min<std::size_t>(3, out.points.size() - i + 1)));
    return out;
  }

 private:
  static constexpr int cells = 1 << 16;  ///< of azimuths from −π/2 to π/2

  static int cell_of(double azimuth) {
    return static_cast<int>(std::clamp((azimuth / pi + 0.5) * cells, 0.0, cells - 1.0));
  }
  /// How much hair at `distance` from the axis has to turn about it to be clear of a half plane.
  double width(double distance) const { return std::asin(std::min(1.0, clear_ / distance)); }
  template <class Visit>
  void for_cells(const Slice& slice, double distance, const Visit& visit) const {
    const double w = width(distance);
    const int last = std::min(cell_of(slice.azimuth + w) + 1, cells - 1);
    for (int c = std::max(cell_of(slice.azimuth - w) - 1, 0); c <= last; ++c)
      visit(static_cast<std::size_t>(c));
  }

  /// Between two rays: of half planes that graze the head, more, as there is less to go around.
  double turn(const Slice& slice) const {
    return way_ / std::sqrt(0.9 * slice.radii.mean() * head_.radii.mean());
  }
  Level level(const Slice& slice, int k) const {
    const double angle = level_zero + k * turn(slice);
    if (angle < pi) return {{slice.middle, 0}, {-std::cos(angle), std::sin(angle)}};
    return {{slice.middle, -(angle - pi) / turn(slice) * way_}, {1, 0}};
  }
  /// k on level k.
  double progress(const Slice& slice, const Vector2d& p) const {
    const double angle = p.y() >= 0 ? std::atan2(p.y(), slice.middle - p.x()) : pi;
    return (angle - level_zero) / turn(slice) - std::min(0.0, p.y()) / way_;
  }
  static int level_after(double progress) { return static_cast<int>(std::floor(progress)) + 1; }

  /// The least place on each level, of hair in a cell of azimuths.
  std::vector<double>& floor(int k) { return floor_.try_emplace(k, cells, none).first->second; }
  /// Hair to come keeps clear of these pieces where they cross level k. Its levels may be turned by as much
  /// as its half plane: the pieces, drawn out, are outside of the corner between them.
  void raise(int k, const Slice& slice, std::span<const Vector2d> pieces) {
    double nearest = pieces[0].x(), place = none;
    for (const Vector2d& p : pieces) nearest = std::min(nearest, p.x());
    for (const double side : {-1.0, 0.0, 1.0}) {
      const Level to = level(Slice(head_, slice.azimuth + side * width(nearest)), k);
      for (std::size_t i = 1; i < pieces.size(); ++i)
        if (const double sine = -cross(to.along, (pieces[i] - pieces[i - 1]).normalized()); sine > 0)
          place = std::max(place, to.hit(pieces[i - 1], pieces[i]) + clear_ / sine);
    }
    std::vector<double>& least = floor(k);
    for_cells(slice, nearest, [&](std::size_t cell) { least[cell] = std::max(least[cell], place); });
  }

  /// A point that a piece from here has to pass on the outer side: of the head's tangent.
  Vector2d past_head(const Slice& slice, const Vector2d& from, bool is_root) const {
    const Vector2d q = slice.round(from);
    const double size = is_root ? q.norm() : 1 + 1.5 * clear_ / slice.radii.minCoeff();
    const double angle = std::atan2(q.y(), q.x()) - std::acos(std::min(1.0, size / q.norm()));
    const Vector2d out(std::cos(angle), std::sin(angle)), on(out.y(), -out.x());
    return slice.unround(size * out + on + (is_root ? first_rise : 0.0) * out);
  }
  /// Where hair would go if there were no other: it comes closer to the head, and hangs upright below that.
  double wanted(const Slice& slice, const Vector2d& from, const Level& to, bool is_root) const {
    if (to.along.y() == 0) return from.x() + (is_root ? first_outward : 0.0);
    const double height = slice.round(from).norm() - 1, facet = 1 / std::cos(0.55 * turn(slice)) - 1;
    return to.foot() +
           (1 + std::max(facet, kept_height * height)) / to.along.cwiseQuotient(slice.radii).norm();
  }

  double place(const Slice& slice, const Vector2d& from, int k, bool is_root) {
    const Level to = level(slice, k);
    const auto here = static_cast<std::size_t>(cell_of(slice.azimuth));
    double out = std::max(wanted(slice, from, to, is_root), floor(k)[here]);
    if (from.y() > 0) out = std::max(out, to.hit(from, past_head(slice, from, is_root)));
    if (const Vector2d& other = roots_[here]; is_root && other.x() > none) {
      const Vector2d outwards = slice.round(other).cwiseQuotient(slice.radii).normalized();
      out = std::max(out, to.hit(from, other + 1.05 * clear_ * outwards));
    }
    if (!(out - to.foot() < 3 * slice.radii.maxCoeff()))
      throw InputError(
          "layers of hair find no place on this head: take fewer or thinner hairs, or more segments");
    return out;
  }

  Course course(const Slice& slice, const Vector2d& root, double start, const LayeredHair& hair) {
    Course out{{root}, level_after(start + shortest_first), 0};
    // Longer segments would be too soft to hang.
    const double length = std::max(hair.least_length, std::min(hair.length, 0.93 * hair.segments * way_));
    double last = 0;
    for (int k = out.first_level, pieces = 0; out.length < length; ++k) {
      const Vector2d p = out.points.back();
      const bool is_root = out.points.size() == 1;
      const Vector2d next = level(slice, k).at(place(slice, p, k, is_root));
      if ((is_root || angle_between(next - p, p - out.points[out.points.size() - 2]) > straight) &&
          ++pieces > hair.segments)
        break;
      out.points.push_back(next);
      last = (next - p).norm();
      out.length += last;
    }
    if (out.length < hair.least_length)
      throw InputError(
          fmt::format("{} segments do not take a hair of {:.3g} m around other hair and the head in layers: "
                      "take more, or "
                      "let lengths differ more",
                      hair.segments, hair.least_length));
    // A short piece at the tip is left out, or made longer where the hair would then be too short.
    const double before = out.length - last, shortest = shortest_last * way_;
    if (out.length <= length || length - before >= shortest || out.points.size() == 2) {
      out.length = std::min(out.length, length);
    } else if (before >= hair.least_length) {
      out.length = before;
      out.points.pop_back();
    } else {
      out.length = std::min(out.length, before + shortest);
    }
    return out;
  }

  const Head& head_;
  double way_, clear_;
  std::map<int, std::vector<double>> floor_;
  std::vector<Vector2d> roots_;  ///< the last one in each cell
};

/// Nodes where it bends, and further ones where that leaves the longest segments.
CentreLine with_nodes(const Course& course, int segments, const Taper& taper, const Slice& slice,
                      const Head& head) {
  std::vector<Vector2d> corners = {course.points[0]};
  for (std::size_t i = 1; i + 1 < course.points.size(); ++i)
    if (angle_between(course.points[i + 1] - course.points[i], course.points[i] - corners.back()) > straight)
      corners.push_back(course.points[i]);
  corners.push_back(course.points.back());
  const std::size_t pieces = corners.size() - 1;
  std::vector<double> length(pieces);
  for (std::size_t i = 0; i < pieces; ++i) length[i] = (corners[i + 1] - corners[i]).norm();
  length.back() += course.length - std::accumulate(length.begin(), length.end(), 0.0);
  std::vector<int> parts(pieces, 1);
  for (auto n = static_cast<int>(pieces); n < segments; ++n) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < pieces; ++i)
      if (length[i] / parts[i] > length[longest] / parts[longest]) longest = i;
    ++parts[longest];
  }
  CentreLine out{{slice.place(head, corners[0])}, {taper.root}};
  double before = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const Vector2d along = (corners[i + 1] - corners[i]).normalized();
    for (int part = 1; part <= parts[i]; ++part) {
      const double s = length[i] * part / parts[i];
      out.points.push_back(slice.place(head, corners[i] + s * along));
      out.thickness.push_back(taper.root + (taper.tip - taper.root) * (before + s) / course.length);
    }
    before += length[i];
  }
  return out;
}

}  // namespace

std::vector<CentreLine> layered(const Head& head, std::span<const LayeredHair> hairs, const Taper& taper) {
  double way = 0;
  std::vector<Slice> slices;
  std::vector<Vector2d> roots;
  for (const LayeredHair& hair : hairs) {
    way = std::max(way, hair.least_length / (hair.segments - 1 + shortest_first));
    const Vector3d root = head.point(hair.direction);
    slices.emplace_back(head, root);
    roots.push_back(slices.back().flat(head, root));
  }
  if (!(way < head.radii.minCoeff()))
    throw InputError(fmt::format(
        "'segments': hair in layers turns every {:.3g} m or less on this head; take more segments",
        head.radii.minCoeff()));
  // From the nape to the forehead as seen from the foot of the axis, which is in the head.
  std::vector<std::size_t> order(hairs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::atan2(roots[i].y(), roots[i].x()); });
  Layers layers(head, std::max(taper.root, taper.tip), way);
  std::vector<CentreLine> out(hairs.size());
  for (const std::size_t i : order)
    out[i] = with_nodes(layers.lay(slices[i], roots[i], hairs[i]), hairs[i].segments, taper, slices[i], head);
  return out;
}

}  // namespace stiffly
