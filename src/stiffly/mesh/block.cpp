#include "stiffly/mesh/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly::mesh {

BlockMesh::BlockMesh(const Point& size, const std::array<int, 3>& cells) : cells_(cells) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!(std::isfinite(size[d]) && size[d] > 0 && cells[d] > 0))
      throw InputError(
          fmt::format("a block needs positive sizes and numbers of cells, not {} and {} along {}", size[d],
                      cells[d], "xyz"[d]));
  for (int i = 0; i <= cells[0]; ++i)
    for (int j = 0; j <= cells[1]; ++j)
      for (int k = 0; k <= cells[2]; ++k)
        positions.push_back({size[0] * i / cells[0], size[1] * j / cells[1], size[2] * k / cells[2]});

  // A tetrahedron for each order of the axes: from the near corner along one axis after the other to the far
  // one.
  for (int i = 0; i < cells[0]; ++i)
    for (int j = 0; j < cells[1]; ++j)
      for (int k = 0; k < cells[2]; ++k) {
        std::array<int, 3> axes = {0, 1, 2};
        do {
          std::array<int, 3> steps = {0, 0, 0};
          const auto corner = [&] {  // in odd cells an axis is walked backwards
            const auto along = [&](int cell, std::size_t d) {
              return cell + (cell % 2 == 0 ? steps[d] : 1 - steps[d]);
            };
            return at(along(i, 0), along(j, 1), along(k, 2));
          };
          Tetrahedron t = {corner()};
          for (std::size_t s = 0; s < 3; ++s) {
            steps[static_cast<std::size_t>(axes[s])] = 1;
            t[s + 1] = corner();
          }
          if (signed_volume(t, positions) < 0) std::swap(t[2], t[3]);
          tetrahedra.push_back(t);
        } while (std::next_permutation(axes.begin(), axes.end()));
      }
}

}  // namespace stiffly::mesh
