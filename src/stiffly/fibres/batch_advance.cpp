#include "stiffly/fibres/batch_advance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/integrators/energy_momentum.hpp"

namespace stiffly {
namespace {

constexpr int most_halvings = 12;
constexpr double loosest_iteration = 1e-4;  ///< beyond it energies drift by percents
constexpr double default_iteration = 1e-6;

double iteration_tolerance(const FibreSteps& steps) {
  if (steps.iteration_tolerance > 0) return steps.iteration_tolerance;
  if (steps.tolerance == 0) return default_iteration;
  const IntegratorTraits traits = EnergyMomentum::conserving().traits;
  return options_for(traits, {.newton_tolerance = loosest_iteration}, steps.tolerance).newton_tolerance;
}

}  // namespace

BatchAdvance::BatchAdvance(FibreBatch& batch, std::span<FibreProgress> progress, const FibreSteps& steps,
                           BatchWorkspace& workspace, double until)
    : batch_(batch),
      progress_(progress),
      steps_(steps),
      kernels_(batch_.kernels()),
      work_(workspace),
      view_(workspace.view(batch_)),
      contact_(batch),
      until_(until),
      tolerance_(iteration_tolerance(steps)),
      unknowns_(batch::section_size * batch_.sections()),
      springs_(batch::section_springs * batch_.sections()),
      free_x_(view_.x + batch::section_size * batch_.lanes()),
      lanes_(static_cast<std::size_t>(batch_.fibres())),
      active_(batch_.lanes()),
      fresh_(active_),
      clamped_(active_),
      taken_(active_),
      ended_(active_),
      kept_whole_(active_),
      kept_half_(active_),
      restored_(active_),
      saved_(active_),
      started_(active_),
      restarted_(active_),
      past_slots_(FibreBatch::past_slots, active_) {
  view_.extra_weight = steps.theta - 0.5;
  // Lanes that have nothing to do are computed with the others: their numbers must be numbers.
  const double furthest = until - std::ranges::min_element(progress, {}, &FibreProgress::time)->time;
  std::fill_n(view_.h, batch_.lanes(), furthest);
  std::fill_n(view_.frozen_h, batch_.lanes(), furthest);
  std::copy_n(view_.x, (unknowns_ + batch::section_size) * batch_.lanes(), view_.end_x);
  std::copy_n(view_.strain, springs_ * batch_.lanes(), view_.end_strain);
  for (double* array : {view_.z, work_.whole_x, work_.whole_v})
    std::fill_n(array, unknowns_ * batch_.lanes(), 0.0);
  std::fill_n(view_.direction, 3 * springs_ * batch_.lanes(), 0.0);
  std::fill_n(view_.across, springs_ * batch_.lanes(), 0.0);
  if (contact_.needed()) {
    std::fill_n(view_.push, 3 * batch_.sections() * batch_.lanes(), 0.0);
    std::fill_n(view_.push_stiffness, 9 * batch_.sections() * batch_.lanes(), 0.0);
  } else {
    view_.push = nullptr;
  }
}

FibreWork BatchAdvance::run() {
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!(progress(i).time < until_)) continue;
    active_.insert(i);
    look_around(i);
    begin_step(i);
  }
  save_steps();
  start_parts();
  while (!active_.empty()) {
    renew_factors();
    iterate();
    take_parts();
    keep_states();
    judge_steps();
    restore_steps();
    save_steps();
    start_parts();
  }
  return done_;
}

void BatchAdvance::look_around(int i) {
  if (controlled()) lane(i).clear_way = contact_.longest_step(i, progress(i).time, progress(i).step);
}

// Equal parts of what is left, so that one factor serves them all.
void BatchAdvance::begin_step(int i) {
  Lane& l = lane(i);
  const FibreProgress& p = progress(i);
  const double left = until_ - p.time;
  double wanted = controlled() ? std::min(p.step, l.clear_way) : steps_.step;
  if (controlled() && steps_.drives) wanted = steps_.drives->longest_step(p.time, wanted);
  const double count = std::max(1.0, std::ceil(left / wanted * (1 - 1e-9)));
  l.h = left / count;
  const double shortest = std::max(1e-14 * std::abs(p.time), 1e-13 * steps_.duration);
  if (!(l.h > shortest)) give_up(i, l.h);
  l.whole_way = count == 1;
  l.compared = controlled() && p.past < FibreBatch::past_slots && !p.displaced;
  l.leg = 0;
  l.time = p.time;
  l.energy = {};
  if (controlled()) saved_.insert(i);
  begin_leg(i);
}

void BatchAdvance::begin_leg(int i) {
  Lane& l = lane(i);
  l.parts = {{l.compared && l.leg > 0 ? l.h / 2 : l.h, 0}};
  begin_part(i);
}

void BatchAdvance::begin_part(int i) {
  while (lane(i).parts.back().halvings < lane(i).foreseen) halve(i);
  lane(i).clamped = false;
  started_.insert(i);
}

void BatchAdvance::halve(int i) {
  std::vector<Part>& parts = lane(i).parts;
  progress(i).work.substeps += parts.back().halvings == 0 ? 1 : 2;
  parts.back() = {parts.back().length / 2, parts.back().halvings + 1};
  parts.push_back(parts.back());
}

void BatchAdvance::end_leg(int i) {
  Lane& l = lane(i);
  if (!l.compared || l.leg == 2) {
    ended_.insert(i);
    return;
  }
  if (l.leg == 0) {
    kept_whole_.insert(i);
    restored_.insert(i);
    l.energy = {};
    l.time = progress(i).time;
  } else {
    kept_half_.insert(i);
    l.half_time = l.time;
  }
  ++l.leg;
  begin_leg(i);
}

void BatchAdvance::fail_part(int i) {
  Lane& l = lane(i);
  if (l.parts.back().halvings < most_halvings) {
    halve(i);
    begin_part(i);
    return;
  }
  if (!controlled()) give_up(i, l.parts.back().length);
  progress(i).controller.fail();
  l.foreseen = l.deepest = 0;
  reject(i);
}

void BatchAdvance::reject(int i) {
  FibreProgress& p = progress(i);
  ++p.work.rejected;
  p.step = lane(i).h * p.controller.factor();
  restored_.insert(i);
  begin_step(i);
}

void BatchAdvance::accept(int i) {
  Lane& l = lane(i);
  FibreProgress& p = progress(i);
  ++p.work.steps;
  p.energy += l.energy;
  p.time = l.whole_way ? until_ : p.time + l.h;
  if (p.time < until_) {
    look_around(i);
    begin_step(i);
  } else {
    active_.erase(i);
  }
}

void BatchAdvance::give_up(int i, double h) const {
  throw SimulationError(fmt::format("fibre {}: no step converges at t = {:.6g} s, not even one of {:.1e} s",
                                    batch_.number(i), progress_[static_cast<std::size_t>(i)].time, h));
}

void BatchAdvance::renew_factors() {
  fresh_.clear();
  clamped_.clear();
  for (int i = 0; i < batch_.fibres(); ++i)
    if (active_.contains(i) && lane(i).iteration.needs_factor()) {
      fresh_.insert(i);
      if (lane(i).clamped) clamped_.insert(i);
      contact_.freeze(i, view_);
    }
  LineVector failed(static_cast<std::size_t>(batch_.lanes()));
  while (!fresh_.empty()) {
    kernels_.freeze(view_, fresh_.data(), clamped_.data());
    kernels_.factor(view_, failed.data());
    ++done_.batch_factors;
    for (int i = 0; i < batch_.fibres(); ++i) {
      if (!fresh_.contains(i)) continue;
      ++progress(i).work.factors;
      if (failed[static_cast<std::size_t>(i)] != 0 && !lane(i).clamped) {
        lane(i).clamped = true;
        clamped_.insert(i);
        continue;
      }
      // One that failed even so gives no numbers, and the iteration says so.
      fresh_.erase(i);
      lane(i).iteration.made_factor();
    }
  }
}

void BatchAdvance::iterate() {
  const auto W = static_cast<std::size_t>(batch_.lanes());
  LineVector correction(W), acceleration(W);
  for (int i = 0; i < batch_.fibres(); ++i)
    if (active_.contains(i)) contact_.push(i, view_);
  kernels_.iterate(view_, active_.data(), correction.data(), acceleration.data());
  ++done_.batch_iterations;
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!active_.contains(i)) continue;
    ++progress(i).work.iterations;
    const auto k = static_cast<std::size_t>(i);
    switch (lane(i).iteration.see(std::sqrt(correction[k]), std::sqrt(acceleration[k]))) {
      case FibreIteration::Verdict::converged:
        taken_.insert(i);
        break;
      case FibreIteration::Verdict::restart:
        restarted_.insert(i);
        break;
      case FibreIteration::Verdict::failed:
        fail_part(i);
        break;
      default:
        break;
    }
  }
}

// x ← x⁺, v ← v + hz, δ ← δ⁺
void BatchAdvance::take_parts() {
  if (taken_.empty()) return;
  const auto W = static_cast<std::size_t>(batch_.lanes());
  LineVector supports(W), dashpots(W), drag(W);
  kernels_.account(view_, supports.data(), dashpots.data(), drag.data());
  std::vector<BatchContact::Work> contact(lanes_.size());
  for (int i = 0; i < batch_.fibres(); ++i)
    if (taken_.contains(i)) contact[static_cast<std::size_t>(i)] = contact_.work(i, view_);
  copy(unknowns_ + batch::section_size, view_.end_x, view_.x, taken_);
  kernels_.add(unknowns_, view_.h, view_.z, view_.v, taken_.data());
  copy(unknowns_, view_.z, batch_.acceleration(), taken_);
  copy(springs_, view_.end_strain, view_.strain, taken_);
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!taken_.contains(i)) continue;
    Lane& l = lane(i);
    const auto k = static_cast<std::size_t>(i);
    l.energy += {supports[k], dashpots[k], drag[k], contact[k].brought, contact[k].rubbed};
    l.time += l.parts.back().length;
    l.deepest = std::max(l.deepest, l.parts.back().halvings);
    l.parts.pop_back();
    if (l.parts.empty())
      end_leg(i);
    else
      begin_part(i);
  }
  taken_.clear();
}

void BatchAdvance::keep_states() {
  copy(unknowns_, free_x_, work_.whole_x, kept_whole_);
  copy(unknowns_, view_.v, work_.whole_v, kept_whole_);
  copy(unknowns_, free_x_, batch_.past(1), kept_half_);  // the start is in the first slot
  kept_whole_.clear();
  kept_half_.clear();
}

void BatchAdvance::judge_steps() {
  if (ended_.empty()) return;
  StepNorms norms;
  if (controlled()) {
    BatchEstimate estimate(batch_, work_);
    for (int i = 0; i < batch_.fibres(); ++i) {
      if (!ended_.contains(i)) continue;
      if (lane(i).compared)
        estimate.compare(i);
      else if (progress(i).past >= FibreBatch::past_slots)
        estimate.difference(i, progress(i).time, lane(i).h, progress(i).past_time);
    }
    norms = estimate.norms();
  }
  for (LaneSet& slot : past_slots_) slot.clear();
  for (int i = 0; i < batch_.fibres(); ++i) {
    if (!ended_.contains(i)) continue;
    lane(i).foreseen = std::max(0, lane(i).deepest - 1);
    lane(i).deepest = 0;
    if (!controlled() || judge(i, norms))
      accept(i);
    else
      reject(i);
  }
  for (int slot = 0; slot < FibreBatch::past_slots; ++slot)
    copy(unknowns_, free_x_, batch_.past(slot), past_slots_[static_cast<std::size_t>(slot)]);
  ended_.clear();
}

bool BatchAdvance::judge(int i, const StepNorms& norms) {
  const Lane& l = lane(i);
  FibreProgress& p = progress(i);
  const auto keep_end = [&] {
    ++p.past;
    p.past_time[static_cast<std::size_t>(p.newest())] = l.whole_way ? until_ : p.time + l.h;
    past_slots_[static_cast<std::size_t>(p.newest())].insert(i);
  };
  if (!l.compared && p.past < FibreBatch::past_slots) {
    keep_end();
    return true;
  }
  p.displaced = false;
  const auto k = static_cast<std::size_t>(i);
  const double X = std::max(p.displacement, norms.displacement[k]), V = std::max(p.speed, norms.speed[k]);
  const auto ratio = [](double part, double whole) { return part == 0 ? 0 : part / whole; };
  const double error = std::hypot(ratio(std::max(0.0, norms.position_error[k] - p.roundoff), X),
                                  ratio(norms.velocity_error[k], V)) /
                       std::sqrt(2.0);
  if (!p.controller.judge(error)) return false;
  p.displacement = X;
  p.speed = V;
  p.step = (l.whole_way ? l.h : std::max(p.step, l.h)) * p.controller.factor();
  if (l.compared) p.past_time[static_cast<std::size_t>(p.past++)] = l.half_time;
  keep_end();
  return true;
}

void BatchAdvance::restore_steps() {
  if (restored_.empty()) return;
  copy(unknowns_, work_.begin_v, view_.v, restored_);
  copy(unknowns_, work_.begin_acceleration, batch_.acceleration(), restored_);
  copy(springs_, work_.begin_strain, view_.strain, restored_);
  for (int slot = 0; slot < FibreBatch::past_slots; ++slot) {
    LaneSet here = restored_;
    for (int i = 0; i < batch_.fibres(); ++i)
      if (progress(i).newest() != slot) here.erase(i);
    copy(unknowns_, batch_.past(slot), free_x_, here);
  }
  for (int i = 0; i < batch_.fibres(); ++i)
    if (restored_.contains(i)) batch_.place_root(i, progress(i).time, view_.x);
  restored_.clear();
}

void BatchAdvance::save_steps() {
  if (saved_.empty()) return;
  copy(unknowns_, view_.v, work_.begin_v, saved_);
  copy(unknowns_, batch_.acceleration(), work_.begin_acceleration, saved_);
  copy(springs_, view_.strain, work_.begin_strain, saved_);
  saved_.clear();
}

// The last acceleration is the guess. One that begins anew does so from the same.
void BatchAdvance::start_parts() {
  if (started_.empty() && restarted_.empty()) return;
  LaneSet both = started_;
  for (int i = 0; i < batch_.fibres(); ++i)
    if (restarted_.contains(i)) both.insert(i);
  copy(unknowns_, batch_.acceleration(), view_.z, both);
  copy(springs_, view_.strain, view_.end_strain, both);
  for (int i = 0; i < batch_.fibres(); ++i)
    if (started_.contains(i)) {
      const double h = lane(i).parts.back().length;
      view_.h[i] = h;
      batch_.place_root(i, lane(i).time + h, view_.end_x);
      contact_.place(i, view_, lane(i).time, h);
    }
  kernels_.place(view_);
  const PathNorms path = path_norms(batch_, view_.h);
  for (int i = 0; i < batch_.fibres(); ++i)
    if (started_.contains(i)) {
      const auto k = static_cast<std::size_t>(i);
      lane(i).iteration.begin(view_.h[i], tolerance_, path.speed[k], path.distance[k]);
    }
  started_.clear();
  restarted_.clear();
}

}  // namespace stiffly
