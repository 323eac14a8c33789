// A run that goes on while somebody looks at it and pulls at it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "stiffly/forces/tug.hpp"
#include "stiffly/results/drawing.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/view/packing.hpp"
#include "stiffly/view/run_source.hpp"
#include "stiffly/view/server.hpp"

namespace stiffly::view {

/// Two sides: that of the run, on its thread, and that of the server, on others. What is kept in memory is
/// bounded: of many frames and records every second one is dropped, again and again.
class LiveRun final : public RunSource {
 public:
  /// Gives the scene a hand that can pull at its particles, where it has particles and is run only once.
  /// It goes on not faster than real time until it is ordered to; `paused`: and waits at the start.
  LiveRun(Scene& scene, bool paused);

  // The run's side.

  /// What simulates the scene, which must outlive this; its observer asks for times of contact.
  void begin(const SceneRun& run);
  /// Shows the state, does what was ordered, and waits while it is told to. False where `wanted` says so
  /// first, which is asked again and again.
  bool step(const State& state, const SimulationSummary& summary, const std::function<bool()>& wanted);
  void frame(const State& state);
  /// Whether somebody has pulled.
  bool steered() const { return hand_ && hand_->used(); }
  void end(const RunReport& report);
  /// Nobody waits for news any longer.
  void close();

  // The server's side.

  nlohmann::ordered_json describe() override;
  std::string topology() override;
  std::string times(std::size_t first) override;
  std::string frames(const FrameRange& asked) override;
  std::string table(const std::string& name) override;
  /// The newest state, as soon as it is newer than the version `after` of the query or the run has ended, and
  /// after some seconds in any case: seven 64-bit numbers (version, time, steps, last step in s, paused,
  /// paced, ended), then the first `points` of the query (or all) of the state, as `pack_frame` writes them.
  Reply state(const Request& request);
  /// A JSON object with one or more of paused, paced (true or false), step (true), release (true), pull
  /// ({"particle": number, "point": [x, y, z], "stiffness": N/m}). Throws InputError.
  Reply order(const Request& request);

 private:
  struct Pull {
    int particle = 0;
    Eigen::Vector3d point;
    double stiffness = 0;
  };
  struct Sample {
    double time, kinetic, energy;
    long steps;
  };
  std::string packed(const State& state) const;
  void show(const State& state, const SimulationSummary& summary, bool at_once);
  void record(const State& state, const SimulationSummary& summary);
  void move_hand(double time);
  /// Until the next step may be made; the lock is held but while it waits.
  bool may_go_on(std::unique_lock<std::mutex>& lock, double time, const std::function<bool()>& wanted);
  Pull pull_from(const nlohmann::json& order) const;

  const SceneRun* run_ = nullptr;    ///< of the scene as it is simulated
  std::optional<FrameMaker> maker_;  ///< of its frames
  std::shared_ptr<Hand> hand_;       ///< none: nobody can pull
  double usual_stiffness_ = 0;
  std::vector<int> rank_;      ///< inner number of each particle
  std::vector<int> particle_;  ///< of each point that is drawn; none: they are the same
  std::optional<PointOrder> order_;
  std::size_t free_ = 0, frame_bytes_ = 0;
  bool contact_ = false;
  std::string topology_, about_;  ///< what describe says of the scene

  mutable std::mutex mutex_;
  std::condition_variable news_, orders_;
  bool paused_ = false, paced_ = true, ended_ = false, closed_ = false;
  int steps_ordered_ = 0;
  std::optional<Pull> pull_;
  std::chrono::steady_clock::time_point pace_clock_ = {}, shown_at_ = {};
  double pace_time_ = 0;

  double version_ = 0, time_ = 0, last_step_ = 0;
  long steps_ = 0;
  std::string newest_;
  std::vector<double> frame_times_;
  std::vector<std::string> frames_;
  std::size_t frame_stride_ = 1, frames_seen_ = 0, epoch_ = 0;
  std::vector<Sample> samples_;
  std::size_t sample_stride_ = 1, samples_seen_ = 0;
  std::optional<RunReport> report_;
};

}  // namespace stiffly::view
