// A scene file as read: every value checked by itself, nothing built yet.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stiffly/mesh/mesh.hpp"
#include "stiffly/scene/named_files.hpp"
#include "stiffly/scene/value.hpp"

namespace stiffly {

/// A value from the command line that replaces the file's: `key` with or without its section.
struct Override {
  std::string key;
  std::string value;
  std::string option = "--set";  ///< for messages
};

/// What a scene is loaded from: enough to load it again, even where its file has changed or gone.
struct SceneSource {
  std::filesystem::path path;  ///< for its name, for messages, and the folder of the files that it names
  std::string text;
  std::vector<Override> overrides;
  std::filesystem::path sandbox = {};  ///< as in NamedFiles
};

struct SceneFile {
  std::filesystem::path path;
  Values root, simulation, model, damping, contact, fluid, plasticity;
  std::vector<Values> particles, springs, weighted_springs, girders, rigid, fibres, fields, motions,
      obstacles, motors;
  std::vector<std::string> sizes;      ///< names of the sizes it comes in
  std::filesystem::path sandbox = {};  ///< of its source
  /// For kind "mesh", of a program that has a mesh in memory: taken in place of the one in the model's file.
  std::shared_ptr<const mesh::Mesh> mesh = {};

  NamedFiles files() const { return {path.parent_path(), sandbox}; }
};

/// The tables of which there can be several, and where they go.
struct RepeatedSection {
  const Section& (*section)();
  std::vector<Values> SceneFile::*list;
  bool body;  ///< makes a body of kind "particles", rather than acting on any
};
std::span<const RepeatedSection> repeated_sections();

/// Reads the file, applies its chosen size and then the overrides, in their order. Throws FileError if a file
/// cannot be read and InputError "FILE:LINE: …" for everything that is wrong in it.
SceneFile read_scene_file(const std::filesystem::path& path, std::span<const Override> overrides = {});
SceneFile read_scene_file(const SceneSource& source);

/// The file's text, with overrides for it. Throws FileError.
SceneSource scene_source(const std::filesystem::path& path, std::span<const Override> overrides = {});

/// Everything that `--set` can change in this scene, with the values in effect, as lines of text.
std::string list_keys(const SceneFile& file);

}  // namespace stiffly
