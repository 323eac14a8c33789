#include "stiffly/phi/phipm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/effort.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/phi/substep_rule.hpp"

namespace stiffly {

Phipm::Options Phipm::full() { return {.name = "phipm"}; }

Phipm::Options Phipm::simul_iom2() {
  return {.name = "phipm_simul_iom2", .orthogonalization = 2, .max_basis = 256};
}

/// One attempt: u(t) is carried from node to node; w_ holds w_0 = u, w_1 … w_p.
struct Phipm::Sweep {
  Phipm& self;
  const Task& task;
  ErrorAccount account;
  double frequency;           // largest of hJ, as far as seen: what a product more brings is 1/frequency
  std::vector<double> norms;  // of w_0 … w_p; NaN: not zero, not known yet
  PhiReport report = {};
  double t = 0;
  bool rate_ready = false;    // rate_ = J u
  bool measured = false;      // frequency is from this attempt, not from the last one
  double longest = HUGE_VAL;  // for the next substep: twice the last, if that was cut short
  double deadline = effort_seconds() + self.options_.max_effort;

  int p() const { return static_cast<int>(task.p()); }
  double multiply(const Vector& x, Vector& Jx);
  void recurrence();
  void begin_basis(double target);
  double assumed_size(double s) const;
  double terms(double s, int from) const;
  double roundoff(double s) const;
  double reach(double target, double cap);
  bool grow(double s, double target);
  void combine(double s);
  void substep(double node);
  void refuse_if_endless(int more) const;
};

PhiResult Phipm::attempt(const Task& task) {
  const LinearOperator& J = task.jacobian;
  if (next_.size() != J.size() || &next_.backend() != &J.backend()) {
    next_ = rate_ = metric_ = Vector(J.size(), J.backend());
    w_.clear();
  }
  w_.resize(task.p() + 1);
  for (Vector& w : w_)
    if (w.empty()) w = Vector(J.size(), J.backend());

  Sweep sweep{*this, task, ErrorAccount(J.skew(), task.relative, task.absolute, task.last_node()),
              task.step * frequency_, std::vector<double>(task.p() + 1, NAN)};
  if (task.b[0].empty())
    fill(0.0, w_[0]), sweep.norms[0] = 0;
  else
    copy(task.b[0], w_[0]);

  PhiResult result;
  for (const double node : task.nodes) {
    while (sweep.t < node) sweep.substep(node);
    result.values.push_back(w_[0]);
    sweep.report.error_estimates.push_back(sweep.account.error_at(node));
  }
  result.report = std::move(sweep.report);
  frequency_ = sweep.frequency / task.step;
  basis_ = result.report.largest_basis;
  return result;
}

/// Jx and, on the way, ‖x‖.
double Phipm::Sweep::multiply(const Vector& x, Vector& Jx) {
  ++report.products;
  if (task.jacobian.euclidean()) {
    task.jacobian.apply(x, Jx);
    return norm(x);
  }
  task.jacobian.apply_both(x, Jx, self.metric_);
  return norm_from_metric(x, self.metric_);
}

/// w_0 = u(t),  w_j = hJ w_{j−1} + Σ_{l=0}^{p−j} t^l/l! b_{j+l}  (001 eq. 26); zero vectors are not
/// multiplied.
void Phipm::Sweep::recurrence() {
  for (std::size_t j = 1; j < self.w_.size(); ++j) {
    Vector& w = self.w_[j];
    if (j == 1 && rate_ready)
      w.swap(self.rate_);
    else if (norms[j - 1] != 0)
      norms[j - 1] = multiply(self.w_[j - 1], w);
    bool zero = norms[j - 1] == 0;
    if (zero)
      fill(0.0, w);
    else
      scale(task.step, w);
    double power = 1;  // t^l/l!
    for (std::size_t l = 0; j + l < task.b.size(); ++l, power *= t / static_cast<double>(l)) {
      if (task.b[j + l].empty() || power == 0) continue;
      axpy(power, task.b[j + l], w);
      zero = false;
    }
    norms[j] = zero ? 0 : NAN;
  }
  rate_ready = false;
}

/// The Krylov space of w_p, of a dimension that experience suggests: about one vector per unit of s‖hJ‖.
void Phipm::Sweep::begin_basis(double target) {
  // A space that may come to fill the whole one is worth full orthogonality: then it ends by itself.
  const bool small = task.jacobian.size() <= static_cast<std::size_t>(self.options_.max_basis);
  self.krylov_.begin(task.jacobian, small ? Arnoldi::full : self.options_.orthogonalization, self.w_.back(),
                     account.keep());
  norms.back() = self.krylov_.start_norm();
  if (t == 0) account.start(norms[0]);
  if (norms.back() == 0) return;
  const double x = target * frequency;
  double m = x > 0 ? x + 3 * std::cbrt(x) + 6 : self.options_.first_basis;
  if (self.basis_ > 0) m = std::min(m, 1.0 * self.basis_);
  self.krylov_.grow(static_cast<int>(std::clamp(m, 2.0, 1.0 * self.options_.max_basis)));
}

/// ‖u‖ near t+s, to measure errors against before the result is known. Where u starts from zero: the first
/// term s^j/j! w_j, less what φ_j of a rough vector may take away.
double Phipm::Sweep::assumed_size(double s) const {
  if (account.size() > 0) return account.size();
  double power = 1;
  for (int j = 0; j <= p(); ++j, power *= s / j)
    if (norms[static_cast<std::size_t>(j)] > 0)
      return power * norms[static_cast<std::size_t>(j)] / (j == 0 ? 1 : 1 + s * frequency);
  return 0;
}

/// Σ_{j=from}^{p−1} s^j/j! ‖w_j‖
double Phipm::Sweep::terms(double s, int from) const {
  double sum = 0, power = 1;
  for (int j = 0; j < p(); ++j, power *= s / j)
    if (j >= from) sum += power * norms[static_cast<std::size_t>(j)];
  return sum;
}

/// What rounding does to a substep: to terms that may be far larger than their sum, and to the products.
double Phipm::Sweep::roundoff(double s) const {
  double size = terms(s, 0), products = s * norms[0] * std::exp(account.exponent() * s);
  if (norms.back() > 0) {
    size += norms.back() * self.small_.at(s).norm();
    products += norms.back() * self.small_.size_integral_at(s);
  }
  return epsilon * (2 * size + task.step * self.krylov_.H_norm() * account.transient() * products);
}

/// The longest substep s ≤ target whose error stays within its share of the tolerance,
///   ω(s) = safety·β∫_0^s|h h_{m+1,m}F_m| / budget(s) ≤ 1,
/// in the present basis, or in a larger one where that makes the way to the target cheaper.
double Phipm::Sweep::reach(double target, double cap) {
  const Arnoldi& krylov = self.krylov_;
  const double beta = norms.back();
  for (;;) {
    account.observe(krylov, task.step);
    const double factor = substep_rule::safety * account.transient() * beta;
    const bool exact = krylov.breakdown();
    const auto share = [&](double s) { return account.budget(s, std::min(cap, assumed_size(s))); };
    self.small_.follow(krylov, p(), task.step, target, account.exponent(),
                       exact ? HUGE_VAL : share(target) / factor, deadline);
    frequency = std::max(measured ? frequency : 0.0, self.small_.frequency());
    measured = true;

    const auto fits = [&](int k) {
      const double s = self.small_.time(k);
      // The terms from s² on lose digits to cancellation; shorter substeps lose less in total, down to some
      // length.
      const double lost = p() < 2 || s * frequency < 4
                              ? 0
                              : 4 * epsilon * (terms(s, 2) + beta * self.small_.solution(k).norm());
      return lost <= share(s) / 2 && (exact || factor * self.small_.residual(k) <= share(s));
    };
    int k = self.small_.stages();
    while (k > 0 && !fits(k)) --k;
    const double s = self.small_.time(k);
    if (s > target * (1 - 1e-12)) return target;
    if (!exact && grow(s, target)) continue;
    if (s > 0) return s;
    target = self.small_.time(1) / 8;
    if (!(target > 1e-12 * task.last_node()))
      throw PhiRefusal(
          fmt::format("{}: no progress at t = {} with {} basis vectors; loosen the tolerance {:.1e}",
                      self.name(), t, krylov.size(), task.relative));
  }
}

/// Choice between (m, τ_opt), the reach s of the present basis, and (m_opt, τ), a basis that goes further, by
/// the products that the way to the target takes [Niesen & Wright 2012]; a product more brings 1/frequency.
/// Returns whether the basis was extended.
bool Phipm::Sweep::grow(double s, double target) {
  const int m = self.krylov_.size();
  const double need = std::max(m + 4.0, m + 2 + 1.1 * (target - s) * frequency);
  const int best = static_cast<int>(std::min(1.0 * self.options_.max_basis, need));
  if (best <= m) return false;
  const auto cost = [&](int basis, double length) { return std::ceil(target / length) * (basis + p() + 1); };
  if (s > 0 && cost(best, std::min(target, s + (best - m) / frequency)) >= cost(m, s)) return false;
  const int larger = std::min(best, std::max(m + 8, 4 * m / 3));
  refuse_if_endless(larger - m);
  self.krylov_.grow(larger);
  return true;
}

/// u(t+s) = Σ_{j<p} s^j/j! w_j + s^p φ_p(s hJ) w_p  (001 eq. 25, its index misprint corrected)
void Phipm::Sweep::combine(double s) {
  fill(0.0, self.next_);
  double power = 1;
  for (std::size_t j = 0; j < task.p(); ++j, power *= s / static_cast<double>(j))
    if (norms[j] > 0) axpy(power, self.w_[j], self.next_);
  if (norms.back() == 0) return;
  const Eigen::VectorXd c = norms.back() * self.small_.at(s);
  self.krylov_.add_combination({c.data(), static_cast<std::size_t>(c.size())}, self.next_);
}

void Phipm::Sweep::substep(double node) {
  recurrence();
  const double target = std::min(node - t, longest);
  begin_basis(target);
  const bool polynomial = norms.back() == 0;  // the sum of eq. 25 is all there is
  const bool more = p() > 0;                  // J u serves the next substep

  double s = node - t, size = 0, local = 0;
  double cap = HUGE_VAL;
  for (int tries = 1;; ++tries) {
    if (!polynomial) {
      s = reach(target, cap);
      local = substep_rule::safety * account.transient() * norms.back() * self.small_.residual_at(s);
    }
    combine(s);
    rate_ready = more && t + s < task.last_node();
    size =
        rate_ready ? multiply(self.next_, self.rate_) : metric_norm(task.jacobian, self.next_, self.metric_);
    if (!std::isfinite(size))
      throw PhiRefusal(fmt::format("{}: the result overflows, or the matrix is not finite", self.name()));
    const double actual = std::max(account.size_after(s), size);
    if (polynomial || tries == substep_rule::max_tries ||
        local <= substep_rule::acceptance * account.budget(s, actual))
      break;
    cap = actual / 2;  // the result is smaller than was assumed
    ++report.rejected;
  }
  longest = s < node - t ? 2 * s : HUGE_VAL;
  t = s < node - t ? t + s : node;
  account.close(t, s, local + roundoff(s), size);
  self.w_[0].swap(self.next_);
  norms[0] = size;

  const int m = polynomial ? 0 : self.krylov_.size();
  report.products += self.krylov_.products();
  ++report.substeps;
  report.basis_sizes.push_back(m);
  report.largest_basis = std::max(report.largest_basis, m);
  if (t < node) refuse_if_endless(static_cast<int>(std::min(1e9, (task.last_node() - t) / s * m / 2)));
}

void Phipm::Sweep::refuse_if_endless(int more) const {
  if (report.products + more > self.options_.max_products)
    throw PhiRefusal(fmt::format(
        "{}: more than {} products at h·|J| = {:.1e}; take a smaller step or the rational evaluator",
        self.name(), self.options_.max_products, frequency));
}

}  // namespace stiffly
