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
  Member(Piece piece, std::string_view method, const State& start, const StepPlan& plan,
         const IntegratorOptions& options)
      : piece_(std::move(piece)),
        stepper_(make_stepper(method, *piece_.system, piece_.part_of(start), plan, options)),
        nodes_{stepper_->state()} {}

  /// From what `save` made of it.
  Member(Piece piece, std::string_view method, const State& start, const StepPlan& plan,
         const IntegratorOptions& options, MemoryReader& memory)
      : piece_(std::move(piece)) {
    const std::size_t size = 2 * piece_.system->unknowns();
    const auto count = [&] { return static_cast<std::size_t>(memory.number(0, 1e9)); };
    Checkpoint saved{.start = piece_.part_of(start), .state = {}, .stepper = {}, .summary = {}};
    for (std::size_t left = count(); left > 0; --left) {
      const double time = memory.number();
      nodes_.emplace_back(time, memory.vector(size));
    }
    const double time = memory.number();
    saved.state = State(time, memory.vector(size));
    for (std::size_t left = count(); left > 0; --left) saved.stepper.control.push_back(memory.number());
    for (std::size_t left = count(); left > 0; --left)
      saved.stepper.method.numbers.push_back(memory.number());
    for (std::size_t left = count(); left > 0; --left)
      saved.stepper.method.vectors.push_back(memory.vector(static_cast<std::size_t>(memory.number(0, 1e12))));
    if (nodes_.empty()) throw DamagedMemory("'integrator/numbers' has a piece that is nowhere");
    stepper_ = make_stepper(method, *piece_.system, saved.start, plan, options, &saved);
  }

  void save(IntegratorMemory& out) {
    const auto put = [&](const State& state) {
      out.numbers.push_back(state.time);
      out.vectors.push_back(state.y);
    };
    const StepperMemory memory = stepper_->save();
    out.numbers.push_back(static_cast<double>(nodes_.size()));
    for (const State& node : nodes_) put(node);
    put(stepper_->state());
    for (const auto* numbers : {&memory.control, &memory.method.numbers}) {
      out.numbers.push_back(static_cast<double>(numbers->size()));
      out.numbers.insert(out.numbers.end(), numbers->begin(), numbers->end());
    }
    out.numbers.push_back(static_cast<double>(memory.method.vectors.size()));
    for (const Vector& v : memory.method.vectors) {
      out.numbers.push_back(static_cast<double>(v.size()));
      out.vectors.push_back(v);
    }
  }

  /// Steps until `to` is reached; `meeting_after(t)` is the first meeting after t.
  template <class MeetingAfter>
  void go(double from, double to, const MeetingAfter& meeting_after) {
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
      nodes_.push_back(stepper_->state());
    }
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
  Stepper& stepper() { return *stepper_; }
  const Stepper& stepper() const { return *stepper_; }
  const StepRecord& record() const { return record_; }

  std::exception_ptr failure;

 private:
  /// The first one at or after that time.
  std::vector<State>::const_iterator node(double time) const {
    return std::ranges::lower_bound(nodes_, time, {}, &State::time);
  }

  Piece piece_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<State> nodes_;  ///< ends of steps and meetings, in order
  StepRecord record_;
};

PiecewiseStepper::PiecewiseStepper(const SecondOrderSystem& system, std::vector<Piece> pieces,
                                   std::string_view method, const State& start, const StepPlan& plan,
                                   double meet_every, const IntegratorOptions& options,
                                   const Checkpoint* resume)
    : Stepper(system),
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
  if (resume) {
    MemoryReader memory(resume->stepper.method, system);
    met_ = static_cast<long>(memory.number(0, 1e15));
    for (Piece& piece : pieces)
      members_.push_back(std::make_unique<Member>(std::move(piece), method, start, plan, options, memory));
    memory.finish();
  } else {
    members_.resize(pieces.size());
    parallel_for(pieces.size(), [&](std::size_t i) {
      members_[i] = std::make_unique<Member>(std::move(pieces[i]), method, start, plan, options);
    });
  }
  traits_ = members_.front()->stepper().traits();
  traits_.own_dense_output = false;
}

PiecewiseStepper::~PiecewiseStepper() = default;

double PiecewiseStepper::memory(const SecondOrderSystem& system) {
  constexpr double bytes_per_unknown =
      4.5e3;  // a stepper with its factor and its system, on hair of 96 unknowns a piece
  return bytes_per_unknown * static_cast<double>(system.unknowns());
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
      throw BlowUp(error.what(), state_);
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
  for (const auto& member : members_) sum += member->stepper().energy_given_up();
  return sum;
}

StepperMemory PiecewiseStepper::save() {
  StepperMemory out;
  out.method.numbers.push_back(static_cast<double>(met_));
  for (const auto& member : members_) {
    member->forget_before(state_.time);
    member->save(out.method);
  }
  return out;
}

/// One more where the pieces go on with other methods than at the last meeting.
void PiecewiseStepper::note_decisions() {
  std::map<std::string, long> counts;
  const Member* newest = nullptr;
  for (const auto& member : members_) {
    const std::span<const Decision> made = member->stepper().decisions();
    if (made.empty()) return;
    ++counts[made.back().integrator];
    if (!newest || made.back().time > newest->stepper().decisions().back().time) newest = member.get();
  }
  std::string methods;
  for (const auto& [name, count] : counts)
    methods +=
        fmt::format("{}{} of {} pieces with {}", methods.empty() ? "" : ", ", count, members_.size(), name);
  if (methods == methods_) return;
  methods_ = methods;
  decisions_.push_back(newest->stepper().decisions().back());
  decisions_.back().reason = fmt::format("{}; one of them: {}", methods, decisions_.back().reason);
}

}  // namespace stiffly
