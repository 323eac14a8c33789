// Errors over steps, on problems with known solutions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stiffly/counters.hpp"
#include "stiffly/integrators/integrator.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::study {

struct ErrorSample {
  double step = 0;
  double error = 0;  ///< ‖y(T) − exact‖; not finite where the run failed
  double seconds = 0;
  Counters work;
  std::string failure;  ///< why there is no error
};

struct ErrorCurve {
  std::string integrator;
  int order = 0;
  std::vector<ErrorSample> samples;  ///< the largest step first

  double size = 0;  ///< of the exact solution

  /// Slope of log error over log step between the two smallest steps whose errors are well above round-off;
  /// NaN where there are not two.
  double slope() const;
};

/// The five equations of paper 004 (Hauth 2003), by name: growth, decay, overdamped, damped-spring, wave.
std::vector<TestEquation> paper_equations();

/// One method at every step. A run that blows up is a sample with a failure, never an exception.
ErrorCurve measure_errors(const TestEquation& equation, const std::string& integrator,
                          std::span<const double> steps, const IntegratorOptions& options = {});

/// Steps duration/2^first … duration/2^last.
std::vector<double> halvings(double duration, int first, int last);

}  // namespace stiffly::study
