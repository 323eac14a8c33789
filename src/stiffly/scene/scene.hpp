// A scene, ready to be simulated.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stiffly/integrators/integrator.hpp"
#include "stiffly/scene/model.hpp"
#include "stiffly/scene/scene_file.hpp"
#include "stiffly/system/pieces.hpp"

namespace stiffly {

/// [simulation], with names that exist and numbers that make sense.
struct SimulationSettings {
  double duration = 1;
  double step = 0.01;
  double tolerance = 0;        ///< above 0: steps are chosen for it
  double error = 0;            ///< above 0: a bound on the error of the result; tolerances are chosen for it
  double stability_share = 1;  ///< of the limit of stability, that steps chosen for a tolerance may use
  double records = 0;          ///< of energies and work per simulated second; 0: up to the recorder
  double frames = 0;           ///< written per simulated second; 0: none
  std::string integrator;      ///< by name, of methods()
  IntegratorOptions options;
  std::string pieces = "auto";  ///< whether unconnected pieces go through time "joint" or "apart"
};

struct Scene {
  std::string name;  ///< the file's, without its ending
  std::string title;
  std::string kind;  ///< of the model
  SimulationSettings simulation;
  Body body;
  Warnings warnings;     ///< of keys; those of the body are with it
  std::string resolved;  ///< all settings after sizes and overrides, as a JSON object
  SceneSource source;    ///< empty where it was not loaded

  const SecondOrderSystem& system() const { return *body.system; }
  /// Whether the system is to be taken apart: `simulation.pieces` says so, or there are several fibres
  /// that do not touch.
  bool in_pieces() const;
  /// The pieces, none where all is connected. Throws InputError where `simulation.pieces` asks for them and
  /// the system cannot be divided; otherwise it says so in `why_not`.
  std::vector<Piece> pieces(std::string& why_not) const;
  Warnings all_warnings() const;
  /// Rows of final.csv: every particle in the user's order, or every unknown as (value, 0, 0) where the
  /// unknowns are not positions in space.
  std::vector<Point> positions(const State& state) const;
  std::vector<Point> velocities(const State& state) const;
  /// How many rows there are.
  std::size_t particles() const;
};

/// Frames per second where nobody says how many: a hundred over the duration or 25, whichever is more, but
/// no more than fit into `frames_by_default_bytes`.
double default_frame_rate(double duration, double frame_bytes);
constexpr double frames_by_default_bytes = 256e6;

/// Reads and builds the scene in that file. Throws InputError (wrong scene), FileError (unreadable file) and
/// MissingAsset (a scanned body that has to be fetched first).
Scene load_scene(const std::filesystem::path& path, std::span<const Override> overrides = {});
Scene load_scene(SceneSource source);

/// Builds the scene that was read, or put together by a program. Throws as above.
Scene make_scene(const SceneFile& file);
/// The same around a body of the program's own: the file's model does not count, all else does.
Scene make_scene(const SceneFile& file, Body body);

/// The file of a scene given by a name (`coil`) or by a path. Throws InputError for an unknown name, naming
/// the nearest one; paths are not checked.
std::filesystem::path find_scene(const std::string& name_or_path);

struct SceneEntry {
  std::string name, title;
  std::filesystem::path path;
  std::vector<std::string> sizes;
};
/// The scenes that come with the program, by name.
std::vector<SceneEntry> scenes();
/// Where they, and the meshes they are made of, are looked for.
std::vector<std::filesystem::path> scene_folders();
/// For a program that brings its own: looked at first from now on.
void add_scene_folder(const std::filesystem::path& folder);

}  // namespace stiffly
