// Energy and momentum of a run, book-kept.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stiffly/results/recorder.hpp"

namespace stiffly {

/// total(t) − total(0) = supports + fields − dissipated + error. The error is that of the integration, and of
/// the books where dampers or drives work faster than the steps.
struct EnergyBalance {
  bool kept = false;  ///< whether the books were: otherwise there are no sums and no error
  EnergySample start, end;
  std::vector<std::pair<std::string, double>> dissipated = {};  ///< J, by name
  double error = 0, max_error = 0;                              ///< at the end; the largest of any record
  double unresolved = 0;  ///< J, of what dampers took in vibrations within the steps, that nobody knows
};

struct MomentumChange {
  std::array<double, 3> start = {}, end = {};
  double max_change = 0;  ///< over the records; from start to end where there is no folder
};

/// Of free particles; angular about their centre of mass.
struct MomentumBalance {
  bool kept = false;  ///< whether the unknowns are those of particles
  MomentumChange linear, angular;
  double largest_angular = 0;  ///< N m s, the most that such bodies can have at such speeds
};

/// total − total(0) − (supports + fields − dissipated), J
double balance_error(const EnergySample& start, const EnergySample& now);

EnergyBalance energy_balance(const SecondOrderSystem& system, const Record& record);
MomentumBalance momentum_balance(const SecondOrderSystem& system, const Record& record);

/// balance.png: where the energy is and where it went, over time, as the bytes of a PNG.
std::string balance_png(const std::string& title, const Record& record);

}  // namespace stiffly
