#include "stiffly/view/folder_source.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "stiffly/view/packing.hpp"

namespace stiffly::view {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t largest_json = 64u << 20, largest_table = std::uintmax_t{1} << 30;

/// HDF5 is not made for several threads.
std::mutex& hdf5_turn() {
  static std::mutex mutex;
  return mutex;
}

/// run.json's own words for what the page shows.
void add_report(const Json& run, Json& out) {
  for (const char* key :
       {"warnings", "scene_name", "model", "integrator", "step", "tolerance", "unknowns", "particles",
        "springs", "steps", "rejected_steps", "simulated_seconds", "wall_seconds", "steered", "energy"})
    if (run.contains(key)) out[key] = run[key];
  if (run.contains("error")) out[run["error"].is_string() ? "message" : "error"] = run["error"];
  if (run.contains("scene") && run["scene"].is_object()) {
    const Json& scene = run["scene"];
    if (scene.contains("title")) out["title"] = scene["title"];
    if (scene.contains("simulation")) out["duration"] = scene["simulation"].value("duration", Json());
  }
}

}  // namespace

FolderSource::FolderSource(fs::path folder) : folder_(std::move(folder)) {
  if (!fs::is_directory(folder_))
    throw FileError(
        fmt::format("{}: no such folder; runs leave one with `stiffly run SCENE -o DIR`", folder_.string()));
}

Json FolderSource::describe() {
  const fs::path whole = fs::absolute(folder_).lexically_normal();
  Json out = {{"name", (whole.has_filename() ? whole : whole.parent_path()).filename().string()},
              {"state", "empty"},
              {"frames", 0}};
  const bool finished = fs::exists(folder_ / "run.json"), has_frames = fs::exists(folder_ / "frames.h5");
  try {
    if (finished) {
      const Json run = Json::parse(read_file(folder_ / "run.json", largest_json));
      out["state"] = run.value("status", "done");
      add_report(run, out);
    } else if (has_frames) {
      out["state"] = "unfinished";
      out["message"] = "there is no run.json: the run is still going on, or it was killed";
    }
    if (has_frames) {
      const std::scoped_lock turn(hdf5_turn());
      const FrameReader file(folder_ / "frames.h5");
      out["frames"] = file.frames();
      out["rows"] = file.particles();
      out["contact"] = file.has_contact();
      out["obstacles"] = file.obstacle_count();
      out["contact_time_points"] = file.contact_time_points();
    }
  } catch (const nlohmann::json::exception& error) {
    out["state"] = "broken";
    out["message"] = fmt::format("run.json cannot be read: {}", error.what());
  } catch (const Error& error) {
    out["state"] = "broken";
    out["message"] = error.what();
  }
  if (out["frames"] == 0 && out["state"] != "broken" && !out.contains("message"))
    out["message"] = has_frames || !finished
                         ? "there are no frames in this folder yet"
                         : "this run wrote no frames: run it again with -o and without --frames 0";
  return out;
}

std::string FolderSource::topology() {
  const std::scoped_lock turn(hdf5_turn());
  const FrameReader file(folder_ / "frames.h5");
  const Topology topology = file.topology();
  order_ = std::make_shared<PointOrder>(topology, file.particles());
  return pack_topology(topology, *order_);
}

std::string FolderSource::times(std::size_t first) {
  const std::scoped_lock turn(hdf5_turn());
  const std::vector<double> all = FrameReader(folder_ / "frames.h5").times();
  return pack_numbers(std::span(all).subspan(std::min(first, all.size())));
}

std::string FolderSource::frames(const FrameRange& asked) {
  const std::scoped_lock turn(hdf5_turn());
  const FrameReader file(folder_ / "frames.h5");
  if (!order_ || order_->size() != file.particles())
    order_ = std::make_shared<PointOrder>(file.topology(), file.particles());
  const std::size_t bytes =
      frame_bytes(std::min(asked.points, file.particles()),
                  {file.has_contact(), file.obstacle_count(), file.contact_time_points()});
  const std::vector<std::size_t> numbers = frames_at_once(asked, bytes, file.frames());
  std::string out;
  out.reserve(numbers.size() * bytes);
  for (const std::size_t i : numbers) {
    const std::vector<double> x = file.positions(i), v = file.velocities(i), contact = file.contact(i),
                              poses = file.poses(i), contact_time = file.contact_time(i);
    pack_frame({x, v, contact, poses, contact_time}, *order_, asked.points, out);
  }
  return out;
}

std::string FolderSource::table(const std::string& name) {
  const fs::path path = folder_ / name;
  return fs::exists(path) ? thin_table(read_file(path, largest_table)) : "";
}

}  // namespace stiffly::view
