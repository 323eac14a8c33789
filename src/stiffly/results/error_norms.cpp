#include "stiffly/results/error_norms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <Eigen/Geometry>
#include <limits>

#include "stiffly/error.hpp"
#include "stiffly/system/particle_system.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr std::array all_norms = std::to_array<NormInfo>({
    {"position", Norm::position, "positions, relative to the body's size"},
    {"displacement", Norm::displacement, "positions, relative to the amplitude of the motion"},
    {"velocity", Norm::velocity, "velocities, relative to the largest ones"},
    {"energy", Norm::energy, "energy, relative to the largest kinetic energy"},
    {"area", Norm::area, "area of the surface, relative to that at the start"},
});

const ParticleSystem* particles_of(const Body& body) {
  return dynamic_cast<const ParticleSystem*>(body.system.get());
}

std::vector<double> flat(const std::vector<Point>& points) {
  std::vector<double> out;
  out.reserve(3 * points.size());
  for (const Point& p : points) out.insert(out.end(), p.begin(), p.end());
  return out;
}

std::vector<double> positions(const Body& body, const State& state) {
  const ParticleSystem* particles = particles_of(body);
  return particles ? flat(particles->positions(state)) : to_host(state.x());
}

std::vector<double> velocities(const Body& body, const State& state) {
  const ParticleSystem* particles = particles_of(body);
  return particles ? flat(particles->velocities(state)) : to_host(state.v());
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double length(std::span<const double> a) { return distance(a, std::vector<double>(a.size(), 0.0)); }

/// ‖x − c‖ with the centre c of the particles.
double size(const Body& body, std::vector<double> x) {
  if (!particles_of(body)) return length(x);
  const std::size_t count = x.size() / 3;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double centre = 0;
    for (std::size_t i = 0; i < count; ++i) centre += x[3 * i + axis] / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) x[3 * i + axis] -= centre;
  }
  return length(x);
}

double area(const Body& body, const State& state) {
  const std::vector<double> x = positions(body, state);
  const auto corner = [&](int i) { return Eigen::Vector3d::Map(x.data() + 3 * i); };
  double sum = 0;
  for (const Triangle& t : body.triangles)
    sum += 0.5 * (corner(t[1]) - corner(t[0])).cross(corner(t[2]) - corner(t[0])).norm();
  return sum;
}

double ratio(double error, double scale) {
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  return error == 0 ? 0 : error / scale;
}

}  // namespace

std::span<const NormInfo> norms() { return all_norms; }

Norm find_norm(std::string_view name) {
  std::vector<std::string> names;
  for (const NormInfo& info : all_norms) {
    if (info.name == name) return info.norm;
    names.emplace_back(info.name);
  }
  throw InputError("unknown norm '" + std::string(name) + "'; did you mean '" + nearest(name, names) +
                   "'? There are position, displacement, velocity, energy and area");
}

std::string_view name_of(Norm norm) { return std::ranges::find(all_norms, norm, &NormInfo::norm)->name; }

ErrorMeasure::ErrorMeasure(const Body& body, Norm norm, std::vector<State> reference)
    : body_(&body), norm_(norm), reference_(std::move(reference)) {
  if (norm == Norm::area && (body.triangles.empty() || !particles_of(body)))
    throw InputError("the norm 'area' needs a body with a surface; this scene's has none. Try 'position'");
  const std::vector<double> x0 = positions(body, body.start);
  double body_size = size(body, x0), motion = 0;
  double speed = length(velocities(body, body.start)), kinetic = body.system->kinetic_energy(body.start.v());
  for (const State& state : reference_) {
    features_.push_back(features(state));
    const std::vector<double> x = positions(body, state);
    body_size = std::max(body_size, size(body, x));
    motion = std::max(motion, distance(x, x0));
    speed = std::max(speed, length(velocities(body, state)));
    kinetic = std::max(kinetic, body.system->kinetic_energy(state.v()));
  }
  amplitude_ = ratio(motion, body_size);
  switch (norm) {
    case Norm::position:
      scale_ = body_size;
      break;
    case Norm::displacement:
      scale_ = motion;
      break;
    case Norm::velocity:
      scale_ = speed;
      break;
    case Norm::energy:
      scale_ = kinetic;
      break;
    case Norm::area:
      scale_ = area(body, body.start);
      break;
  }
}

std::vector<double> ErrorMeasure::features(const State& state) const {
  switch (norm_) {
    case Norm::position:
    case Norm::displacement:
      return positions(*body_, state);
    case Norm::velocity:
      return velocities(*body_, state);
    case Norm::energy:
      return {body_->system->energy(state)};
    case Norm::area:
      return {area(*body_, state)};
  }
  return {};
}

double ErrorMeasure::error(std::span<const State> states) const {
  double worst = 0;
  for (std::size_t j = 0; j < std::min(states.size(), reference_.size()); ++j) {
    const double e = distance(features(states[j]), features_[j]);
    if (!std::isfinite(e)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, e);
  }
  return ratio(worst, scale_);
}

double ErrorMeasure::still() const {
  const std::vector<State> standing(reference_.size(), body_->start);
  return error(standing);
}

}  // namespace stiffly
