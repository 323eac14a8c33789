#include "stiffly/fibres/batch_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/control/stepper.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_advance.hpp"
#include "stiffly/fibres/batch_exponential.hpp"
#include "stiffly/integrators/energy_momentum.hpp"

namespace stiffly {

FibreWork& FibreWork::operator+=(const FibreWork& other) {
  steps += other.steps;
  rejected += other.rejected;
  substeps += other.substeps;
  factors += other.factors;
  iterations += other.iterations;
  products += other.products;
  batch_factors += other.batch_factors;
  batch_iterations += other.batch_iterations;
  return *this;
}

FibreEnergy& FibreEnergy::operator+=(const FibreEnergy& other) {
  supports += other.supports;
  dashpots += other.dashpots;
  drag += other.drag;
  obstacles += other.obstacles;
  friction += other.friction;
  return *this;
}

std::vector<double> FibreProgress::save() const {
  const std::vector<double> control = controller.save();
  std::vector<double> out = {time,         step,  past_time[0], past_time[1], past_time[2], double(past),
                             displacement, speed, roundoff,     control[0],   control[1]};
  for (const long count : {work.steps, work.rejected, work.substeps, work.factors, work.iterations})
    out.push_back(static_cast<double>(count));
  out.insert(out.end(), {energy.supports, energy.dashpots, energy.drag, energy.obstacles, energy.friction,
                         displaced ? 1.0 : 0.0, owed});
  return out;
}

void FibreProgress::restore(std::span<const double> numbers) {
  const bool good = numbers.size() == saved_numbers &&
                    std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); }) &&
                    numbers[5] >= 1 && numbers[5] < 1e9 && numbers[1] >= 0;
  if (!good) throw InputError("what was saved of the steps of a fibre is damaged");
  time = numbers[0];
  step = numbers[1];
  std::copy_n(numbers.begin() + 2, past_time.size(), past_time.begin());
  past = static_cast<int>(numbers[5]);
  displacement = numbers[6];
  speed = numbers[7];
  roundoff = numbers[8];
  controller.restore(numbers.subspan(9, 2));
  std::size_t next = 11;
  for (long* count : {&work.steps, &work.rejected, &work.substeps, &work.factors, &work.iterations})
    *count = static_cast<long>(numbers[next++]);
  energy = {numbers[next], numbers[next + 1], numbers[next + 2], numbers[next + 3], numbers[next + 4]};
  displaced = numbers[next + 5] != 0;
  owed = numbers[next + 6];
}

BatchStepper::BatchStepper(FibreBatch batch, const FibreSteps& steps)
    : batch_(std::move(batch)), steps_(steps) {
  StepPlan{steps.duration, steps.step, steps.tolerance}.check(0);
  if (!(steps.theta >= 0.5 && steps.theta <= 1))
    throw InputError(fmt::format("theta must be between 0.5 and 1, not {}", steps.theta));
  if (!(steps.iteration_tolerance >= 0 && steps.iteration_tolerance < 1))
    throw InputError(fmt::format("the tolerance of iterations must be between 0 and 1, not {}",
                                 steps.iteration_tolerance));
  if (!(std::isfinite(steps.least_motion) && steps.least_motion >= 0))
    throw InputError(
        fmt::format("the least motion must be finite and not negative, not {}", steps.least_motion));
  if (steps.exponential) check_exponential();
  const int lanes = batch_.lanes(), unknowns = batch::section_size * batch_.sections();
  LineVector v(static_cast<std::size_t>(lanes * (unknowns + batch::section_size)), 0.0);
  const BatchWorkspace workspace(lanes, batch_.sections());
  const BatchView view = workspace.view(batch_);
  std::copy_n(view.v, unknowns * lanes, v.data() + batch::section_size * lanes);
  batch_.kernels().evaluate(view, view.x, v.data(), view.residual, view.h, view.panels);
  std::copy_n(batch_.start(), unknowns * lanes, batch_.past(0));
  const IntegratorTraits traits = EnergyMomentum::conserving().traits;
  progress_.reserve(static_cast<std::size_t>(batch_.fibres()));
  for (int lane = 0; lane < batch_.fibres(); ++lane) {
    progress_.push_back({.controller = StepController(traits, steps.tolerance)});
    choose_first_step(lane, view.residual);
  }
}

void BatchStepper::check_exponential() const {
  if (!ExponentialAdvance::knows(*steps_.exponential))
    throw InputError(fmt::format(
        "batches of fibres do not know {}: its stages depend on each other, or its linear part is fixed",
        steps_.exponential->name));
  if (steps_.tolerance > 0) throw InputError("exponential steps of fibres in batches must be given");
  if (!(steps_.phi_tolerance > 0 && steps_.phi_tolerance < 1))
    throw InputError(
        fmt::format("the tolerance of φ-functions must be between 0 and 1, not {}", steps_.phi_tolerance));
  for (int lane = 0; lane < batch_.fibres(); ++lane)
    if (batch_.obstacles(lane)) throw InputError("exponential steps of fibres in batches know no obstacles");
}

// As MotionScale does it for systems.
void BatchStepper::choose_first_step(int lane, const double* force) {
  const BatchView& view = batch_.view();
  const auto W = static_cast<std::size_t>(batch_.lanes()), offset = static_cast<std::size_t>(lane);
  double mass = 0, size = 0, speed = 0, push = 0;
  const auto unknowns = static_cast<std::size_t>(batch::section_size * batch_.segments(lane));
  for (std::size_t i = 0; i < unknowns; ++i) {
    const std::size_t k = W * i + offset;
    const double m = view.mass[W * (i / 3) + offset];
    mass += m / 3;  // three entries each
    size += m * batch_.start()[k] * batch_.start()[k];
    speed += m * view.v[k] * view.v[k];
    push += force[k] * force[k] / m;
  }
  size = std::sqrt(size), speed = std::sqrt(speed), push = std::sqrt(push);
  FibreProgress& p = progress_[offset];
  p.roundoff = 16 * std::numeric_limits<double>::epsilon() * size;
  const double part = std::cbrt(steps_.tolerance);
  double h = steps_.duration / 20;
  if (push > 0 && size > 0) h = std::min(h, part * std::sqrt(size / push));
  if (speed > 0 && push > 0) h = std::min(h, part * speed / push);
  if (speed > 0 && size > 0) h = std::min(h, part * size / speed);
  p.step = h;
  p.displacement = std::max(steps_.least_motion * std::sqrt(mass), h * speed + h * h * push / 2);
  p.speed = std::max(speed, h * push);
}

void BatchStepper::advance(double until, BatchWorkspace& workspace) {
  if (!(until > time_)) throw InputError(fmt::format("fibres are at t = {} s, beyond {} s", time_, until));
  batch_work_ += steps_.exponential ? ExponentialAdvance(batch_, progress_, steps_, workspace, until).run()
                                    : BatchAdvance(batch_, progress_, steps_, workspace, until).run();
  time_ = until;
}

double BatchStepper::displace(int lane, const SectionWay& way, const SectionWay& faster) {
  FibreProgress& p = progress_[static_cast<std::size_t>(lane)];
  const double taken = batch_.displace(lane, time_, way, faster);
  p.displaced = true;
  p.past = 1;
  p.past_time[0] = time_;
  const int W = batch_.lanes(), unknowns = batch::section_size * batch_.sections();
  const double* free_x = batch_.view().x + W * batch::section_size;
  for (int i = 0; i < unknowns; ++i) batch_.past(0)[W * i + lane] = free_x[W * i + lane];
  return taken;
}

void BatchStepper::keep() {
  const std::span<const double> now = batch_.changing_memory();
  kept_.time = time_;
  kept_.numbers.assign(now.begin(), now.end());
  kept_.progress = progress_;
}

void BatchStepper::go_back(int lane) {
  time_ = kept_.time;
  batch_.put_back(lane, kept_.numbers);
  progress_[static_cast<std::size_t>(lane)] = kept_.progress[static_cast<std::size_t>(lane)];
}

FibreWork BatchStepper::total_work() const {
  FibreWork out = batch_work_;
  for (const FibreProgress& p : progress_) out += p.work;
  return out;
}

std::vector<double> BatchStepper::save(int lane) const {
  std::vector<double> out = progress_[static_cast<std::size_t>(lane)].save();
  for (const double value : batch_.save(lane)) out.push_back(value);
  return out;
}

void BatchStepper::restore(std::span<const std::vector<double>> lanes) {
  if (lanes.size() != progress_.size()) throw InputError("what was saved is of another number of fibres");
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const std::span<const double> numbers = lanes[lane];
    if (numbers.size() < FibreProgress::saved_numbers)
      throw InputError("what was saved of a fibre is damaged");
    progress_[lane].restore(numbers.first(FibreProgress::saved_numbers));
    batch_.restore(static_cast<int>(lane), numbers.subspan(FibreProgress::saved_numbers));
    if (progress_[lane].time != progress_.front().time)
      throw InputError("what was saved of fibres is not of one time");
  }
  time_ = progress_.front().time;
}

}  // namespace stiffly
