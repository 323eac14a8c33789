// Coefficients of exponential one-step methods, apart from the stepping:
//
//   U_i = y + c_i hφ_1(c_i hJ)F + h Σ_j a_ij(hJ) D_j,      D_j = F(U_j) − F(y) − J(U_j − y),
//   y⁺  = y + hφ_1(hJ)F + h Σ_i b_i(hJ) D_i.
//
// With J the Jacobian at y these are the exponential Rosenbrock and EPIRK methods; with a constant J
// exponential Runge–Kutta methods take the same form, since D_j is then the change of the nonlinearity.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stiffly {

/// factor · φ_phi(node · hJ)
struct PhiTerm {
  int phi;
  double factor;
  double node = 1;
};

/// A matrix function that multiplies D of a stage (numbered from 2, as in the literature).
struct StageTerm {
  int stage;
  std::vector<PhiTerm> terms;
};

enum class LinearPart {
  dynamic,  ///< the Jacobian at y_n
  fixed,    ///< constant over the run
};

struct ExponentialTableau {
  std::string name;
  int order;
  std::optional<int> embedded_order;
  std::string summary;
  std::string reference;
  LinearPart linear_part = LinearPart::dynamic;
  std::vector<double> nodes;  ///< c_2 … c_s
  std::vector<std::vector<StageTerm>>
      couplings;                    ///< a_ij for stages 2 … s; may be left out where all are zero
  std::vector<StageTerm> weights;   ///< b_i; every node is 1
  std::vector<StageTerm> embedded;  ///< b̂_i of the embedded solution; empty: y + hφ_1(hJ)F
};

/// Σ_i |b_i(0)|, with φ_k(0) = 1/k!: how much errors of the stages count.
double weight_size(const ExponentialTableau& tableau);

/// All methods of this form.
std::span<const ExponentialTableau> exponential_tableaus();

/// pexprb43 for any two nodes (paper 002, eq. 3.19): parallel stages, stiff order 4.
ExponentialTableau pexprb43(std::string name, double c2, double c3, std::string summary);

}  // namespace stiffly
