#include "stiffly/system/fput.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

struct Term {
  std::size_t unknown;
  double sign;
};

}  // namespace

Fput::Fput(int stiff_springs, double omega) : m_(static_cast<std::size_t>(stiff_springs)), omega_(omega) {
  if (stiff_springs < 1)
    throw InputError(fmt::format("fput needs at least one stiff spring, not {}", stiff_springs));
  if (!(std::isfinite(omega) && omega > 0))
    throw InputError(fmt::format("fput: omega must be positive and finite, not {}", omega));
  mass_ = MassMatrix::diagonal(std::vector<double>(2 * m_, 1.0));
  std::vector<std::pair<int, int>> pairs;
  const std::vector<double> zero(2 * m_, 0.0);
  soft_springs(zero, [&](double, std::span<const Term> terms) {
    for (const Term& a : terms)
      for (const Term& b : terms)
        pairs.emplace_back(static_cast<int>(a.unknown), static_cast<int>(b.unknown));
  });
  pattern_ = BlockPattern::symmetric(2 * m_, 1, std::move(pairs));
}

template <class Visit>
void Fput::soft_springs(std::span<const double> x, const Visit& visit) const {
  const auto call = [&](std::initializer_list<Term> terms) {
    double elongation = 0;
    for (const Term& term : terms) elongation += term.sign * x[term.unknown];
    visit(elongation, std::span<const Term>(terms.begin(), terms.size()));
  };
  call({{0, 1.0}, {m_, -1.0}});
  for (std::size_t i = 0; i + 1 < m_; ++i)
    call({{i + 1, 1.0}, {m_ + i + 1, -1.0}, {i, -1.0}, {m_ + i, -1.0}});
  call({{m_ - 1, 1.0}, {2 * m_ - 1, 1.0}});
}

State Fput::initial_state() const {
  std::vector<double> x(2 * m_, 0.0), v(2 * m_, 0.0);
  x[0] = v[0] = v[m_] = 1;
  x[m_] = 1 / omega_;
  return State(0.0, x, v);
}

double Fput::potential_energy(double, ConstVectorView x) const {
  const auto q = host(x);
  double energy = 0;
  for (std::size_t i = 0; i < m_; ++i)
    energy += 0.5 * (q[i] * q[i] + omega_ * omega_ * q[m_ + i] * q[m_ + i]);
  soft_springs(q, [&](double e, std::span<const Term>) { energy += 0.25 * e * e * e * e; });
  return energy;
}

void Fput::do_force(double, ConstVectorView x, ConstVectorView, VectorView f) const {
  const auto q = host(x);
  const auto out = host(f);
  for (std::size_t i = 0; i < m_; ++i) {
    out[i] = -q[i];
    out[m_ + i] = -omega_ * omega_ * q[m_ + i];
  }
  soft_springs(q, [&](double e, std::span<const Term> terms) {
    for (const Term& term : terms) out[term.unknown] -= e * e * e * term.sign;
  });
}

void Fput::linear_part(const State&, Tangent& out) const {
  out.stiffness = BlockMatrix(pattern_);
  std::vector<double> diagonal(2 * m_, 1.0);
  for (std::size_t i = 0; i < m_; ++i) diagonal[m_ + i] = omega_ * omega_;
  out.stiffness.add_diagonal(1.0, diagonal);
}

void Fput::do_tangent(double t, ConstVectorView x, ConstVectorView, Tangent& out) const {
  linear_part(State(t, Vector(x)), out);
  soft_springs(host(x), [&](double e, std::span<const Term> terms) {
    for (const Term& a : terms)
      for (const Term& b : terms)
        *out.stiffness.block(pattern_->find(a.unknown, static_cast<int>(b.unknown))) +=
            3 * e * e * a.sign * b.sign;
  });
}

}  // namespace stiffly
