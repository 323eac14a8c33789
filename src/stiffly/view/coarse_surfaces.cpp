#include "stiffly/view/coarse_surfaces.hpp"

#include <algorithm>
#include <array>

namespace stiffly::view {
namespace {

/// Triangles at each point, one point after the other.
struct Stars {
  std::vector<std::size_t> begin;
  std::vector<std::size_t> triangles;

  explicit Stars(std::span<const Triangle> surface) {
    int last = -1;
    for (const Triangle& t : surface) last = std::max({last, t[0], t[1], t[2]});
    begin.assign(static_cast<std::size_t>(last) + 2, 0);
    for (const Triangle& t : surface)
      for (const int corner : t) ++begin[static_cast<std::size_t>(corner) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    triangles.resize(3 * surface.size());
    std::vector<std::size_t> next(begin);
    for (std::size_t k = 0; k < surface.size(); ++k)
      for (const int corner : surface[k]) triangles[next[static_cast<std::size_t>(corner)]++] = k;
  }
  std::size_t points() const { return begin.size() - 1; }
};

/// Of each corner the one that stands for it: itself, or a neighbour. Of those that stand for themselves no
/// two are neighbours, and none could be added.
std::vector<int> representatives(std::span<const Triangle> surface) {
  const Stars stars(surface);
  std::vector<int> out(stars.points(), -1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] >= 0) continue;
    for (std::size_t k = stars.begin[i]; k < stars.begin[i + 1]; ++k)
      for (const int corner : surface[stars.triangles[k]])
        if (int& stands = out[static_cast<std::size_t>(corner)]; stands < 0) stands = static_cast<int>(i);
    out[i] = static_cast<int>(i);
  }
  return out;
}

CoarseSurface coarser(std::span<const Triangle> surface) {
  const std::vector<int> stands_for = representatives(surface);
  CoarseSurface out;
  for (const Triangle& t : surface) {
    Triangle r;
    std::ranges::transform(t, r.begin(), [&](int i) { return stands_for[static_cast<std::size_t>(i)]; });
    if (r[0] == r[1] || r[1] == r[2] || r[2] == r[0]) continue;
    std::ranges::rotate(r, std::ranges::min_element(r));  // the same side of it is the outer one
    out.triangles.push_back(r);
  }
  std::ranges::sort(out.triangles);
  out.triangles.erase(std::unique(out.triangles.begin(), out.triangles.end()), out.triangles.end());
  for (const Triangle& t : out.triangles) out.points.insert(out.points.end(), t.begin(), t.end());
  std::ranges::sort(out.points);
  out.points.erase(std::unique(out.points.begin(), out.points.end()), out.points.end());
  return out;
}

}  // namespace

std::vector<CoarseSurface> coarse_surfaces(std::span<const Triangle> triangles, std::size_t few) {
  std::vector<CoarseSurface> out;
  for (std::span<const Triangle> finer = triangles;; finer = out.back().triangles) {
    CoarseSurface next = coarser(finer);
    if (next.points.empty() || next.points.size() < few) return out;
    out.push_back(std::move(next));
  }
}

}  // namespace stiffly::view
