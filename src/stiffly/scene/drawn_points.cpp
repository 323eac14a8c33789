#include "stiffly/scene/drawn_points.hpp"

#include <algorithm>

namespace stiffly {
namespace {

constexpr int corners = 4;  ///< of the cross-section of a fibre

}  // namespace

DrawnPoints::DrawnPoints(const Body& body, std::size_t particles) : fibres_(!body.strands.empty()) {
  int next = 0;
  const auto singly = [&](int end) {
    while (next < end) first_.push_back(next++);
  };
  for (const Strand& strand : body.strands) {
    singly(strand.first_particle);
    for (int section = 0; section < strand.sections; ++section, next += corners) first_.push_back(next);
  }
  singly(static_cast<int>(particles));
  first_.push_back(next);
}

std::vector<Point> DrawnPoints::of(std::span<const Point> particles) const {
  std::vector<Point> out(size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto first = static_cast<std::size_t>(first_[i]), end = static_cast<std::size_t>(first_[i + 1]);
    for (std::size_t p = first; p < end; ++p)
      for (std::size_t axis = 0; axis < 3; ++axis) out[i][axis] += particles[p][axis];
    for (double& entry : out[i]) entry /= static_cast<double>(end - first);
  }
  return out;
}

std::vector<double> DrawnPoints::sums(std::span<const double> of_particles) const {
  std::vector<double> out(size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int p = first_[i]; p < first_[i + 1]; ++p) out[i] += of_particles[static_cast<std::size_t>(p)];
  return out;
}

Topology DrawnPoints::topology(const Body& body) const {
  Topology out{body.triangles, body.tetrahedra, body.springs};
  out.obstacles = body.obstacles;
  if (!fibres_) return out;
  const auto point = [&](int particle) {
    return static_cast<int>(std::ranges::upper_bound(first_, particle) - first_.begin()) - 1;
  };
  const auto stands_for_one = [&](int i) {
    return first_[static_cast<std::size_t>(i) + 1] - first_[static_cast<std::size_t>(i)] == 1;
  };
  for (Triangle& t : out.triangles)
    for (int& corner : t) corner = point(corner);
  for (Tetrahedron& t : out.tetrahedra)
    for (int& corner : t) corner = point(corner);
  out.springs.clear();
  for (const auto& [a, b] : body.springs)
    if (const std::pair ends(point(a), point(b)); stands_for_one(ends.first) && stands_for_one(ends.second))
      out.springs.push_back(ends);
  for (const Strand& strand : body.strands)
    out.strands.emplace_back(point(strand.first_particle), strand.sections);
  out.particle.assign(first_.begin(), first_.end() - 1);
  return out;
}

double DrawnPoints::frame_bytes() const {
  return 6.0 * static_cast<double>(size()) * (fibres_ ? sizeof(float) : sizeof(double));
}

}  // namespace stiffly
