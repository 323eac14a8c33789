// stiffly study … SCENE
#pragma once

#include "axis.hpp"
#include "scene_study.hpp"

namespace stiffly::app {

struct SweepOptions : SceneStudyOptions {
  std::string key;
  std::vector<std::string> values;
  bool equal_quality =
      false;                 ///< the largest step within --error at every value, instead of one step for all
  bool with_errors = false;  ///< at one step: the errors too
  int steps = 20;
};

struct LadderOptions : SceneStudyOptions {
  double coarsest = 0, finest = 0;
  int rungs = 8;
};

struct AmplitudeOptions : SweepOptions {
  Axis amplitude;
  double largest = 10, smallest = 1e-7;  ///< numbers of the amplitude's key
};

int precision_study(const LadderOptions& o);
int energy_study(const SceneStudyOptions& o);
int stiffness_study(const SweepOptions& o);
int scaling_study(const SweepOptions& o);
int amplitude_study(const AmplitudeOptions& o);

}  // namespace stiffly::app
