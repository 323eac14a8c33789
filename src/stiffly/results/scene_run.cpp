#include "stiffly/results/scene_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/folder_lock.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/results/checkpoint_file.hpp"
#include "stiffly/results/contact_time.hpp"
#include "stiffly/results/frame_output.hpp"
#include "stiffly/results/run_folder.hpp"
#include "stiffly/results/run_warnings.hpp"
#include "stiffly/results/scene_stepper.hpp"
#include "stiffly/scene/drawn_points.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/system/particle_system.hpp"
#include "stiffly/work_meter.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;

/// Of a run; each costs a file of some times the state. Of large ones fewer, so that all of them write about
/// so many bytes at most.
constexpr double checkpoints = 50, fewest_checkpoints = 5, most_written = 2e10;
/// Of steps that stability holds, from one run to the next on the way to an error bound.
constexpr double stability_cut = 0.6;
/// Of frames that are kept to be compared; of more, every second or third is.
constexpr double most_compared_bytes = 1e9;

RunReport describe(const Scene& scene, const SimulationSettings& s) {
  RunReport r;
  r.scene = scene.name;
  r.kind = scene.kind;
  r.resolved_scene = scene.resolved;
  r.integrator = s.integrator;
  if (find_method(s.integrator).uses_evaluator) r.evaluator = s.options.evaluator;
  r.reformulation =
      s.options.reformulation == Reformulation::explicit_root ? "explicit-root" : "square-root-free";
  r.step = s.step;
  r.tolerance = s.tolerance;
  r.unknowns = scene.system().unknowns();
  if (const auto* p = dynamic_cast<const ParticleSystem*>(scene.body.system.get()))
    r.particles = p->particles();
  r.springs = scene.body.springs.size();
  r.warnings = scene.all_warnings();
  return r;
}

/// A solver that gives up does not know the time; a blow-up says it itself.
std::string failure_message(const SimulationError& error, const State& state, long steps) {
  if (dynamic_cast<const BlowUp*>(&error)) return error.what();
  return fmt::format(
      "the simulation failed in step {} from t = {:.6g} s: {}. Try a smaller step, or another integrator "
      "or evaluator",
      steps + 1, state.time, error.what());
}

}  // namespace

/// Those that made a run, one after the other.
std::string methods_of(const RunReport& report) {
  if (report.choices.empty()) return report.integrator;
  std::string out;
  for (const ChoiceRecord& choice : report.choices) out += choice.integrator + " ";
  return out;
}

/// Also where none are written.
double frame_rate(const Scene& scene) {
  const SimulationSettings& s = scene.simulation;
  return s.frames > 0
             ? s.frames
             : default_frame_rate(s.duration, DrawnPoints(scene.body, scene.particles()).frame_bytes());
}

/// The frames of the last two runs.
class FrameComparison {
 public:
  explicit FrameComparison(const Scene& scene) : scene_(scene) {
    const double bytes = static_cast<double>(scene.body.start.y.size()) * sizeof(double);
    const double count = frame_rate(scene) * scene.simulation.duration;
    stride_ = std::max(1L, std::lround(std::ceil(count * bytes / most_compared_bytes)));
  }

  void add(const State& frame) {
    if (frames_++ % stride_ == 0) now_.push_back(frame);
  }
  /// Between the run that has ended with that state and the one before it; none after the first.
  std::optional<double> difference(const State& last) {
    now_.push_back(last);
    std::optional<double> out;
    if (!before_.empty()) {
      const ErrorMeasure measure(scene_.body, bounded_norm, now_);
      out = measure.error(before_);
    }
    before_ = std::exchange(now_, {});
    frames_ = 0;
    return out;
  }

 private:
  const Scene& scene_;
  long stride_, frames_ = 0;
  std::vector<State> before_, now_;
};

/// Everything that takes in states on their way: the record, and the folder's frames and checkpoints.
class SceneRun::Output {
 public:
  /// Reads the checkpoint, if the run goes on from one. Nothing is written yet.
  Output(const Scene& scene, const RunOptions& options, const RunObserver& observer)
      : scene_(scene),
        options_(options),
        saved_(read_saved(scene, options)),
        contact_time_(count_contact(saved_, scene, options, observer)),
        recorder_(scene.system(), {.start_time = scene.body.start.time,
                                   .duration = scene.simulation.duration,
                                   .records = scene.simulation.records,
                                   .books = !options.folder.empty(),
                                   .contact_time = contact_time_.get()}) {
    if (saved_) recorder_.resume(saved_->record, saved_->checkpoint.state);
    if (!options.folder.empty()) folder_.emplace(options.folder);
    if (!observer.frame) return;
    shown_.emplace(SampleTimes::every(scene.body.start.time, frame_rate(scene)), observer.frame);
    if (saved_) shown_->resume(saved_->checkpoint.state);
  }

  const Checkpoint* resumed() const { return saved_ ? &saved_->checkpoint : nullptr; }
  bool has_folder() const { return folder_.has_value(); }
  std::shared_ptr<const ContactTime> contact_time() const { return contact_time_; }

  /// The first call comes when the method has started and is content with the checkpoint: only then earlier
  /// results are removed.
  void see(const State& state, const SimulationSummary& summary, const StatesWithin& within,
           const IntegratorTraits& method) {
    begin();
    if (contact_time_) contact_time_->see(state);
    recorder_.see(state, summary, within, method.own_dense_output || method.oscillation_limit.has_value());
    if (frames_) frames_->see(state, within, !method.own_dense_output);
    if (shown_) shown_->see(state, within);
  }

  void save(const Checkpoint& now) {
    if (!since_saved_ || since_saved_->seconds() >= options_.checkpoint_seconds) {
      if (frames_) frames_->flush();
      write_checkpoint(folder_->checkpoint(),
                       {now, scene_.resolved, recorder_.record(), scene_.source, options_.vtu,
                        contact_time_ ? contact_time_->now() : std::vector<double>{}});
      since_saved_.emplace();
    }
    recorder_.forget();  // whether or not it was written: results must not depend on the clock
  }

  /// The run has ended: completes the report and writes the results.
  void finish(const State& last, RunReport& report) {
    begin();
    recorder_.finish(last, report.summary);
    report.max_kinetic_energy = record().max_kinetic_energy();
    report.balance = energy_balance(scene_.system(), record());
    report.momentum = momentum_balance(scene_.system(), record());
    report.plastic = scene_.system().plastic_work();
    if (frames_) {
      frames_->flush();
      report.frame_rate = scene_.simulation.frames;
      report.frames = frames_->count();
      if (options_.vtu) write_vtu_series(folder_->frames());
    }
    const Warnings of_run = run_warnings(scene_, report, frames_ ? &frames_->check() : nullptr);
    report.warnings.insert(report.warnings.end(), of_run.begin(), of_run.end());
    report.peak_memory_bytes = peak_memory_bytes();
    if (!folder_) return;
    report.resumable = fs::exists(folder_->checkpoint());
    folder_->write(scene_, last, record(), report, options_.pictures);
  }

  const Record& record() const { return recorder_.record(); }

 private:
  static std::optional<SavedRun> read_saved(const Scene& scene, const RunOptions& options) {
    if (options.resume.empty()) return std::nullopt;
    return read_checkpoint(RunFolder(options.resume).checkpoint(), scene.resolved, scene.body.start,
                           scene.system().dissipators().size(), arrays_of(scene.body.obstacles).owner.size());
  }

  static std::shared_ptr<ContactTime> count_contact(const std::optional<SavedRun>& saved, const Scene& scene,
                                                    const RunOptions& options, const RunObserver& observer) {
    const bool written = !options.folder.empty() && (scene.simulation.frames > 0 || options.pictures);
    const bool wanted = saved ? !saved->contact_time.empty() : written || observer.contact_time;
    if (!wanted || !ContactTime::possible(scene.body)) return nullptr;
    auto out = std::make_shared<ContactTime>(scene);
    if (saved) out->resume(saved->contact_time, saved->checkpoint.state);
    return out;
  }

  void begin() {
    if (begun_ || !folder_) return;
    begun_ = true;
    const fs::path &folder = options_.folder, &from = options_.resume;
    folder_->begin(saved_ && fs::exists(folder) && fs::equivalent(folder, from));
    if (scene_.simulation.frames > 0)
      frames_.emplace(scene_, contact_time_.get(), folder, from, resumed() ? &resumed()->state : nullptr);
  }

  const Scene& scene_;
  const RunOptions& options_;
  bool begun_ = false;
  std::optional<SavedRun> saved_;
  std::shared_ptr<ContactTime> contact_time_;
  Recorder recorder_;
  std::optional<RunFolder> folder_;
  std::optional<FrameOutput> frames_;
  std::optional<Sampler> shown_;  ///< to the observer
  std::optional<Stopwatch> since_saved_;
};

/// All that frames, pictures and records ask for.
std::vector<double> SceneRun::sample_times(const SimulationSettings& settings) const {
  const double start = scene_.body.start.time;
  std::vector<double> out = Recorder::snapshot_times(start, settings.duration);
  for (const double rate : {frame_rate(scene_), settings.records})
    for (long k = 1; rate > 0 && static_cast<double>(k) <= rate * settings.duration; ++k)
      out.push_back(start + static_cast<double>(k) / rate);
  std::ranges::sort(out);
  return out;
}

SceneRun::SceneRun(Scene scene, RunOptions options)
    : scene_(std::move(scene)), options_(std::move(options)), state_(scene_.body.start) {
  if (options_.folder.empty()) options_.folder = options_.resume;
  if (options_.vtu && options_.folder.empty())
    throw InputError("frames for ParaView need a folder to be written to: give one");
  if (options_.vtu && scene_.simulation.frames == 0)
    throw InputError("frames for ParaView are asked for, but with frames = 0 there are none");
  if (scene_.simulation.error > 0 && !options_.resume.empty())
    throw InputError("a run to an error bound cannot be resumed: start it anew");
}

SimulationSummary SceneRun::advance(const SimulationSettings& settings, Output& output,
                                    const RunObserver& observer, RunReport& report) {
  const State& start = scene_.body.start;
  SimulationOptions options{settings.duration, settings.step, settings.tolerance, settings.stability_share};
  options.resume = output.resumed();
  if (output.has_folder()) {
    const double bytes = 10 * sizeof(double) * static_cast<double>(start.y.size());
    options.checkpoint_every =
        settings.duration / std::clamp(most_written / bytes, fewest_checkpoints, checkpoints);
    options.checkpoint = [&](const Checkpoint& now) { output.save(now); };
  }
  std::vector<std::unique_ptr<TimeLimit>> stops;
  const auto stop_in = [&](const SecondOrderSystem& system) {
    if (!observer.stop) return;
    const auto clock = [&] {
      return observer.stop() ? infinite : 0;
    };  // its time is over when it is asked to
    stops.push_back(std::make_unique<TimeLimit>(system.counters(), 1, clock));
  };
  stop_in(scene_.system());
  // Books of energy are kept from meeting to meeting of pieces, and need every step.
  const bool every_step = output.has_folder() && settings.tolerance == 0;
  const double meet_every =
      every_step ? settings.step : std::min(1 / frame_rate(scene_), settings.duration / checkpoints);
  std::unique_ptr<Stepper> stepper;
  try {
    stepper = make_stepper(scene_, settings, options, {meet_every, sample_times(settings)}, report.warnings,
                           stop_in, observer.memory);
  } catch (const OutOfTime&) {  // asked to stop before the first step
    report.summary.interrupted = true;
    return report.summary;
  }
  const auto tell_choices = [&] {
    for (const Decision& d : stepper->decisions().subspan(report.choices.size())) {
      report.choices.push_back({d.time, d.integrator, d.reason});
      if (observer.choice) observer.choice(report.choices.back());
    }
  };
  const auto observe = [&](const State& now, const SimulationSummary& summary) {
    report.summary = summary;
    output.see(
        now, summary, [&](std::span<const double> times) { return stepper->within(times); },
        stepper->traits());
    tell_choices();
    return !observer.step || observer.step(now, summary);
  };
  try {
    SimulationSummary summary = stiffly::simulate(*stepper, start, options, observe);
    state_ = stepper->state();
    return summary;
  } catch (const OutOfTime&) {  // asked to stop within a step
    state_ = stepper->state();
    report.summary.interrupted = true;
    return report.summary;
  } catch (...) {
    state_ = stepper->state();
    throw;
  }
}

RunReport SceneRun::simulate(const RunObserver& observer) {
  const auto held = [](const fs::path& folder) { return std::make_unique<FolderLock>(folder); };
  std::unique_ptr<FolderLock> source, target;
  const fs::path &from = options_.resume, &to = options_.folder;
  if (!from.empty() && from != to && fs::is_directory(from) &&
      !(fs::exists(to) && fs::equivalent(from, to)) && ::access(from.c_str(), W_OK) == 0)
    source = held(from);
  if (!to.empty()) target = held(to);
  return scene_.simulation.error > 0 ? run_to_bound(observer)
                                     : run_once(scene_.simulation, options_, observer);
}

RunReport SceneRun::run_once(const SimulationSettings& settings, const RunOptions& options,
                             const RunObserver& observer, const Completion& complete) {
  RunReport report = describe(scene_, settings);
  Output output(scene_, options, observer);
  contact_time_ = output.contact_time();
  state_ = output.resumed() ? output.resumed()->state : scene_.body.start;
  try {
    report.summary.initial_energy = report.summary.final_energy = scene_.system().energy(state_);
    if (!std::isfinite(report.summary.initial_energy))
      throw InputError(fmt::format(
          "the energy at the start is {}: a stiffness, a length, a mass or a velocity is too large to be "
          "computed with",
          report.summary.initial_energy));
    report.summary = advance(settings, output, observer, report);
    // Asked to end after the last step is not asked to end early.
    report.summary.interrupted &= report.summary.simulated_seconds < scene_.simulation.duration;
    report.status = report.summary.interrupted ? RunStatus::interrupted : RunStatus::done;
  } catch (const SimulationError& error) {
    report.status = RunStatus::failed;
    report.error = failure_message(error, state_, report.summary.steps);
  } catch (const DamagedMemory& error) {
    throw InputError(fmt::format("{}: the checkpoint is damaged: {}",
                                 RunFolder(options.resume).checkpoint().string(), error.what()));
  }
  report.steered = observer.steered && observer.steered();
  if (complete) complete(report);
  output.finish(state_, report);
  record_ = output.record();
  return report;
}

RunReport SceneRun::run_to_bound(const RunObserver& observer) {
  ErrorSearch search(scene_.simulation.error);
  SimulationSettings settings = scene_.simulation;
  RunOptions options = options_;
  options.folder.clear();  // the first run serves only to be compared with
  FrameComparison frames(scene_);
  RunObserver watching = observer;
  watching.frame = [&](const State& state) {
    frames.add(state);
    if (observer.frame) observer.frame(state);
  };
  const auto judge = [&](RunReport& report) {
    if (report.status != RunStatus::done) return;
    search.add(methods_of(report), report.summary.wall_seconds, frames.difference(state_));
    report.error_search = search;
    if (observer.search) observer.search(search);
    if (search.verdict() != ErrorSearch::Verdict::hopeless) return;
    report.status = RunStatus::failed;
    report.error = fmt::format(
        "the error bound {:g} cannot be met: {} runs with tolerances down to {:.2g} still differ by {:.2g} "
        "of the "
        "motion. Chaotic motion has no result that can be bounded over so long a time: try a shorter "
        "duration or a larger bound",
        search.bound(), search.runs().size(), search.runs().back().tolerance,
        search.runs().back().difference.value_or(0));
  };
  for (;;) {
    settings.tolerance = search.tolerance();
    RunReport report = run_once(settings, options, watching, judge);
    if (report.status != RunStatus::done || search.verdict() != ErrorSearch::Verdict::open) return report;
    options.folder = options_.folder;
    // Runs whose steps are held by stability would all be the same, whatever the tolerance.
    settings.stability_share *= stability_cut;
  }
}

}  // namespace stiffly
