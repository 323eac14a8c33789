#include "stiffly/scene/tower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

// Dimensions of the tower in Paris, m.
constexpr double full_height = 324, first_platform = 57.6, second_platform = 115.7, joint = 190,
                 third_platform = 276, roof = 300;

/// Half the width over all at height z: the curve that wind and weight ask for is nearly exponential.
double outer(double z) { return 59.7 * std::exp(-z / 88) + 2.8; }
/// Half the gap between two legs.
double inner(double z) { return z < joint ? 37.5 * std::pow(1 - z / joint, 1.6) : 0; }

using Vec = Eigen::Vector3d;
using Level = std::vector<int>;

class Builder {
 public:
  explicit Builder(int segments) : segments_(segments) {}

  Tower build() {
    for (const double sx : {-1.0, 1.0})
      for (const double sy : {-1.0, 1.0}) leg(sx, sy);
    shaft();
    for (const double z : {first_platform, second_platform}) {
      bridges(z);
      balcony(z, 1.1);
    }
    balcony(third_platform, 1.55);
    for (int side = 0; side < 4; ++side) arch(side);
    spire();
    return std::move(tower_);
  }

 private:
  /// The particle at x; a new one unless there is one within a millimetre.
  int particle(const Vec& x) {
    const std::array<long, 3> key = {std::lround(x.x() * 1e3), std::lround(x.y() * 1e3),
                                     std::lround(x.z() * 1e3)};
    const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<int>(tower_.points.size()));
    if (is_new) {
      tower_.points.push_back(x);
      if (x.z() == 0) tower_.feet.push_back(entry->second);
    }
    return entry->second;
  }
  void girder(Tower::Edges& kind, int a, int b) {
    if (a != b && known_.emplace(std::min(a, b), std::max(a, b)).second)
      kind.emplace_back(std::min(a, b), std::max(a, b));
  }
  int nearest(const Vec& x, int among_first) const {
    const auto distance = [&](int i) {
      return (tower_.points[static_cast<std::size_t>(i)] - x).squaredNorm();
    };
    int best = 0;
    for (int i = 1; i < among_first; ++i)
      if (distance(i) < distance(best)) best = i;
    return best;
  }

  /// Heights from `low` to `high` such that panels are half as high again as a side's girders are long.
  template <class Width>
  std::vector<double> heights(double low, double high, const Width& girder_length) const {
    constexpr int samples = 200;
    std::vector<double> panels = {0};
    for (int i = 0; i < samples; ++i)
      panels.push_back(panels.back() + (high - low) / samples /
                                           (1.5 * girder_length(low + (high - low) * (i + 0.5) / samples)));
    const int count = std::max(1, static_cast<int>(std::lround(panels.back())));
    std::vector<double> out = {low};
    for (int k = 1, i = 0; k < count; ++k) {
      while (panels[static_cast<std::size_t>(i + 1)] * count < panels.back() * k) ++i;
      out.push_back(low + (high - low) * i / samples);
    }
    out.push_back(high);
    return out;
  }

  /// The particles around the square [x0, x1] × [y0, y1], `n` girders to a side.
  Level square(double x0, double x1, double y0, double y1, double z, int n) {
    Level out;
    for (int side = 0; side < 4; ++side)
      for (int i = 0; i < n; ++i) {
        const double t = static_cast<double>(i) / n;
        const double u[4] = {t, 1, 1 - t, 0}, v[4] = {0, t, 1, 1 - t};
        out.push_back(particle({x0 + (x1 - x0) * u[side], y0 + (y1 - y0) * v[side], z}));
      }
    return out;
  }

  /// Walls between levels of a square tube with n girders to a side, and ties between opposite walls.
  void tube(const std::vector<Level>& levels, int n) {
    const auto size = static_cast<std::size_t>(4 * n);
    // Opposite i on the sides 0 and 2, and on 1 and 3, corners aside.
    const auto opposite = [&](std::size_t i) {
      return (static_cast<std::size_t>(3 * n) + 2 * size - i) % size;
    };
    const auto opposite_across = [&](std::size_t i) {
      return (static_cast<std::size_t>(5 * n) + size - i) % size;
    };
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const Level& low = levels[l];
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t next = (i + 1) % size, side = i / static_cast<std::size_t>(n);
        girder(tower_.rings, low[i], low[next]);
        if (i % static_cast<std::size_t>(n) != 0)
          girder(tower_.ties, low[i], low[side % 2 == 0 ? opposite(i) : opposite_across(i)]);
        if (l + 1 == levels.size()) continue;
        const Level& high = levels[l + 1];
        girder(tower_.chords, low[i], high[i]);
        girder(tower_.braces, low[i], high[next]);
        girder(tower_.braces, low[next], high[i]);
        if (i % static_cast<std::size_t>(n) != 0)
          girder(tower_.ties, low[i], high[side % 2 == 0 ? opposite(i) : opposite_across(i)]);
      }
      for (std::size_t corner = 0; corner < 2; ++corner)
        girder(tower_.ties, low[corner * static_cast<std::size_t>(n)],
               low[(corner + 2) * static_cast<std::size_t>(n)]);
    }
  }

  std::vector<double> leg_heights() const {
    const auto length = [&](double z) { return (outer(z) - inner(z)) / segments_; };
    std::vector<double> out = {0};
    for (const auto& [low, high] :
         {std::pair{0.0, first_platform}, std::pair{first_platform, second_platform},
          std::pair{second_platform, joint}}) {
      const std::vector<double> more = heights(low, high, length);
      out.insert(out.end(), more.begin() + 1, more.end());
    }
    return out;
  }

  void leg(double sx, double sy) {
    std::vector<Level> levels;
    for (const double z : leg_heights()) {
      const double o = outer(z), i = inner(z);
      levels.push_back(square(sx * i, sx * o, sy * i, sy * o, z, segments_));
    }
    tube(levels, segments_);
  }

  void shaft() {
    const int n = 2 * segments_;
    std::vector<Level> levels;
    for (const double z : heights(joint, third_platform, [&](double h) { return 2 * outer(h) / n; })) {
      const double o = outer(z);
      levels.push_back(square(-o, o, -o, o, z, n));
    }
    tube(levels, n);
  }

  /// x and y of a point on side 0 … 3, `along` the side and `out` from the axis.
  static Vec on_side(int side, double along, double out, double z) {
    switch (side) {
      case 0:
        return {along, -out, z};
      case 1:
        return {out, along, z};
      case 2:
        return {-along, out, z};
      default:
        return {-out, -along, z};
    }
  }

  /// Box girders between neighbouring legs, as deep as the panel below the platform.
  void bridges(double z) {
    const std::vector<double> levels = leg_heights();
    const auto top = std::find(levels.begin(), levels.end(), z);
    const double z_of[2] = {*(top - 1), z};
    const int stations = 3 * segments_;
    for (int side = 0; side < 4; ++side) {
      std::array<int, 4> before{};
      for (int s = 0; s <= stations; ++s) {
        std::array<int, 4> now{};
        for (std::size_t k = 0; k < 4; ++k) {
          const double h = z_of[k / 2], gap = inner(h);
          now[k] =
              particle(on_side(side, gap * (2.0 * s / stations - 1), k == 0 || k == 3 ? outer(h) : gap, h));
        }
        for (std::size_t k = 0; k < 4; ++k) {
          const std::size_t next = (k + 1) % 4;
          girder(tower_.platforms, now[k], now[next]);
          if (k < 2) girder(tower_.platforms, now[k], now[k + 2]);
          if (s == 0) continue;
          girder(tower_.platforms, before[k], now[k]);
          girder(tower_.platforms, before[k], now[next]);
          girder(tower_.platforms, before[next], now[k]);
        }
        before = now;
      }
    }
  }

  /// A gallery that stands out from the walls all around, on struts.
  void balcony(double z, double overhang) {
    const double width = outer(z) * overhang, drop = outer(z) * (overhang - 1);
    const int n = 4 * segments_, walls = static_cast<int>(tower_.points.size());
    const Level floor = square(-width, width, -width, width, z, n),
                rail = square(-width, width, -width, width, z + 0.5 * drop + 1.2, n);
    for (std::size_t i = 0; i < floor.size(); ++i) {
      const std::size_t next = (i + 1) % floor.size();
      girder(tower_.platforms, floor[i], floor[next]);
      girder(tower_.platforms, rail[i], rail[next]);
      girder(tower_.platforms, floor[i], rail[i]);
      girder(tower_.platforms, floor[i], rail[next]);
      const Vec x = tower_.points[static_cast<std::size_t>(floor[i])],
                wall(x.x() / overhang, x.y() / overhang, z);
      for (const double dz : {0.0, -drop - 2, drop + 2}) {
        const int held = nearest(wall + Vec(0, 0, dz), walls);
        girder(tower_.platforms, floor[i], held);
        girder(tower_.platforms, rail[i], held);
      }
    }
  }

  /// Two parallel arcs from leg to leg under the first platform, in the plane of the legs' outer walls.
  void arch(int side) {
    const int stations = 6 * segments_, walls = static_cast<int>(tower_.points.size());
    constexpr double foot = 14, crown = 46, depth = 4;
    std::array<int, 4> before{};
    for (int s = 0; s <= stations; ++s) {
      const double angle = std::numbers::pi * s / stations;
      std::array<int, 4> now{};
      for (std::size_t k = 0; k < 4; ++k) {
        const double rise = k % 2 == 0 ? 0 : depth, z = foot + (crown - foot + rise) * std::sin(angle);
        const double reach = (inner(foot) + 0.6 * rise);
        now[k] = particle(on_side(side, -reach * std::cos(angle),
                                  outer(z) - (k < 2 ? 0 : 0.35 * (outer(z) - inner(z))), z));
      }
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t m = k + 1; m < 4; ++m) {
          girder(tower_.arches, now[k], now[m]);
          if (s == 0) continue;
          girder(tower_.arches, before[k], now[m]);
        }
      for (std::size_t k = 0; s > 0 && k < 4; ++k) girder(tower_.arches, before[k], now[k]);
      // Held by the legs at the sides and by the platform above.
      const Vec x = tower_.points[static_cast<std::size_t>(now[1])];
      const bool crossing_gap = std::abs(side % 2 == 0 ? x.x() : x.y()) < inner(x.z());
      for (const std::size_t k : {1u, 3u})
        girder(tower_.arches, now[k],
               nearest(crossing_gap && x.z() > 0.6 * crown ? Vec(x.x(), x.y(), first_platform - 6)
                                                           : tower_.points[static_cast<std::size_t>(now[k])],
                       walls));
      before = now;
    }
  }

  /// A small tower on the third platform, a mast, and the tip.
  void spire() {
    const int below = static_cast<int>(tower_.points.size());
    const auto half = [](double z) {
      return z < roof ? 3.2 : 3.2 - 2.4 * std::min(1.0, (z - roof) / 6) - 0.02 * std::max(0.0, z - roof - 6);
    };
    std::vector<Level> levels;
    const int n = std::max(1, segments_ / 2);
    for (double z = third_platform + 3; z < full_height - 1; z += z < roof ? 3 : 1.7)
      levels.push_back(square(-half(z), half(z), -half(z), half(z), z, n));
    for (std::size_t l = 0; l < levels.size(); ++l)
      for (std::size_t i = 0; i < levels[l].size(); ++i) {
        const std::size_t next = (i + 1) % levels[l].size(),
                          across = (i + levels[l].size() / 2) % levels[l].size();
        girder(tower_.spire, levels[l][i], levels[l][next]);
        girder(tower_.spire, levels[l][i], levels[l][across]);
        if (l + 1 == levels.size()) continue;
        for (const std::size_t up : {i, next, across}) girder(tower_.spire, levels[l][i], levels[l + 1][up]);
        girder(tower_.spire, levels[l][next], levels[l + 1][i]);
      }
    for (const int foot : levels.front()) {
      const Vec x = tower_.points[static_cast<std::size_t>(foot)];
      for (const Vec& towards : {Vec(1, 1, 1), Vec(2, 1, 1), Vec(1, 2, 1)})
        girder(tower_.spire, foot,
               nearest(Vec(x.x() * towards.x(), x.y() * towards.y(), third_platform), below));
    }
    const int tip = particle({0, 0, full_height});
    for (const int last : levels.back()) girder(tower_.spire, tip, last);
  }

  int segments_;
  Tower tower_;
  std::map<std::array<long, 3>, int> numbers_;
  std::set<std::pair<int, int>> known_;
};

}  // namespace

Tower::Edges Tower::edges() const {
  Edges all;
  for (const Edges* kind : {&chords, &rings, &braces, &ties, &platforms, &arches, &spire})
    all.insert(all.end(), kind->begin(), kind->end());
  std::sort(all.begin(), all.end());
  return all;
}

Tower make_tower(const TowerParameters& p) {
  if (!(std::isfinite(p.height) && p.height > 0))
    throw InputError(fmt::format("tower: height must be positive, not {}", p.height));
  if (p.segments < 1 || p.segments > 40)
    throw InputError(fmt::format("tower: segments must be 1 … 40, not {}", p.segments));
  Tower tower = Builder(p.segments).build();
  const double scale = p.height / full_height;
  for (auto& x : tower.points) x *= scale;
  for (const double z : {first_platform, second_platform, third_platform})
    tower.platform_heights.push_back(scale * z);
  return tower;
}

}  // namespace stiffly
