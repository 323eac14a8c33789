// Order conditions of the classical tables, to round-off.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <set>

#include "stiffly/integrators/dirk.hpp"
#include "stiffly/integrators/rosenbrock.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A rooted tree: its branches, sorted, so that equal trees compare equal.
struct Tree {
  std::multiset<Tree> branches;
  friend bool operator<(const Tree& a, const Tree& b) { return a.branches < b.branches; }

  int order() const {
    int sum = 1;
    for (const Tree& b : branches) sum += b.order();
    return sum;
  }
  /// γ(t) = order × Π γ(branch)
  double density() const {
    double product = order();
    for (const Tree& b : branches) product *= b.density();
    return product;
  }
  /// Elementary weights of the stages: Π over the branches of A·(weights of the branch).
  VectorXd weights(const MatrixXd& A) const {
    VectorXd product = VectorXd::Ones(A.rows());
    for (const Tree& b : branches) product = product.cwiseProduct(A * b.weights(A));
    return product;
  }
};

/// All trees of that order: a leaf grafted onto every vertex of the smaller ones.
std::set<Tree> grafted(const Tree& tree) {
  std::set<Tree> out;
  Tree with_leaf = tree;
  with_leaf.branches.insert(Tree{});
  out.insert(with_leaf);
  for (auto it = tree.branches.begin(); it != tree.branches.end(); ++it)
    for (const Tree& branch : grafted(*it)) {
      Tree changed = tree;
      changed.branches.erase(changed.branches.find(*it));
      changed.branches.insert(branch);
      out.insert(changed);
    }
  return out;
}

std::set<Tree> trees(int order) {
  std::set<Tree> now = {Tree{}};
  for (int k = 1; k < order; ++k) {
    std::set<Tree> larger;
    for (const Tree& t : now) larger.merge(grafted(t));
    now = std::move(larger);
  }
  return now;
}

TEST(ClassicalTableauTest, TreesAreCounted) {
  EXPECT_EQ(trees(3).size(), 2u);
  EXPECT_EQ(trees(4).size(), 4u);
  EXPECT_EQ(trees(5).size(), 9u);
}

MatrixXd matrix_of(const std::vector<std::vector<double>>& rows) {
  MatrixXd A = MatrixXd::Zero(std::ssize(rows), std::ssize(rows));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  return A;
}

double defect(const MatrixXd& A, const std::vector<double>& b, int order) {
  const Eigen::Map<const VectorXd> weights(b.data(), std::ssize(b));
  double largest = 0;
  for (int k = 1; k <= order; ++k)
    for (const Tree& t : trees(k))
      largest = std::max(largest, std::abs(weights.dot(t.weights(A)) - 1 / t.density()));
  return largest;
}

TEST(ClassicalTableauTest, RungeKuttaOrderConditions) {
  for (const auto tables : {explicit_tableaus(), dirk_tableaus()})
    for (const ButcherTableau& table : tables) {
      const MatrixXd A = matrix_of(table.a);
      const Eigen::Map<const VectorXd> c(table.c.data(), std::ssize(table.c));
      EXPECT_LT((A.rowwise().sum() - c).cwiseAbs().maxCoeff(), 1e-14) << table.traits.name;
      EXPECT_LT(defect(A, table.b, table.traits.order), 2e-14) << table.traits.name;
      EXPECT_GT(defect(A, table.b, table.traits.order + 1), 1e-5)
          << table.traits.name << " has a higher order than it says";
      if (table.traits.embedded_order) {
        ASSERT_FALSE(table.b_hat.empty()) << table.traits.name;
        EXPECT_LT(defect(A, table.b_hat, *table.traits.embedded_order), 2e-14) << table.traits.name;
      } else {
        EXPECT_TRUE(table.b_hat.empty());
      }
    }
}

/// b, α and β = α + γ of a Rosenbrock method from the form without products: Γ = (1/γ − C)⁻¹, α = aΓ, b = mΓ.
TEST(ClassicalTableauTest, RosenbrockOrderConditions) {
  for (const RosenbrockTableau& table : rosenbrock_tableaus()) {
    const auto s = std::ssize(table.m);
    const MatrixXd gamma = inverse(MatrixXd::Identity(s, s) / table.gamma - matrix_of(table.c));
    const MatrixXd alpha = matrix_of(table.a) * gamma, beta = alpha + gamma;
    const auto check = [&](const std::vector<double>& m, int order, const char* which) {
      const VectorXd b = gamma.transpose() * Eigen::Map<const VectorXd>(m.data(), s);
      const VectorXd ones = VectorXd::Ones(s), bi = beta * ones, ai = alpha * ones;
      const double tolerance = 2e-12;  // coefficients are printed with 15 digits
      EXPECT_NEAR(b.sum(), 1, tolerance) << table.traits.name << which;
      if (order >= 2) {
        EXPECT_NEAR(b.dot(bi), 0.5, tolerance) << table.traits.name << which;
      }
      if (order >= 3) {
        EXPECT_NEAR(b.dot(ai.cwiseProduct(ai)), 1.0 / 3, tolerance) << table.traits.name << which;
        EXPECT_NEAR(b.dot(beta * bi), 1.0 / 6, tolerance) << table.traits.name << which;
      }
    };
    check(table.m, table.inexact ? 3 : table.traits.order, "");
    if (!table.difference.empty()) {
      std::vector<double> m_hat = table.m;
      for (std::size_t i = 0; i < m_hat.size(); ++i) m_hat[i] -= table.difference[i];
      check(m_hat, *table.traits.embedded_order, " embedded");
    }
    for (Eigen::Index i = 0; i < s; ++i) {
      EXPECT_NEAR(alpha.row(i).sum(), table.alpha[static_cast<std::size_t>(i)], 1e-12) << table.traits.name;
      EXPECT_NEAR(gamma.row(i).sum(), table.gamma_sum[static_cast<std::size_t>(i)], 1e-12)
          << table.traits.name;
    }
  }
}

}  // namespace
}  // namespace stiffly::test
