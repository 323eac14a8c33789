#include "stiffly/contact/put_apart.hpp"

#include <array>

#include "stiffly/contact/contact_sweeps.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

constexpr std::size_t put_apart_at_once = 4096;
/// A pass. Normals turn as things part: to find contacts anew does more than to solve for them to the end.
constexpr int sweeps = 12;

/// The overlaps of different bodies, to be parted by `depth`.
class Overlaps {
 public:
  Overlaps(const ContactBodies& bodies, double depth)
      : bodies_(bodies), search_(bodies.elements), depth_(depth) {}

  void add(std::span<const double> nodes, ContactSet& out) {
    const std::vector<std::pair<int, int>> near = search_.find(nodes, depth_);
    std::vector<ContactSet> parts((near.size() + put_apart_at_once - 1) / put_apart_at_once);
    for_chunks<put_apart_at_once>(near.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k)
        add(near[k].first, near[k].second, nodes, parts[first / put_apart_at_once]);
    });
    for (const ContactSet& part : parts) out.append(part);
  }

 private:
  void add(int i, int j, std::span<const double> nodes, ContactSet& out) const {
    if (bodies_.body_of(i) == bodies_.body_of(j)) return;
    const ElementPair pair = search_.pair(i, j);
    const Corners corners = pair.corners(nodes);
    const Proximity nearest = pair.nearest(corners);
    const Eigen::Vector3d between = nearest.between(corners);
    const double distance = between.norm();
    if (distance == 0) return;  // nobody knows which way
    std::array<ParticleShare, 4> shares;
    for (std::size_t c = 0; c < 4; ++c)
      shares[c] = {pair.particles[c], nearest.weights[static_cast<Eigen::Index>(c)]};
    out.add(search_.gap(i, j, nodes) - depth_, between / distance, Eigen::Vector3d::Zero(), shares);
  }

  const ContactBodies& bodies_;
  NearPairs search_;
  double depth_;
};

}  // namespace

void put_apart(const ContactBodies& bodies, std::span<const double> inverse_mass, double depth,
               std::span<double> x) {
  // A push on a node, the mean of n particles, moves each by 1/(n m) of it, and their mean by Σ 1/(n² m).
  std::vector<double> give(bodies.nodes.size(), 0.0);
  for (std::size_t i = 0; i < give.size(); ++i) {
    const auto& particles = bodies.nodes[i].particles;
    const auto n = static_cast<double>(particles.size());
    for (const int p : particles) give[i] += inverse_mass[static_cast<std::size_t>(p)] / (n * n);
  }
  std::vector<double> start;
  bodies.gather(x, start);
  std::vector<double> end = start, v(start.size(), 0.0);
  const std::vector<double> rest = v;
  Overlaps overlaps(bodies, depth);
  project_contacts({0, give, start, rest, end, v}, {.depth = depth, .sweeps = sweeps},
                   [&](std::span<const int>, ContactSet& out) { overlaps.add(end, out); });
  for (std::size_t i = 0; i < give.size(); ++i) {
    if (give[i] == 0) continue;
    const auto& particles = bodies.nodes[i].particles;
    const Eigen::Vector3d push =
        (Eigen::Vector3d::Map(end.data() + 3 * i) - Eigen::Vector3d::Map(start.data() + 3 * i)) / give[i];
    for (const int p : particles)
      Eigen::Vector3d::Map(x.data() + 3 * p) +=
          inverse_mass[static_cast<std::size_t>(p)] / static_cast<double>(particles.size()) * push;
  }
}

}  // namespace stiffly
