#include "stiffly/fibres/fibre_stepper.hpp"

#include <algorithm>

#include "stiffly/control/simulation.hpp"
#include "stiffly/fibres/batch_exponential.hpp"
#include "stiffly/integrators/energy_momentum.hpp"
#include "stiffly/integrators/exponential_method.hpp"
#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

/// Of the length of fibres: errors are not measured against less motion than that. What begins to move is
/// otherwise followed to some millionths of a hair's length, at a third of all steps of a run.
constexpr double least_motion = 1e-3;

FibreSteps steps_of(const ParticleSystem& system, const SystemFibres& fibres, const State& start,
                    const StepPlan& plan, const IntegratorOptions& options,
                    const ExponentialTableau* exponential) {
  FibreSteps out{.duration = plan.duration,
                 .step = plan.step,
                 .tolerance = plan.tolerance,
                 .least_motion = least_motion * fibres.mean_length(start),
                 .exponential = exponential,
                 .phi_tolerance = options.phi_tolerance};
  if (plan.tolerance == 0) out.iteration_tolerance = options.newton_tolerance;
  if (plan.tolerance > 0) out.drives = std::make_shared<DriveMap>(system, start.time, plan.duration);
  return out;
}

/// States within steps are interpolated, whatever the method.
IntegratorTraits traits_of(const ExponentialTableau* exponential) {
  if (!exponential) return EnergyMomentum::conserving().traits;
  IntegratorTraits out = ExponentialMethod::traits_of(*exponential);
  out.own_dense_output = false;
  return out;
}

}  // namespace

const ExponentialTableau* FibreStepper::exponential(const std::string& integrator, const StepPlan& plan,
                                                    const IntegratorOptions& options) {
  const auto tableaus = exponential_tableaus();
  const auto found = std::ranges::find(tableaus, integrator, &ExponentialTableau::name);
  const IntegratorOptions usual;
  const bool left_open = options.evaluator == usual.evaluator && options.phi_norm == usual.phi_norm &&
                         options.reformulation == usual.reformulation;
  return found != tableaus.end() && ExponentialAdvance::knows(*found) && plan.tolerance == 0 && left_open
             ? &*found
             : nullptr;
}

FibreStepper::FibreStepper(const ParticleSystem& system, SystemFibres fibres, const State& start,
                           const StepPlan& plan, std::vector<double> meetings,
                           const IntegratorOptions& options, const Checkpoint* resume,
                           std::string chosen_because, const std::optional<FibreContactLaw>& contact,
                           const ExponentialTableau* exponential)
    : Stepper(system),
      fibres_(std::move(fibres)),
      meetings_(std::move(meetings)),
      exponential_(exponential),
      simulation_(fibres_.supply(start), Eigen::Vector3d::Zero(),
                  steps_of(system, fibres_, start, plan, options, exponential)),
      traits_(traits_of(exponential)),
      start_(start),
      before_(start),
      state_(resume ? resume->state : start) {
  plan.check(start.time);
  if (start.time != 0) throw InputError("fibres in batches start at the time 0");
  if (meetings_.empty() || !(meetings_.front() > start.time) ||
      std::ranges::adjacent_find(meetings_, std::greater_equal<>()) != meetings_.end())
    throw InputError("meetings of fibres must be at rising times after the start");
  if (contact) contact_.emplace(simulation_, fibres_.segments(), *contact);
  if (resume) resume_from(resume->stepper);
  energy_ = system.energy(state_);
  initial_energy_ = resume ? resume->summary.initial_energy : energy_;
  totals_ = fibres_.totals(simulation_, start_, state_);
  if (!chosen_because.empty())
    decisions_.push_back({state_.time, traits_.name, std::move(chosen_because), {}, 0});
}

// Between meetings a state and what `supply` keeps of the start, three states here, and batches.
StepperBytes FibreStepper::memory(const SystemFibres& fibres, bool contact,
                                  const ExponentialTableau* exponential) {
  double unknowns = 0;
  for (const int segments : fibres.segments()) unknowns += fibre::section_size * segments;
  const std::size_t of_contact = contact ? FibreContact::memory(fibres.segments()) : 0;
  return {static_cast<double>(FibreSimulation::memory(fibres.segments(), 0, exponential) + of_contact) +
              4 * 2 * sizeof(double) * unknowns,
          static_cast<double>(FibreSimulation::saved_memory(fibres.segments()))};
}

const StepRecord& FibreStepper::advance() {
  system().counters().look();
  const double from = state_.time, to = meetings_[next_];
  std::optional<ProjectionReport> projection;
  if (contact_)
    projection = contact_->advance(to);
  else
    simulation_.advance(to);
  ++next_;
  before_ = state_;
  gather();
  state_.time = to;
  const FibreWork now = simulation_.total_work();
  record_ = {.h = to - from,
             .rejected = now.rejected - work_.rejected,
             .at_stability_limit = false,
             .phi = {},
             .middle = {},
             .steps = now.steps - work_.steps,
             .touch = system().touch(state_),
             .projection = projection};
  count(now);
  energy_ = system().energy(state_);
  totals_ = fibres_.totals(simulation_, start_, state_);
  return record_;
}

void FibreStepper::count(const FibreWork& now) {
  Counters& counters = system().counters();
  const auto steps = now.steps - work_.steps, iterations = now.iterations - work_.iterations,
             factors = now.factors - work_.factors;
  counters.solve += iterations;
  counters.factorization += factors;
  counters.product += now.products - work_.products;
  counters.tangent += exponential_ ? steps : factors;
  counters.force += exponential_ ? steps * (1 + static_cast<long>(exponential_->nodes.size())) : iterations;
  work_ = now;
}

void FibreStepper::gather() {
  double *x = state_.x().data(), *v = state_.v().data();
  parallel_for(fibres_.size(), [&](std::size_t i) {
    const std::vector<double> positions = simulation_.positions(i), velocities = simulation_.velocities(i);
    std::copy(positions.begin() + fibre::section_size, positions.end(), x + fibres_.first_unknown(i));
    std::ranges::copy(velocities, v + fibres_.first_unknown(i));
  });
}

std::vector<State> FibreStepper::within(std::span<const double> times) {
  std::vector<State> out;
  for (const double time : times) {
    const double h = state_.time - before_.time, part = (time - before_.time) / h;
    State state(time, Vector(state_.y.size(), state_.y.backend()));
    axpy(1 - part, before_.x(), state.x());
    axpy(part, state_.x(), state.x());
    axpy(-1 / h, before_.x(), state.v());
    axpy(1 / h, state_.x(), state.v());
    out.push_back(std::move(state));
  }
  return out;
}

StepperMemory FibreStepper::save() {
  StepperMemory out;
  std::vector<std::size_t> begin = {0};
  for (std::size_t i = 0; i < fibres_.size(); ++i) {
    begin.push_back(begin.back() + simulation_.saved_size(i));
    out.method.numbers.push_back(static_cast<double>(begin[i + 1] - begin[i]));
  }
  Vector& numbers = out.method.vectors.emplace_back(begin.back());
  parallel_for(fibres_.size(),
               [&](std::size_t i) { std::ranges::copy(simulation_.save(i), numbers.data() + begin[i]); });
  return out;
}

void FibreStepper::resume_from(const StepperMemory& saved) {
  MemoryReader memory(saved.method, system());
  std::vector<std::size_t> begin = {0};
  for (std::size_t i = 0; i < fibres_.size(); ++i)
    begin.push_back(begin.back() + static_cast<std::size_t>(memory.number(0, 1e9)));
  const Vector numbers = memory.vector(begin.back());
  memory.finish();
  const auto all = host(numbers);
  try {
    simulation_.restore([&](std::size_t i) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(begin[i]),
                                 all.begin() + static_cast<std::ptrdiff_t>(begin[i + 1]));
    });
  } catch (const InputError& error) {
    throw DamagedMemory(std::string("'integrator/vector0' is not that of these fibres: ") + error.what());
  }
  work_ = simulation_.total_work();
  while (next_ < meetings_.size() && meetings_[next_] <= state_.time) ++next_;
  if (next_ == 0 || meetings_[next_ - 1] != state_.time || simulation_.time() != state_.time)
    throw DamagedMemory("'state/time' is no meeting of fibres");
  State saved_state = state_;
  gather();
  if (to_host(saved_state.y) != to_host(state_.y))
    throw DamagedMemory("'state/y' is not where 'integrator/vector0' has the fibres");
}

}  // namespace stiffly
