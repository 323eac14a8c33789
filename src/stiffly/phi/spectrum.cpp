#include "stiffly/phi/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <Eigen/Core>
#include <vector>

#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/phi/evaluator.hpp"

namespace stiffly {

CountedOperator::CountedOperator(const LinearOperator& inner, std::string evaluator, int max_products)
    : inner_(inner),
      evaluator_(std::move(evaluator)),
      max_products_(max_products),
      euclidean_(inner.euclidean()),
      skew_(inner.skew()) {
  if (!euclidean_) work_ = Vector(inner.size(), inner.backend());
}

void CountedOperator::count() const {
  if (++products_ > max_products_)
    throw PhiRefusal(
        fmt::format("{}: not done after {} products with the matrix; take a smaller step, or the "
                    "evaluator 'rational', whose cost does not grow with stiffness",
                    evaluator_, max_products_));
}

void CountedOperator::apply(ConstVectorView x, VectorView y) const {
  if (!tracking_) {
    count();
    inner_.apply(x, y);
  } else if (euclidean_) {
    count();
    inner_.apply(x, y);
    argument_norm_ = norm(x);
  } else {
    apply_both(x, y, work_);
    argument_norm_ = std::sqrt(std::max(0.0, dot(x, work_)));
  }
}

void CountedOperator::apply_metric(ConstVectorView x, VectorView y) const {
  if (!euclidean_) count();
  inner_.apply_metric(x, y);
}

void CountedOperator::apply_both(ConstVectorView x, VectorView Ax, VectorView Gx) const {
  count();
  inner_.apply_both(x, Ax, Gx);
}

double CountedOperator::norm_of(ConstVectorView x) const { return metric_norm(*this, x, work_); }

Vector CountedOperator::noise(ConstVectorView x) const {
  if (signs_.empty()) signs_ = random_signs(size(), backend());
  Vector out(size(), backend());
  multiply(signs_, x, out);
  return out;
}

double CountedOperator::roundoff_gain(ConstVectorView x, double norm_of_x) const {
  if (euclidean_ || norm_of_x == 0) return 1;
  return std::max(1.0, norm_of(noise(x)) / norm_of_x);
}

namespace {

double largest_singular_value(const Eigen::MatrixXd& m) {
  return std::sqrt(std::max(0.0, symmetric_eigenvalues(m.transpose() * m).maxCoeff()));
}

Spectrum spectrum_of(const Eigen::MatrixXd& H) {
  const Eigen::MatrixXd H2 = H * H;
  const Eigen::MatrixXd symmetric = 0.5 * (H + H.transpose());
  Spectrum s;
  s.radius = eigenvalues(H).cwiseAbs().maxCoeff();
  s.rate =
      std::max({s.radius, std::sqrt(largest_singular_value(H2)), std::cbrt(largest_singular_value(H2 * H))});
  s.abscissa = symmetric_eigenvalues(symmetric).maxCoeff();
  return s;
}

}  // namespace

// Arnoldi in the inner product of G. Each w is multiplied before it is normalised: one apply_both gives Aw,
// Gw and with them ‖w‖.
Spectrum estimate_spectrum(const LinearOperator& a, int steps) {
  if (a.skew())
    if (const auto bound = a.spectral_bound()) return {*bound, *bound, 0};

  constexpr int look = 4;  // steps between two looks at the Ritz values
  const std::size_t n = a.size();
  const bool euclidean = a.euclidean();
  const int m = static_cast<int>(std::min<std::size_t>(n, static_cast<std::size_t>(steps)));
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(m, m);
  std::vector<Vector> Q, GQ;
  std::vector<double> h;
  Vector w = random_signs(n, a.backend()), Aw(n, a.backend()), Gw(euclidean ? 0 : n, a.backend());
  Spectrum now, before;
  double scale_of_H = 0;
  for (int j = 0; j < m; ++j) {
    if (euclidean)
      a.apply(w, Aw);
    else
      a.apply_both(w, Aw, Gw);
    const double beta = std::sqrt(std::max(0.0, euclidean ? dot(w, w) : dot(w, Gw)));
    if (!std::isfinite(beta)) throw PhiRefusal("phi: a product with the matrix is not finite");
    if (j > 0 && beta <= 1e-13 * scale_of_H) {  // an invariant subspace: the Ritz values are eigenvalues
      return spectrum_of(H.topLeftCorner(j, j));
    }
    if (beta == 0) return {};
    if (j > 0) H(j, j - 1) = beta;
    scale(1 / beta, w);
    scale(1 / beta, Aw);
    Q.push_back(w);
    if (!euclidean) {
      scale(1 / beta, Gw);
      GQ.push_back(Gw);
    }
    for (int pass = 0; pass < 2; ++pass) {
      h.resize(Q.size());
      multi_dot(euclidean ? Q : GQ, Aw, h);
      for (int i = 0; i <= j; ++i) {
        H(i, j) += h[static_cast<std::size_t>(i)];
        h[static_cast<std::size_t>(i)] *= -1;
      }
      multi_axpy(h, Q, Aw);
    }
    scale_of_H = std::max(scale_of_H, H.col(j).norm());
    if (!std::isfinite(scale_of_H)) throw PhiRefusal("phi: a product with the matrix is not finite");
    w.swap(Aw);
    if ((j + 1) % look != 0 && j + 1 != m) continue;
    before = now;
    now = spectrum_of(H.topLeftCorner(j + 1, j + 1));
    if (j + 1 >= 2 * look && now.radius - before.radius <= 0.01 * now.radius &&
        now.rate - before.rate <= 0.02 * now.rate)
      break;
  }
  if (static_cast<std::size_t>(m) == n && Q.size() == n) return now;
  // Ritz values approach the end of the spectrum from inside: go on by twice the last gain.
  now.radius = 1.02 * now.radius + 2 * std::max(0.0, now.radius - before.radius);
  now.rate = 1.02 * now.rate + 2 * std::max(0.0, now.rate - before.rate);
  return now;
}

// Splitmix64: the same signs on every machine.
Vector random_signs(std::size_t n, const Backend& backend, std::uint64_t seed) {
  std::vector<double> signs(n);
  std::uint64_t state = seed;
  for (double& s : signs) {
    std::uint64_t x = (state += 0x9e3779b97f4a7c15ULL);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    s = ((x ^ (x >> 31)) & 1) != 0 ? 1.0 : -1.0;
  }
  return Vector(std::span<const double>(signs), backend);
}

}  // namespace stiffly
