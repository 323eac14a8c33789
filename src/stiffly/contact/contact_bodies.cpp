#include "stiffly/contact/contact_bodies.hpp"

namespace stiffly {

void ContactBodies::gather(std::span<const double> particles, std::vector<double>& out) const {
  out.resize(3 * nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const int particle : nodes[n].particles)
      sum += Eigen::Vector3d::Map(particles.data() + 3 * particle);
    Eigen::Vector3d::Map(out.data() + 3 * n) = sum / static_cast<double>(nodes[n].particles.size());
  }
}

}  // namespace stiffly
