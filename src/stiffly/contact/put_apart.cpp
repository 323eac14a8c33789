#include "stiffly/contact/put_apart.hpp"

#include "stiffly/contact/contact_sweeps.hpp"

namespace stiffly {

void put_apart(const ContactBodies& bodies, std::span<const double> inverse_mass, double depth,
               std::span<double> x) {
  NearPairs search(bodies.elements);
  std::vector<double> nodes;
  const auto body = [&](int element) {
    return bodies
        .body[static_cast<std::size_t>(bodies.elements[static_cast<std::size_t>(element)].corners[0])];
  };
  const auto find = [&](ContactSet& out) {
    bodies.gather(x, nodes);
    std::vector<ParticleShare> shares;
    for (const auto& [i, j] : search.find(nodes, depth)) {
      if (body(i) == body(j)) continue;
      const ElementPair pair = search.pair(i, j);
      const Corners corners = pair.corners(nodes);
      const Proximity nearest = pair.nearest(corners);
      const Eigen::Vector3d between = nearest.between(corners);
      const double distance = between.norm();
      if (distance == 0) continue;  // nobody knows which way
      shares.clear();
      for (std::size_t c = 0; c < 4; ++c) {
        const double weight = nearest.weights[static_cast<Eigen::Index>(c)];
        const auto& particles = bodies.nodes[static_cast<std::size_t>(pair.particles[c])].particles;
        if (weight != 0)
          for (const int particle : particles)
            shares.push_back({particle, weight / static_cast<double>(particles.size())});
      }
      out.add(search.gap(i, j, nodes) - depth, between / distance, Eigen::Vector3d::Zero(), shares);
    }
  };
  const std::vector<double> start(x.begin(), x.end()), rest(x.size(), 0.0);
  std::vector<double> v = rest;
  project_contacts({0, inverse_mass, start, rest, x, v}, {.depth = depth}, find);
}

}  // namespace stiffly
