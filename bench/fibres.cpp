// The time of hair: over the number of fibres, their stiffness, and the accuracy asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "bench.hpp"
#include "fibre_kernels.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/fibres/batch_simulation.hpp"

namespace stiffly::bench {
namespace {

/// A head that is shaken at 2 Hz, from rest.
class HeadShake final : public Motion {
 public:
  explicit HeadShake(double amplitude) : amplitude_(amplitude) {}
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    constexpr double omega = 4 * std::numbers::pi, ramp = 0.25;
    const double s = std::min(1.0, t / ramp);
    const double size = amplitude_ * s * s * (3 - 2 * s), growth = amplitude_ * 6 * s * (1 - s) / ramp;
    for (std::size_t i = 0; i < start.size(); ++i) {
      x[i] = start[i] + (i % 3 == 0 ? size * std::sin(omega * t) : 0);
      v[i] = i % 3 == 0 ? growth * std::sin(omega * t) + size * omega * std::cos(omega * t) : 0;
    }
  }

 private:
  double amplitude_;
};

/// Hair of paper 000, §4.4: 25 cm long, 90 to 40 µm thick.
struct Hair {
  double young = 3.6e9;     ///< Pa
  double amplitude = 0.05;  ///< of the roots, m
};

FibreSimulation make_hair(std::size_t count, const Hair& hair, const FibreSteps& steps) {
  FibreSupply supply;
  for (std::size_t i = 0; i < count; ++i) supply.segments.push_back(8 + static_cast<int>(i % 3));
  const auto shake = std::make_shared<HeadShake>(hair.amplitude);
  supply.fibre = [=, segments = supply.segments](std::size_t i) {
    const auto golden = static_cast<double>(i) * 2.399963;
    const Eigen::Vector3d root(0.08 * std::cos(golden), 0.08 * std::sin(golden), 0.1);
    CentreLine line;
    for (int k = 0; k <= segments[i]; ++k) {
      const double s = static_cast<double>(k) / segments[i];
      // A little curl, different for each.
      line.points.push_back(root + Eigen::Vector3d(0.006 * s * std::cos(golden + 5 * s),
                                                   0.006 * s * std::sin(golden + 5 * s), -0.25 * s));
      line.thickness.push_back(9e-5 - 5e-5 * s);
    }
    MovingFibre out;
    out.number = i;
    out.shape = make_fibre(line, {.young = hair.young, .torsion = hair.young / 3.6, .density = 1300}, i);
    for (Spring& s : out.shape.springs) s.damping = 1e-3 * s.stiffness;
    for (const double m : out.shape.mass) out.drag.push_back(7 * m);
    out.motion = shake;
    return out;
  };
  return {supply, {0, 0, -9.81}, steps};
}

/// What a run took: seconds of all threads' clocks together, and the work.
struct HairRun {
  double cpu;
  FibreWork work;
  std::vector<std::vector<Eigen::Vector3d>> tips;  ///< of each fibre, frame by frame
};

/// To the end, in frames of 40 ms.
HairRun run_hair(FibreSimulation hair, double duration) {
  HairRun out{.cpu = 0, .work = {}, .tips = std::vector<std::vector<Eigen::Vector3d>>(hair.size())};
  for (int frame = 1; hair.time() < duration * (1 - 1e-9); ++frame) {
    const double start = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    hair.advance(std::min(duration, 0.04 * frame));
    out.cpu += clock_of(CLOCK_PROCESS_CPUTIME_ID) - start;
    for (std::size_t i = 0; i < hair.size(); ++i) {
      const std::vector<double> x = hair.positions(i);
      out.tips[i].push_back(Eigen::Vector3d::Map(x.data() + x.size() - 3));
    }
  }
  out.work = hair.total_work();
  return out;
}

double per_step(long count, const FibreWork& work) {
  return static_cast<double>(count) / static_cast<double>(work.steps);
}

/// The largest tip error of any fibre and frame, over the way of that tip.
double tip_error(const HairRun& run, const HairRun& reference) {
  double worst = 0;
  for (std::size_t i = 0; i < run.tips.size(); ++i) {
    double error = 0, way = 0;
    for (std::size_t f = 0; f < run.tips[i].size(); ++f) {
      error = std::max(error, (run.tips[i][f] - reference.tips[i][f]).norm());
      way = std::max(way, (reference.tips[i][f] - reference.tips[i].front()).norm());
    }
    worst = std::max(worst, error / way);
  }
  return worst;
}

bool growth_with_fibres() {
  const FibreSteps steps{.duration = 0.04, .step = 0.002};
  const std::vector<std::size_t> counts = {600, 6000, all_fibres};
  std::vector<double> cpu(counts.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < 2; ++round)  // all see the same neighbours on the machine
    for (std::size_t i = 0; i < counts.size(); ++i)
      for (std::size_t repeat = 0; repeat < std::min<std::size_t>(10, all_fibres / counts[i]); ++repeat)
        cpu[i] = std::min(cpu[i], run_hair(make_hair(counts[i], {}, steps), steps.duration).cpu);
  for (std::size_t i = 0; i < counts.size(); ++i)
    fmt::print("{:6} fibres, 20 steps: {:.3f} s, {:.2f} million steps of fibres a second and thread\n",
               counts[i], cpu[i], 20e-6 * static_cast<double>(counts[i]) / cpu[i]);
  const double slope =
      std::log(cpu.back() / cpu.front()) / std::log(static_cast<double>(counts.back() / counts.front()));
  fmt::print("slope {:.3f} (bound 1.05) {}\n", slope, verdict(slope <= 1.05));
  return slope <= 1.05;
}

/// Most over least time for springs of 1e4 to 1e10 N/m. The stiffest ones of this hair have about E · 4e-8 m.
double spread_over_stiffness(double amplitude) {
  const FibreSteps steps{.duration = 0.4, .step = 0.002};
  std::vector<double> stiffness;
  for (double k = 1e4; k < 2e10; k *= 10) stiffness.push_back(k);
  std::vector<double> cpu(stiffness.size(), std::numeric_limits<double>::infinity());
  std::vector<FibreWork> work(stiffness.size());
  for (int round = 0; round < 5; ++round)
    for (std::size_t i = 0; i < stiffness.size(); ++i) {
      const Hair hair{.young = stiffness[i] / 4e-8, .amplitude = amplitude};
      const HairRun run = run_hair(make_hair(96, hair, steps), steps.duration);
      cpu[i] = std::min(cpu[i], run.cpu);
      work[i] = run.work;
    }
  fmt::print("roots moved by {} mm:\n", 1e3 * amplitude);
  for (std::size_t i = 0; i < stiffness.size(); ++i)
    fmt::print("  springs of {:.0e} N/m: {:.3f} s, {:.2f} factors and {:.2f} iterations a step\n",
               stiffness[i], cpu[i], per_step(work[i].factors, work[i]),
               per_step(work[i].iterations, work[i]));
  const auto [least, most] = std::ranges::minmax(cpu);
  return most / least;
}

// Where roots move far, the softest hair swings and the others do not: it takes more iterations for that.
bool stiffness_makes_no_difference() {
  const double little = spread_over_stiffness(0.0005);
  fmt::print("  most over least {:.2f} (bound 1.1) {}\n", little, verdict(little <= 1.1));
  fmt::print("  most over least {:.2f}\n", spread_over_stiffness(0.05));
  return little <= 1.1;
}

bool full_hair() {
  constexpr double duration = 4;
  constexpr std::size_t sample = 96;
  double fastest_good = std::numeric_limits<double>::infinity();
  const HairRun reference = run_hair(
      make_hair(sample, {}, {.duration = duration, .step = 2e-4, .iteration_tolerance = 1e-7}), duration);
  fmt::print("{} hairs shaken by 5 cm for {} s; reference: steps of 0.2 ms\n", sample, duration);
  for (const auto& [name, steps] : std::initializer_list<std::pair<const char*, FibreSteps>>{
           {"4 ms", {.duration = duration, .step = 0.004}},
           {"2 ms", {.duration = duration, .step = 0.002}},
           {"1 ms", {.duration = duration, .step = 0.001}},
           {"tolerance 1e-1", {.duration = duration, .tolerance = 1e-1}},
           {"tolerance 3e-2", {.duration = duration, .tolerance = 3e-2}},
           {"tolerance 1e-2", {.duration = duration, .tolerance = 1e-2}}}) {
    const HairRun run = run_hair(make_hair(sample, {}, steps), duration);
    const FibreWork& w = run.work;
    const double lanes = batch_kernels().lanes;
    const double error = tip_error(run, reference);
    const double extrapolated = run.cpu / 2 * static_cast<double>(all_fibres) / sample;
    if (error <= 0.05) fastest_good = std::min(fastest_good, extrapolated);
    fmt::print(
        "  {:14} {:6.0f} steps, {:.2f} factors and {:.2f} iterations each (of batches {:.2f} and {:.2f}), {} "
        "rejected, {} substeps; tips off by {:.2f} %; {} fibres on 2 threads: {:.0f} "
        "s\n",
        name, static_cast<double>(w.steps) / sample, per_step(w.factors, w), per_step(w.iterations, w),
        lanes * per_step(w.batch_factors, w), lanes * per_step(w.batch_iterations, w), w.rejected, w.substeps,
        100 * error, all_fibres, extrapolated);
  }
  fmt::print("tips within 5 %: {:.0f} s (bound 600 s) {}\n", fastest_good, verdict(fastest_good <= 600));
  return fastest_good <= 600;
}

bool run() {
  bool met = kernels_against_the_machine();
  met = growth_with_fibres() && met;
  met = stiffness_makes_no_difference() && met;
  met = exponentials_of_fibres() && met;
  return full_hair() && met;
}

}  // namespace

Section fibres() { return {"fibres", "kernels of fibres against the machine, and the time of hair", run}; }

}  // namespace stiffly::bench
