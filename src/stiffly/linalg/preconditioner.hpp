// Cheap approximate inverses of symmetric positive definite block matrices, for conjugate gradients.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "stiffly/linalg/block_matrix.hpp"

namespace stiffly {

/// z ≈ A⁻¹ r, symmetric positive definite in r.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// Prepares for A, which must outlive the use.
  virtual void prepare(const BlockMatrix& matrix) = 0;
  void apply(ConstVectorView r, VectorView z) const;

 protected:
  virtual void do_apply(std::span<const double> r, std::span<double> z) const = 0;
};

struct PreconditionerInfo {
  std::string name;
  std::string summary;
  std::unique_ptr<Preconditioner> (*make)();
};

/// none, diagonal, block, ssor, ic.
std::span<const PreconditionerInfo> preconditioners();
/// Throws InputError, with the nearest name, for one that does not exist.
std::unique_ptr<Preconditioner> make_preconditioner(std::string_view name);

}  // namespace stiffly
