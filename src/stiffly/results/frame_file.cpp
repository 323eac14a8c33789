#include "stiffly/results/frame_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "stiffly/results/vtu.hpp"

namespace stiffly {

using namespace mesh;
namespace {

namespace fs = std::filesystem;

constexpr const char *frame_format = "stiffly frames 2", *frame_format_without_checksums = "stiffly frames 1";
constexpr std::size_t buffered = (1u << 20) / sizeof(double);

template <class Elements>
std::vector<int> flat(const Elements& elements) {
  std::vector<int> out;
  for (const auto& element : elements)
    std::apply([&](const auto... corner) { (out.push_back(corner), ...); }, element);
  return out;
}

/// One of the numbers of every spring.
template <class Value>
std::vector<double> column(std::span<const SpringMaterial> materials, const Value& value) {
  std::vector<double> out;
  for (const SpringMaterial& material : materials) out.push_back(value(material));
  return out;
}

void write_materials(Hdf5Writer& file, std::span<const SpringMaterial> materials) {
  file.write("spring_stiffness", column(materials, [](const SpringMaterial& m) { return m.stiffness; }));
  file.write("spring_rest_length", column(materials, [](const SpringMaterial& m) { return m.rest_length; }));
  file.write("spring_hardening", column(materials, [](const SpringMaterial& m) {
               return m.law == SpringLaw::cubic ? 1.0 : 0.0;
             }));
}

void write_obstacles(Hdf5Writer& file, std::span<const ObstacleSurface> obstacles, bool contact_time) {
  const ObstacleArrays arrays = arrays_of(obstacles);
  file.write("obstacle_point", arrays.points);
  file.write("obstacle_of_point", arrays.owner, 1);
  file.write("obstacle_triangles", arrays.triangles, 3);
  file.write("obstacle_endless", arrays.endless, 1);
  file.table("obstacle_pose", {obstacles.size(), sizeof(Pose) / sizeof(double)});
  if (contact_time) file.table("obstacle_contact", {arrays.owner.size()}, Hdf5Writer::Precision::single);
}

/// The tables of all files, and those that only some have.
constexpr std::array frame_tables = {"time",    "position",      "velocity",
                                     "contact", "obstacle_pose", "obstacle_contact"};

/// Fibres, or springs where nothing else is to draw.
std::vector<std::array<int, 2>> lines_of(const Topology& topology) {
  std::vector<std::array<int, 2>> out;
  for (const auto& [first, points] : topology.strands)
    for (int i = first; i + 1 < first + points; ++i) out.push_back({i, i + 1});
  if (out.empty() && topology.triangles.empty() && topology.tetrahedra.empty())
    for (const auto& [a, b] : topology.springs) out.push_back({a, b});
  return out;
}

std::vector<Eigen::Vector3d> as_points(const std::vector<double>& row) {
  std::vector<Eigen::Vector3d> out;
  for (std::size_t i = 0; i + 2 < row.size(); i += 3) out.emplace_back(row[i], row[i + 1], row[i + 2]);
  return out;
}

}  // namespace

FrameFile::FrameFile(fs::path path, std::size_t points, const Topology& topology)
    : FrameFile(std::move(path)) {
  using enum Hdf5Writer::Precision;
  const bool fibres = !topology.strands.empty();
  Hdf5Writer file(path_);
  file.write("format", std::string(frame_format));
  file.write("triangles", flat(topology.triangles), 3);
  file.write("tetrahedra", flat(topology.tetrahedra), 4);
  file.write("springs", flat(topology.springs), 2);
  if (!topology.masses.empty()) file.write("mass", topology.masses);
  if (!topology.materials.empty()) write_materials(file, topology.materials);
  if (fibres) {
    file.write("strands", flat(topology.strands), 2);
    file.write("particle", topology.particle, 1);
  }
  file.table("time", {});
  for (const char* name : {"position", "velocity"}) file.table(name, {points, 3}, fibres ? single : full);
  if (topology.contact) file.table("contact", {points}, single);
  if (!topology.obstacles.empty()) write_obstacles(file, topology.obstacles, topology.contact_time);
  file.finish();
}

FrameFile FrameFile::resume(fs::path path, std::size_t points, std::size_t frames) {
  {
    const Hdf5Reader file(path);
    const bool is_one = file.has("format") && file.text("format") == frame_format;
    const std::vector<std::size_t> there = is_one ? file.shape("time") : std::vector<std::size_t>{};
    if (there.size() != 1 || file.shape("position") != std::vector{there[0], points, std::size_t{3}} ||
        file.shape("velocity") != file.shape("position"))
      throw InputError(fmt::format("{}: these are not the frames of this run", path.string()));
    if (there[0] < frames)
      throw InputError(fmt::format("{}: has {} frames, but up to the checkpoint there must be {}",
                                   path.string(), there[0], frames));
  }
  // Every number that stays is looked at: the file checks what is read against its checksums.
  std::vector<const char*> present;
  {
    const Hdf5Reader file(path);
    for (const char* name : {"triangles", "tetrahedra", "springs"}) file.integers(name);
    for (const char* name : frame_tables)
      if (file.has(name)) present.push_back(name);
    for (const char* name : present)
      for (std::size_t i = 0; i < frames; ++i) file.row(name, i);
  }
  Hdf5Tables tables(path);
  for (const char* name : present) tables.keep(name, frames);
  tables.finish();
  FrameFile out(std::move(path));
  const auto has = [&](std::string_view name) { return std::ranges::find(present, name) != present.end(); };
  out.with_contact_ = has("contact");
  out.with_poses_ = has("obstacle_pose");
  out.with_contact_time_ = has("obstacle_contact");
  return out;
}

void FrameFile::add(const FrameContents& frame) {
  times_.push_back(frame.time);
  for (const auto& [to, from] :
       {std::pair{&positions_, &frame.positions}, std::pair{&velocities_, &frame.velocities}})
    for (const Point& point : *from) to->insert(to->end(), point.begin(), point.end());
  if (with_contact_) contact_.insert(contact_.end(), frame.contact.begin(), frame.contact.end());
  if (with_poses_)
    for (const Pose& pose : frame.poses)
      for (const Point& point : pose) poses_.insert(poses_.end(), point.begin(), point.end());
  if (with_contact_time_)
    contact_time_.insert(contact_time_.end(), frame.contact_time.begin(), frame.contact_time.end());
  if (2 * positions_.size() + contact_time_.size() >= buffered) flush();
}

void FrameFile::flush() {
  if (times_.empty()) return;
  Hdf5Tables file(path_);
  file.append("position", positions_);
  file.append("velocity", velocities_);
  if (!contact_.empty()) file.append("contact", contact_);
  if (!poses_.empty()) file.append("obstacle_pose", poses_);
  if (!contact_time_.empty()) file.append("obstacle_contact", contact_time_);
  file.append("time", times_);
  file.finish();
  for (auto* values : {&times_, &positions_, &velocities_, &contact_, &poses_, &contact_time_})
    values->clear();
}

void check_frame_format(const Hdf5Reader& file, const fs::path& path) {
  const std::string format = file.has("format") ? file.text("format") : std::string{};
  if (format != frame_format && format != frame_format_without_checksums)
    throw InputError(fmt::format("{}: not a file of frames", path.string()));
}

void write_vtu_series(const fs::path& frames) {
  const FrameReader file(frames);
  Topology topology = file.topology();
  Mesh mesh;
  const std::vector<std::array<int, 2>> lines = lines_of(topology);
  mesh.triangles = std::move(topology.triangles);
  mesh.tetrahedra = std::move(topology.tetrahedra);
  const std::vector<double> times = file.times();
  const fs::path folder = frames.parent_path() / "frames";
  prepare_folder(folder);
  std::vector<PvdEntry> entries;
  for (std::size_t i = 0; i < times.size(); ++i) {
    mesh.points = as_points(file.positions(i));
    const std::vector<Eigen::Vector3d> velocities = as_points(file.velocities(i));
    const std::string name = fmt::format("frame-{:06}.vtu", i);
    const PointVectors field{"velocity", velocities};
    write_vtu(folder / name, mesh, std::span(&field, 1), VtuEncoding::raw, lines);
    entries.push_back({times[i], fs::path("frames") / name});
  }
  write_pvd(frames.parent_path() / "frames.pvd", entries);
}

}  // namespace stiffly
