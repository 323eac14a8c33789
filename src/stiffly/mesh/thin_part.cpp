#include "stiffly/mesh/thin_part.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::mesh {
namespace {

constexpr int inside = std::numeric_limits<int>::max();

/// Of points: how many edges lie between them and the surface, counted as far as it matters.
std::vector<int> depths(std::span<const Tetrahedron> tetrahedra, int furthest) {
  int points = 0;
  for (const Tetrahedron& t : tetrahedra) points = std::max(points, 1 + *std::ranges::max_element(t));
  std::vector<int> depth(static_cast<std::size_t>(points), inside);
  for (const Triangle& face : surface_of(tetrahedra))
    for (const int corner : face) depth[static_cast<std::size_t>(corner)] = 0;
  for (int layer = 0; layer < furthest; ++layer)
    for (const Tetrahedron& t : tetrahedra) {
      const bool touches = std::ranges::any_of(
          t, [&](int corner) { return depth[static_cast<std::size_t>(corner)] == layer; });
      for (const int corner : t)
        if (int& d = depth[static_cast<std::size_t>(corner)]; touches && d == inside) d = layer + 1;
    }
  return depth;
}

/// How thick a body is at least that has this tetrahedron in its middle: if all of its corners are equally
/// deep, it lies in a middle layer, which bodies of odd thickness have.
int thickness_around(const Tetrahedron& t, const std::vector<int>& depth) {
  int least = inside, most = 0;
  for (const int corner : t) {
    least = std::min(least, depth[static_cast<std::size_t>(corner)]);
    most = std::max(most, depth[static_cast<std::size_t>(corner)]);
  }
  return least > few_tetrahedra ? few_tetrahedra + 1 : 2 * least + (most == least ? 1 : 2);
}

/// The share of tetrahedra that are further from those in the middle of a body so thick than its surface is.
double share_below(int thickness, std::span<const Tetrahedron> tetrahedra, std::span<const int> around) {
  int points = 0;
  for (const Tetrahedron& t : tetrahedra) points = std::max(points, 1 + *std::ranges::max_element(t));
  std::vector<char> thick(static_cast<std::size_t>(points), 0);
  const auto is_thick = [&](int corner) { return thick[static_cast<std::size_t>(corner)] != 0; };
  const auto mark = [](const Tetrahedron& t, std::vector<char>& marks) {
    for (const int corner : t) marks[static_cast<std::size_t>(corner)] = 1;
  };
  for (std::size_t i = 0; i < tetrahedra.size(); ++i)
    if (around[i] >= thickness) mark(tetrahedra[i], thick);
  for (int neighbours = 0; neighbours < (thickness + 1) / 2; ++neighbours) {
    std::vector<char> next = thick;
    for (const Tetrahedron& t : tetrahedra)
      if (std::ranges::any_of(t, is_thick)) mark(t, next);
    thick = std::move(next);
  }
  const auto thin = std::ranges::count_if(
      tetrahedra, [&](const Tetrahedron& t) { return !std::ranges::all_of(t, is_thick); });
  return static_cast<double>(thin) / static_cast<double>(tetrahedra.size());
}

}  // namespace

std::array<double, few_tetrahedra> thin_shares(std::span<const Tetrahedron> tetrahedra) {
  const std::vector<int> depth = depths(tetrahedra, few_tetrahedra / 2 + 1);
  std::vector<int> around;
  for (const Tetrahedron& t : tetrahedra) around.push_back(thickness_around(t, depth));
  std::array<double, few_tetrahedra> out{};
  for (int thickness = 1; thickness <= few_tetrahedra; ++thickness)
    out[static_cast<std::size_t>(thickness - 1)] = share_below(thickness + 1, tetrahedra, around);
  return out;
}

// Fits cantilevers of cubes under their own weight without Poisson's effect, from one to eight cells thick,
// against Timoshenko's beam.
double missing_sag(int thickness) {
  constexpr double locking = 2.9;
  return locking / (thickness * thickness + locking);
}

}  // namespace stiffly::mesh
