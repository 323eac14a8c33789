#include "stiffly/system/mixed_particle_force.hpp"

namespace stiffly {

MixedParticleForce::MixedParticleForce(const ParticleSystem& system) : MixedForce(system), system_(system) {
  for (const auto& force : system.forces()) {
    auto elements = force->mixed_elements(system.free_particles(), *system.pattern());
    if (!elements) {
      others_.push_back(force.get());
      continue;
    }
    starts_.push_back(starts_.back() + elements->strains());
    if (elements->touching()) touching_.push_back(elements.get());
    elements_.push_back(std::move(elements));
  }
  const auto rest = system.start_positions();
  for (auto* all : {&start_, &end_, &middle_x_}) all->assign(rest.begin(), rest.end());
  for (auto* all : {&v_, &middle_v_}) all->assign(rest.size(), 0.0);
}

void MixedParticleForce::measure(double t, ConstVectorView x, ConstVectorView v,
                                 std::span<double> strain) const {
  system_.place(t, x, v, end_, v_);
  const Configuration q{t, system_.free_particles(), end_, v_};
  for_each([&](const MixedElements& e, std::size_t first, std::size_t count) {
    e.measure(q, strain.subspan(first, count));
  });
}

void MixedParticleForce::do_begin(const ForcePath& guess, double b_per_mu, double c_per_mu) {
  const ParticlePath all = particles(guess);
  for (MixedElements* e : touching_) e->begin(all, {b_per_mu, c_per_mu, system_.masses()});
}

void MixedParticleForce::respond(const Compliance& matrix) {
  for (MixedElements* e : touching_) e->respond(matrix);
}

void MixedParticleForce::restart() {
  for (MixedElements* e : touching_) e->restart();
}

void MixedParticleForce::follow(ConstVectorView dx, ConstVectorView dv, std::span<const double> gap,
                                std::span<double> strain) const {
  for_each([&](const MixedElements& e, std::size_t first, std::size_t count) {
    e.follow(host(dx), host(dv), gap.subspan(first, count), strain.subspan(first, count));
  });
}

ParticlePath MixedParticleForce::particles(const ForcePath& path) const {
  system_.place(path.time, path.x, path.v, end_, v_);
  ParticlePath out{.end = {path.time, system_.free_particles(), end_, v_}};
  if (!path.is_step()) return out;
  system_.place(path.start_time, path.start_x, {}, start_, middle_v_);
  // Prescribed particles, too, have their mean velocity over the step.
  const double h = path.time - path.start_time;
  for (std::size_t i = system_.unknowns(); i < v_.size(); ++i) v_[i] = (end_[i] - start_[i]) / h;
  out.start_time = path.start_time;
  out.start = start_;
  out.start_strain = path.start_strain;
  out.theta = path.theta;
  return out;
}

Configuration MixedParticleForce::middle_particles(const ForcePath& path) const {
  middle(path, middle_);
  system_.place(middle_time(path), middle_, path.v, middle_x_, middle_v_);
  return {middle_time(path), system_.free_particles(), middle_x_, middle_v_};
}

void MixedParticleForce::do_freeze(const ForcePath& path, std::span<const double> strain, Tangent& out) {
  system_.prepare(out);
  const Configuration q = middle_particles(path);
  for (const Force* force : others_) force->add_tangent(q, out);
  if (path.is_step())
    for (double& value : out.stiffness.values()) value *= path.theta;
  ParticlePath all = particles(path);
  for_each([&](MixedElements& e, std::size_t first, std::size_t count) {
    if (path.is_step()) all.start_strain = path.start_strain.subspan(first, count);
    e.freeze(all, strain.subspan(first, count), out);
  });
  if (touching_.empty()) return;
  std::vector<std::pair<int, int>> pairs;
  for (const MixedElements* e : touching_) e->add_touching_pairs(pairs);
  const auto add = [&](Tangent& wide) {
    for (const MixedElements* e : touching_) e->add_touching_tangent(wide);
  };
  system_.add_touching(std::move(pairs), add, out);
}

void MixedParticleForce::do_force(const ForcePath& path, std::span<const double> strain,
                                  std::span<double> gap, VectorView f) const {
  fill(0.0, f);
  const Configuration q = middle_particles(path);
  for (const Force* force : others_) force->add_force(q, host(f));
  ParticlePath all = particles(path);
  for_each([&](const MixedElements& e, std::size_t first, std::size_t count) {
    if (path.is_step()) all.start_strain = path.start_strain.subspan(first, count);
    e.add_force(all, strain.subspan(first, count), gap.subspan(first, count), host(f));
  });
}

}  // namespace stiffly
