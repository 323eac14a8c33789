// The kinds of models a scene can be made of.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/scene/tetrahedra.hpp"
#include "stiffly/scene/value.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// What a model makes: the equations, where they start, and what there is to draw. Numbers of particles are
/// the user's.
struct Body {
  std::unique_ptr<SecondOrderSystem> system;
  State start;
  std::vector<Triangle> triangles;           ///< surface, if it has one
  std::vector<std::pair<int, int>> springs;  ///< their ends
};

struct Model {
  std::string kind;
  std::string summary;
  std::vector<Key> keys;  ///< of [model], besides `kind`
  bool in_space = true;   ///< whether unknowns are particles' positions, on which fields can act
  /// From [model] and the field of acceleration. Empty for kind "particles", whose body is in the file
  /// itself.
  std::function<Body(const Values& model, const std::array<double, 3>& gravity)> build;
};

/// All of them, in the order they are listed to users.
std::span<const Model> models();

}  // namespace stiffly
