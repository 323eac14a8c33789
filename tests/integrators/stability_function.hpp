// R(z) of the methods, by formulas apart from their steps.
#pragma once

#include <complex>
#include <Eigen/Dense>
#include <functional>

#include "stiffly/integrators/dirk.hpp"
#include "stiffly/integrators/rosenbrock.hpp"

namespace stiffly::test {

using StabilityFunction = std::function<std::complex<double>(std::complex<double>)>;

/// 1 + z bᵀ(I − zA)⁻¹1
inline StabilityFunction of_table(const ButcherTableau& table) {
  return [&table](std::complex<double> z) {
    const auto s = static_cast<Eigen::Index>(table.b.size());
    Eigen::MatrixXcd A = Eigen::MatrixXcd::Zero(s, s);
    Eigen::RowVectorXcd b(s);
    for (Eigen::Index i = 0; i < s; ++i) {
      b(i) = table.b[static_cast<std::size_t>(i)];
      const auto& row = table.a[static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < row.size(); ++j) A(i, static_cast<Eigen::Index>(j)) = row[j];
    }
    const Eigen::VectorXcd stages =
        (Eigen::MatrixXcd::Identity(s, s) - z * A).partialPivLu().solve(Eigen::VectorXcd::Ones(s));
    return 1.0 + z * (b * stages)(0);
  };
}

/// Stages of y' = λy: (1/γ − z) g_i = z(1 + Σ a_ij g_j) + Σ c_ij g_j.
inline StabilityFunction of_table(const RosenbrockTableau& table) {
  return [&table](std::complex<double> z) {
    std::vector<std::complex<double>> g;
    std::complex<double> y = 1;
    for (std::size_t i = 0; i < table.m.size(); ++i) {
      std::complex<double> right = z;
      for (std::size_t j = 0; j < i; ++j) right += (z * table.a[i][j] + table.c[i][j]) * g[j];
      g.push_back(right / (1 / table.gamma - z));
      y += table.m[i] * g[i];
    }
    return y;
  };
}

/// Empty for methods that are none of one step in y (two-step ones, those that see x and v differently).
inline StabilityFunction stability_function(const std::string& name) {
  for (const auto tables : {explicit_tableaus(), dirk_tableaus()})
    for (const ButcherTableau& table : tables)
      if (table.traits.name == name) return of_table(table);
  for (const RosenbrockTableau& table : rosenbrock_tableaus())
    if (table.traits.name == name) return of_table(table);
  if (name == "newmark") return [](std::complex<double> z) { return (1.0 + z / 2.0) / (1.0 - z / 2.0); };
  if (name.starts_with("exp") || name.starts_with("pexp") || name.starts_with("epi") ||
      name.starts_with("etd"))
    return [](std::complex<double> z) { return std::exp(z); };
  return {};
}

}  // namespace stiffly::test
