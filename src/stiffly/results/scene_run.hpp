// A scene simulated from beginning to end, with everything that is written on the way.
#pragma once

#include <filesystem>
#include <functional>

#include "stiffly/results/recorder.hpp"
#include "stiffly/results/run_report.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

class ContactTime;

struct RunOptions {
  std::filesystem::path folder = {};  ///< for the results; empty: nothing is written
  /// Folder of a run that was interrupted or killed, of the same scene with the same settings: this one goes
  /// on from its checkpoint. `folder` may be the same, or empty, which means the same.
  std::filesystem::path resume = {};
  bool vtu = false;      ///< frames for ParaView too
  bool pictures = true;  ///< motion.png and balance.png, which take longer than short runs do
  /// s of computing between two checkpoints that are written, at least: a short run need not wait for the
  /// disk.
  double checkpoint_seconds = 5;
};

/// What is told while a run goes on, on the thread that runs it and between two steps. Each may be empty.
struct RunObserver {
  /// After the start (step 0) and after every step, for progress, live views and stop requests. May take its
  /// time; returning false ends the run, which is then "interrupted".
  std::function<bool(const State&, const SimulationSummary&)> step = {};
  /// Also asked while a step is being computed, by any thread and often. Returning true ends the run in the
  /// middle of the step, which is then as if it had not been begun.
  std::function<bool()> stop = {};
  /// About how many bytes of memory the run will take at most, where it takes fibres or bodies apart; before
  /// the first step.
  std::function<void(double bytes)> memory = {};
  /// A method that the integrator "auto" has chosen, as soon as it has.
  std::function<void(const ChoiceRecord&)> choice = {};
  /// The states of frames as they come, also where none are written; on the way to an error bound those of
  /// every run, one run after the other.
  std::function<void(const State&)> frame = {};
  /// Whether it asks for SceneRun::contact_time where nothing that is written needs that.
  bool contact_time = false;
  /// On the way to an error bound, after every run.
  std::function<void(const ErrorSearch&)> search = {};
  /// Asked at the end: whether the observer has changed forces of the scene on the way, so that nobody gets
  /// this result again.
  std::function<bool()> steered = {};
};

/// In the simplest case:
///
///   SceneRun run(load_scene(find_scene("coil")), {.folder = "out"});
///   const RunReport report = run.simulate();
///   std::puts(run_json(report).c_str());
///
/// Nothing is printed, no signal is caught, and no other process is started.
///
/// What is written, and when:
///   before the first step   when the method has started and is content with the checkpoint, results of an
///                           earlier run in the folder are removed, run.json first
///   during the run          frames.h5, which can be read at any time; checkpoint.bin, up to 50 times over
///                           the duration (fewer of systems of millions of unknowns), each in place of the
///                           one before
///   after the last step     frames.pvd and frames/*.vtu if asked for, final.csv (last_good.csv of a failed
///                           run), energy.csv, counters.csv, motion.png, balance.png, and last of all
///                           run.json
///
/// Where something damps or drives the system, books of its energy are kept only where there is a folder:
/// they cost some evaluations of the forces in every step.
///
/// A run to an error bound (`SimulationSettings::error`) is made again and again at smaller tolerances until
/// two of them show that the bound is met; all but the first go to the folder, where the last one stays.
/// Where they do not come closer to each other, the run is `failed`, and its results are there. It cannot be
/// resumed.
///
/// However a run ends, every file that is there is whole, and where run.json is, all the others are:
///   the end is reached      status `done`
///   the observer stops it   status `interrupted`: all results up to there are written. Going on (`resume`)
///                           starts from the last checkpoint, where there is one (`RunReport::resumable`)
///   the computation fails   status `failed`, `error` says when, where and what to try; all results up to the
///                           last good state are written. Not an exception
///   a file cannot be        FileError at once. What was written before stays, run.json is not there, and
///   written                 after space was made the run can be resumed from the last checkpoint
///   wrong input             InputError: a checkpoint that is damaged or of another run (before anything is
///                           removed), or settings that only a method or an evaluator can judge
///   the observer throws     the exception passes through; the folder is as after a file error
///   another process holds   FileError naming it, before anything is touched
///   the folder
///   the process is killed   the folder is as after a file error
class SceneRun {
 public:
  /// Throws InputError for options that contradict each other or the scene.
  explicit SceneRun(Scene scene, RunOptions options = {});
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  /// From the scene's start, or from the checkpoint, to the end. May be called again, and does it all again.
  RunReport simulate(const RunObserver& observer = {});

  const Scene& scene() const { return scene_; }
  /// For another run of it.
  Scene take_scene() && { return std::move(scene_); }
  /// The start at first, the last state afterwards (of a failed run: the last good one).
  const State& state() const { return state_; }
  /// Energies, work and a few states of the last simulation.
  const Record& record() const { return record_; }
  /// How long obstacles were touched so far, while a run goes on and afterwards. None where they cannot be,
  /// and where neither frames nor pictures nor an observer ask for it; a run that goes on from another counts
  /// where that one did.
  const ContactTime* contact_time() const { return contact_time_.get(); }

 private:
  class Output;
  using Completion = std::function<void(RunReport&)>;  ///< called before results are written

  RunReport run_once(const SimulationSettings& settings, const RunOptions& options,
                     const RunObserver& observer, const Completion& complete = {});
  RunReport run_to_bound(const RunObserver& observer);
  SimulationSummary advance(const SimulationSettings& settings, Output& output, const RunObserver& observer,
                            RunReport& report);

  std::vector<double> sample_times(const SimulationSettings& settings) const;

  Scene scene_;
  RunOptions options_;
  State state_;
  Record record_;
  std::shared_ptr<const ContactTime> contact_time_;
};

}  // namespace stiffly
