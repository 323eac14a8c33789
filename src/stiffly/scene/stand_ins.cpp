#include "stiffly/scene/stand_ins.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

#include "stiffly/mesh/stuffing.hpp"

namespace stiffly {
namespace {

using Vec = Eigen::Vector3d;

/// A limb: balls of radius ra … rb along the line from a to b, squashed to a share `flat` of their size along
/// the direction `squash`.
struct Limb {
  Vec a, b;
  double ra, rb;
  double flat = 1;
  Vec squash = Vec::UnitY();

  /// Roughly the distance to its skin, negative inside.
  double distance(const Vec& x) const {
    const Vec along = b - a;
    const double t = std::clamp((x - a).dot(along) / std::max(along.squaredNorm(), 1e-12), 0.0, 1.0);
    Vec off = x - (a + t * along);
    off += (1 / flat - 1) * off.dot(squash) * squash;
    return (off.norm() - (ra + t * (rb - ra))) * flat;
  }
};

/// Limbs that melt into each other over a length of `melt`, cut off below the ground.
class Figure {
 public:
  explicit Figure(double melt) : melt_(melt) {}

  void ball(const Vec& centre, double radius) { limbs_.push_back({centre, centre, radius, radius}); }
  void limb(const Limb& limb) { limbs_.push_back(limb); }
  /// The same on the other side of the plane y = 0.
  void pair(Limb limb) {
    limbs_.push_back(limb);
    for (Vec* x : {&limb.a, &limb.b, &limb.squash}) x->y() = -x->y();
    limbs_.push_back(limb);
  }

  /// Smooth minimum: −m log Σ exp(−dᵢ/m).
  bool inside(const Vec& x) const {
    if (x.z() < 0) return false;
    double sum = 0;
    for (const Limb& l : limbs_) {
      const double d = l.distance(x) / melt_;
      if (d < 12) sum += std::exp(-std::max(d, -50.0));
    }
    return sum > 1;
  }

  /// The surface, scaled to a height of one.
  Mesh surface(int triangles) const {
    Eigen::AlignedBox3d box;
    for (const Limb& l : limbs_)
      for (const auto& [x, r] : {std::pair{l.a, l.ra}, std::pair{l.b, l.rb}})
        box.extend(Vec(x - Vec::Constant(r + 3 * melt_))).extend(Vec(x + Vec::Constant(r + 3 * melt_)));
    box.min().z() = std::max(box.min().z(), -0.01);
    const Inside inside = [this](const Vec& x) { return this->inside(x); };
    // A coarse surface tells how many triangles there are to a length.
    double spacing = box.sizes().maxCoeff() / 40;
    Mesh mesh = stuff(inside, box, spacing);
    spacing *= std::sqrt(static_cast<double>(mesh.triangles.size()) / triangles);
    return upright(stuff(inside, box, spacing));
  }

 private:
  /// Only what the triangles use, standing on the ground.
  static Mesh upright(const Mesh& body) {
    Mesh out;
    Eigen::AlignedBox3d box;
    std::vector<int> number(body.points.size(), -1);
    for (auto t : body.triangles) {
      for (int& corner : t) {
        int& n = number[static_cast<std::size_t>(corner)];
        if (n < 0) {
          n = static_cast<int>(out.points.size());
          out.points.push_back(body.points[static_cast<std::size_t>(corner)]);
          box.extend(out.points.back());
        }
        corner = n;
      }
      out.triangles.push_back(t);
    }
    const Vec foot(box.center().x(), box.center().y(), box.min().z());
    for (auto& x : out.points) x = (x - foot) / box.sizes().z();
    return out;
  }

  double melt_;
  std::vector<Limb> limbs_;
};

/// A smooth curve through points with radii (Catmull and Rom), as limbs of a figure; calls `at(place,
/// direction, radius, share)` along it.
struct Knot {
  Vec x;
  double radius;
};
template <class At>
void curve(const std::vector<Knot>& knots, int pieces, const At& at) {
  const auto knot = [&](int i) -> const Knot& {
    return knots[static_cast<std::size_t>(std::clamp(i, 0, static_cast<int>(knots.size()) - 1))];
  };
  const int spans = static_cast<int>(knots.size()) - 1;
  for (int k = 0; k <= spans * pieces; ++k) {
    const int i = std::min(k / pieces, spans - 1);
    const double t = static_cast<double>(k) / pieces - i, t2 = t * t, t3 = t2 * t;
    const double w[4] = {-t3 + 2 * t2 - t, 3 * t3 - 5 * t2 + 2, -3 * t3 + 4 * t2 + t, t3 - t2};
    const double d[4] = {-3 * t2 + 4 * t - 1, 9 * t2 - 10 * t, -9 * t2 + 8 * t + 1, 3 * t2 - 2 * t};
    Knot out{Vec::Zero(), 0};
    Vec direction = Vec::Zero();
    for (int j = 0; j < 4; ++j) {
      out.x += 0.5 * w[j] * knot(i - 1 + j).x;
      out.radius += 0.5 * w[j] * knot(i - 1 + j).radius;
      direction += 0.5 * d[j] * knot(i - 1 + j).x;
    }
    at(out.x, direction.normalized(), out.radius, static_cast<double>(k) / (spans * pieces));
  }
}

}  // namespace

Mesh make_bunny_like(int triangles) {
  Figure f(0.03);
  f.limb({{0.18, 0, 0.42}, {-0.2, 0, 0.40}, 0.40, 0.30});          // trunk
  f.limb({{-0.25, 0, 0.45}, {-0.48, 0, 0.80}, 0.26, 0.20});        // chest and neck
  f.ball({-0.56, 0, 0.90}, 0.225);                                 // head
  f.limb({{-0.62, 0, 0.86}, {-0.78, 0, 0.80}, 0.14, 0.095});       // snout
  f.pair({{-0.66, 0.09, 0.82}, {-0.70, 0.09, 0.81}, 0.09, 0.08});  // cheeks
  f.pair({{-0.46, 0.08, 1.05},
          {-0.22, 0.17, 1.52},
          0.07,
          0.1,
          0.6,
          Vec(0.8, 0.35, -0.45).normalized()});                      // ears
  f.pair({{0.28, 0.24, 0.30}, {0.18, 0.27, 0.26}, 0.26, 0.22});      // haunches
  f.pair({{0.22, 0.33, 0.07}, {-0.16, 0.36, 0.06}, 0.09, 0.08});     // hind feet
  f.pair({{-0.34, 0.14, 0.30}, {-0.46, 0.15, 0.07}, 0.11, 0.08});    // front legs
  f.pair({{-0.46, 0.15, 0.06}, {-0.62, 0.15, 0.05}, 0.075, 0.065});  // front paws
  f.ball({0.62, 0, 0.32}, 0.13);                                     // tail
  return f.surface(triangles);
}

Mesh make_dragon_like(int triangles) {
  Figure f(0.014);
  // From the tip of the tail, which curls, over the back to the head.
  const std::vector<Knot> spine = {
      {{0.62, -0.16, 0.52}, 0.018}, {{0.74, -0.14, 0.60}, 0.03},   {{0.86, -0.06, 0.50}, 0.045},
      {{0.84, 0.08, 0.30}, 0.065},  {{0.66, 0.14, 0.24}, 0.085},   {{0.44, 0.08, 0.34}, 0.12},
      {{0.22, -0.03, 0.50}, 0.15},  {{-0.04, -0.06, 0.52}, 0.155}, {{-0.26, 0, 0.42}, 0.145},
      {{-0.46, 0.05, 0.44}, 0.12},  {{-0.58, 0.04, 0.62}, 0.095},  {{-0.56, 0, 0.82}, 0.08},
      {{-0.64, 0, 0.95}, 0.085}};
  Knot last{Vec::Zero(), 0};
  int count = 0;
  curve(spine, 8, [&](const Vec& x, const Vec& along, double radius, double share) {
    if (count > 0) f.limb({last.x, x, last.radius, radius});
    last = {x, radius};
    // Spikes along the back: up where it is level, backwards where it is steep, and square to it.
    const Vec wanted = Vec::UnitZ() + 2 * std::abs(along.z()) * Vec::UnitX();
    const Vec up = (wanted - wanted.dot(along) * along).normalized();
    if (count++ % 3 == 0 && share > 0.08 && share < 0.97)
      f.limb({x + 0.8 * radius * up, x + (1.3 * radius + 0.05) * up + 0.035 * -along, 0.028, 0.007, 0.5,
              along.cross(up).normalized()});
  });
  f.ball({-0.70, 0, 0.98}, 0.10);                                                   // skull
  f.limb({{-0.76, 0, 0.99}, {-0.96, 0, 0.97}, 0.07, 0.045});                        // upper jaw
  f.ball({-0.97, 0, 0.995}, 0.042);                                                 // nose
  f.limb({{-0.74, 0, 0.90}, {-0.92, 0, 0.84}, 0.045, 0.03});                        // lower jaw
  f.pair({{-0.80, 0.055, 1.05}, {-0.77, 0.06, 1.05}, 0.032, 0.03});                 // brows
  f.pair({{-0.66, 0.06, 1.05}, {-0.44, 0.13, 1.20}, 0.032, 0.01});                  // horns
  f.pair({{-0.64, 0.09, 0.94}, {-0.50, 0.17, 0.96}, 0.04, 0.012, 0.5, {0, 0, 1}});  // ears
  f.limb({{-0.88, 0, 0.81}, {-0.86, 0, 0.73}, 0.02, 0.008});                        // beard
  for (const double side : {-1.0, 1.0}) {
    const auto leg = [&](const Vec& hip, const Vec& knee, const Vec& foot, double thick) {
      f.limb({hip, knee, thick, 0.75 * thick});
      f.limb({knee, foot, 0.72 * thick, 0.5 * thick});
      for (const double toe : {-0.5, 0.0, 0.5})
        f.limb({foot, foot + Vec(-0.11, side * 0.06 * toe * 2, -0.01), 0.45 * thick, 0.016});
    };
    leg({0.36, side * 0.12 + 0.04, 0.34}, {0.28, side * 0.24, 0.22}, {0.36, side * 0.24, 0.045}, 0.10);
    leg({-0.36, side * 0.10 + 0.03, 0.38}, {-0.40, side * 0.24, 0.26}, {-0.50, side * 0.24, 0.045}, 0.085);
  }
  return f.surface(triangles);
}

}  // namespace stiffly
