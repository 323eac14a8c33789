#include "stiffly/fibres/system_fibres.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"

namespace stiffly {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

std::optional<SystemFibres> SystemFibres::find(const ParticleSystem& system, std::span<const Strand> strands,
                                               std::string& why) {
  SystemFibres out(system);
  why = out.place(strands);
  if (why.empty()) why = out.read_forces();
  if (why.empty()) why = out.read_drag();
  if (why.empty()) why = out.read_motions();
  if (!why.empty()) return std::nullopt;
  return out;
}

// Free particles come first inside, in the user's order: those of a fibre follow each other.
std::string SystemFibres::place(std::span<const Strand> strands) {
  if (!system_->mass().is_diagonal()) return "its mass matrix is not diagonal";
  fibre_of_.assign(system_->particles(), -1);
  std::size_t free = 0;
  for (std::size_t i = 0; i < strands.size(); ++i) {
    const Strand& strand = strands[i];
    segments_.push_back(strand.sections - 1);
    first_particle_.push_back(strand.first_particle);
    first_free_.push_back(system_->rank()[index(strand.first_particle + fibre::corners)]);
    for (int p = 0; p < fibre::corners * strand.sections; ++p) {
      const int rank = system_->rank()[index(strand.first_particle + p)];
      const bool is_free = index(rank) < system_->free_particles();
      if (is_free != (p >= fibre::corners)) return fmt::format("fibre {} is not held at its root alone", i);
      if (is_free && rank != first_free_.back() + p - fibre::corners)
        return fmt::format("the particles of fibre {} do not follow each other", i);
      fibre_of_[index(rank)] = static_cast<int>(i);
      free += is_free;
    }
  }
  return strands.empty() || free < system_->free_particles() ? "not all that moves is fibres" : "";
}

std::string SystemFibres::read_forces() {
  int dissipator = 0;
  drags_.resize(size());
  for (const auto& force : system_->forces()) {
    const int number = force->has_power() ? dissipator++ : -1;
    if (const auto* springs = dynamic_cast<const Springs*>(force.get())) {
      if (springs_) return "there are several kinds of springs";
      spring_dissipator_ = number;
      if (std::string why = bind_springs(*springs); !why.empty()) return why;
    } else if (const auto* field = dynamic_cast<const ForceField*>(force.get())) {
      if (field->depends_on_time()) return "a field changes in time";
      fields_.push_back(field);
    } else if (const auto* repulsion = dynamic_cast<const ObstacleRepulsion*>(force.get())) {
      if (std::string why = read_obstacles(*repulsion, number); !why.empty()) return why;
    } else if (!dynamic_cast<const AirDrag*>(force.get()) &&
               !dynamic_cast<const RayleighDamping*>(force.get())) {
      return fmt::format("there is a force \"{}\"", force->name());
    }
  }
  return springs_ ? "" : "there are no springs";
}

std::string SystemFibres::read_obstacles(const ObstacleRepulsion& force, int dissipator) {
  if (force.is_barrier()) return "obstacles are barriers";
  std::size_t sections = 0;
  double radius = 0;
  for (const ContactBall& ball : force.balls()) {
    if (!ball.is_free(system_->free_particles())) continue;
    if (ball.count != fibre::corners) return "obstacles meet particles of their own";
    if (sections++ > 0 && ball.radius != radius) return "obstacles meet fibres of different radii";
    radius = ball.radius;
  }
  if (sections != free_sections()) return "obstacles do not act on all fibres alike";
  if (dissipator >= 0) {
    if (friction_dissipator_ >= 0) return "there are two kinds of friction";
    friction_dissipator_ = dissipator;
  }
  if (!obstacles_) obstacles_ = std::make_shared<ObstacleGroups>();
  obstacles_->push_back(
      {{force.obstacles().begin(), force.obstacles().end()}, force.law(), radius, force.friction()});
  return "";
}

std::string SystemFibres::read_drag() {
  int dissipator = 0;
  for (const auto& force : system_->forces()) {
    if (!force->has_power()) continue;
    const int number = dissipator++;
    const auto* air = dynamic_cast<const AirDrag*>(force.get());
    const auto* damping = dynamic_cast<const RayleighDamping*>(force.get());
    if (!air && !damping) continue;
    if (damping && damping->beta() > 0) return "damping by 'stiffness_factor' does not turn with fibres";
    for (std::size_t i = 0; i < size(); ++i) {
      const auto slows = [&](int p) { return air && air->coefficients()[index(first_free_[i] + p)] > 0; };
      bool acts = damping != nullptr;
      for (int p = 0; p < fibre::corners * segments_[i]; ++p) acts |= slows(p);
      if (!acts) continue;
      if (drags_[i].dissipator >= 0) return fmt::format("two kinds of drag act on fibre {}", i);
      drags_[i] = {air, damping ? damping->alpha() : 0, number};
    }
  }
  return "";
}

std::string SystemFibres::read_motions() {
  motions_.resize(size());
  std::vector<int> followers(size(), 0);
  for (const ParticleSystem::Group& group : system_->motions())
    for (const int rank : group.particles) {
      const int i = fibre_of_[index(rank)];
      if (i < 0) continue;
      if (motions_[index(i)] && motions_[index(i)] != group.motion)
        return fmt::format("the root of fibre {} follows two motions", i);
      motions_[index(i)] = group.motion;
      ++followers[index(i)];
    }
  for (std::size_t i = 0; i < size(); ++i)
    if (followers[i] != 0 && followers[i] != fibre::corners)
      return fmt::format("only a part of the root of fibre {} moves", i);
  return "";
}

std::size_t SystemFibres::free_sections() const { return system_->free_particles() / fibre::corners; }

// Springs in the order of their fibres, and within each as they are.
std::string SystemFibres::bind_springs(const Springs& springs) {
  springs_ = &springs;
  first_spring_.assign(size() + 1, 0);
  const auto fibre_of = [&](const Spring& s) {
    return fibre_of_[index(s.first)] == fibre_of_[index(s.second)] ? fibre_of_[index(s.first)] : -1;
  };
  for (const Spring& s : springs.springs()) {
    if (fibre_of(s) < 0) return "springs join fibres with other particles";
    if (s.law != SpringLaw::linear) return "springs are not linear";
    ++first_spring_[index(fibre_of(s)) + 1];
  }
  for (std::size_t i = 0; i < size(); ++i) first_spring_[i + 1] += first_spring_[i];
  std::vector<std::size_t> next(first_spring_.begin(), first_spring_.end() - 1);
  spring_order_.resize(springs.springs().size());
  for (std::size_t s = 0; s < spring_order_.size(); ++s)
    spring_order_[next[index(fibre_of(springs.springs()[s]))]++] = static_cast<int>(s);
  return "";
}

FibreSupply SystemFibres::supply(const State& start) const {
  FibreSupply out{segments_, {}};
  out.fibre = [this, x = to_host(start.x()), v = to_host(start.v())](std::size_t i) {
    return fibre(i, x, v);
  };
  return out;
}

MovingFibre SystemFibres::fibre(std::size_t i, const std::vector<double>& x,
                                const std::vector<double>& v) const {
  MovingFibre out;
  out.number = i;
  out.shape.segments = segments_[i];
  out.motion = motions_[i];
  out.obstacles = obstacles_;
  const std::size_t particles = fibre::corners * (index(segments_[i]) + 1);
  for (std::size_t p = 0; p < particles; ++p) {
    const std::size_t rank = index(system_->rank()[index(first_particle_[i]) + p]);
    const bool free = rank < system_->free_particles();
    out.shape.mass.push_back(system_->masses()[rank]);
    Eigen::Vector3d load = Eigen::Vector3d::Zero();
    if (free)
      for (const ForceField* field : fields_) load += field->on(rank, 0);
    if (drags_[i].dissipator >= 0) {
      const AirDrag* air = drags_[i].air;
      out.drag.push_back(!free ? 0
                         : air ? air->coefficients()[rank]
                               : drags_[i].per_mass * out.shape.mass.back());
      if (air) load += out.drag.back() * air->wind();
    }
    for (std::size_t d = 0; d < 3; ++d) {
      out.position.push_back(free ? x[3 * rank + d] : system_->start_positions()[3 * rank + d]);
      out.velocity.push_back(free ? v[3 * rank + d] : 0);
      out.force.push_back(load[static_cast<int>(d)]);
    }
    out.shape.position.push_back(Eigen::Vector3d::Map(out.position.data() + 3 * p));
  }
  for (std::size_t k = first_spring_[i]; k < first_spring_[i + 1]; ++k) {
    Spring spring = springs_->springs()[index(spring_order_[k])];
    for (int* end : {&spring.first, &spring.second})
      *end = system_->order()[index(*end)] - first_particle_[i];
    out.shape.springs.push_back(spring);
  }
  return out;
}

double SystemFibres::mean_length(const State& state) const {
  const auto x = host(state.x());
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto line = centre_line(x.subspan(first_unknown(i), fibre::section_size * index(segments_[i])));
    for (std::size_t k = 1; k < line.size(); ++k) sum += (line[k] - line[k - 1]).norm();
  }
  return sum / static_cast<double>(size());
}

// Wind does c w·Δx, which is no drag of resting air.
EnergyTotals SystemFibres::totals(const FibreSimulation& fibres, const State& start, const State& now) const {
  EnergyTotals out;
  out.dissipated.assign(system_->dissipators().size(), 0.0);
  const auto from = host(start.x()), to = host(now.x());
  for (std::size_t i = 0; i < size(); ++i) {
    const FibreEnergy& energy = fibres.energy(i);
    out.supports += energy.supports;
    out.fields += energy.obstacles;
    if (friction_dissipator_ >= 0) out.dissipated[index(friction_dissipator_)] += energy.friction;
    if (spring_dissipator_ >= 0) out.dissipated[index(spring_dissipator_)] += energy.dashpots;
    if (drags_[i].dissipator < 0) continue;
    double& drag = out.dissipated[index(drags_[i].dissipator)];
    drag += energy.drag;
    if (!drags_[i].air || drags_[i].air->wind().isZero(0)) continue;
    for (std::size_t u = first_unknown(i); u < first_unknown(i) + fibre::section_size * index(segments_[i]);
         ++u)
      drag -= drags_[i].air->coefficients()[u / 3] * drags_[i].air->wind()[static_cast<int>(u % 3)] *
              (to[u] - from[u]);
  }
  return out;
}

}  // namespace stiffly
