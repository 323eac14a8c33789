#include "stiffly/mesh/thin_part.hpp"

#include <algorithm>
#include <vector>

#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::mesh {
namespace {

using Marks = std::vector<char>;  ///< of points

bool any(const Tetrahedron& t, const Marks& marks) {
  return std::ranges::any_of(t, [&](int corner) { return marks[static_cast<std::size_t>(corner)] != 0; });
}

bool all(const Tetrahedron& t, const Marks& marks) {
  return std::ranges::all_of(t, [&](int corner) { return marks[static_cast<std::size_t>(corner)] != 0; });
}

void mark(const Tetrahedron& t, Marks& marks) {
  for (const int corner : t) marks[static_cast<std::size_t>(corner)] = 1;
}

}  // namespace

ThinPart thin_part(std::span<const Tetrahedron> tetrahedra) {
  int points = 0;
  for (const Tetrahedron& t : tetrahedra) points = std::max(points, 1 + *std::ranges::max_element(t));
  Marks on_surface(static_cast<std::size_t>(points), 0), thick(on_surface);
  for (const Triangle& face : surface_of(tetrahedra))
    for (const int corner : face) on_surface[static_cast<std::size_t>(corner)] = 1;
  for (const Tetrahedron& t : tetrahedra)
    if (!any(t, on_surface)) mark(t, thick);
  for (int neighbours = 0; neighbours < 2; ++neighbours) {
    const Marks before = thick;
    for (const Tetrahedron& t : tetrahedra)
      if (any(t, before)) mark(t, thick);
  }
  std::size_t count = 0;
  ThinPart out;
  for (const Tetrahedron& t : tetrahedra) {
    if (all(t, thick)) continue;
    ++count;
    out.thickness = std::max(out.thickness, all(t, on_surface) ? 1 : 2);
  }
  out.share = static_cast<double>(count) / static_cast<double>(tetrahedra.size());
  return out;
}

}  // namespace stiffly::mesh
