#include "stiffly/results/contact_time.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

bool can_be_touched(const ObstacleSurface& obstacle) { return obstacle.solid && !obstacle.endless; }

}  // namespace

bool ContactTime::possible(const Body& body) {
  return dynamic_cast<const ParticleSystem*>(body.system.get()) &&
         std::ranges::any_of(body.obstacles, can_be_touched);
}

ContactTime::ContactTime(const Scene& scene) : scene_(scene), points_(scene.body, scene.particles()) {
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t particle = points_.particles_of(i).first;
    free_.push_back(static_cast<std::size_t>(system.rank()[particle]) < system.free_particles());
  }
  std::size_t first = 0;
  for (std::size_t k = 0; k < scene.body.obstacles.size(); ++k) {
    const ObstacleSurface& obstacle = scene.body.obstacles[k];
    if (can_be_touched(obstacle)) {
      std::vector<Vector3d> corners;
      for (const Point& point : obstacle.points) corners.emplace_back(Vector3d::Map(point.data()));
      surfaces_.push_back({k, first, TriangleTree(std::move(corners), obstacle.triangles)});
    }
    first += obstacle.points.size();
  }
  before_.resize(first);
}

void ContactTime::see(const State& state) {
  if (begin_ && state.time <= end_) return;
  for (const auto& [point, things] : touching_) before_[point] += (end_ - *begin_) * things;
  touching_.clear();
  begin_ = begin_ ? end_ : state.time;
  end_ = state.time;
  if (*begin_ == end_) return;  // nothing has lasted yet
  const std::vector<Point> things = points_.of(scene_.positions(state));
  for (const Surface& surface : surfaces_) touch(surface, things, state.time);
}

void ContactTime::touch(const Surface& surface, std::span<const Point> things, double time) {
  const ObstacleSurface& obstacle = scene_.body.obstacles[surface.obstacle];
  const Pose pose = obstacle.pose(time);
  const Vector3d origin = Vector3d::Map(pose[0].data());
  Matrix3d turn;
  for (int axis = 0; axis < 3; ++axis)
    turn.col(axis) = Vector3d::Map(pose[static_cast<std::size_t>(axis) + 1].data()) - origin;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (!free_[i]) continue;
    const Vector3d x = turn.transpose() * (Vector3d::Map(things[i].data()) - origin);
    const std::optional<Distance> d = obstacle.solid->within(obstacle.touched_within, x);
    if (!d) continue;
    const auto place = surface.triangles.nearest(x - d->value * d->gradient);
    if (!place) continue;
    const Triangle& corners = surface.triangles.triangles()[place->triangle];
    for (std::size_t c = 0; c < 3; ++c)
      if (const double weight = place->weights[static_cast<Eigen::Index>(c)]; weight > 0)
        touching_.emplace_back(surface.first_point + static_cast<std::size_t>(corners[c]), weight);
  }
}

void ContactTime::resume(std::vector<double> so_far, const State& state) {
  before_ = std::move(so_far);
  touching_.clear();
  begin_ = end_ = state.time;
}

std::vector<double> ContactTime::at(double time) const {
  std::vector<double> out = before_;
  if (touching_.empty()) return out;
  const double elapsed = std::clamp(time, *begin_, end_) - *begin_;
  for (const auto& [point, things] : touching_) out[point] += elapsed * things;
  return out;
}

}  // namespace stiffly
