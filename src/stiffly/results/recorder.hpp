// What is kept of a run for its results: energies and work at many times, whole states at a few.
#pragma once

#include <array>
#include <vector>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/sampler.hpp"
#include "stiffly/control/simulation.hpp"

namespace stiffly {

class ContactTime;

/// J, N s and N m s.
struct EnergySample {
  double time = 0, kinetic = 0, potential = 0, total = 0;
  double weight = 0;                                ///< of the potential: that of weight and other fields
  double supports = 0, fields = 0, dissipated = 0;  ///< since the start, where books are kept
  std::array<double, 3> linear_momentum = {}, angular_momentum = {};  ///< of particles
};

/// The work from the start up to a time.
struct WorkSample {
  double time = 0;
  long steps = 0, rejected_steps = 0;
  Counters counters;
};

/// All that is kept.
struct Record {
  std::vector<EnergySample> energies;
  std::vector<WorkSample> work;  ///< at the times of the energies
  std::vector<State> states;     ///< of small systems, at the times of the energies; empty for others
  std::vector<State> snapshots;  ///< of any system, at a few times evenly over the duration, for pictures
  bool books_kept = false;
  EnergyTotals totals = {};  ///< up to the last state that was seen, where books are kept
  /// Where it was counted, how long obstacles had been touched at each snapshot (ContactTime).
  std::vector<std::vector<double>> contact_times = {};

  double max_kinetic_energy() const;
};

/// Systems of at most so many unknowns have all recorded states kept.
constexpr std::size_t small_system = 32;

struct RecorderOptions {
  double start_time = 0;
  double duration = 1;
  double records = 0;  ///< per simulated second, at most one per step; 0: a thousand over the duration
  bool books = false;  ///< whether to keep books of dissipated and supplied energy, at every step, and
                       ///< of weight and momentum at every record rather than at the first and last; and
                       ///< snapshots at their very times rather than at the end of the step
  /// To be kept with snapshots, where it is counted; must outlive the recorder and see each state first.
  const ContactTime* contact_time = nullptr;
};

class Recorder {
 public:
  Recorder(const SecondOrderSystem& system, const RecorderOptions& options);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// To be called with the first state and after every step; the same state twice does no harm.
  /// `vibrations`: as of EnergyBooks.
  void see(const State& state, const SimulationSummary& summary, const StatesWithin& within,
           bool vibrations = false);
  /// Adds the last state where the run ended between two records, or before the first.
  void finish(const State& state, const SimulationSummary& summary);
  /// Goes on from a state up to which an earlier run had recorded this.
  void resume(Record record, const State& state);
  /// To be called where the record is saved: from there on this one and a resumed one go on alike.
  void forget() { books_.forget(); }

  const Record& record() const { return record_; }
  /// Of states that are kept: six, evenly from the start to the end.
  static std::vector<double> snapshot_times(double start, double duration);

 private:
  void add(const State& state, const SimulationSummary& summary);
  void add_snapshot(const State& state);
  double slack() const { return 1e-9 * options_.duration; }  // times are sums of rounded steps

  void keep_books(const State& state, const SimulationSummary& summary, bool vibrations = false);
  void add_weight_and_momentum(const State& state, EnergySample& e) const;

  const SecondOrderSystem& system_;
  RecorderOptions options_;
  EnergyBooks books_;
  double interval_;  ///< between records
  Sampler snapshots_;
  Record record_;
};

}  // namespace stiffly
