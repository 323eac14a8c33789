#include "stiffly/integrators/mixed_iteration.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/limits.hpp"

namespace stiffly {

MixedIteration::MixedIteration(const IntegratorOptions& options)
    : constraints_(options.constraints), matrix_(options.linear_solver) {}

void MixedIteration::start(const SecondOrderSystem& system, const Backend& backend) {
  system_ = &system;
  force_ = system.mixed_force();
  const std::size_t n = system.unknowns();
  for (Vector* v : {&x_, &v_, &residual_, &dz_, &dv_, &work_}) *v = Vector(n, backend);
  gap_.assign(strains(), 0.0);
  restart();
}

void MixedIteration::restart() {
  forget();
  force_->restart();
  factor_ = {};
}

void MixedIteration::measure(double t, ConstVectorView x, ConstVectorView v,
                             std::vector<double>& strain) const {
  strain.resize(strains());
  force_->measure(t, x, v, strain);
}

void MixedIteration::place(const Stage& stage, const Vector& z, ForcePath& path) {
  stage.place(z, x_, v_);
  path.time = stage.t;
  path.x = x_;
  path.v = v_;
}

void MixedIteration::begin(const Stage& stage, const Vector& z, ForcePath& path) {
  if (!force_->touching()) return;
  place(stage, z, path);
  force_->begin(path, stage.b / stage.mu, stage.c / stage.mu);
}

double MixedIteration::along(std::span<const ParticleShare> shares, const Eigen::Vector3d& a) const {
  std::vector<double> push(system_->unknowns(), 0.0);
  for (const auto& [particle, share] : shares)
    if (3 * static_cast<std::size_t>(particle) < push.size())
      Eigen::Vector3d::Map(push.data() + 3 * particle) += share * a;
  Vector force(push.size(), x_.backend()), dz(push.size(), x_.backend());
  copy(Vector(push), force);
  matrix_.solve(force, dz, 1e-3, filter());
  return dot(force, dz);
}

ConjugateGradients::Filter MixedIteration::filter() const {
  if (!constraints_ || constraints_->empty()) return {};
  return [this](VectorView x) { constraints_->project(x); };
}

// K is taken where the step begins, as if it stayed there.
bool MixedIteration::solve_following(const Stage& stage, ForcePath path, double tolerance, Vector& z,
                                     std::vector<double>& strain) {
  if (constraints_) prescribe(*constraints_, stage, z);
  begin(stage, z, path);
  ForcePath start = path;
  start.time = stage.t;
  start.x = path.start_x;
  start.v = stage.q;
  if (!freeze(start, path.start_strain, {stage.b, stage.c, stage.mu})) return false;
  force_->force(start, path.start_strain, gap_, residual_);
  modes_->begin({.mass = &system_->mass(),
                 .half_stiffness = &tangent_.stiffness,
                 .h = 2 * stage.c,
                 .solve = [this](ConstVectorView r, VectorView x) {
                   const ConjugateGradients::Filter free = filter();
                   Vector b(r);
                   if (free) free(b);
                   matrix_.solve(b, x, 1e-12, free);
                 }});
  modes_->cover(stage.q, residual_);
  iterations_ = 0;
  return iterate(stage, path, tolerance, z, strain).verdict == Contraction::Verdict::converged;
}

void MixedIteration::finish(ConstVectorView v, const Vector& z, VectorView end) const {
  if (modes_) modes_->finish(v, z, end);
}

bool MixedIteration::freeze(const ForcePath& path, std::span<const double> strain, const Shift& shift) {
  forget();
  force_->freeze(path, strain, tangent_);
  try {
    matrix_.assemble(*system_, tangent_, {.b = shift.b, .c = shift.c, .mu = shift.mu});
  } catch (const SimulationError&) {
    return false;
  }
  force_->respond(*this);
  frozen_ = {.shift = shift,
             .time = path.time,
             .start_time = path.start_time,
             .theta = path.theta,
             .x = Vector(path.x),
             .v = Vector(path.v),
             .start_x = Vector(path.start_x),
             .strain = {strain.begin(), strain.end()},
             .start_strain = {path.start_strain.begin(), path.start_strain.end()}};
  return true;
}

// First whether there is one, made for a stage (1) or a step (2).
void MixedIteration::save(IntegratorMemory& memory) {
  if (!frozen_ || force_->touching()) restart();
  const bool of_step = frozen_ && !frozen_->start_x.empty();
  memory.numbers.push_back(!frozen_ ? 0 : of_step ? 2 : 1);
  if (!frozen_) return;
  const Frozen& at = *frozen_;
  for (const double number : {at.shift.b, at.shift.c, at.shift.mu, at.time, at.start_time, at.theta})
    memory.numbers.push_back(number);
  for (const double number : factor_.save()) memory.numbers.push_back(number);
  for (const Vector* vector : {&at.x, &at.v, &at.start_x})
    if (!vector->empty()) memory.vectors.push_back(*vector);
  for (const auto* strain : {&at.strain, &at.start_strain})
    if (!strain->empty()) memory.vectors.emplace_back(*strain);
}

void MixedIteration::restore(MemoryReader& memory) {
  restart();
  const double kind = memory.number(0, 2);
  if (kind == 0) return;
  const bool of_step = kind == 2;
  Frozen at;
  for (double* number : {&at.shift.b, &at.shift.c, &at.shift.mu, &at.time, &at.start_time, &at.theta})
    *number = memory.number();
  factor_.restore({memory.number(0, 1e9), memory.number(0), memory.number(0, 1e9), memory.number(0, 1e9)});
  at.x = memory.vector();
  at.v = memory.vector();
  if (of_step) at.start_x = memory.vector();
  const auto strain = [&](bool there) {
    return there && strains() > 0 ? to_host(memory.vector(strains())) : std::vector<double>();
  };
  at.strain = strain(true);
  at.start_strain = strain(of_step);
  const ForcePath path{.time = at.time,
                       .x = at.x,
                       .v = at.v,
                       .start_time = at.start_time,
                       .start_x = at.start_x,
                       .start_strain = at.start_strain,
                       .theta = at.theta};
  if (!freeze(path, at.strain, at.shift))
    throw DamagedMemory("the matrix that was saved cannot be factorised");
}

bool MixedIteration::solve(const Stage& stage, ForcePath path, double tolerance, Vector& z,
                           std::vector<double>& strain) {
  if (constraints_) prescribe(*constraints_, stage, z);
  const Vector first_z = z;
  const std::vector<double> first_strain = strain;
  const Shift shift{stage.b, stage.c, stage.mu};
  iterations_ = 0;
  bool fresh = false;
  if (factor_.begins_anew()) forget();
  begin(stage, z, path);
  for (int factors = 0; factors < KeptFactor::most_in_a_solve; ++factors) {
    if (!frozen_ || !frozen_->shift.serves(shift)) {
      place(stage, z, path);
      if (!freeze(path, strain, shift)) return false;
      fresh = true;
    }
    const Outcome outcome = iterate(stage, path, tolerance, z, strain);
    if (outcome.verdict == Contraction::Verdict::converged) {
      if (!factor_.still_serves(outcome.corrections, fresh, matrix_.factor_cost())) forget();
      return true;
    }
    forget();
    factor_.failed(fresh);
    if (outcome.verdict == Contraction::Verdict::diverged) {
      if (fresh) return false;
      z = first_z;
      strain = first_strain;
      begin(stage, z, path);
    }
  }
  return false;
}

MixedIteration::Outcome MixedIteration::iterate(const Stage& stage, ForcePath& path, double tolerance,
                                                Vector& z, std::vector<double>& strain) {
  const ConjugateGradients::Filter free = filter();
  const MassMatrix& M = system_->mass();
  const double motion = M.norm(stage.q, work_);
  const double c = std::abs(stage.c);  // negative in steps back in time
  const double floor = 4 * epsilon * c / stage.b * M.norm(stage.p, work_);
  Contraction contraction(c, tolerance, motion, floor);
  while (true) {
    ++iterations_;
    place(stage, z, path);
    force_->force(path, strain, gap_, residual_);
    axpby(stage.mu, z, 0.0, work_);
    if (!stage.w.empty()) axpy(1.0, stage.w, work_);
    M.apply(work_, dv_);
    if (modes_) modes_->add_inertia(z, stage.q, dv_);
    axpy(-1.0, dv_, residual_);
    if (free) free(residual_);
    matrix_.solve(residual_, dz_, 1e-12, free);
    if (modes_) modes_->correct(dz_);
    const double size = M.norm(dz_, work_);
    if (contraction.diverges(size)) return {Contraction::Verdict::diverged, contraction.count()};

    axpy(1.0, dz_, z);
    copy(dz_, dv_);
    scale(stage.c, dv_);
    scale(stage.b, dz_);
    force_->follow(dz_, dv_, gap_, strain);

    const Contraction::Verdict verdict = contraction.see(size, M.norm(z, work_));
    if (verdict != Contraction::Verdict::goes_on) return {verdict, contraction.count()};
  }
}

}  // namespace stiffly
