// The files that a scene names: tables, meshes, fibres.
#pragma once

#include <filesystem>
#include <string>

namespace stiffly {

struct NamedFiles {
  std::filesystem::path folder;  ///< of the scene, to which names are relative
  std::filesystem::path
      sandbox;  ///< the only folder they may lie in, however they are named; empty: anywhere

  /// Throws InputError where it, or a file that is read together with it, lies outside: links count as what
  /// they lead to.
  std::filesystem::path at(const std::string& name) const;
};

}  // namespace stiffly
