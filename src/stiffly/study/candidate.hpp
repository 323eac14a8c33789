// Ways to solve the same problem, so that they can be compared.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stiffly/control/trial_result.hpp"
#include "stiffly/counters.hpp"
#include "stiffly/integrators/registry.hpp"

namespace stiffly::study {

/// What sets the accuracy (and the cost) of a candidate.
enum class Knob { step, tolerance };

/// How one run went. A run that failed has a failure and the states before it.
struct Trajectory {
  std::vector<State> states;     ///< at the moments that were asked for
  double seconds = 0;            ///< of computing, set-up and start included
  double processor_seconds = 0;  ///< of all threads; what keeping states costs is in it
  double simulated_seconds = 0;
  long steps = 0;
  long rejected_steps = 0;
  double max_energy_drift = 0;  ///< max |H − H_0| over the moments, J
  Counters work;
  std::string failure = {};              ///< why there is no more; empty: it went well
  bool out_of_time = false;              ///< the failure is only that the time limit was reached
  std::vector<Decision> decisions = {};  ///< of an automatic method
};

/// A method with all its options fixed but one.
class Candidate {
 public:
  virtual ~Candidate() = default;
  virtual const std::string& name() const = 0;
  virtual Knob knob() const = 0;
  /// From `start` through the moments (rising, the first after the start's time) at a step in s or at a
  /// relative tolerance. Whatever goes wrong in the run is in the result, never an exception; stops soon
  /// after `time_limit` seconds of computing.
  virtual Trajectory run(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                         double setting, double time_limit = std::numeric_limits<double>::infinity()) = 0;
};

/// A registered integrator, at constant steps or at a tolerance. Throws InputError for an unknown name.
std::unique_ptr<Candidate> make_candidate(const std::string& integrator, Knob knob,
                                          const IntegratorOptions& options = {});
/// An integrator that need not be registered; the name is the one it is to have here.
std::unique_ptr<Candidate> make_candidate(IntegratorInfo integrator, Knob knob,
                                          const IntegratorOptions& options = {});

}  // namespace stiffly::study
