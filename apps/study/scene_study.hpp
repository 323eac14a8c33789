// What the studies on scenes share: their options, and the scene with its reference and candidates.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "stiffly/study/compare.hpp"
#include "stiffly/study/measurement.hpp"
#include "stiffly/study/named_candidate.hpp"
#include "stiffly/study/sweep.hpp"

namespace stiffly::app {

struct SceneStudyOptions {
  std::string scene;
  std::vector<std::string> integrators, peers;
  std::vector<std::string> settings;   ///< key=value
  std::vector<std::string> reference;  ///< methods; empty: the usual ones
  std::string norm = "position";
  std::string duration;
  double error = 0.1;
  double agreement = 0.05;  ///< of the reference, relative to the error bound
  int moments = 10;
  int repeats = 3;
  double step = 0, tolerance = 0;  ///< 0: the scene's
  double time_limit = 60, reference_limit = 600;
  std::string cache;
  int threads = 0;
  std::string output;
  bool json = false, quiet = false;
  std::function<bool()> stopped = {};  ///< see CompareOptions

  /// --set, --duration and `more`, in that order.
  std::vector<Override> overrides(std::vector<Override> more = {}) const;
  /// A line on standard error, unless nothing is to be said.
  void say(const std::string& line) const;
};

/// SCENE, --integrators, --set, --duration, --time-limit, --threads, -o, --json.
void add_scene_options(CLI::App& command, SceneStudyOptions& o, bool scene_required = true);
/// --norm, --moments, --reference, --agreement, --reference-limit, --cache, --peers, --repeats.
void add_reference_options(CLI::App& command, SceneStudyOptions& o);
/// --error and these.
void add_error_options(CLI::App& command, SceneStudyOptions& o);

/// --step, --tolerance: for studies that do not look for it.
void add_setting_options(CLI::App& command, SceneStudyOptions& o);
/// The one that the candidate goes by.
double setting_for(const SceneStudyOptions& o, const Scene& scene, const study::Candidate& candidate);

/// Checks the options, sets the threads, and builds the scene.
Scene load(const SceneStudyOptions& o, std::vector<Override> more = {});
/// By --integrators (or `by_default`) and --peers.
study::Candidates candidates(const SceneStudyOptions& o, const IntegratorOptions& options,
                             const std::vector<std::string>& by_default);

/// The scene with its reference. Stays where it is: the problem points to the scene.
struct ReferencedScene {
  ReferencedScene(const SceneStudyOptions& o, Scene&& from);
  ReferencedScene(const ReferencedScene&) = delete;
  ReferencedScene& operator=(const ReferencedScene&) = delete;

  Scene scene;
  std::vector<double> moments;
  study::Reference reference;
  study::Problem problem;
};

/// All of them at equal quality, as the options say.
study::Comparison compare(const SceneStudyOptions& o, const ReferencedScene& at,
                          const study::Candidates& candidates);

}  // namespace stiffly::app
