#include "stiffly/phi/rational.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/phi/shift_invert_projection.hpp"

namespace stiffly {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

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

/// No space and no substep can do better than the solves do.
void refuse_beyond_roundoff(double roundoff, double bound, double relative) {
  if (roundoff > bound)
    throw PhiRefusal(
        fmt::format("rational: round-off in the solves alone may exceed a relative error of {:.1e}; "
                    "loosen the tolerance",
                    relative));
}

}  // namespace

/// What one call keeps.
struct Rational::Run {
  const Task& task;
  PhiReport report;
  double pole = 0;         ///< γ
  double made_for = 0;     ///< the substep γ was chosen for
  double solve_error = 0;  ///< relative, of the solves with the present γ
  bool measured = false;
};

/// What a space was good for: states at the outputs it reached and at its end.
struct Rational::Found {
  double length = 0;  ///< 0: no substep of a sensible length met the tolerance
  std::vector<double> times;
  std::vector<Eigen::VectorXd> states;
  std::vector<double> errors;  ///< accumulated, at these times
};

// (I − γhJ)⁻¹. A γ not far from the best is as good, if its inverse is there: stages of a step have their own
// nodes, and the operator in common. An indefinite stiffness bounds γ: then a smaller one serves, only with
// larger spaces.
void Rational::factorize(Run& run, double pole) {
  constexpr int attempts = 6;
  constexpr double near = 1.6;
  const double h = run.task.step;
  run.made_for = pole / options_.pole;
  run.measured = false;
  if (inverse_ && made_of_ == run.task.jacobian.identity() && shift_ < near * pole * h &&
      pole * h < near * shift_) {
    run.pole = shift_ / h;
    return;
  }
  made_of_ = {};
  for (int k = 1;; ++k, pole /= 4) try {
      ++run.report.factorizations;
      inverse_ = run.task.jacobian.shifted_inverse(pole * h, std::move(inverse_));
      made_of_ = run.task.jacobian.identity();
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

// Grows one space from time `now` until the accumulated error fits at all outputs up to now + length and at
// that time itself, or, when it may grow no more, up to a half or a quarter of it.
Rational::Found Rational::build(Run& run, std::span<const ConstVectorView> b, double now, double length,
                                double error) {
  const Task& task = run.task;
  const bool smoothed = task.norm == PhiNorm::smoothed;
  const auto fits = [&](double part, const ShiftInvertProjection& projection, double& excess) {
    Found found{.length = part * length, .times = {}, .states = {}, .errors = {}};
    const double end = now + found.length;
    for (const double c : task.nodes)
      if (c > now && c < end * (1 - 4 * epsilon)) found.times.push_back(c - now);
    found.times.push_back(found.length);
    std::vector<double> room, unavoidable;
    const double accuracy = 16 * epsilon + 3 * run.solve_error;
    for (const double t : found.times) {
      found.states.push_back(projection.evolve(t, space_.start()));
      const double size = smoothed ? space_.norm(space_.H() * found.states.back())  // of Xw, in the space
                                   : space_.norm(found.states.back());
      const double bound = std::max(task.relative * size, task.absolute);
      const double share = t == found.length ? std::min(1.0, end / task.last_node()) : 1.0;
      const double roundoff = accuracy * (1 + t / run.pole) + 0.25 * epsilon * projection.norm() * t;
      unavoidable.push_back(projection.growth() * error + roundoff * space_.magnitude(found.states.back()));
      refuse_beyond_roundoff(accuracy * t / run.pole * space_.magnitude(found.states.back()), bound,
                             task.relative);
      room.push_back(0.95 * share * bound - unavoidable.back());
    }
    found.errors = projection.error_bounds(space_.start(), found.times, room, accuracy, smoothed);
    excess = 0;
    for (std::size_t i = 0; i < found.times.size(); ++i) {
      excess = std::max(excess, room[i] > 0 ? found.errors[i] / room[i] : HUGE_VAL);
      found.errors[i] += unavoidable[i];
    }
    if (!(excess <= 1)) found.length = 0;
    return found;
  };

  space_.begin(task.jacobian, *inverse_, run.pole, b);
  const int least = static_cast<int>(task.p()) + 2;
  const int most = std::max(least + 2, options_.max_basis);
  int check = std::clamp(3 * usual_basis_ / 4, least, most);
  int last_check = 0;
  double last_excess = 0;
  for (;;) {
    space_.extend();
    ++run.report.solves;
    const int m = space_.size();
    const bool full = m == most || space_.breakdown();
    if (m < check && !full) continue;

    const ShiftInvertProjection projection(space_.H(), space_.next(), run.pole, space_.border(), length);
    double excess = HUGE_VAL;
    if (projection.usable()) {
      Found found = fits(1, projection, excess);
      if (found.length > 0 && !run.measured && task.relative < 3e-4) {
        run.solve_error = space_.solve_error(task.step);
        run.measured = true;
        ++run.report.solves;
        ++run.report.products;
        found = fits(1, projection, excess);
      }
      for (double part = 0.5; full && found.length == 0 && part >= 0.25; part /= 2)
        found = fits(part, projection, excess);
      if (found.length > 0) return found;
    }
    if (full) return {};

    // Convergence is geometric between looks, about; looks cost as much as some solves.
    const double rate =
        last_check > 0 && excess < last_excess ? std::log(last_excess / excess) / (m - last_check) : 0;
    const double missing = rate > 0 && std::isfinite(excess) ? std::log(excess) / rate : m;
    check = m + std::clamp(static_cast<int>(std::lround(0.9 * missing)), 1, std::max(2, m / 6));
    last_check = m;
    last_excess = excess;
  }
}

PhiResult Rational::attempt(const Task& task) {
  Run run{.task = task, .report = {}};
  const double last = task.last_node();
  factorize(run, options_.pole * last);

  PhiResult result;
  std::vector<Vector> later;  // b_0 … b_p from the second substep on
  std::vector<ConstVectorView> b(task.b);
  double now = 0, error = 0, step = last;
  while (result.values.size() < task.nodes.size()) {
    const bool to_the_end = now + 1.01 * step >= last;
    const Found found = build(run, b, now, to_the_end ? last - now : step, error);
    run.report.largest_basis = std::max(run.report.largest_basis, space_.size());
    usual_basis_ = found.length > 0 ? space_.size() : 0;
    if (found.length == 0) {
      ++run.report.rejected;
      step = std::min(step, last - now) / 4;
    } else {
      for (std::size_t i = 0; i < found.times.size(); ++i) {
        const bool at_end = i + 1 == found.times.size();
        const double time = at_end && to_the_end && found.length == last - now ? last : now + found.times[i];
        Vector w(task.jacobian.size(), task.jacobian.backend());
        const std::size_t output = result.values.size();
        const bool wanted = output < task.nodes.size() && task.nodes[output] <= time * (1 + 8 * epsilon);
        if (!wanted && !at_end) continue;
        space_.combine(found.states[i], w);
        if (wanted) {
          result.values.push_back(at_end ? w : std::move(w));
          run.report.error_estimates.push_back(found.errors[i]);
        }
        if (at_end && time < last) later = forcing_from(task.b, time, std::move(w));
      }
      ++run.report.substeps;
      run.report.basis_sizes.push_back(space_.size());
      error = found.errors.back();
      now += found.length;
      b.assign(later.begin(), later.end());
      step = found.length * (3 * space_.size() < options_.max_basis ? 2 : 1);
    }
    if (result.values.size() == task.nodes.size()) break;

    constexpr int fewest = 10;  // solves of any substep
    const int each = found.length > 0 ? std::max(fewest, space_.size()) : fewest;
    if (run.report.solves + each * (last - now) / step > options_.max_solves)
      throw PhiRefusal(
          fmt::format("rational: {} solves do not suffice for a relative error of {:.1e} (substeps of "
                      "{:.1e} of the step); loosen the tolerance, take a smaller step or a polynomial "
                      "evaluator",
                      options_.max_solves, task.relative, step / last));
    // A factorisation costs as much as tens of solves, a pole too far out as many per space.
    if (4 * step <= run.made_for) factorize(run, options_.pole * step);
  }
  run.report.evaluator = name();
  result.report = std::move(run.report);
  return result;
}

}  // namespace stiffly
