#include "stiffly/forces/gravity.hpp"

#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

constexpr std::size_t chunk = 4096;

}  // namespace

double Gravity::energy(const Configuration& q) const {
  return sum_chunks<chunk>(q.free, [&](std::size_t i) {
    return -masses_[i] * acceleration_.dot(Eigen::Map<const Eigen::Vector3d>(q.x.data() + 3 * i));
  });
}

void Gravity::add_force(const Configuration& q, std::span<double> f) const {
  for_chunks<chunk>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      Eigen::Map<Eigen::Vector3d>(f.data() + 3 * i) += masses_[i] * acceleration_;
  });
}

}  // namespace stiffly
