#include "stiffly/control/piecewise_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>

#include "stiffly/control/blow_up.hpp"
#include "stiffly/control/dense_output.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {

/// One piece, its stepper, and where it was since the last meeting.
class PiecewiseStepper::Member {
 public:
  Member(Piece piece, const Stepping& stepping)
      : piece_(std::move(piece)),
        stepping_(stepping),
        start_(piece_.part_of(stepping.start)),
        nodes_{start_} {
    if (!stepping.parked) awake();
  }

  /// From what `save` made of it.
  Member(Piece piece, const Stepping& stepping, MemoryReader& memory)
      : piece_(std::move(piece)), stepping_(stepping), start_(piece_.part_of(stepping.start)) {
    const std::size_t size = 2 * piece_.system->unknowns();
    const auto count = [&] { return static_cast<std::size_t>(memory.number(0, 1e9)); };
    const auto vector = [&](std::size_t entries) {
      std::vector<double> out;
      for (; entries > 0; --entries) out.push_back(memory.number());
      return out;
    };
    const auto state = [&] {
      const double time = memory.number();
      return State(time, Vector(vector(size)));
    };
    for (std::size_t left = count(); left > 0; --left) nodes_.push_back(state());
    if (nodes_.empty()) throw DamagedMemory("'integrator/numbers' has a piece that is nowhere");
    Parked saved{.state = state(), .memory = {}, .given_up = memory.number()};
    saved.memory.control = vector(count());
    saved.memory.method.numbers = vector(count());
    for (std::size_t left = count(); left > 0; --left)
      saved.memory.method.vectors.emplace_back(vector(count()));
    parked_ = std::move(saved);
    awake();  // damage is found now, not on the way
    if (stepping.parked) park();
  }

  /// All into `out`, one number after the other.
  void save(std::vector<double>& out) {
    const auto append = [&](std::span<const double> values) {
      out.insert(out.end(), values.begin(), values.end());
    };
    const auto put = [&](const State& state) {
      out.push_back(state.time);
      append(to_host(state.y));
    };
    const auto put_counted = [&](std::span<const double> values) {
      out.push_back(static_cast<double>(values.size()));
      append(values);
    };
    const Parked now = stepper_ ? asleep() : *parked_;
    out.push_back(static_cast<double>(nodes_.size()));
    for (const State& node : nodes_) put(node);
    put(now.state);
    out.push_back(now.given_up);
    put_counted(now.memory.control);
    put_counted(now.memory.method.numbers);
    out.push_back(static_cast<double>(now.memory.method.vectors.size()));
    for (const Vector& v : now.memory.method.vectors) put_counted(to_host(v));
  }

  /// Drops the stepper, and all but what it takes to make it again and to know where it was at meetings.
  void park() {
    parked_ = asleep();
    stepper_.reset();
  }

  /// Steps until `to` is reached; `meeting_after(t)` is the first meeting after t.
  template <class MeetingAfter>
  void go(double from, double to, const MeetingAfter& meeting_after) {
    if (!stepper_) awake();
    record_ = {
        .h = to - from, .rejected = 0, .at_stability_limit = false, .phi = {}, .middle = {}, .steps = 0};
    nodes_.erase(nodes_.begin(), node(from));
    while (stepper_->state().time < to) {
      const double before = stepper_->state().time;
      const StepRecord& step = stepper_->advance();
      record_.rejected += step.rejected;
      record_.at_stability_limit |= step.at_stability_limit;
      record_.phi += step.phi;
      if (step.touch) record_.touch = most_of(record_.touch.value_or(Touch{}), *step.touch);
      ++record_.steps;
      std::vector<double> meetings;
      for (double t = meeting_after(before); t < stepper_->state().time; t = meeting_after(t))
        meetings.push_back(t);
      if (!meetings.empty())
        for (State& state : stepper_->within(meetings)) nodes_.push_back(std::move(state));
      else if (stepping_.parked && nodes_.size() > 1)
        nodes_.pop_back();  // an end of a step that is on the way from one meeting to the next
      nodes_.push_back(stepper_->state());
    }
    note_decision();
    if (stepping_.parked) park();
  }

  State at(double time) const {
    const auto after = node(time);
    if (after == nodes_.end()) return nodes_.back();
    if (after->time == time || after == nodes_.begin()) return *after;
    return interpolate(*(after - 1), *after, time);
  }
  /// Drops all but what is still ahead.
  void forget_before(double time) { nodes_.erase(nodes_.begin(), node(time)); }

  const Piece& piece() const { return piece_; }
  const StepRecord& record() const { return record_; }
  double energy_given_up() const {
    return stepper_ ? stepper_->energy_given_up() : parked_ ? parked_->given_up : 0;
  }
  /// The last one up to the last meeting.
  const std::optional<Decision>& decision() const { return decision_; }

  std::exception_ptr failure;

 private:
  /// What a stepper leaves between meetings.
  struct Parked {
    State state;
    StepperMemory memory;
    double given_up = 0;
  };
  Parked asleep() { return {stepper_->state(), stepper_->save(), stepper_->energy_given_up()}; }
  void awake() {
    const StepPlan& plan = stepping_.plan;
    if (!parked_) {
      stepper_ = make_stepper(stepping_.method, *piece_.system, start_, plan, stepping_.options);
      return;
    }
    const Checkpoint saved{start_, parked_->state, std::move(parked_->memory), {}};
    stepper_ = make_stepper(stepping_.method, *piece_.system, start_, plan, stepping_.options, &saved);
    parked_.reset();
  }

  /// A stepper that is made again does not know what the one before it decided.
  void note_decision() {
    const std::span<const Decision> made = stepper_->decisions();
    if (made.empty() || (decision_ && decision_->time == made.back().time)) return;
    decision_ = made.back();
    decision_->trials.clear();
  }

  /// The first one at or after that time.
  std::vector<State>::const_iterator node(double time) const {
    return std::ranges::lower_bound(nodes_, time, {}, &State::time);
  }

  Piece piece_;
  const Stepping& stepping_;
  State start_;
  std::unique_ptr<Stepper> stepper_;  ///< none while it is parked
  std::optional<Parked> parked_;      ///< none before the first step
  std::vector<State> nodes_;          ///< ends of steps and meetings, in order
  std::optional<Decision> decision_;
  StepRecord record_;
};

PiecewiseStepper::PiecewiseStepper(const SecondOrderSystem& system, std::vector<Piece> pieces,
                                   std::string_view method, const State& start, const StepPlan& plan,
                                   double meet_every, const IntegratorOptions& options,
                                   const Checkpoint* resume, Parking parking)
    : Stepper(system),
      stepping_{std::string(method), start, plan, options,
                parking == Parking::always || (parking == Parking::auto_ && parks(system, method))},
      state_(resume ? resume->state : start),
      start_(start.time),
      end_(start.time + plan.duration),
      interval_(std::min(meet_every, plan.duration)),
      energy_(system.energy(state_)),
      initial_energy_(resume ? resume->summary.initial_energy : energy_) {
  plan.check(start.time);
  if (pieces.empty()) throw InputError("there are no pieces to go through time with");
  if (!(interval_ > 0)) throw InputError("meetings of pieces need an interval above zero");
  if (options.constraints)
    throw InputError("velocities cannot be prescribed for particles of independent pieces");
  if (plan.tolerance == 0) {
    step_ = plan.step;
    step_count_ = std::max(1L, std::lround(interval_ / plan.step));
  }
  traits_ =
      make_stepper(method, *pieces.front().system, pieces.front().part_of(start), plan, options)->traits();
  traits_.own_dense_output = false;
  if (resume) {
    MemoryReader memory(resume->stepper.method, system);
    met_ = static_cast<long>(memory.number(0, 1e15));
    for (Piece& piece : pieces)
      members_.push_back(std::make_unique<Member>(std::move(piece), stepping_, memory));
    memory.finish();
  } else {
    members_.resize(pieces.size());
    parallel_for(pieces.size(), [&](std::size_t i) {
      members_[i] = std::make_unique<Member>(std::move(pieces[i]), stepping_);
    });
  }
}

PiecewiseStepper::~PiecewiseStepper() = default;

namespace {

// For each unknown, of hair with 72 to 120 of them a piece: with factors, with Krylov spaces and all that
// evaluators keep of them, and without.
constexpr double bytes_awake = 3.2e3, bytes_evaluating = 1.4e4, bytes_parked = 1e3, bytes_saved = 100;
constexpr double most_awake = 2e9;

double awake(const SecondOrderSystem& system, std::string_view method) {
  const MethodInfo& info = find_method(method);
  return (info.uses_evaluator || info.automatic ? bytes_evaluating : bytes_awake) *
         static_cast<double>(system.unknowns());
}

}  // namespace

bool PiecewiseStepper::parks(const SecondOrderSystem& system, std::string_view method) {
  return awake(system, method) > most_awake;
}

StepperBytes PiecewiseStepper::memory(const SecondOrderSystem& system, std::string_view method) {
  const auto unknowns = static_cast<double>(system.unknowns());
  return {parks(system, method) ? bytes_parked * unknowns : awake(system, method), bytes_saved * unknowns};
}

// Given steps end at start + k·step, and so do meetings, bit for bit.
double PiecewiseStepper::meeting(long number) const {
  const double n = static_cast<double>(number);
  const double time =
      step_count_ > 0 ? start_ + static_cast<double>(number * step_count_) * step_ : start_ + n * interval_;
  return time < end_ - 1e-9 * (step_count_ > 0 ? step_ : interval_) ? time : end_;
}

const StepRecord& PiecewiseStepper::advance() {
  const double from = state_.time, to = meeting(met_ + 1);
  const auto meeting_after = [&](double time) {
    long number = met_ + 1;
    while (meeting(number) <= time && meeting(number) < end_) ++number;
    return std::max(meeting(number), std::nextafter(time, INFINITY));
  };
  std::vector<Counters> before;
  for (const auto& member : members_) before.push_back(member->piece().system->counters());
  // The time of the whole is that of its pieces, too.
  const WorkMeter& whole = system().counters();
  const auto look_at_whole = [&whole] { return whole.look(), 0.0; };
  parallel_for(members_.size(), [&](std::size_t i) {
    try {
      const TimeLimit limit(members_[i]->piece().system->counters(), infinite, look_at_whole);
      members_[i]->go(from, to, meeting_after);
    } catch (...) {
      members_[i]->failure = std::current_exception();
    }
  });
  for (std::size_t i = 0; i < members_.size(); ++i)
    system().counters() = system().counters() + (members_[i]->piece().system->counters() - before[i]);
  for (const auto& member : members_) {
    if (!member->failure) continue;
    try {
      std::rethrow_exception(std::exchange(member->failure, nullptr));
    } catch (const BlowUp& error) {
      const auto first = 3 * static_cast<std::size_t>(member->piece().particles.front());
      throw BlowUp(fmt::format("{} (in the body of {})", error.what(), system().describe(first)), state_);
    }
  }
  record_ = {.h = to - from, .rejected = 0, .at_stability_limit = false, .phi = {}, .middle = {}, .steps = 0};
  for (const auto& member : members_) {
    const StepRecord& step = member->record();
    record_.rejected += step.rejected;
    record_.steps += step.steps;
    record_.at_stability_limit |= step.at_stability_limit;
    record_.phi.basis_sizes.clear();
    record_.phi += step.phi;
    if (step.touch) {
      if (!record_.touch) record_.touch.emplace();
      record_.touch->see(*step.touch);
    }
    member->piece().put(member->at(to), state_);
  }
  state_.time = to;
  ++met_;
  note_decisions();
  energy_ = system().energy(state_);
  return record_;
}

std::vector<State> PiecewiseStepper::within(std::span<const double> times) {
  std::vector<State> out;
  for (const double time : times) {
    out.push_back(state_);
    for (const auto& member : members_) member->piece().put(member->at(time), out.back());
    out.back().time = time;
  }
  return out;
}

double PiecewiseStepper::energy_given_up() const {
  double sum = 0;
  for (const auto& member : members_) sum += member->energy_given_up();
  return sum;
}

StepperMemory PiecewiseStepper::save() {
  StepperMemory out;
  out.method.numbers.push_back(static_cast<double>(met_));
  for (const auto& member : members_) {
    member->forget_before(state_.time);
    member->save(out.method.numbers);
  }
  return out;
}

/// One more where the pieces go on with other methods than at the last meeting.
void PiecewiseStepper::note_decisions() {
  std::map<std::string, long> counts;
  const Member* newest = nullptr;
  for (const auto& member : members_) {
    if (!member->decision()) return;
    ++counts[member->decision()->integrator];
    if (!newest || member->decision()->time > newest->decision()->time) newest = member.get();
  }
  std::string methods;
  for (const auto& [name, count] : counts)
    methods +=
        fmt::format("{}{} of {} pieces with {}", methods.empty() ? "" : ", ", count, members_.size(), name);
  if (methods == methods_) return;
  methods_ = methods;
  decisions_.push_back(*newest->decision());
  decisions_.back().reason = fmt::format("{}; one of them: {}", methods, decisions_.back().reason);
}

}  // namespace stiffly
