// The exceptions of the library: one small hierarchy, each with a message a user can act on.
#pragma once

#include <stdexcept>
#include <string>

namespace stiffly {

/// Base of everything the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Wrong input: a scene, an option, a name, an argument out of its range. (Exit code 2.)
class InputError : public Error {
 public:
  using Error::Error;
};

/// The computation cannot go on: a blow-up, a matrix that is not positive definite, a tolerance out of
/// reach. (Exit code 3.)
class SimulationError : public Error {
 public:
  using Error::Error;
};

/// The time allowed for the work is over. Not a failure of the computation: a shorter step is no remedy.
class OutOfTime : public Error {
 public:
  using Error::Error;
};

/// A matrix that had to be positive definite is not. `row` is the first row at which that showed, -1 if
/// unknown.
class NotPositiveDefinite : public SimulationError {
 public:
  NotPositiveDefinite(const std::string& message, long row) : SimulationError(message), row_(row) {}
  long row() const { return row_; }

 private:
  long row_;
};

/// A file could not be read or written. (Exit code 4.)
class FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace stiffly
