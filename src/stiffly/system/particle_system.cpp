#include "stiffly/system/particle_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"
#include "stiffly/system/mixed_particle_force.hpp"

namespace stiffly {

ParticleSystem::ParticleSystem(const Particles& particles) {
  const std::size_t n = particles.size();
  if (n == 0) throw InputError("there are no particles");
  for (std::size_t i = 0; i < n; ++i) {
    const double m = particles.mass[i];
    if (!(std::isfinite(m) && m > 0))
      throw InputError(fmt::format("particle {}: mass must be positive and finite, not {}", i, m));
    for (std::size_t d = 0; d < 3; ++d)
      if (!std::isfinite(particles.position[i][d]) || !std::isfinite(particles.velocity[i][d]))
        throw InputError(fmt::format("particle {}: position and velocity must be finite", i));
  }
  for (const bool pinned : {false, true})
    for (std::size_t i = 0; i < n; ++i)
      if (particles.pinned[i] == pinned) order_.push_back(static_cast<int>(i));
  free_ = static_cast<std::size_t>(std::count(particles.pinned.begin(), particles.pinned.end(), false));
  if (free_ == 0) throw InputError("every particle is pinned: nothing can move");
  rank_.resize(n);
  follows_.resize(n, false);
  for (std::size_t r = 0; r < n; ++r) {
    const auto i = static_cast<std::size_t>(order_[r]);
    rank_[i] = static_cast<int>(r);
    masses_.push_back(particles.mass[i]);
    for (std::size_t d = 0; d < 3; ++d) {
      start_x_.push_back(particles.position[i][d]);
      start_v_.push_back(particles.pinned[i] ? 0.0 : particles.velocity[i][d]);
    }
  }
  all_x_ = start_x_;
  all_v_ = start_v_;
  std::vector<double> per_unknown(3 * free_);
  for (std::size_t u = 0; u < per_unknown.size(); ++u) per_unknown[u] = masses_[u / 3];
  mass_ = MassMatrix::diagonal(per_unknown);
}

void ParticleSystem::add(std::unique_ptr<Force> force) {
  pattern_.reset();
  forces_.push_back(std::move(force));
}

void ParticleSystem::prescribe(std::span<const int> particles, std::shared_ptr<const Motion> motion) {
  Group group{.particles = {}, .start = {}, .motion = std::move(motion)};
  for (const int particle : particles) {
    const auto fail = [&](const char* what) {
      throw InputError(fmt::format("particle {} {}", particle, what));
    };
    if (particle < 0 || static_cast<std::size_t>(particle) >= rank_.size())
      fail("cannot follow a motion: it does not exist");
    const int r = rank_[static_cast<std::size_t>(particle)];
    if (static_cast<std::size_t>(r) < free_) fail("cannot follow a motion: it is not pinned");
    if (follows_[static_cast<std::size_t>(r)]) fail("cannot follow two motions");
    follows_[static_cast<std::size_t>(r)] = true;
    group.particles.push_back(r);
  }
  std::sort(group.particles.begin(), group.particles.end());
  for (const int r : group.particles)
    for (std::size_t d = 0; d < 3; ++d) group.start.push_back(start_x_[3 * static_cast<std::size_t>(r) + d]);
  moving_.push_back(std::move(group));
}

void ParticleSystem::set_mass(MassMatrix mass, std::vector<std::pair<int, int>> pairs) {
  assert(!pattern_);
  if (mass.size() != unknowns())
    throw InputError(
        fmt::format("the mass matrix has {} rows, the system {} unknowns", mass.size(), unknowns()));
  mass_ = std::move(mass);
  mass_pairs_ = std::move(pairs);
}

void ParticleSystem::finish() {
  std::vector<std::pair<int, int>> pairs = mass_pairs_;
  force_effort_ = effort::call;
  for (const auto& force : forces_) {
    const std::size_t before = pairs.size();
    force->add_pairs(free_, pairs);
    force_effort_ +=
        effort::vectors(3 * free_, 3) + force->effort_per_pair() * static_cast<double>(pairs.size() - before);
  }
  pattern_ = BlockPattern::symmetric(free_, 3, std::move(pairs));
  wide_pattern_.reset();
  for (const auto& force : forces_) force->attach(free_, *pattern_);
  untouched_ = history_ = present_history();
}

bool ParticleSystem::let_yield(const PlasticLaw& law) {
  bool any = false;
  for (auto& force : forces_)
    if (auto yielding = force->yielding(law)) {
      force = std::move(yielding);
      any = true;
    }
  return any;
}

History ParticleSystem::present_history() const {
  std::vector<double> out;
  for (const auto& force : forces_) force->add_history(out);
  return out.empty() ? nullptr : std::make_shared<const std::vector<double>>(std::move(out));
}

void ParticleSystem::recall(const History& history) const {
  const History& wanted = history ? history : untouched_;
  if (wanted == history_) return;
  if (!untouched_ || wanted->size() != untouched_->size())
    throw InputError(fmt::format("a history of {} numbers is not one of this system, which has {}",
                                 wanted->size(), untouched_ ? untouched_->size() : 0));
  std::span<const double> left = *wanted;
  for (const auto& force : forces_) left = force->recall(left);
  history_ = wanted;
}

void ParticleSystem::settle(State& state) const {
  if (!untouched_) return;
  const Configuration q = configuration(state.time, state.x(), state.v());
  bool changed = false;
  for (const auto& force : forces_) changed = force->settle(q) || changed;
  if (changed) history_ = present_history();
  state.history = history_;
}

std::optional<PlasticWork> ParticleSystem::plastic_work() const {
  if (!untouched_) return std::nullopt;
  PlasticWork out;
  for (const auto& force : forces_) {
    const PlasticWork own = force->plastic_work();
    out = {out.heat + own.heat, out.stored + own.stored, std::max(out.strain, own.strain),
           out.yielded + own.yielded};
  }
  return out;
}

State ParticleSystem::initial_state() const {
  return State(0.0, std::span(start_x_).first(unknowns()), std::span(start_v_).first(unknowns()));
}

void ParticleSystem::place_prescribed(double t, std::span<double> all_x, std::span<double> all_v) const {
  for (const Group& group : moving_) {
    std::vector<double> x(group.start.size()), v(group.start.size());
    group.motion->place(t, group.start, x, v);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t u = 3 * static_cast<std::size_t>(group.particles[i / 3]) + i % 3;
      all_x[u] = x[i];
      all_v[u] = v[i];
    }
  }
}

std::vector<std::array<double, 3>> ParticleSystem::in_user_order(std::span<const double> free,
                                                                 std::span<const double> prescribed) const {
  std::vector<std::array<double, 3>> out(particles());
  for (std::size_t r = 0; r < particles(); ++r) {
    const auto& source = r < free_ ? free : prescribed;
    for (std::size_t d = 0; d < 3; ++d) out[static_cast<std::size_t>(order_[r])][d] = source[3 * r + d];
  }
  return out;
}

std::vector<std::array<double, 3>> ParticleSystem::positions(const State& state) const {
  place_prescribed(state.time, all_x_, all_v_);
  return in_user_order(to_host(state.x()), all_x_);
}

std::vector<std::array<double, 3>> ParticleSystem::velocities(const State& state) const {
  place_prescribed(state.time, all_x_, all_v_);
  return in_user_order(to_host(state.v()), all_v_);
}

void ParticleSystem::place(double t, ConstVectorView x, ConstVectorView v, std::span<double> all_x,
                           std::span<double> all_v) const {
  const auto from_x = host(x);
  std::copy(from_x.begin(), from_x.end(), all_x.begin());
  if (!v.empty()) {
    const auto from_v = host(v);
    std::copy(from_v.begin(), from_v.end(), all_v.begin());
  }
  place_prescribed(t, all_x, all_v);
}

Configuration ParticleSystem::configuration(double t, ConstVectorView x, ConstVectorView v) const {
  place(t, x, v, all_x_, all_v_);
  return {t, free_, all_x_, all_v_};
}

std::unique_ptr<MixedForce> ParticleSystem::mixed_force() const {
  assert(pattern_ && "finish() comes before use");
  return std::make_unique<MixedParticleForce>(*this);
}

double ParticleSystem::potential_energy(double t, ConstVectorView x) const {
  const Configuration q = configuration(t, x, {});
  double sum = 0;
  for (const auto& force : forces_) sum += force->energy(q);
  return sum;
}

double ParticleSystem::field_energy(double t, ConstVectorView x) const {
  const Configuration q = configuration(t, x, {});
  double sum = 0;
  for (const auto& force : forces_)
    if (force->is_field()) sum += force->energy(q);
  return sum;
}

std::vector<std::string> ParticleSystem::dissipators() const {
  std::vector<std::string> out;
  for (const auto& force : forces_)
    if (force->has_power()) out.push_back(force->name());
  return out;
}

// With V the potential of all forces, x_p the prescribed positions and f_d the forces without a potential:
//   supports  ∂V/∂x_p·v_p − Σ_p f_d·v_p,   fields  ∂V/∂t,   dissipated  −Σ f_d·v.
EnergyFlow ParticleSystem::energy_flow(const State& state) const {
  EnergyFlow out;
  const Configuration q = configuration(state.time, state.x(), state.v());
  for (const auto& force : forces_) {
    if (!force->has_power()) continue;
    const ForcePower power = force->power(q);
    out.dissipated.push_back(power.dissipated);
    out.supports += power.supports;
  }
  const double t = state.time, delta = time_difference(t);
  std::vector<std::size_t> unknown;  // forces that differences tell what supports do to
  const auto energies = [&] {
    std::vector<double> each;
    for (const std::size_t i : unknown) each.push_back(forces_[i]->energy(q));
    return each;
  };
  const auto rate = [&](const std::vector<double>& before, const std::vector<double>& after) {
    double sum = 0;
    for (std::size_t i = 0; i < after.size(); ++i) sum += after[i] - before[i];
    return sum / (2 * delta);
  };
  const auto energy_at = [&](const Force& force, double time) {
    return force.energy({time, q.free, q.x, q.v});
  };
  for (const auto& force : forces_) {
    if (!force->depends_on_time()) continue;
    const std::optional<double> known = force->energy_rate(q);
    out.fields +=
        known ? *known : (energy_at(*force, t + delta) - energy_at(*force, t - delta)) / (2 * delta);
  }
  if (!moving_.empty()) {
    for (std::size_t i = 0; i < forces_.size(); ++i)
      if (const std::optional<double> known = forces_[i]->support_rate(q))
        out.supports += *known;
      else
        unknown.push_back(i);
    place_prescribed(t - delta, all_x_, all_v_);
    const std::vector<double> before = energies();
    place_prescribed(t + delta, all_x_, all_v_);
    out.supports += rate(before, energies());
  }
  return out;
}

bool ParticleSystem::has_barriers() const {
  return std::ranges::any_of(forces_, [](const auto& force) { return force->is_barrier(); });
}

double ParticleSystem::clear_share(double t0, ConstVectorView x0, double t1, ConstVectorView x1) const {
  const Configuration q = configuration(t0, x0, {});
  const std::vector<double> kept(q.x.begin(), q.x.end());
  const Configuration start{t0, free_, kept, {}}, end = configuration(t1, x1, {});
  double share = 1;
  for (const auto& force : forces_)
    if (force->is_barrier()) share = std::min(share, force->clear_share(start, end));
  return share;
}

std::optional<Touch> ParticleSystem::touch(const State& state) const {
  std::optional<Touch> out;
  const Configuration q = configuration(state.time, state.x(), state.v());
  for (const auto& force : forces_)
    if (const std::optional<Touch> touch = force->touch(q)) {
      if (!out) out.emplace();
      out->see(*touch);
    }
  return out;
}

double ParticleSystem::longest_step(const State& state, double h) const {
  for (const auto& force : forces_) h = longest_step(*force, state, h);
  return h;
}

// Forces take everything to go straight on. So it is asked what prescribed particles would come upon on
// straight ways to where they are at some times ahead, until nothing shortens the step.
double ParticleSystem::longest_step(const Force& force, const State& state, double h) const {
  constexpr int times_ahead = 4, most_rounds = 40;
  const Configuration q = configuration(state.time, state.x(), state.v());
  h = force.longest_step(q, h);
  if (moving_.empty() || !force.touch(q)) return h;  // nothing that could be come upon
  const std::vector<double> now = all_x_;
  std::vector<double> then = all_x_, rate = all_v_;
  const auto shortened = [&] {
    for (int k = 1; k <= times_ahead; ++k) {
      const double ahead = h * k / times_ahead;
      place_prescribed(state.time + ahead, then, rate);
      for (std::size_t i = 3 * free_; i < rate.size(); ++i) rate[i] = (then[i] - now[i]) / ahead;
      if (const double clear = force.longest_step({q.time, free_, now, rate}, ahead); clear < ahead) {
        h = clear;
        return true;
      }
    }
    return false;
  };
  for (int round = 0; round < most_rounds && shortened(); ++round) continue;
  return h;
}

Eigen::Vector3d ParticleSystem::centre_of_mass(const State& state) const {
  const auto sum_of_rows = [&](const Vector& y) {
    Vector moment(y.size());
    mass_.apply(y, moment);
    return Eigen::Vector3d(
        Eigen::Map<const Eigen::Matrix3Xd>(host(moment).data(), 3, static_cast<Eigen::Index>(free_))
            .rowwise()
            .sum());
  };
  const std::vector<double> ones(unknowns(), 1.0);
  return sum_of_rows(Vector(state.x())).cwiseQuotient(sum_of_rows(Vector(std::span<const double>(ones))));
}

Momentum ParticleSystem::momentum(const State& state) const {
  const Eigen::Vector3d centre = centre_of_mass(state);
  Vector momentum(state.v());
  mass_.apply(state.v(), momentum);
  const std::vector<double> x = to_host(state.x()), p = to_host(momentum);
  Momentum out;
  for (std::size_t i = 0; i < x.size(); i += 3) {
    const Eigen::Map<const Eigen::Vector3d> x_i(x.data() + i), p_i(p.data() + i);
    out.linear += p_i;
    out.angular += (x_i - centre).cross(p_i);
  }
  return out;
}

double ParticleSystem::moment_of_inertia(const State& state) const {
  const Eigen::Vector3d centre = centre_of_mass(state);
  std::vector<double> from_centre = to_host(state.x());
  for (std::size_t i = 0; i < from_centre.size(); ++i)
    from_centre[i] -= centre[static_cast<Eigen::Index>(i % 3)];
  const Vector x{std::span<const double>(from_centre)};
  Vector work(x.size());
  return std::pow(mass_.norm(x, work), 2);
}

bool ParticleSystem::keeps_spin() const {
  return free_ == particles() &&
         std::all_of(forces_.begin(), forces_.end(), [](const auto& f) { return f->keeps_spin(); });
}

void ParticleSystem::do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const {
  fill(0.0, f);
  const Configuration q = configuration(t, x, v);
  for (const auto& force : forces_) force->add_force(q, host(f));
}

void ParticleSystem::prepare(Tangent& out) const {
  assert(pattern_ && "finish() comes before use");
  const bool circulatory =
      std::any_of(forces_.begin(), forces_.end(), [](const auto& f) { return f->circulatory(); });
  const auto clear = [&](BlockMatrix& matrix, bool needed) {
    if (!needed)
      matrix = {};
    else if (!matrix.empty() && matrix.shared_pattern() == pattern_)
      matrix.set_zero();
    else
      matrix = BlockMatrix(pattern_);
  };
  clear(out.stiffness, true);
  clear(out.circulatory, circulatory);
  clear(out.damping, !conservative());
}

void ParticleSystem::do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const {
  prepare(out);
  const Configuration q = configuration(t, x, v);
  for (const auto& force : forces_) force->add_tangent(q, out);
  std::vector<std::pair<int, int>> pairs;
  for (const auto& force : forces_) force->add_touching_pairs(q, pairs);
  const auto add = [&](Tangent& wide) {
    for (const auto& force : forces_) force->add_touching_tangent(q, wide);
  };
  add_touching(std::move(pairs), add, out);
}

void ParticleSystem::add_touching(std::vector<std::pair<int, int>> pairs,
                                  const std::function<void(Tangent&)>& add, Tangent& out) const {
  if (pairs.empty()) return;
  for (auto& [i, j] : pairs)
    if (i > j) std::swap(i, j);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(
      pairs, [&](const auto& p) { return pattern_->find(static_cast<std::size_t>(p.first), p.second) >= 0; });
  if (!wide_pattern_ || pairs != touching_) {
    wide_pattern_ = pairs.empty() ? pattern_ : BlockPattern::grown(pattern_, pairs);
    touching_ = std::move(pairs);
  }
  Tangent wide;
  const auto make_room = [&](const BlockMatrix& narrow, BlockMatrix& matrix) {
    if (!narrow.empty()) matrix = BlockMatrix(wide_pattern_);
  };
  make_room(out.stiffness, wide.stiffness);
  make_room(out.circulatory, wide.circulatory);
  make_room(out.damping, wide.damping);
  add(wide);
  const auto join = [](BlockMatrix& matrix, BlockMatrix& narrow) {
    if (matrix.empty()) return;
    matrix.add(1.0, narrow);
    narrow = std::move(matrix);
  };
  join(wide.stiffness, out.stiffness);
  join(wide.circulatory, out.circulatory);
  join(wide.damping, out.damping);
}

bool ParticleSystem::autonomous() const {
  return moving_.empty() &&
         std::none_of(forces_.begin(), forces_.end(), [](const auto& f) { return f->depends_on_time(); });
}

bool ParticleSystem::conservative() const {
  return std::none_of(forces_.begin(), forces_.end(), [](const auto& f) { return f->has_power(); });
}

bool ParticleSystem::passive() const {
  return autonomous() && std::ranges::none_of(forces_, [](const auto& f) { return f->drives(); }) &&
         std::ranges::none_of(drivers_, [](const auto& f) { return f->depends_on_time(); });
}

// Of supports that move as one, the first and the last.
std::vector<double> ParticleSystem::drives(double t) const {
  std::vector<double> out;
  for (const auto& force : forces_) force->add_drives(t, out);
  for (const auto& driver : drivers_) driver->add_drives(t, out);
  for (const Group& group : moving_) {
    if (group.start.empty()) continue;
    for (const std::size_t place : {std::size_t{0}, group.start.size() - 3}) {
      std::array<double, 3> x, v;
      group.motion->place(t, std::span(group.start).subspan(place, 3), x, v);
      out.insert(out.end(), x.begin(), x.end());
    }
  }
  return out;
}

double ParticleSystem::obstacles_carried(double from, double to) const {
  double most = 0;
  for (const auto& force : forces_) most = std::max(most, force->carried(from, to));
  for (const auto& driver : drivers_) most = std::max(most, driver->carried(from, to));
  return most;
}

std::string ParticleSystem::describe(std::size_t unknown) const {
  return fmt::format("particle {} ({})", (names_.empty() ? order_ : names_)[unknown / 3], "xyz"[unknown % 3]);
}

}  // namespace stiffly
