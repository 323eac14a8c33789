// The kinds of models a scene can be made of.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/mesh/mesh.hpp"
#include "stiffly/scene/body.hpp"
#include "stiffly/scene/named_files.hpp"
#include "stiffly/scene/value.hpp"

namespace stiffly {

/// What a scene says around its model.
struct Surroundings {
  std::array<double, 3> gravity = {0, 0, 0};    ///< field of acceleration, m/s²
  NamedFiles files = {};                        ///< that it names
  std::shared_ptr<const mesh::Mesh> mesh = {};  ///< see SceneFile
};

struct Model {
  std::string kind;
  std::string summary;
  std::vector<Key> keys;  ///< of [model], besides `kind`
  bool in_space = true;   ///< whether unknowns are particles' positions, on which fields can act
  /// Empty for kind "particles", whose body is in the file itself.
  std::function<Body(const Values& model, const Surroundings& around)> build;
};

/// All of them, in the order they are listed to users.
std::span<const Model> models();

}  // namespace stiffly
