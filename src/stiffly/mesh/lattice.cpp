#include "stiffly/mesh/lattice.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly::mesh {

Lattice::Lattice(const Eigen::AlignedBox3d& box, double spacing) : half_(spacing / 2) {
  double count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double cubes = std::ceil(box.sizes()[axis] / spacing) + 4;
    count *= 2 * cubes;
    size_[static_cast<std::size_t>(axis)] = static_cast<Index>(std::min(cubes, 1e9));
  }
  if (!(count < 2e9))
    throw InputError(fmt::format("so fine a lattice has {:.2g} points; ask for fewer particles", count));
  origin_ = box.center();
  for (int axis = 0; axis < 3; ++axis)
    origin_[axis] -= half_ * static_cast<double>(size_[static_cast<std::size_t>(axis)]);
}

}  // namespace stiffly::mesh
