#include "stiffly/phi/rational.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/limits.hpp"
#include "stiffly/phi/shift_invert_projection.hpp"

namespace stiffly {
namespace {

/// b_0 … b_p as seen from time `now`, where the solution is `u`:
///   Σ_j b_j (now+s)^{j−1}/(j−1)! = Σ_j b'_j s^{j−1}/(j−1)!,   b'_j = Σ_i now^i/i! b_{j+i}.
std::vector<Vector> forcing_from(std::span<const ConstVectorView> b, double now, Vector u) {
  std::vector<Vector> shifted;
  shifted.push_back(std::move(u));
  for (std::size_t j = 1; j < b.size(); ++j) {
    Vector sum(shifted[0].size(), shifted[0].backend());
    double factor = 1;
    for (std::size_t i = 0; j + i < b.size(); ++i) {
      if (!b[j + i].empty()) axpy(factor, b[j + i], sum);
      factor *= now / static_cast<double>(i + 1);
    }
    shifted.push_back(std::move(sum));
  }
  return shifted;
}

/// When to look for convergence next: looks cost as much as some solves.
class LookSchedule {
 public:
  explicit LookSchedule(int first) : next_(first) {}
  bool is_due(int m) const { return m >= next_; }
  /// After a look at dimension m that found an error `excess` times too large. Convergence is geometric
  /// between looks, about.
  void missed(int m, double excess) {
    const double rate =
        last_ > 0 && excess < last_excess_ ? std::log(last_excess_ / excess) / (m - last_) : 0;
    const double missing = rate > 0 && std::isfinite(excess) ? std::log(excess) / rate : m;
    next_ = m + std::clamp(static_cast<int>(std::lround(0.9 * missing)), 1, std::max(2, m / 6));
    last_ = m;
    last_excess_ = excess;
  }

 private:
  int next_;
  int last_ = 0;
  double last_excess_ = 0;
};

}  // namespace

/// One call: where it stands, and what it keeps from substep to substep.
struct Rational::Run {
  const Task& task;
  PhiResult result = {};
  double now = 0;                  ///< time reached
  double error = 0;                ///< of the solution there
  std::vector<Vector> later = {};  ///< b_0 … b_p as seen from there, from the second substep on
  double step = 0;                 ///< length of the next substep
  double pole = 0;                 ///< γ
  double made_for = 0;             ///< the substep γ was chosen for
  double solve_error = 0;          ///< relative, of the solves with the present γ
  bool measured = false;           ///< whether solve_error is known

  PhiReport& report() { return result.report; }
  double remaining() const { return task.last_node() - now; }
  bool done() const { return result.values.size() == task.nodes.size(); }
  std::vector<ConstVectorView> b() const {
    return later.empty() ? task.b : std::vector<ConstVectorView>(later.begin(), later.end());
  }
};

/// States in the space: at the outputs up to some time, and at that time.
struct Rational::Found {
  double length = 0;  ///< 0: no substep of a sensible length met the tolerance
  std::vector<double> times;
  std::vector<Eigen::VectorXd> states;
  std::vector<double> errors;  ///< accumulated, at these times
  double excess = HUGE_VAL;    ///< largest error over its bound
  bool fits() const { return excess <= 1; }
};

/// No space and no substep can do better than the solves do.
void Rational::refuse_beyond_roundoff(const Run& run, double roundoff, double bound) const {
  if (roundoff > bound)
    throw PhiRefusal(
        fmt::format("rational: round-off in the solves alone may exceed a relative error of {:.1e}; "
                    "loosen the tolerance",
                    run.task.relative));
}

void Rational::refuse_if_endless(const Run& run, int solves_of_a_substep) const {
  if (run.result.report.solves + solves_of_a_substep * run.remaining() / run.step > options_.max_solves)
    throw PhiRefusal(
        fmt::format("rational: {} solves do not suffice for a relative error of {:.1e} (substeps of "
                    "{:.1e} of the step); loosen the tolerance, take a smaller step or a polynomial "
                    "evaluator",
                    options_.max_solves, run.task.relative, run.step / run.task.last_node()));
}

// (I − γhJ)⁻¹. A γ not far from the best is as good, if its inverse is there: stages of a step have their own
// nodes, and the operator in common. An indefinite stiffness bounds γ: then a smaller one serves, only with
// larger spaces.
void Rational::factorize(Run& run, double pole) {
  constexpr int attempts = 6;
  constexpr double near = 1.6;
  const double h = run.task.step;
  run.made_for = pole / options_.pole;
  run.measured = false;
  if (inverse_ && made_from_ == run.task.jacobian.id() && shift_ < near * pole * h &&
      pole * h < near * shift_) {
    run.pole = shift_ / h;
    return;
  }
  made_from_ = {};
  for (int k = 1;; ++k, pole /= 4) try {
      ++run.report().factorizations;
      inverse_ = run.task.jacobian.shifted_inverse(pole * h, std::move(inverse_));
      made_from_ = run.task.jacobian.id();
      shift_ = pole * h;
      run.pole = pole;
      return;
    } catch (const NotPositiveDefinite& failure) {
      if (k == attempts)
        throw PhiRefusal(
            fmt::format("rational: no shift from {:.1e} on can be factorised ({}); take a smaller step",
                        pole * h, failure.what()));
    }
}

/// States at the outputs up to now + length and at that time itself, with their accumulated errors.
Rational::Found Rational::states_up_to(const Run& run, const ShiftInvertProjection& projection,
                                       double length) const {
  const Task& task = run.task;
  const bool smoothed = task.norm == PhiNorm::smoothed;
  Found found{.length = length, .times = {}, .states = {}, .errors = {}};
  const double end = run.now + length;
  for (const double c : task.nodes)
    if (c > run.now && c < end * (1 - 4 * epsilon)) found.times.push_back(c - run.now);
  found.times.push_back(length);
  std::vector<double> room, unavoidable;
  const double accuracy = 16 * epsilon + 3 * run.solve_error;
  for (const double t : found.times) {
    found.states.push_back(projection.evolve(t, space_.start()));
    const double size = smoothed ? space_.norm(space_.H() * found.states.back())  // of Xw, in the space
                                 : space_.norm(found.states.back());
    const double bound = std::max(task.relative * size, task.absolute);
    const double share = t == length ? std::min(1.0, end / task.last_node()) : 1.0;
    const double roundoff = accuracy * (1 + t / run.pole) + 0.25 * epsilon * projection.norm() * t;
    const double magnitude = space_.magnitude(found.states.back());
    unavoidable.push_back(projection.growth() * run.error + roundoff * magnitude);
    refuse_beyond_roundoff(run, accuracy * t / run.pole * magnitude, bound);
    room.push_back(0.95 * share * bound - unavoidable.back());
  }
  found.errors = projection.error_bounds(space_.start(), found.times, room, accuracy, smoothed);
  found.excess = 0;
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    found.excess = std::max(found.excess, room[i] > 0 ? found.errors[i] / room[i] : HUGE_VAL);
    found.errors[i] += unavoidable[i];
  }
  return found;
}

// Grows one space from where the run stands until the accumulated error fits at all outputs up to now +
// length and at that time itself, or, when it may grow no more, up to a half or a quarter of it.
Rational::Found Rational::grow_space(Run& run, double length) {
  const Task& task = run.task;
  const std::vector<ConstVectorView> b = run.b();
  space_.begin(task.jacobian, *inverse_, run.pole, b);
  const int least = static_cast<int>(task.p()) + 2;
  const int most = std::max(least + 2, options_.max_basis);
  LookSchedule looks(std::clamp(3 * usual_basis_ / 4, least, most));
  for (;;) {
    space_.extend();
    ++run.report().solves;
    const int m = space_.size();
    const bool full = m == most || space_.breakdown();
    if (!looks.is_due(m) && !full) continue;

    const ShiftInvertProjection projection(space_.H(), space_.next(), run.pole, space_.border(), length);
    Found found;
    if (projection.usable()) {
      found = states_up_to(run, projection, length);
      if (found.fits() && !run.measured && task.relative < 3e-4) {
        run.solve_error = space_.solve_error(task.step);
        run.measured = true;
        ++run.report().solves;
        ++run.report().products;
        found = states_up_to(run, projection, length);
      }
      for (double part = 0.5; full && !found.fits() && part >= 0.25; part /= 2)
        found = states_up_to(run, projection, part * length);
      if (found.fits()) return found;
    }
    if (full) return {};
    looks.missed(m, found.excess);
  }
}

/// Outputs from what a space found, and the start of the next substep.
void Rational::take_over(Run& run, const Found& found) {
  const Task& task = run.task;
  PhiResult& result = run.result;
  const double last = task.last_node(), end = found.length == run.remaining() ? last : run.now + found.length;
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    const bool at_end = i + 1 == found.times.size();
    const double time = at_end ? end : run.now + found.times[i];
    const std::size_t output = result.values.size();
    const bool wanted = output < task.nodes.size() && task.nodes[output] <= time * (1 + 8 * epsilon);
    if (!wanted && !at_end) continue;
    Vector w(task.jacobian.size(), task.jacobian.backend());
    space_.combine(found.states[i], w);
    if (wanted) {
      result.values.push_back(at_end ? w : std::move(w));
      result.report.error_estimates.push_back(found.errors[i]);
    }
    if (at_end && time < last) run.later = forcing_from(task.b, time, std::move(w));
  }
  ++result.report.substeps;
  result.report.basis_sizes.push_back(space_.size());
  run.error = found.errors.back();
  run.now += found.length;
  run.step = found.length * (3 * space_.size() < options_.max_basis ? 2 : 1);
}

PhiResult Rational::attempt(const Task& task) {
  Run run{.task = task, .step = task.last_node()};
  factorize(run, options_.pole * task.last_node());
  for (;;) {
    const bool to_the_end = run.now + 1.01 * run.step >= task.last_node();
    const Found found = grow_space(run, to_the_end ? run.remaining() : run.step);
    run.report().largest_basis = std::max(run.report().largest_basis, space_.size());
    usual_basis_ = found.length > 0 ? space_.size() : 0;
    if (found.length > 0) {
      take_over(run, found);
      if (run.done()) return std::move(run.result);
    } else {
      ++run.report().rejected;
      run.step = std::min(run.step, run.remaining()) / 4;
    }
    constexpr int fewest = 10;  // solves of any substep
    refuse_if_endless(run, found.length > 0 ? std::max(fewest, space_.size()) : fewest);
    // A factorisation costs as much as tens of solves, a pole too far out as many per space.
    if (4 * run.step <= run.made_for) factorize(run, options_.pole * run.step);
  }
}

}  // namespace stiffly
