// The Arnoldi process in a chosen inner product: the basis all Krylov evaluators stand on.
#pragma once

#include <algorithm>
#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiffly/linalg/linear_operator.hpp"

namespace stiffly {

/// A few rows and columns that border the large matrix: [[A, B], [0, N]], B = (b_p, …, b_1)/η, N = shift/h.
/// With A = J this is Ã/h of augmented.hpp, the matrix behind kiops.
struct ArnoldiBorder {
  std::span<const ConstVectorView> b = {};  ///< b_0 … b_p; b_0 is not used; empty views are zero
  double eta = 1;
  double step = 1;
  std::size_t size() const { return b.empty() ? 0 : b.size() - 1; }
};

/// A V_m = V_m H_m + h_{m+1,m} v_{m+1} e_mᵀ with ‖v_i‖ = 1, v_1 along the start vector.
///
/// New vectors are made orthogonal to the last `length` ones (2: incomplete, IOM2), or twice to all of them.
/// The relation above holds whatever the length, so residuals can be read off H without orthogonality. A
/// basis can be grown at any time; memory is kept from one start to the next.
class Arnoldi {
 public:
  static constexpr int full = 1 << 30;

  /// Forgets the basis and begins with `start`. compression() needs the metric images of the first vectors:
  /// `keep` of them are kept.
  void begin(const LinearOperator& a, int length, ConstVectorView start, int keep = 0) {
    begin(a, {}, length, start, {}, keep);
  }
  /// The same for a bordered matrix and a start with a part in the border. Operator and border must outlive
  /// the basis.
  void begin(const LinearOperator& a, const ArnoldiBorder& border, int length, ConstVectorView start,
             std::span<const double> start_tail, int keep);
  /// Extends the basis to m vectors, less at a breakdown; returns its size. Needs begin() with a nonzero
  /// start.
  int grow(int m);

  int size() const { return m_; }
  /// Whether the space is invariant: it cannot be extended, and functions of A are exact in it.
  bool breakdown() const { return breakdown_; }
  double start_norm() const { return beta_; }
  /// (m+1) × m, upper Hessenberg.
  auto H() const { return h_.topLeftCorner(m_ + 1, m_); }
  /// Number of diagonals of H above the main one.
  int band() const { return std::min(length_ - 1, m_); }
  /// h_{m+1,m}
  double next() const { return h_(m_, m_ - 1); }
  /// ‖H_m‖_1, near ‖A‖ once the basis has seen the spectrum.
  double H_norm() const { return h_norm_; }
  int products() const { return products_; }

  /// y ← y + V_k c, k = c.size() ≤ m+1
  void add_combination(std::span<const double> c, VectorView y) const;
  /// A as seen by an orthonormal basis of span(v_1, …, v_d), d ≤ keep, less the vectors that have a part in
  /// the border: QᵀGAQ. Its numerical range lies in that of A, which of H can only be said with full
  /// orthogonalisation.
  Eigen::MatrixXd compression(int d) const;
  /// The border's part of v_1 … v_{m+1}, by columns.
  auto tails() const { return tails_.leftCols(m_ + 1); }

 private:
  void adopt(int j);
  void orthogonalize(int j);
  void multiply(int j);
  Vector& metric_of(int j) { return metric_[static_cast<std::size_t>(j % ring())]; }
  int ring() const { return static_cast<int>(metric_.size()); }
  void reserve(int m);

  const LinearOperator* a_ = nullptr;
  bool euclidean_ = true;  // G = I
  ArnoldiBorder border_;
  int length_ = 2;
  int keep_ = 0;
  int m_ = 0;
  bool breakdown_ = false;
  double beta_ = 0;
  double h_norm_ = 0;
  double largest_ = 0;  // of ‖A v_j‖ so far: what a breakdown is measured against
  int products_ = 0;

  std::vector<Vector> basis_;   // v_1 …
  std::vector<Vector> metric_;  // G v_j up to factors, as many as coefficients need; unused for G = I
  std::vector<double> metric_factor_;
  std::vector<Vector> kept_;  // G v_j of the first vectors, where metric_ forgets them
  Vector product_;            // A v_j up to a factor
  Eigen::VectorXd product_tail_;
  double product_factor_ = 1;
  Eigen::MatrixXd h_;
  Eigen::MatrixXd tails_;
};

}  // namespace stiffly
