#include "stiffly/view/live_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "stiffly/error.hpp"
#include "stiffly/files/csv.hpp"
#include "stiffly/results/drawing.hpp"
#include "stiffly/system/particle_system.hpp"
#include "stiffly/view/packing.hpp"

namespace stiffly::view {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_frame_bytes = 256u << 20, most_samples = 4000;
constexpr auto between_pictures = std::chrono::milliseconds(16);
constexpr auto longest_wait = std::chrono::seconds(5);  ///< of a page for news
constexpr auto look_again = std::chrono::milliseconds(20);
constexpr double ramp = 0.02;    ///< s, in which a hand takes hold, moves and lets go
constexpr double behind = 0.25;  ///< s behind real time, from which on the run does not try to catch up

/// What pulls all the mass to and fro about once a second.
double usual_stiffness(std::span<const double> masses) {
  double mass = 0;
  for (const double m : masses) mass += m;
  return mass * std::pow(2 * std::numbers::pi, 2);
}

/// Drops every second entry.
template <class T>
void halve(std::vector<T>& entries) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); i += 2) entries[kept++] = std::move(entries[i]);
  entries.resize(kept);
}

template <class Points>
std::span<const double> numbers_of(const Points& points) {
  return points.empty() ? std::span<const double>{}
                        : std::span(reinterpret_cast<const double*>(points.data()),
                                    points.size() * sizeof(points[0]) / sizeof(double));
}

}  // namespace

LiveRun::LiveRun(Scene& scene, bool paused) : paused_(paused) {
  const SimulationSettings& settings = scene.simulation;
  auto* particles = dynamic_cast<ParticleSystem*>(scene.body.system.get());
  if (particles && !(settings.error > 0)) {
    rank_.assign(particles->rank().begin(), particles->rank().end());
    free_ = particles->free_particles();
    usual_stiffness_ = usual_stiffness(particles->masses().first(free_));
    hand_ = std::make_shared<Hand>(ramp);
    particles->add(std::make_unique<Tug>(hand_));
    particles->finish();
  }
  const Topology shape = stiffly::topology(scene);
  order_.emplace(shape, DrawnPoints(scene.body, scene.particles()).size());
  topology_ = pack_topology(shape, *order_);
  particle_ = shape.particle;
  contact_ = shape.contact;
  const std::size_t timed = shape.contact_time ? arrays_of(shape.obstacles).owner.size() : 0;
  frame_bytes_ = frame_bytes(order_->size(), {contact_, shape.obstacles.size(), timed});
  Json about = {{"name", scene.name},
                {"title", scene.title},
                {"scene_name", scene.name},
                {"model", scene.kind},
                {"integrator", settings.integrator},
                {"unknowns", scene.system().unknowns()},
                {"particles", particles ? particles->particles() : 0},
                {"rows", order_->size()},
                {"contact", contact_},
                {"obstacles", shape.obstacles.size()},
                {"contact_time_points", timed},
                {"duration", settings.duration},
                {"steerable", hand_ != nullptr},
                {"stiffness", usual_stiffness_}};
  about["step"] = settings.tolerance > 0 || settings.error > 0 ? Json() : Json(settings.step);
  about["tolerance"] = settings.tolerance > 0 ? Json(settings.tolerance) : Json();
  about_ = about.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void LiveRun::begin(const SceneRun& run) {
  run_ = &run;
  maker_.emplace(run.scene());
}

std::string LiveRun::packed(const State& state) const {
  std::string out;
  const FrameContents frame = (*maker_)(state, run_->contact_time());
  pack_frame({numbers_of(frame.positions), numbers_of(frame.velocities), frame.contact,
              numbers_of(frame.poses), frame.contact_time},
             *order_, order_->size(), out);
  return out;
}

void LiveRun::show(const State& state, const SimulationSummary& summary, bool at_once) {
  last_step_ = state.time - time_;
  const auto now = Clock::now();
  const bool due = at_once || newest_.empty() || now - shown_at_ >= between_pictures;
  if (due) newest_ = packed(state);
  time_ = state.time;
  steps_ = summary.steps;
  if (!due) return;
  shown_at_ = now;
  ++version_;
  news_.notify_all();
}

void LiveRun::record(const State& state, const SimulationSummary& summary) {
  if (!samples_.empty() && state.time < samples_.back().time) {  // another run, on the way to an error bound
    samples_.clear();
    samples_seen_ = 0, sample_stride_ = 1;
  }
  if (samples_seen_++ % sample_stride_ != 0) return;
  samples_.push_back(
      {state.time, run_->scene().system().kinetic_energy(state.v()), summary.final_energy, summary.steps});
  if (samples_.size() < most_samples) return;
  halve(samples_);
  sample_stride_ *= 2;
}

bool LiveRun::step(const State& state, const SimulationSummary& summary,
                   const std::function<bool()>& wanted) {
  std::unique_lock lock(mutex_);
  record(state, summary);
  show(state, summary, paused_ || summary.steps == 0);
  const bool go_on = may_go_on(lock, state.time, wanted);
  move_hand(state.time);
  return go_on;
}

bool LiveRun::may_go_on(std::unique_lock<std::mutex>& lock, double time,
                        const std::function<bool()>& wanted) {
  while (wanted()) {
    const auto now = Clock::now();
    if (paused_) {
      pace_clock_ = {};
      if (steps_ordered_ > 0) return --steps_ordered_, true;
      orders_.wait_for(lock, look_again);
      continue;
    }
    if (!paced_) return true;
    const auto begin_pace = [&] { pace_clock_ = now, pace_time_ = time; };
    if (pace_clock_ == Clock::time_point{} || time < pace_time_) begin_pace();
    const double ahead = time - pace_time_ - std::chrono::duration<double>(now - pace_clock_).count();
    if (ahead < -behind) begin_pace();
    if (ahead <= 0) return true;
    orders_.wait_for(lock, std::min<Clock::duration>(look_again, std::chrono::duration_cast<Clock::duration>(
                                                                     std::chrono::duration<double>(ahead))));
  }
  return false;
}

void LiveRun::move_hand(double time) {
  if (!hand_) return;
  if (pull_)
    hand_->pull(time, pull_->particle, pull_->point, pull_->stiffness);
  else
    hand_->release(time);
}

void LiveRun::frame(const State& state) {
  std::string bytes = packed(state);
  const std::scoped_lock lock(mutex_);
  if (!frame_times_.empty() && state.time <= frame_times_.back()) {  // another run began
    frames_.clear(), frame_times_.clear();
    frames_seen_ = 0, frame_stride_ = 1;
    ++epoch_;
  }
  if (frames_seen_++ % frame_stride_ != 0) return;
  frames_.push_back(std::move(bytes));
  frame_times_.push_back(state.time);
  if (frames_.size() * frame_bytes_ < most_frame_bytes || frames_.size() < 4) return;
  halve(frames_), halve(frame_times_);
  frame_stride_ *= 2;
  ++epoch_;
}

void LiveRun::end(const RunReport& report) {
  const std::scoped_lock lock(mutex_);
  report_ = report;
  ended_ = true;
  ++version_;
  news_.notify_all();
}

void LiveRun::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  news_.notify_all();
}

Json LiveRun::describe() {
  const std::scoped_lock lock(mutex_);
  Json out = Json::parse(about_);
  out["state"] = report_ ? name_of(report_->status) : "live";
  out["frames"] = frames_.size();
  out["epoch"] = epoch_;
  out["steps"] = steps_;
  out["simulated_seconds"] = time_;
  out["steered"] = steered();
  if (!report_) return out;
  out["wall_seconds"] = report_->summary.wall_seconds;
  if (!report_->error.empty()) out["message"] = report_->error;
  out["warnings"] = Json::array();
  for (const Warning& warning : report_->warnings) out["warnings"].push_back(warning.text());
  return out;
}

std::string LiveRun::topology() { return topology_; }

std::string LiveRun::times(std::size_t first) {
  const std::scoped_lock lock(mutex_);
  return pack_numbers(std::span(frame_times_).subspan(std::min(first, frame_times_.size())));
}

std::string LiveRun::frames(const FrameRange& asked) {
  const std::scoped_lock lock(mutex_);
  std::string out;
  for (const std::size_t i : frames_at_once(asked, frame_bytes_, frames_.size()))
    out += first_points(frames_[i], order_->size(), asked.points, contact_);
  return out;
}

std::string LiveRun::table(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const bool energies = name == "energy.csv";
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{}\n", energies ? "t,kinetic,potential,total" : "t,steps");
  for (const Sample& s : samples_) {
    if (energies)
      fmt::format_to(to, "{},{},{},{}\n", s.time, s.kinetic, s.energy - s.kinetic, s.energy);
    else
      fmt::format_to(to, "{},{}\n", s.time, s.steps);
  }
  return thin_table(fmt::to_string(out));
}

Reply LiveRun::state(const Request& request) {
  const auto asked = [&](const char* name, double otherwise) {
    const auto found = request.query.find(name);
    if (found != request.query.end() && !(parse_number(found->second, otherwise) && otherwise >= 0))
      throw InputError(fmt::format("'{}' must be a number from 0", name));
    return otherwise;
  };
  const double after = asked("after", 0), all = static_cast<double>(order_->size());
  const auto points = static_cast<std::size_t>(std::min(asked("points", all), all));
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, longest_wait,
                 [&] { return closed_ || (version_ > after && !newest_.empty()) || ended_; });
  const double header[] = {version_,
                           time_,
                           static_cast<double>(steps_),
                           last_step_,
                           static_cast<double>(paused_),
                           static_cast<double>(paced_),
                           static_cast<double>(ended_ || closed_)};
  return {pack_numbers(header) +
              (newest_.empty() ? newest_ : first_points(newest_, order_->size(), points, contact_)),
          "application/octet-stream"};
}

LiveRun::Pull LiveRun::pull_from(const nlohmann::json& order) const {
  if (!hand_) throw InputError("this run cannot be pulled at");
  const auto place = order.at("particle").get<std::int64_t>();
  if (place < 0 || static_cast<std::size_t>(place) >= order_->size())
    throw InputError(fmt::format("there is no particle {}", place));
  const int point_drawn = (*order_)[static_cast<std::size_t>(place)];
  const int particle = particle_.empty() ? point_drawn : particle_[static_cast<std::size_t>(point_drawn)];
  const int inner = rank_[static_cast<std::size_t>(particle)];
  if (static_cast<std::size_t>(inner) >= free_)
    throw InputError(fmt::format("particle {} is held by the scene: pull at another", particle));
  const auto point = order.at("point").get<std::array<double, 3>>();
  const double stiffness = order.at("stiffness").get<double>();
  const bool finite = std::ranges::all_of(point, [](double x) { return std::isfinite(x); });
  if (!finite || !(std::isfinite(stiffness) && stiffness > 0))
    throw InputError("a pull needs a point and a stiffness above 0, all finite");
  return {inner, Eigen::Vector3d::Map(point.data()), stiffness};
}

Reply LiveRun::order(const Request& request) {
  try {
    const nlohmann::json order = nlohmann::json::parse(request.body);
    const std::scoped_lock lock(mutex_);
    if (ended_) throw InputError("the simulation has ended");
    if (order.contains("pull")) pull_ = pull_from(order["pull"]);
    if (order.value("release", false)) pull_.reset();
    if (order.value("step", false)) ++steps_ordered_;
    paced_ = order.value("paced", paced_);
    paused_ = order.value("paused", paused_);
    if (!paused_) steps_ordered_ = 0;
    pace_clock_ = {};
    ++version_;
    news_.notify_all();
    orders_.notify_all();
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("no order: {}", error.what()));
  }
  return {"{}"};
}

}  // namespace stiffly::view
