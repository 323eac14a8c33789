// PETSc's objects as values: handles, arrays, errors as exceptions.
#pragma once

#include <petscmat.h>
#include <petscvec.h>

#include <span>
#include <string>
#include <utility>

#include "peers/compressed_rows.hpp"
#include "stiffly/error.hpp"

namespace stiffly::study {

/// Starts PETSc once per process: no arguments, no signal handlers, nothing printed.
void start_petsc();
std::string petsc_version();

class PetscFailure : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// While it lives, errors of PETSc are not printed; the first one's text is kept for `petsc_check`.
class PetscErrors {
 public:
  PetscErrors();
  ~PetscErrors();
  PetscErrors(const PetscErrors&) = delete;
  PetscErrors& operator=(const PetscErrors&) = delete;
};

/// Throws PetscFailure for a code that is not 0.
void petsc_check(PetscErrorCode code);

template <class Object, PetscErrorCode (*destroy)(Object*)>
class PetscHandle {
 public:
  PetscHandle() = default;
  PetscHandle(PetscHandle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PetscHandle& operator=(PetscHandle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PetscHandle() { destroy(&object_); }
  operator Object() const { return object_; }
  Object* out() { return &object_; }

 private:
  Object object_ = nullptr;
};

using VecHandle = PetscHandle<Vec, VecDestroy>;
using MatHandle = PetscHandle<Mat, MatDestroy>;

VecHandle make_vec(std::span<const double> values);
MatHandle make_mat(const CompressedRows& rows);
/// Other values on the same pattern.
void set_values(Mat matrix, std::span<const double> values);

/// Entries of a vector, to read.
class ReadArray {
 public:
  explicit ReadArray(Vec vec) : vec_(vec) {
    petsc_check(VecGetLocalSize(vec, &size_));
    petsc_check(VecGetArrayRead(vec, &data_));
  }
  ~ReadArray() { VecRestoreArrayRead(vec_, &data_); }
  ReadArray(const ReadArray&) = delete;
  ReadArray& operator=(const ReadArray&) = delete;
  const double* data() const { return data_; }
  std::span<const double> span() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  Vec vec_;
  PetscInt size_ = 0;
  const double* data_ = nullptr;
};

/// Entries of a vector, to write.
class WriteArray {
 public:
  explicit WriteArray(Vec vec) : vec_(vec) {
    petsc_check(VecGetLocalSize(vec, &size_));
    petsc_check(VecGetArrayWrite(vec, &data_));
  }
  ~WriteArray() { VecRestoreArrayWrite(vec_, &data_); }
  WriteArray(const WriteArray&) = delete;
  WriteArray& operator=(const WriteArray&) = delete;
  double* data() const { return data_; }
  std::size_t size() const { return static_cast<std::size_t>(size_); }

 private:
  Vec vec_;
  PetscInt size_ = 0;
  double* data_ = nullptr;
};

}  // namespace stiffly::study
