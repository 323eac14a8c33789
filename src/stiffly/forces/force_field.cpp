#include "stiffly/forces/force_field.hpp"

#include "stiffly/linalg/parallel.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {
namespace {

constexpr std::size_t charges_at_once = 4096;

}  // namespace

std::vector<std::unique_ptr<Force>> ForceField::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  for (std::vector<double>& charges : divided<double>(partition, charges_))
    out.push_back(with(std::move(charges)));
  return out;
}

double ForceField::energy(const Configuration& q) const {
  const Eigen::Vector3d g = strength_(q.time);
  return sum_chunks<charges_at_once>(q.free, [&](std::size_t i) {
    return -charges_[i] * g.dot(Eigen::Map<const Eigen::Vector3d>(q.x.data() + 3 * i));
  });
}

void ForceField::add_force(const Configuration& q, std::span<double> f) const {
  const Eigen::Vector3d g = strength_(q.time);
  for_chunks<charges_at_once>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      Eigen::Map<Eigen::Vector3d>(f.data() + 3 * i) += charges_[i] * g;
  });
}

}  // namespace stiffly
