// Small scenes whose difficulties are known: stiff links that turn, bodies that spin, vibrations that carry
// energy.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stiffly/scene/scene.hpp"

namespace stiffly::app {

struct TrustScene {
  std::string name;
  std::string text;                      ///< of a scene file; empty: the scene of that name
  std::vector<Override> overrides = {};  ///< of one that comes with the program
};

/// What tolerances are measured on.
std::vector<TrustScene> tolerance_scenes();
/// What error bounds are measured on: these, and all scenes that come with the program.
std::vector<TrustScene> bound_scenes();
/// Free bodies that spin about an axis that is none of theirs.
std::vector<TrustScene> spinning_scenes();
/// A cantilever of bars, plucked: many periods in a step of an exponential method.
TrustScene truss();
/// A mass on a stiff spring, released at 60°.
TrustScene pendulum(double stiffness);

/// A question that theory answers.
struct KnownAnswer {
  TrustScene scene;
  std::string quantity, theory;
  double known = 0;
  /// From the state in which the scene ends.
  std::function<double(const Scene&, const State&)> measured;
};
std::vector<KnownAnswer> known_answers();

}  // namespace stiffly::app
