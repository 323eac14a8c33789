#include <fmt/format.h>
#include <petscsys.h>

#include <algorithm>
#include <vector>

#include "peers/petsc.hpp"

namespace stiffly::study {
namespace {

thread_local std::string first_message;

PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                            const char* text, void*) {
  if (type == PETSC_ERROR_INITIAL && text) first_message = text;
  return code;
}

}  // namespace

void start_petsc() {
  struct Session {
    Session() {
      petsc_check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
      petsc_check(PetscInitializeNoArguments());
    }
    ~Session() { PetscFinalize(); }
  };
  static const Session session;
}

std::string petsc_version() {
  return fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
}

PetscErrors::PetscErrors() {
  first_message.clear();
  PetscPushErrorHandler(keep_message, nullptr);
}

PetscErrors::~PetscErrors() { PetscPopErrorHandler(); }

void petsc_check(PetscErrorCode code) {
  if (code == 0) return;
  if (!first_message.empty()) throw PetscFailure("PETSc: " + first_message);
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw PetscFailure(fmt::format("PETSc: {}", text ? text : "unknown error"));
}

VecHandle make_vec(std::span<const double> values) {
  VecHandle vec;
  petsc_check(VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(values.size()), vec.out()));
  std::copy(values.begin(), values.end(), WriteArray(vec).data());
  return vec;
}

MatHandle make_mat(const CompressedRows& rows) {
  const std::vector<PetscInt> starts(rows.starts.begin(), rows.starts.end());
  const std::vector<PetscInt> columns(rows.columns.begin(), rows.columns.end());
  const auto n = static_cast<PetscInt>(rows.rows());
  MatHandle mat;
  petsc_check(MatCreate(PETSC_COMM_SELF, mat.out()));
  petsc_check(MatSetSizes(mat, n, n, n, n));
  petsc_check(MatSetType(mat, MATSEQAIJ));
  petsc_check(MatSeqAIJSetPreallocationCSR(mat, starts.data(), columns.data(), rows.values.data()));
  return mat;
}

void set_values(Mat matrix, std::span<const double> values) {
  double* out;
  petsc_check(MatSeqAIJGetArrayWrite(matrix, &out));
  std::copy(values.begin(), values.end(), out);
  petsc_check(MatSeqAIJRestoreArrayWrite(matrix, &out));
}

}  // namespace stiffly::study
