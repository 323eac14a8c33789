#include "stiffly/system/mean_dissipation.hpp"

#include "stiffly/system/particle_system.hpp"

namespace stiffly {

std::vector<double> mean_dissipation(const SecondOrderSystem& system, const State& from, const State& to) {
  const auto* particles = dynamic_cast<const ParticleSystem*>(&system);
  if (!particles || particles->conservative()) return {};
  // Supports, too, are where they are on the mean, and go as fast.
  const auto ends = [&](const State& state) {
    const std::span<const double> start = particles->start_positions();
    std::vector<double> x(start.begin(), start.end()), v(start.size(), 0.0);
    particles->place(state.time, state.x(), state.v(), x, v);
    return x;
  };
  const std::vector<double> x0 = ends(from), x1 = ends(to);
  const double h = to.time - from.time;
  std::vector<double> x(x0), v(x0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 * (x0[i] + x1[i]), v[i] = (x1[i] - x0[i]) / h;
  const Configuration q{0.5 * (from.time + to.time), particles->free_particles(), x, v};
  std::vector<double> out;
  for (const auto& force : particles->forces())
    if (force->has_power()) out.push_back(force->power(q).dissipated);
  return out;
}

}  // namespace stiffly
