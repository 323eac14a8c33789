#include "stiffly/mesh/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

#include "stiffly/disjoint_sets.hpp"
#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::mesh {
namespace {

/// Relative to lengths of its own size, what counts as flat.
constexpr double flat = 1e-12;

class HistogramBuilder {
 public:
  HistogramBuilder(double low, double high) { out_.low = low, out_.high = high; }
  void add(double value) {
    const double share =
        (value - out_.low) / (out_.high - out_.low) * static_cast<double>(out_.counts.size());
    ++out_.counts[static_cast<std::size_t>(
        std::clamp(share, 0.0, static_cast<double>(out_.counts.size()) - 0.5))];
    out_.smallest = count_ ? std::min(out_.smallest, value) : value;
    out_.largest = count_ ? std::max(out_.largest, value) : value;
    sum_ += value;
    ++count_;
  }
  Histogram finish() {
    out_.mean = count_ ? sum_ / count_ : 0;
    return out_;
  }

 private:
  Histogram out_;
  double sum_ = 0;
  int count_ = 0;
};

class Inspector {
 public:
  explicit Inspector(const Mesh& mesh) : mesh_(mesh) {}

  MeshReport report() {
    out_.points = static_cast<int>(mesh_.points.size());
    out_.triangles = static_cast<int>(mesh_.triangles.size());
    out_.tetrahedra = static_cast<int>(mesh_.tetrahedra.size());
    look_at_points();
    look_at_components();
    look_at_edges();
    look_at_triangles();
    look_at_tetrahedra();
    out_.repeated_elements = repeated(mesh_.triangles) + repeated(mesh_.tetrahedra);
    return out_;
  }

 private:
  const Eigen::Vector3d& at(int point) const { return mesh_.points[static_cast<std::size_t>(point)]; }
  Eigen::Vector3d area_vector(const Triangle& t) const {
    return (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])) / 2;
  }

  void look_at_points() {
    if (mesh_.points.empty()) return;
    Eigen::AlignedBox3d box;
    for (const auto& x : mesh_.points) box.extend(x);
    out_.low = box.min(), out_.high = box.max();
    std::vector<Point> sorted;
    for (const auto& x : mesh_.points) sorted.push_back({x.x() + 0.0, x.y() + 0.0, x.z() + 0.0});
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i) out_.duplicate_points += sorted[i] == sorted[i - 1];
  }

  void look_at_components() {
    DisjointSets pieces(mesh_.points.size());
    std::vector<char> used(pieces.size(), 0);
    const auto join = [&](const auto& elements) {
      for (const auto& element : elements)
        for (const int corner : element) {
          used[static_cast<std::size_t>(corner)] = 1;
          pieces.join(static_cast<std::size_t>(corner), static_cast<std::size_t>(element[0]));
        }
    };
    join(mesh_.triangles);
    join(mesh_.tetrahedra);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      out_.unused_points += !used[i];
      out_.components += used[i] && pieces.find(i) == i;
    }
  }

  void look_at_edges() {
    struct Side {
      std::pair<int, int> edge;
      bool forward;
    };
    std::vector<Side> sides;
    for (const Triangle& t : mesh_.triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        const int a = t[i], b = t[(i + 1) % 3];
        sides.push_back({{std::min(a, b), std::max(a, b)}, a < b});
      }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.edge < b.edge; });
    for (std::size_t i = 0, next; i < sides.size(); i = next) {
      for (next = i + 1; next < sides.size() && sides[next].edge == sides[i].edge;) ++next;
      out_.open_edges += next - i == 1;
      out_.non_manifold_edges += next - i > 2;
      out_.inconsistent_edges += next - i == 2 && sides[i].forward == sides[i + 1].forward;
    }
  }

  void look_at_triangles() {
    HistogramBuilder quality(0, 1);
    for (const Triangle& t : mesh_.triangles) {
      const double area = area_vector(t).norm();
      const double a = (at(t[1]) - at(t[0])).norm(), b = (at(t[2]) - at(t[1])).norm(),
                   c = (at(t[0]) - at(t[2])).norm();
      const double longest = std::max({a, b, c});
      out_.area += area;
      if (mesh_.tetrahedra.empty()) out_.volume += at(t[0]).dot(area_vector(t)) / 3;
      const bool degenerate = !(area > flat * longest * longest);
      out_.degenerate_triangles += degenerate;
      // r = 2A/(a+b+c), R = abc/(4A)
      quality.add(degenerate ? 0 : 16 * area * area / ((a + b + c) * a * b * c));
    }
    out_.triangle_quality = quality.finish();
  }

  void look_at_tetrahedra() {
    HistogramBuilder quality(0, 1), angles(0, 180);
    for (const Tetrahedron& t : mesh_.tetrahedra) {
      const Eigen::Vector3d a = at(t[1]) - at(t[0]), b = at(t[2]) - at(t[0]), c = at(t[3]) - at(t[0]);
      const double volume = a.cross(b).dot(c) / 6,
                   longest = std::max(
                       {a.norm(), b.norm(), c.norm(), (a - b).norm(), (b - c).norm(), (c - a).norm()});
      out_.volume += volume;
      out_.inverted_tetrahedra += volume < 0;
      if (!(std::abs(volume) > flat * longest * longest * longest)) {
        ++out_.degenerate_tetrahedra;
        quality.add(0);
        continue;
      }
      const std::array<Eigen::Vector3d, 4> outward = {(b - a).cross(c - a), c.cross(b), a.cross(c),
                                                      b.cross(a)};
      double area = 0;
      for (const auto& n : outward) area += n.norm() / 2;
      // r = 3V/A, R = |a²(b×c) + b²(c×a) + c²(a×b)| / (12V)
      const double inner = 3 * std::abs(volume) / area;
      const double outer =
          (a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) + c.squaredNorm() * a.cross(b))
              .norm() /
          (12 * std::abs(volume));
      quality.add(3 * inner / outer);
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j)
          angles.add(180 - 180 / std::numbers::pi *
                               std::acos(std::clamp(outward[i].normalized().dot(outward[j].normalized()),
                                                    -1.0, 1.0)));
    }
    out_.tetrahedron_quality = quality.finish();
    out_.dihedral_angles = angles.finish();
    if (mesh_.triangles.empty())
      for (const Triangle& t : surface_of(mesh_.tetrahedra)) out_.area += area_vector(t).norm();
  }

  template <class Elements>
  static int repeated(Elements elements) {
    for (auto& element : elements) std::sort(element.begin(), element.end());
    std::sort(elements.begin(), elements.end());
    int count = 0;
    for (std::size_t i = 1; i < elements.size(); ++i) count += elements[i] == elements[i - 1];
    return count;
  }

  const Mesh& mesh_;
  MeshReport out_;
};

std::string describe(const char* name, const char* unit, const Histogram& h) {
  std::string out =
      fmt::format("{}: {:.3g} … {:.3g}{}, mean {:.3g}\n", name, h.smallest, h.largest, unit, h.mean);
  const int total = std::accumulate(h.counts.begin(), h.counts.end(), 0);
  const double step = (h.high - h.low) / static_cast<double>(h.counts.size());
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    if (h.counts[i] == 0) continue;
    const double share = static_cast<double>(h.counts[i]) / total;
    out += fmt::format("  {:>5.4g} … {:<5.4g} {:>9}  {}\n", h.low + step * static_cast<double>(i),
                       h.low + step * static_cast<double>(i + 1), h.counts[i],
                       std::string(static_cast<std::size_t>(std::ceil(40 * share)), '#'));
  }
  return out;
}

}  // namespace

MeshReport inspect(const Mesh& mesh) { return Inspector(mesh).report(); }

std::string describe(const MeshReport& r) {
  const Eigen::Vector3d size = r.high - r.low;
  std::string out = fmt::format("{} points, {} triangles, {} tetrahedra in {} {}\n", r.points, r.triangles,
                                r.tetrahedra, r.components, r.components == 1 ? "piece" : "pieces");
  out += fmt::format("box: {:.6g} × {:.6g} × {:.6g} m, from ({:.6g}, {:.6g}, {:.6g})\n", size.x(), size.y(),
                     size.z(), r.low.x(), r.low.y(), r.low.z());
  out += fmt::format("area {:.6g} m², volume {:.6g} m³\n", r.area, r.volume);
  if (r.triangles > 0)
    out += describe("triangles, 2 × inscribed/circumscribed radius", "", r.triangle_quality);
  if (r.tetrahedra > 0) {
    out += describe("tetrahedra, 3 × inscribed/circumscribed radius", "", r.tetrahedron_quality);
    out += describe("dihedral angles", "°", r.dihedral_angles);
  }
  int problems = 0;
  const auto problem = [&](int count, const char* what) {
    if (count == 0) return;
    out += fmt::format("{} {}\n", count, what);
    ++problems;
  };
  problem(r.open_edges, "open edges: the surface has holes; filling bridges small ones");
  problem(r.non_manifold_edges, "edges of more than two triangles: filling copes with them, TetGen may not");
  problem(r.inconsistent_edges, "edges whose triangles face opposite ways: filling turns them");
  problem(r.duplicate_points, "points equal to others: filling merges them");
  problem(r.unused_points, "points that no element uses");
  problem(r.degenerate_triangles, "triangles without area");
  problem(r.degenerate_tetrahedra, "tetrahedra without volume: the body has to be meshed anew");
  problem(r.inverted_tetrahedra, "inverted tetrahedra: the body has to be meshed anew");
  problem(r.repeated_elements, "elements with the corners of another");
  if (problems == 0)
    out += r.triangles > 0 && r.tetrahedra == 0 ? "closed, and nothing is wrong with it\n"
                                                : "nothing is wrong with it\n";
  return out;
}

}  // namespace stiffly::mesh
