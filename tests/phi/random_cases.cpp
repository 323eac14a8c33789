#include "phi/random_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Dense>

#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/linalg/dense.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::testing {
namespace {

Eigen::Map<const VectorXd> map(ConstVectorView x) { return {host(x).data(), static_cast<Index>(x.size())}; }
Eigen::Map<VectorXd> map(VectorView x) { return {host(x).data(), static_cast<Index>(x.size())}; }

}  // namespace

double Random::normal() {
  return std::sqrt(-2 * std::log(uniform(1e-300, 1))) * std::cos(2 * M_PI * uniform());
}

double Random::power_of_ten(double low, double high) { return std::pow(10, uniform(low, high)); }

VectorXd Random::vector(Index n) {
  return VectorXd::NullaryExpr(n, [this] { return normal(); });
}

MatrixXd Random::matrix(Index n) {
  return MatrixXd::NullaryExpr(n, n, [this] { return normal(); });
}

MatrixXd Random::orthogonal(Index n) { return orthogonal_factor(matrix(n)); }

void MatrixOperator::apply(ConstVectorView x, VectorView y) const {
  ++products;
  map(y).noalias() = matrix * map(x);
}

void MatrixOperator::apply_metric(ConstVectorView x, VectorView y) const {
  if (metric)
    map(y).noalias() = *metric * map(x);
  else
    copy(x, y);
}

std::unique_ptr<ShiftedInverse> MatrixOperator::shifted_inverse(double sigma,
                                                                std::unique_ptr<ShiftedInverse>) const {
  return DenseOperator(matrix).shifted_inverse(sigma, nullptr);
}

std::vector<ConstVectorView> views(const std::vector<Vector>& b) {
  std::vector<ConstVectorView> out;
  for (const Vector& v : b) out.push_back(v.empty() ? ConstVectorView{} : ConstVectorView(v));
  return out;
}

PhiResult evaluate(PhiEvaluator& evaluator, const Case& c) {
  const auto b = views(c.b);
  return evaluator.evaluate({c.J, c.step, b, c.nodes, c.tolerance});
}

VectorXl to_long(const Vector& x) {
  return Eigen::Map<const VectorXd>(host(x).data(), static_cast<Index>(x.size())).cast<long double>();
}

long double norm(const Case& c, const VectorXl& x) {
  return std::sqrt(c.J.metric ? x.dot(c.J.metric->cast<long double>() * x) : x.squaredNorm());
}

double spectral_norm(const MatrixXd& A) {
  return std::sqrt(symmetric_eigenvalues(A.transpose() * A).maxCoeff());
}

// ---- the oracle ----

/// w(c_i) in long double by Taylor steps of length ‖hJ‖τ ≤ 4 on u' = hJu + Σ_j t^{j−1}/(j−1)! b_j, in
/// balanced coordinates: u^{(k+1)} = hJ u^{(k)} + g^{(k)}(t). Truncation is below 1e-22 a step, round-off
/// about 1e-19 a step: a relative error of some 1e-19·hρ·gain, 1e-7 of what any evaluator in double can
/// reach.
std::vector<VectorXl> oracle(const Case& c) {
  const VectorXl d = c.scaling.cast<long double>();
  const MatrixXl A = static_cast<long double>(c.step) *
                     (d.cwiseInverse().asDiagonal() * c.J.matrix.cast<long double>() * d.asDiagonal());
  const Index n = A.rows();
  std::vector<VectorXl> b;
  for (const Vector& v : c.b)
    b.push_back(v.empty() ? VectorXl(VectorXl::Zero(n)) : VectorXl(to_long(v).cwiseQuotient(d)));
  const std::size_t p = b.size() - 1;

  std::vector<VectorXl> out;
  VectorXl u = b[0];
  long double t = 0;
  for (const double node : c.nodes) {
    const long double gap = static_cast<long double>(node) - t, start = t;
    const int steps =
        std::max(1, static_cast<int>(std::ceil(static_cast<double>(gap) * c.step * c.radius / 4)));
    const long double tau = gap / steps;
    for (int s = 0; s < steps; ++s) {
      t = start + s * tau;
      // g^{(k)}(t) = Σ_{j>k} t^{j−1−k}/(j−1−k)! b_j
      std::vector<VectorXl> g(p, VectorXl::Zero(n));
      for (std::size_t k = 0; k < p; ++k) {
        long double factor = 1;
        for (std::size_t j = k + 1; j <= p; ++j) {
          g[k] += factor * b[j];
          factor *= t / static_cast<long double>(j - k);
        }
      }
      VectorXl derivative = u;
      long double factor = 1, largest = 0, before = 0;
      for (std::size_t k = 0; k < 200; ++k) {
        derivative = A * derivative;
        if (k < p) derivative += g[k];
        factor *= tau / static_cast<long double>(k + 1);
        u += factor * derivative;
        const long double size = factor * derivative.norm();
        largest = std::max(largest, size);
        if (k > p + 2 && std::max(size, before) <= 1e-23L * largest) break;
        before = size;
      }
    }
    t = node;
    out.push_back(d.cwiseProduct(u));
  }
  return out;
}

// ---- the families ----

MatrixXd skew_part(const MatrixXd& A) { return 0.5 * (A - A.transpose()); }

MatrixXd skew_with_frequencies(Random& random, Index n, const std::vector<double>& omega) {
  MatrixXd S = MatrixXd::Zero(n, n);
  for (Index i = 0; i + 1 < n; i += 2) {
    const double w = omega[static_cast<std::size_t>(i / 2)];
    S(i, i + 1) = w;
    S(i + 1, i) = -w;
  }
  const MatrixXd Q = random.orthogonal(n);
  return skew_part(Q * S * Q.transpose());
}

Matrices oscillator(const MatrixXd& K, const MatrixXd& C, const VectorXd& M, const MatrixXd& K0) {
  const Index m = K.rows();
  MatrixXd J = MatrixXd::Zero(2 * m, 2 * m), G = J;
  J.topRightCorner(m, m).setIdentity();
  J.bottomLeftCorner(m, m) = -(M.cwiseInverse().asDiagonal() * K);
  J.bottomRightCorner(m, m) = -(M.cwiseInverse().asDiagonal() * C);
  G.topLeftCorner(m, m) = K0;
  G.bottomRightCorner(m, m) = M.asDiagonal();
  return {J, G, C.isZero(0) && K == K0};
}

MatrixXd stiffness(Random& random, Index m, double kappa) {
  VectorXd k(m);
  for (Index i = 0; i < m; ++i)
    k(i) = std::pow(kappa, m > 1 ? static_cast<double>(i) / static_cast<double>(m - 1) : 0.0);
  const MatrixXd Q = random.orthogonal(m), K = Q * k.asDiagonal() * Q.transpose();
  return 0.5 * (K + K.transpose());
}

Matrices make_matrices(const std::string& family, Random& random, Index size, double kappa) {
  const Index m = std::max<Index>(1, size / 2);
  const MatrixXd none = MatrixXd::Zero(m, m);
  const VectorXd mass = VectorXd::NullaryExpr(m, [&] { return random.uniform(0.5, 2); });
  if (family == "skew") return {skew_part(random.matrix(size)), {}, true};
  if (family == "bimodal") {
    std::vector<double> omega;
    for (Index i = 0; i < m; ++i)
      omega.push_back(random.uniform(0.5, 1) * (i % 2 == 0 ? std::sqrt(kappa) : 1.0));
    return {skew_with_frequencies(random, size, omega), {}, true};
  }
  if (family == "independent") {
    const VectorXd k = VectorXd::NullaryExpr(
        m, [&] { return std::pow(kappa, random.integer(0, 1)) * random.uniform(0.5, 1); });
    const MatrixXd K = k.asDiagonal();
    return oscillator(K, none, mass, K);
  }
  if (family == "nonnormal") {
    MatrixXd J = random.power_of_ten(0, 2) *
                 random.matrix(size).triangularView<Eigen::StrictlyUpper>().toDenseMatrix();
    for (Index i = 0; i < size; ++i) J(i, i) = random.uniform(-3, 1);
    for (Index i = 0; i + 1 < size; i += 3) J(i + 1, i) = random.uniform(-2, 2);
    const MatrixXd Q = random.orthogonal(size);  // turned: no scaling of unknowns undoes the coupling
    if (random.uniform() < 0.5) J = Q * J * Q.transpose();
    return {J / std::sqrt(static_cast<double>(size)), {}, false};
  }
  const MatrixXd K = stiffness(random, m, kappa);
  if (family == "oscillator") return oscillator(K, none, mass, K);
  if (family == "plain oscillator") return {oscillator(K, none, mass, K).J, {}, false};
  if (family == "damped") {  // Rayleigh: light to heavy on the stiff side
    const MatrixXd C = random.uniform(0, 0.3) * MatrixXd(mass.asDiagonal()) +
                       random.power_of_ten(-3, -0.3) / std::sqrt(kappa) * K;
    return oscillator(K, C, mass, K);
  }
  const VectorXd a = random.vector(m).normalized();  // indefinite: one direction is pressed until it buckles
  const MatrixXd tangent = K - random.uniform(1, 4) * a * a.transpose() * (a.dot(K * a) / 2 + 1);
  return oscillator(0.5 * (tangent + tangent.transpose()), none, mass, K);
}

void balance(Case& c, bool second_order) {
  const Index n = c.J.matrix.rows();
  c.scaling = VectorXd::Ones(n);
  if (second_order)
    c.scaling.head(n / 2).setConstant(
        1 / std::sqrt(std::max(1.0, c.J.matrix.bottomLeftCorner(n / 2, n / 2).cwiseAbs().maxCoeff())));
  c.radius = spectral_norm(c.scaling.cwiseInverse().asDiagonal() * c.J.matrix * c.scaling.asDiagonal());
}

Case make_case(std::uint64_t seed) {
  Random random(seed);
  Case c;
  c.family = families[seed % std::size(families)];
  // Mostly small; one in 24 large and slow; one in 24, and a third of the bimodal ones, small and very stiff.
  const bool bimodal = c.family == "bimodal" || c.family == "independent";
  const int kind = random.integer(0, 23);
  const bool stiff = kind == 1 || (bimodal && seed / std::size(families) % 3 == 0),
             large = kind == 0 && !stiff;
  Index n = large   ? random.integer(100, 400)
            : stiff ? random.integer(2, 12)
                    : static_cast<Index>(std::pow(40, random.uniform()));
  const bool second_order = c.family != "skew" && c.family != "bimodal" && c.family != "nonnormal";
  if (second_order) n = std::max<Index>(2, n);
  const double kappa = bimodal ? random.power_of_ten(2, 10) : random.power_of_ten(0, 4);
  Matrices matrices = make_matrices(c.family, random, n, kappa);
  c.J.matrix = std::move(matrices.J);
  c.J.metric = std::move(matrices.metric);
  c.J.is_skew = matrices.skew;
  balance(c, second_order);
  if (c.J.is_skew && random.uniform() < 0.5)
    c.J.bound = 1.001 * spectral_norm(c.J.metric ? MatrixXd(c.scaling.cwiseInverse().asDiagonal() *
                                                            c.J.matrix * c.scaling.asDiagonal())
                                                 : c.J.matrix);

  const int outputs = random.integer(1, 3);
  const std::vector<std::vector<double>> usual = {{1}, {0.5, 1}, {0.25, 0.5, 0.9}};
  c.nodes = usual[static_cast<std::size_t>(outputs) - 1];
  if (random.uniform() < 0.5)
    for (std::size_t i = 0; i < c.nodes.size(); ++i)
      c.nodes[i] = (static_cast<double>(i) + random.uniform(0.1, 1)) / outputs;

  const double h_rho = stiff ? random.power_of_ten(2, 5) : random.power_of_ten(-1, large ? 1.5 : 2.5);
  c.step = c.radius > 0 ? h_rho / c.radius : 1;
  if (c.family == "indefinite" || c.family == "nonnormal")
    c.step = std::min(c.step, (c.family == "nonnormal" ? 300 : 200) / std::max(c.radius, 1e-3));

  const int p = random.integer(0, 5);
  const double magnitude = random.integer(0, 9) == 0 ? 1e-290 : random.integer(0, 9) == 0 ? 1e250 : 1;
  const Index size = c.J.matrix.rows();
  for (int j = 0; j <= p; ++j) {
    const bool zero = random.uniform() < 0.3 && !(j == p);
    const double each = magnitude * random.power_of_ten(-2, 2);
    VectorXd v = each * random.vector(size);
    if (second_order) v.head(size / 2) = v.head(size / 2).cwiseProduct(c.scaling.head(size / 2)).eval();
    c.b.push_back(zero ? Vector()
                       : Vector(std::span<const double>(v.data(), static_cast<std::size_t>(size))));
  }
  c.tolerance = {.relative = random.power_of_ten(-10, -2), .absolute = 0};
  c.label = fmt::format(
      "seed {} {} n {} hρ {:.3g} κ {:.1e} p {} nodes {} tolerance {:.1e} magnitude {:.0e}{}", seed, c.family,
      size, c.h_rho(), kappa, p, c.nodes.size(), c.tolerance.relative, magnitude, c.J.bound ? " bound" : "");
  return c;
}

const std::vector<Solved>& random_cases() {
  static const std::vector<Solved> all = [] {
    std::vector<Solved> out(320);
    parallel_for(out.size(), [&](std::size_t i) {
      out[i].problem = make_case(i);
      out[i].solution = oracle(out[i].problem);
    });
    return out;
  }();
  return all;
}

double error_over_tolerance(const Solved& s, const PhiResult& result) {
  double worst = 0;
  for (std::size_t i = 0; i < s.solution.size(); ++i) {
    const long double bound = std::max(s.problem.tolerance.relative * norm(s.problem, s.solution[i]),
                                       static_cast<long double>(s.problem.tolerance.absolute));
    const long double error = norm(s.problem, to_long(result.values[i]) - s.solution[i]);
    worst = std::max(worst, static_cast<double>(error / bound));
    if (std::isnan(static_cast<double>(error))) return HUGE_VAL;
  }
  return worst;
}

double miss(const Case& c, const PhiResult& result) { return error_over_tolerance({c, oracle(c)}, result); }

}  // namespace stiffly::testing
