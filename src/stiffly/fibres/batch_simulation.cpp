#include "stiffly/fibres/batch_simulation.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/fibres/batch_exponential.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

/// Numbers of the fibres of each batch: the longest come first, so that none of them is left to the end.
std::vector<std::vector<std::size_t>> batches_of(std::span<const int> segments, int lanes) {
  std::vector<std::size_t> order(segments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return segments[i]; });
  std::vector<std::vector<std::size_t>> out;
  const auto W = static_cast<std::size_t>(lanes);
  for (std::size_t first = 0; first < order.size(); first += W)
    out.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(std::min(first + W, order.size())));
  return out;
}

/// Workspaces of threads, which take one for a batch and give it back. Memory of this size is otherwise asked
/// of the system and cleared for every batch, which took a third of all time.
class Workspaces {
 public:
  /// For batches that are no longer than this one.
  explicit Workspaces(const FibreBatch& longest) : lanes_(longest.lanes()), sections_(longest.sections()) {}
  std::unique_ptr<BatchWorkspace> take() {
    const std::lock_guard guard(mutex_);
    if (idle_.empty()) return std::make_unique<BatchWorkspace>(lanes_, sections_);
    auto out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<BatchWorkspace> workspace) {
    const std::lock_guard guard(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  int lanes_, sections_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BatchWorkspace>> idle_;
};

}  // namespace

FibreSimulation::FibreSimulation(const FibreSupply& supply, const Eigen::Vector3d& gravity,
                                 const FibreSteps& steps, int lanes)
    : places_(supply.segments.size()) {
  if (places_.empty()) throw InputError("there are no fibres");
  const BatchKernelTable& kernels = batch_kernels(lanes);
  const auto groups = batches_of(supply.segments, kernels.lanes);
  std::vector<std::optional<BatchStepper>> made(groups.size());
  parallel_for(groups.size(), [&](std::size_t b) {
    std::vector<MovingFibre> fibres;
    for (const std::size_t i : groups[b]) {
      places_[i] = {b, static_cast<int>(fibres.size())};
      fibres.push_back(supply.fibre(i));
    }
    made[b].emplace(FibreBatch(kernels, fibres, gravity), steps);
  });
  batches_.reserve(made.size());
  for (std::optional<BatchStepper>& batch : made) batches_.push_back(std::move(*batch));
}

std::size_t FibreSimulation::memory(std::span<const int> segments, int lanes,
                                    const ExponentialTableau* exponential) {
  if (segments.empty()) return 0;
  const int W = batch_kernels(lanes).lanes;
  const int longest = *std::ranges::max_element(segments);
  std::size_t workspace = BatchWorkspace::memory(W, longest);
  if (exponential) workspace += ExponentialAdvance::memory(W, longest, *exponential);
  std::size_t bytes = static_cast<std::size_t>(thread_count()) * workspace;
  for (const auto& group : batches_of(segments, W))
    bytes += BatchStepper::memory(W, segments[group.front()], static_cast<int>(group.size()));
  return bytes + segments.size() * sizeof(Place);
}

std::size_t FibreSimulation::saved_memory(std::span<const int> segments, int lanes) {
  std::size_t numbers = 0;
  for (const auto& group : batches_of(segments, batch_kernels(lanes).lanes))
    numbers += group.size() * BatchStepper::saved_size(segments[group.front()]);
  return numbers * sizeof(double);
}

double FibreSimulation::time() const {
  return std::ranges::min_element(batches_, {}, &BatchStepper::time)->time();
}

bool FibreSimulation::advance(double until, const Progress& progress) {
  std::atomic<bool> stopped = false;
  std::mutex one_at_a_time;
  Workspaces workspaces(batches_.front().batch());
  std::size_t arrived = 0;
  parallel_for(batches_.size(), [&](std::size_t b) {
    if (stopped) return;
    BatchStepper& batch = batches_[b];
    if (batch.time() < until) {
      auto workspace = workspaces.take();
      batch.advance(until, *workspace);
      workspaces.give_back(std::move(workspace));
    }
    if (!progress) return;
    const std::lock_guard guard(one_at_a_time);
    arrived += static_cast<std::size_t>(batch.batch().fibres());
    if (!progress(static_cast<double>(arrived) / static_cast<double>(size()))) stopped = true;
  });
  return std::ranges::all_of(batches_, [&](const BatchStepper& batch) { return batch.time() >= until; });
}

std::vector<double> FibreSimulation::positions(std::size_t i) const {
  return batch_of(i).batch().positions(places_[i].lane);
}

std::vector<double> FibreSimulation::velocities(std::size_t i) const {
  return batch_of(i).batch().velocities(places_[i].lane);
}

double FibreSimulation::displace(std::size_t i, const SectionWay& way, const SectionWay& faster) {
  return batches_[places_[i].batch].displace(places_[i].lane, way, faster);
}

void FibreSimulation::keep() {
  parallel_for(batches_.size(), [&](std::size_t b) { batches_[b].keep(); });
}

double& FibreSimulation::owed(std::size_t i) { return batches_[places_[i].batch].owed(places_[i].lane); }

void FibreSimulation::go_back(std::span<const std::size_t> fibres) {
  for (const std::size_t i : fibres) batches_[places_[i].batch].go_back(places_[i].lane);
}

void FibreSimulation::wait(std::span<const std::size_t> fibres, double until) {
  for (const std::size_t i : fibres) batches_[places_[i].batch].wait(places_[i].lane, until);
}

const FibreWork& FibreSimulation::work(std::size_t i) const { return batch_of(i).work(places_[i].lane); }

const FibreEnergy& FibreSimulation::energy(std::size_t i) const {
  return batch_of(i).energy(places_[i].lane);
}

FibreWork FibreSimulation::total_work() const {
  FibreWork out;
  for (const BatchStepper& batch : batches_) out += batch.total_work();
  return out;
}

std::vector<double> FibreSimulation::save(std::size_t i) const { return batch_of(i).save(places_[i].lane); }

void FibreSimulation::restore(const std::function<std::vector<double>(std::size_t i)>& saved) {
  std::vector<std::vector<std::size_t>> groups(batches_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    auto& group = groups[places_[i].batch];
    group.resize(std::max(group.size(), static_cast<std::size_t>(places_[i].lane) + 1));
    group[static_cast<std::size_t>(places_[i].lane)] = i;
  }
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    std::vector<std::vector<double>> lanes;
    for (const std::size_t i : groups[b]) lanes.push_back(saved(i));
    batches_[b].restore(lanes);
  }
}

}  // namespace stiffly
