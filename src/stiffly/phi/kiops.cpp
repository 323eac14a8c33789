#include "stiffly/phi/kiops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/limits.hpp"
#include "stiffly/phi/substep_rule.hpp"

namespace stiffly {
/// One attempt: u(t) is carried through substeps, the border's part is exact at the start of each.
struct Kiops::Sweep {
  Kiops& self;
  const Task& task;
  ErrorAccount account;
  double frequency;             // largest of hJ, as far as seen: what a product more brings is 1/frequency
  std::vector<double> b_norms;  // ‖b_0‖ … ‖b_p‖
  PhiResult result = {};
  double t = 0;
  double eta = 1;
  bool measured = false;  // frequency is from this attempt, not from the last one

  void begin_basis();
  double assumed_size(double s) const;
  double factor(double s) const;
  double roundoff(double s) const;
  double reach(double target, double cap);
  void combine(double s, Vector& u) const;
  void substep();
  void refuse_if_endless(int more) const;
};

PhiResult Kiops::attempt(const Task& task) {
  const LinearOperator& J = task.jacobian;
  if (u_.size() != J.size() || &u_.backend() != &J.backend())
    u_ = next_ = metric_ = Vector(J.size(), J.backend());
  Sweep sweep{*this,
              task,
              ErrorAccount(J.skew(), task.relative, task.absolute, task.last_node()),
              task.step * frequency_,
              {}};
  for (const ConstVectorView b : task.b)
    sweep.b_norms.push_back(b.empty() ? 0.0 : metric_norm(J, b, metric_));
  sweep.account.start(sweep.b_norms[0]);
  if (task.b[0].empty())
    fill(0.0, u_);
  else
    copy(task.b[0], u_);

  while (sweep.result.values.size() < task.nodes.size()) sweep.substep();
  frequency_ = sweep.frequency / task.step;
  basis_ = sweep.result.report.largest_basis;
  return std::move(sweep.result);
}

/// The Krylov space of (u(t), η(t^{p−1}/(p−1)!, …, t, 1)). η is what B can add to u in a substep: smaller,
/// and the border makes Ã so far from skew that incomplete orthogonalisation suffers; larger, and its entries
/// outweigh u, of which a relative error is asked.
void Kiops::Sweep::begin_basis() {
  const double rest = task.last_node() - t, x = rest * frequency;
  double largest = 0;
  for (std::size_t j = 1; j < b_norms.size(); ++j) largest = std::max(largest, b_norms[j]);
  const double substep = rest * std::min(1.0, x > 0 ? self.options_.max_basis / x : 1.0);
  eta = largest > 0 ? std::ldexp(1.0, std::ilogb(largest * substep)) : 1.0;
  std::vector<double> tail(task.p());
  double power = eta;
  for (std::size_t k = tail.size(), l = 0; k-- > 0; power *= t / static_cast<double>(++l)) tail[k] = power;

  // A space that may come to fill the whole one is worth full orthogonality: then it ends by itself.
  const bool small = task.jacobian.size() + task.p() <= static_cast<std::size_t>(self.options_.max_basis);
  self.krylov_.begin(task.jacobian, {task.b, eta, task.step},
                     small ? Arnoldi::full : self.options_.orthogonalization, self.u_, tail, account.keep());
  double m = x > 0 ? x + 3 * std::cbrt(x) + 6 : self.options_.first_basis;
  if (self.basis_ > 0) m = std::min(m, 1.0 * self.basis_);
  self.krylov_.grow(static_cast<int>(std::clamp(m, 2.0, 1.0 * self.options_.max_basis)));
}

/// ‖u‖ near t+s, to measure errors against before the result is known. Where u starts from zero: the first
/// term s^j/j! b_j, less what φ_j of a rough vector may take away.
double Kiops::Sweep::assumed_size(double s) const {
  if (account.size() > 0) return account.size();
  double power = 1;
  for (std::size_t j = 0; j < b_norms.size(); ++j, power *= s / static_cast<double>(j))
    if (b_norms[j] > 0) return power * b_norms[j] / (1 + s * frequency);
  return 0;
}

/// Error of u over residual integral: growth, and what a residual in the border's rows, the tail σ of
/// v_{m+1}, does through B:  e_u' = hJ e_u + B e_σ + r_u,  e_σ' = N e_σ + r_σ.
double Kiops::Sweep::factor(double s) const {
  const auto sigma = self.krylov_.tails().col(self.krylov_.size());
  const auto p = static_cast<Eigen::Index>(task.p());
  double through = 0;
  for (Eigen::Index k = 0; k < p; ++k) {
    double entry = 0, power = 1;  // |(e^{sN}|σ|)_k|
    for (Eigen::Index l = k; l < p; ++l, power *= s / static_cast<double>(l - k))
      entry += power * std::abs(sigma(l));
    through += b_norms[static_cast<std::size_t>(p - k)] / eta * entry;
  }
  return substep_rule::safety * account.transient() * self.krylov_.start_norm() * (1 + s * through);
}

/// What rounding does to a substep, in the sum over the basis and in the products.
double Kiops::Sweep::roundoff(double s) const {
  return epsilon * self.krylov_.start_norm() *
         (2 * self.small_.at(s).norm() +
          task.step * self.krylov_.H_norm() * account.transient() * self.small_.size_integral_at(s));
}

/// The longest substep s ≤ target whose error stays within its share of the tolerance. The basis grows for as
/// long as it may; the substep is cut short only when it may not.
double Kiops::Sweep::reach(double target, double cap) {
  Arnoldi& krylov = self.krylov_;
  for (;;) {
    const int m = krylov.size();
    const bool exact = krylov.breakdown();
    account.observe(krylov, task.step);
    const auto share = [&](double s) { return account.budget(s, std::min(cap, assumed_size(s))); };
    self.small_.follow(krylov, 0, task.step, target, account.exponent(),
                       exact ? HUGE_VAL : share(target) / factor(0));
    frequency = std::max(measured ? frequency : 0.0, self.small_.frequency());
    measured = true;
    const auto fits = [&](int stage) {
      const double s = self.small_.time(stage);
      return exact || factor(s) * self.small_.residual(stage) <= share(s);
    };
    int k = self.small_.stages();
    while (k > 0 && !fits(k)) --k;
    const double s = self.small_.time(k);
    if (s > target * (1 - 1e-12)) return target;

    if (!exact && m < self.options_.max_basis) {
      const double need = m + 2 + 1.1 * (target - s) * frequency;
      const int larger = std::min({self.options_.max_basis, std::max(m + 8, 4 * m / 3),
                                   std::max(m + 4, static_cast<int>(std::min(need, 1e9)))});
      refuse_if_endless(larger - m);
      krylov.grow(larger);
      continue;
    }
    if (s > 0) return s;
    target = self.small_.time(1) / 8;
    if (!(target > 1e-12 * task.last_node()))
      throw PhiRefusal(
          fmt::format("{}: no progress at t = {} with {} basis vectors; loosen the tolerance {:.1e}",
                      self.name(), t, m, task.relative));
  }
}

/// u(t+s), the large part of β V_{m+1} F(s)
void Kiops::Sweep::combine(double s, Vector& u) const {
  fill(0.0, u);
  const Eigen::VectorXd c = self.krylov_.start_norm() * self.small_.at(s);
  self.krylov_.add_combination({c.data(), static_cast<std::size_t>(c.size())}, u);
}

void Kiops::Sweep::substep() {
  begin_basis();
  const double target = task.last_node() - t;
  PhiReport& report = result.report;
  const auto local = [&](double s) { return factor(s) * self.small_.residual_at(s); };

  double s = 0, size = 0;
  double cap = HUGE_VAL;
  for (int tries = 1;; ++tries) {
    s = reach(target, cap);
    combine(s, self.next_);
    size = metric_norm(task.jacobian, self.next_, self.metric_);
    if (!std::isfinite(size))
      throw PhiRefusal(fmt::format("{}: the result overflows, or the matrix is not finite", self.name()));
    const double actual = std::max(account.size_after(s), size);
    if (tries == substep_rule::max_tries || local(s) <= substep_rule::acceptance * account.budget(s, actual))
      break;
    cap = actual / 2;  // the result is smaller than was assumed
    ++report.rejected;
  }

  const double end = s < target ? t + s : task.last_node();
  for (std::size_t i = result.values.size(); i < task.nodes.size() && task.nodes[i] <= end; ++i) {
    const double c = std::min(s, task.nodes[i] - t);  // outputs on the way re-use the basis
    result.values.push_back(self.next_);
    if (c < s) combine(c, result.values.back());
    report.error_estimates.push_back(account.error_at(t + c) + local(c) + roundoff(c));
  }
  account.close(end, s, local(s) + roundoff(s), size);
  t = end;
  self.u_.swap(self.next_);

  const int m = self.krylov_.size();
  report.products += self.krylov_.products();
  ++report.substeps;
  report.basis_sizes.push_back(m);
  report.largest_basis = std::max(report.largest_basis, m);
  if (t < task.last_node())
    refuse_if_endless(static_cast<int>(std::min(1e9, (task.last_node() - t) / s * m / 2)));
}

void Kiops::Sweep::refuse_if_endless(int more) const {
  if (result.report.products + more > self.options_.max_products)
    throw PhiRefusal(fmt::format(
        "{}: more than {} products at h·|J| = {:.1e}; take a smaller step or the rational evaluator",
        self.name(), self.options_.max_products, frequency));
}

}  // namespace stiffly
