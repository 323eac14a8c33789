#include "stiffly/scene/body_builder.hpp"

#include "stiffly/forces/gravity.hpp"

namespace stiffly {

Particles still_particles(std::span<const Eigen::Vector3d> points, std::vector<double> masses) {
  Particles out;
  for (const Eigen::Vector3d& x : points) out.position.push_back({x.x(), x.y(), x.z()});
  out.velocity.resize(points.size());
  out.mass = std::move(masses);
  out.pinned.resize(points.size());
  return out;
}

std::vector<Spring> springs_at_rest(std::span<const std::pair<int, int>> ends,
                                    std::span<const Point> positions, double stiffness, double damping,
                                    SpringLaw law) {
  const auto point = [&](int i) {
    return Eigen::Vector3d::Map(positions[static_cast<std::size_t>(i)].data());
  };
  std::vector<Spring> out;
  out.reserve(ends.size());
  for (const auto& [a, b] : ends)
    out.push_back({a, b, stiffness, (point(b) - point(a)).norm(), damping, law});
  return out;
}

std::vector<std::pair<int, int>> ends_of(std::span<const Spring> springs) {
  std::vector<std::pair<int, int>> out;
  out.reserve(springs.size());
  for (const Spring& spring : springs) out.emplace_back(spring.first, spring.second);
  return out;
}

BodyBuilder::BodyBuilder(const Particles& particles) : system_(std::make_unique<ParticleSystem>(particles)) {}

std::vector<Point> BodyBuilder::inner_positions() const {
  const std::vector<Point> positions = system_->positions(system_->initial_state());
  std::vector<Point> out;
  for (const int particle : system_->order()) out.push_back(positions[static_cast<std::size_t>(particle)]);
  return out;
}

void BodyBuilder::add_springs(std::vector<Spring> springs) {
  if (springs.empty()) return;
  for (Spring& spring : springs) {
    spring.first = inner(spring.first);
    spring.second = inner(spring.second);
  }
  add(std::make_unique<Springs>(std::move(springs), system_->particles()));
}

void BodyBuilder::add_gravity(const std::array<double, 3>& acceleration) {
  if (acceleration == std::array<double, 3>{0, 0, 0}) return;
  const std::span<const double> masses = system_->masses();
  add(std::make_unique<Gravity>(Eigen::Vector3d::Map(acceleration.data()),
                                std::vector<double>(masses.begin(), masses.end())));
}

std::unique_ptr<ParticleSystem> BodyBuilder::finish_system() {
  system_->finish();
  return std::move(system_);
}

Body BodyBuilder::finish() {
  Body body;
  body.start = system_->initial_state();
  body.system = finish_system();
  return body;
}

}  // namespace stiffly
