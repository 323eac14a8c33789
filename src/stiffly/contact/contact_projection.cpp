#include "stiffly/contact/contact_projection.hpp"

namespace stiffly {

ContactProjection::ContactProjection(const ParticleSystem& system, const ProjectionLaw& law)
    : system_(system), law_(law) {
  law.check();
  if (law.measure == ProjectionMeasure::stiffness) stiffness_.emplace(system);
  const auto rest = system.start_positions();
  for (auto* all : {&start_, &x_}) all->assign(rest.begin(), rest.end());
  for (auto* all : {&start_v_, &v_}) all->assign(rest.size(), 0.0);
  inverse_mass_.assign(system.particles(), 0.0);
  for (std::size_t i = 0; i < system.free_particles(); ++i) inverse_mass_[i] = 1 / system.masses()[i];
}

void ContactProjection::add(std::shared_ptr<const Force> owner, std::unique_ptr<ContactSource> source) {
  parts_.push_back({std::move(owner), std::move(source)});
}

void ContactProjection::find(double time, ContactSet& out) {
  for (const Part& part : parts_) {
    const Configuration q{time, system_.free_particles(), x_, v_};
    const std::vector<ContactSource::Key> keys = part.source->find({.end = q}, 0);
    part.source->place(q);
    for (const ContactSource::Key& key : keys)
      if (const ContactLine line = part.source->line(key); line.gap < 0 && !line.normal.isZero(0))
        out.add(line.gap, line.normal, line.drift, line.shares);
  }
}

double ContactProjection::longest_step(const State& from, double h) {
  for (const Part& part : parts_) h = system_.longest_step(*part.owner, from, h);
  return h;
}

ProjectionReport ContactProjection::project(const State& from, State& to) {
  system_.place(from.time, from.x(), from.v(), start_, start_v_);
  system_.place(to.time, to.x(), to.v(), x_, v_);
  const double h = to.time - from.time;
  bool prepared = !stiffness_;
  const ProjectedMotion motion{
      h, inverse_mass_, start_, start_v_, x_, v_, stiffness_ ? &*stiffness_ : nullptr};
  ProjectionReport out = project_contacts(motion, law_, [&](std::span<const int>, ContactSet& contacts) {
    find(to.time, contacts);
    if (prepared || contacts.size() == 0) return;
    stiffness_->factorize(to, h);
    prepared = true;
  });
  if (out.passes == 0) return out;
  const double before = system_.energy(to);
  const auto put = [&](std::span<const double> all, VectorView part) {
    copy(Vector(all.first(part.size())), part);
  };
  put(x_, to.x());
  put(v_, to.v());
  out.taken = before - system_.energy(to);
  return out;
}

}  // namespace stiffly
