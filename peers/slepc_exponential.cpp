#include "peers/slepc_exponential.hpp"

#include <fmt/format.h>
#include <slepcmfn.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "peers/petsc.hpp"

namespace stiffly::study {
namespace {

using MfnHandle = PetscHandle<MFN, MFNDestroy>;

void start_slepc() {
  struct Session {
    Session() { petsc_check(SlepcInitializeNoArguments()); }
    ~Session() { SlepcFinalize(); }
  };
  start_petsc();
  static const Session session;
}

/// What the products need; PETSc keeps a pointer to it.
struct Product {
  const LinearOperator& A;
  int count = 0;
  std::exception_ptr error = {};

  void operator()(ConstVectorView x, VectorView y) {
    ++count;
    A.apply(x, y);
  }
  /// ‖A‖ by a few power iterations, as good as Expokit needs it for its first substep.
  double norm() {
    Vector x(A.size()), y(A.size());
    fill(1.0, x);
    double largest = 0;
    for (int i = 0; i < 5; ++i) {
      const double size = stiffly::norm(x);
      if (!(size > 0)) break;
      scale(1 / size, x);
      (*this)(x, y);
      largest = std::max(largest, stiffly::norm(y));
      x.swap(y);
    }
    return largest;
  }
};

/// Runs `work` on the product behind a matrix; an exception is kept there, as it cannot pass through C.
template <class Work>
PetscErrorCode with_product(Mat matrix, const Work& work) {
  void* context;
  PetscCall(MatShellGetContext(matrix, &context));
  Product& product = *static_cast<Product*>(context);
  try {
    work(product);
    return 0;
  } catch (...) {
    product.error = std::current_exception();
    return PETSC_ERR_USER;
  }
}

PetscErrorCode apply(Mat matrix, Vec x, Vec y) {
  return with_product(matrix, [&](Product& product) {
    const std::size_t n = product.A.size();
    product(ConstVectorView(host_backend(), ReadArray(x).data(), n),
            VectorView(host_backend(), WriteArray(y).data(), n));
  });
}

PetscErrorCode norm_of(Mat matrix, NormType, PetscReal* out) {
  return with_product(matrix, [&](Product& product) { *out = product.norm(); });
}

}  // namespace

SlepcExponential slepc_exponential(const LinearOperator& A, double t, ConstVectorView b, double tolerance,
                                   SlepcMethod method, int largest_basis) {
  if (!std::isfinite(t))
    throw InputError(fmt::format("the time of an exponential must be finite, not {}", t));
  if (!(tolerance > 0 && std::isfinite(tolerance)))
    throw InputError(fmt::format("the tolerance must be positive and finite, not {}", tolerance));
  if (b.size() != A.size())
    throw InputError(fmt::format("a vector of {} entries for a matrix of order {}", b.size(), A.size()));
  start_slepc();
  const PetscErrors errors;
  Product product{A};
  try {
    const auto n = static_cast<PetscInt>(A.size());
    MatHandle matrix;
    petsc_check(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, &product, matrix.out()));
    petsc_check(MatShellSetOperation(matrix, MATOP_MULT, reinterpret_cast<void (*)()>(apply)));
    petsc_check(MatShellSetOperation(matrix, MATOP_NORM, reinterpret_cast<void (*)()>(norm_of)));
    MfnHandle mfn;
    petsc_check(MFNCreate(PETSC_COMM_SELF, mfn.out()));
    petsc_check(MFNSetOperator(mfn, matrix));
    petsc_check(MFNSetType(mfn, method == SlepcMethod::krylov ? MFNKRYLOV : MFNEXPOKIT));
    petsc_check(MFNSetTolerances(mfn, tolerance, 100000));
    petsc_check(MFNSetDimensions(mfn, std::min<PetscInt>(largest_basis, n)));
    FN exponential;
    petsc_check(MFNGetFN(mfn, &exponential));
    petsc_check(FNSetType(exponential, FNEXP));
    petsc_check(FNSetScale(exponential, t, 1.0));

    const VecHandle from = make_vec(host(b)), to = make_vec(host(b));
    petsc_check(MFNSolve(mfn, from, to));
    MFNConvergedReason reason;
    PetscInt iterations;
    petsc_check(MFNGetConvergedReason(mfn, &reason));
    petsc_check(MFNGetIterationNumber(mfn, &iterations));
    if (reason < 0)
      throw SimulationError(fmt::format("SLEPc did not converge after {} iterations (reason {})", iterations,
                                        static_cast<int>(reason)));
    return {Vector(ReadArray(to).span()), product.count, iterations};
  } catch (const PetscFailure&) {
    if (product.error) std::rethrow_exception(product.error);
    throw;
  }
}

}  // namespace stiffly::study
