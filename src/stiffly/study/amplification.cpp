#include "stiffly/study/amplification.hpp"

#include <cmath>
#include <Eigen/LU>

#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::study {
namespace {

constexpr double unit_step = 1;

/// State and memory in one row of numbers; times, which are the same whatever the state, are left out.
struct Snapshot {
  State state;
  IntegratorMemory memory;
};

Eigen::VectorXd flatten(const Snapshot& s) {
  std::vector<double> out = to_host(s.state.y);
  for (const Vector& v : s.memory.vectors)
    for (const double x : to_host(v)) out.push_back(x);
  return Eigen::VectorXd::Map(out.data(), std::ssize(out));
}

Snapshot unflatten(const Eigen::VectorXd& values, Snapshot like) {
  Eigen::Index at = 0;
  const auto take = [&](Vector& v) {
    v = Vector(std::span<const double>(values.data() + at, v.size()));
    at += static_cast<Eigen::Index>(v.size());
  };
  take(like.state.y);
  for (Vector& v : like.memory.vectors) take(v);
  return like;
}

}  // namespace

double Amplification::determinant() const { return matrix.determinant(); }

double Amplification::spectral_radius() const { return eigenvalues(matrix).cwiseAbs().maxCoeff(); }

Amplification amplification(const IntegratorInfo& info, std::complex<double> z) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(1, 1);
  const LinearOscillator system(one, std::norm(z) * one, -2 * z.real() * one);
  // By Newton's method, which saves nothing: where a factor was made is no part of the state.
  const auto method = info.make(
      {.evaluator = "dense", .phi_tolerance = 1e-10, .newton = "newton", .newton_tolerance = 1e-12});
  Snapshot now{State(0.0, std::vector<double>{1}, std::vector<double>{0}), {}};
  if (info.multistep) {  // some steps first, until the memory has its full length
    method->start(system, now.state);
    for (int i = 0; i < 8; ++i) now.state = method->step(now.state, unit_step, false).state;
    now.memory = method->save();
  }
  const auto n = flatten(now).size();
  Amplification result{Eigen::MatrixXd(n, n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    Snapshot s = unflatten(Eigen::VectorXd::Unit(n, i), now);
    method->start(system, s.state);
    if (info.multistep) method->restore(s.memory);
    s.state = method->step(s.state, unit_step, false).state;
    if (info.multistep) s.memory = method->save();
    result.matrix.col(i) = flatten(s);
  }
  return result;
}

}  // namespace stiffly::study
