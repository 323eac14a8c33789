// Any number of fibres that do not touch, in batches, by all threads.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "stiffly/fibres/batch_stepper.hpp"
#include "stiffly/fibres/section_chain.hpp"

namespace stiffly {

/// Fibres that are made when they are asked for: as batches they take a fraction of the memory.
struct FibreSupply {
  std::vector<int> segments;  ///< of each fibre
  /// Fibre i, `number` included. Several threads ask at once.
  std::function<MovingFibre(std::size_t i)> fibre;
};

/// All fibres meet at the times given to `advance`, at frames say; between them each goes its own way. Fibres
/// of the same length share batches, so that few lanes work for nothing. Results do not depend on the number
/// of threads, bit for bit, nor on the number of lanes, but for rounding.
class FibreSimulation {
 public:
  /// Called with the part of the fibres that have arrived, from 0 to 1, by one thread at a time. Where it
  /// returns false, no further batch is begun.
  using Progress = std::function<bool(double arrived)>;

  /// `lanes` as batch_kernels has it. Throws InputError as FibreBatch and BatchStepper do.
  FibreSimulation(const FibreSupply& supply, const Eigen::Vector3d& gravity, const FibreSteps& steps,
                  int lanes = 0);
  /// Bytes that such a simulation takes, its threads' workspaces included.
  static std::size_t memory(std::span<const int> segments, int lanes = 0,
                            const ExponentialTableau* exponential = nullptr);
  /// Bytes that all that is saved of such fibres takes.
  static std::size_t saved_memory(std::span<const int> segments, int lanes = 0);

  std::size_t size() const { return places_.size(); }
  /// The time that all have reached.
  double time() const;
  /// To `until`; fibres that are there already stay. False where `progress` said so: then some are at `until`
  /// and some where they were, and another call goes on with these.
  bool advance(double until, const Progress& progress = {});

  /// Of fibre i: three numbers for each particle, for velocities without the root.
  std::vector<double> positions(std::size_t i) const;
  std::vector<double> velocities(std::size_t i) const;
  /// As FibreBatch has them.
  void centre_line(std::size_t i, double* x, double* v) const {
    batch_of(i).batch().centre_line(places_[i].lane, x, v);
  }
  void inverse_masses(std::size_t i, double* out) const {
    batch_of(i).batch().inverse_masses(places_[i].lane, out);
  }
  SectionChain chain(std::size_t i, double h) const { return {batch_of(i).batch(), places_[i].lane, h}; }
  /// As BatchStepper has them.
  double displace(std::size_t i, const SectionWay& way, const SectionWay& faster);
  /// J: what contact has made of fibre i and is to have back. Whoever displaces fibres keeps it.
  double& owed(std::size_t i);
  void keep();
  void go_back(std::span<const std::size_t> fibres);
  /// They do not go on before then; unless they go back.
  void wait(std::span<const std::size_t> fibres, double until);
  double time_of(std::size_t i) const { return batch_of(i).time_of(places_[i].lane); }
  const FibreWork& work(std::size_t i) const;
  FibreWork total_work() const;
  const FibreEnergy& energy(std::size_t i) const;

  /// All that it takes to go on with fibre i, also where the last call of `advance` was cut short.
  std::vector<double> save(std::size_t i) const;
  std::size_t saved_size(std::size_t i) const {
    return BatchStepper::saved_size(batch_of(i).batch().sections());
  }
  /// `saved(i)` is what save(i) gave, of a simulation of the same fibres. Throws InputError where it is not.
  void restore(const std::function<std::vector<double>(std::size_t i)>& saved);

 private:
  struct Place {
    std::size_t batch = 0;
    int lane = 0;
  };
  const BatchStepper& batch_of(std::size_t i) const { return batches_[places_[i].batch]; }

  std::vector<Place> places_;  ///< of each fibre
  std::vector<BatchStepper> batches_;
};

}  // namespace stiffly
