#include "stiffly/system/support_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/system/rigid_motion.hpp"

namespace stiffly {
namespace {

/// Whether it acts from outside. All others leave linear and angular momentum alone.
bool external(const Force& force) { return force.is_field() || !force.keeps_spin(); }

}  // namespace

SupportBalance::SupportBalance(const SecondOrderSystem& system)
    : system_(dynamic_cast<const ParticleSystem*>(&system)) {
  if (!system_ || system_->motions().empty()) return;
  const auto& first = system_->motions().front().motion;
  std::size_t moved = 0;
  for (const ParticleSystem::Group& group : system_->motions()) {
    if (group.motion != first) return;
    moved += group.particles.size();
  }
  if (moved == system_->particles() - system_->free_particles()) motion_ = first.get();
}

// Supports that move as w(x) = u + ω × x do the work ∫ R·u + T·ω of their force and torque on the rest, which
// the momentum tells: Σm a = R + Σf and so on, f being the forces from outside. With ∫ m a·w = [m v·w] −
// ∫ m v·∂w/∂t (for v·(ω × v) = 0) no force of a link is left:
//   ∫ R·u + T·ω = [Σm v·w] − ∫ Σm v·∂w/∂t + f·w.
// What acts on the supports themselves from outside, they bring in as well.
std::optional<SupportBalance::Values> SupportBalance::at(const State& state) const {
  if (!motion_) return std::nullopt;
  const double t = state.time, delta = std::cbrt(std::numeric_limits<double>::epsilon()) * (1 + std::abs(t));
  // Velocities are known to round-off, and differences of them taken over a time that jumps of the
  // acceleration are not seen from.
  const double near = std::sqrt(std::numeric_limits<double>::epsilon()) * (1 + std::abs(t));
  const auto now = rigid_velocity(*motion_, t), before = rigid_velocity(*motion_, t - near),
             after = rigid_velocity(*motion_, t + near);
  if (!now || !before || !after) return std::nullopt;
  const double apart = (t + near) - (t - near);
  const RigidVelocity change{(after->linear - before->linear) / apart,
                             (after->angular - before->angular) / apart};

  std::vector<double> x(3 * system_->particles()), v(x), f(system_->unknowns(), 0.0);
  const Configuration q{t, system_->free_particles(), x, v};
  const auto place = [&](double time) { system_->place(time, state.x(), state.v(), x, v); };
  const auto energy_of_fields = [&](double time) {
    place(time);
    double sum = 0;
    for (const auto& force : system_->forces())
      if (external(*force)) sum += force->energy(q);
    return sum;
  };
  Values out;
  out.rate = -energy_of_fields(t - delta);
  out.rate = (out.rate + energy_of_fields(t + delta)) / (2 * delta);
  place(t);
  for (const auto& force : system_->forces()) {
    if (!external(*force)) continue;
    force->add_force(q, f);
    if (force->has_power()) out.rate += force->power(q).supports;
  }
  Vector product(state.v());
  system_->mass().apply(state.v(), product);
  const std::vector<double> momentum = to_host(product);
  for (std::size_t i = 0; i < f.size(); i += 3) {
    const Eigen::Map<const Eigen::Vector3d> x_i(x.data() + i), p_i(momentum.data() + i), f_i(f.data() + i);
    out.carried += p_i.dot(now->at(x_i));
    out.rate -= p_i.dot(change.at(x_i)) + f_i.dot(now->at(x_i));
  }
  if (!std::isfinite(out.rate)) return std::nullopt;  // differences reached over a barrier
  return out;
}

SupportBalance::Along SupportBalance::along(const State& state, double duration) const {
  Along most;
  constexpr int looks = 200;
  const std::vector<double> start = to_host(state.x());
  Vector work(start.size(), state.y.backend());
  const auto norm = [&](const std::vector<double>& y) {
    return system_->mass().norm(Vector(y, state.y.backend()), work);
  };
  for (int k = 0; motion_ && k <= looks; ++k) {
    std::vector<double> x(start), v(start);
    motion_->place(state.time + duration * k / looks, start, x, v);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= start[i];
    most = {std::max(most.distance, norm(x)), std::max(most.speed, norm(v))};
  }
  return most;
}

}  // namespace stiffly
