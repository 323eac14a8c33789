#include "stiffly/results/frame_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

/// Rows of as many numbers as an element has corners.
template <class Element, std::size_t corners>
std::vector<Element> rows(const Hdf5Reader& file, const char* name) {
  const std::vector<int> numbers = file.integers(name);
  std::vector<Element> out(numbers.size() / corners);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int* row = numbers.data() + i * corners;
    if constexpr (corners == 2)
      out[i] = {row[0], row[1]};
    else
      std::copy_n(row, corners, out[i].begin());
  }
  return out;
}

/// A number for each of `count` things; none where the file has none, or others.
std::vector<double> optional(const Hdf5Reader& file, const char* name, std::size_t count) {
  if (!file.has(name)) return {};
  std::vector<double> out = file.numbers(name);
  if (out.size() != count) out.clear();
  return out;
}

}  // namespace

FrameReader::FrameReader(const std::filesystem::path& path) : path_(path), file_(path) {
  check_frame_format(file_, path);
  const std::vector<std::size_t> times = file_.shape("time"), shape = file_.shape("position"),
                                 speeds = file_.shape("velocity");
  // What an earlier version was writing when it was killed has its positions first and its times last.
  const auto of_particles = [&](const std::vector<std::size_t>& s) {
    return s.size() == 3 && s[0] >= times[0] && s[1] == shape[1] && s[2] == 3;
  };
  if (times.size() != 1 || !of_particles(shape) || !of_particles(speeds))
    throw InputError(fmt::format("{}: its positions are not those of particles", path.string()));
  frames_ = times[0];
  particles_ = shape[1];
}

// A file that was damaged, or made by somebody else, is not to be drawn past its ends.
std::vector<ObstacleSurface> FrameReader::obstacles() const {
  if (!file_.has("obstacle_point")) return {};
  const auto check = [&](bool good) {
    if (!good) throw InputError(fmt::format("{}: its obstacles are not whole", path_.string()));
  };
  const std::vector<double> points = file_.numbers("obstacle_point");
  const std::vector<int> owner = file_.integers("obstacle_of_point"),
                         endless = file_.integers("obstacle_endless");
  const std::vector<std::size_t> poses = file_.shape("obstacle_pose");
  check(points.size() == 3 * owner.size() && poses.size() == 3 && poses[0] >= frames_ &&
        poses[1] == endless.size() && poses[2] == 12);
  std::vector<ObstacleSurface> out(endless.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].endless = endless[i] != 0;
  std::vector<int> place;  // of each point, among those of its obstacle
  for (std::size_t i = 0; i < owner.size(); ++i) {
    check(owner[i] >= 0 && static_cast<std::size_t>(owner[i]) < out.size());
    std::vector<Point>& of_owner = out[static_cast<std::size_t>(owner[i])].points;
    place.push_back(static_cast<int>(of_owner.size()));
    of_owner.push_back({points[3 * i], points[3 * i + 1], points[3 * i + 2]});
  }
  for (const Triangle& t : rows<Triangle, 3>(file_, "obstacle_triangles")) {
    for (const int corner : t)
      check(corner >= 0 && static_cast<std::size_t>(corner) < owner.size() &&
            owner[static_cast<std::size_t>(corner)] == owner[static_cast<std::size_t>(t[0])]);
    const auto at = [&](int corner) { return place[static_cast<std::size_t>(corner)]; };
    out[static_cast<std::size_t>(owner[static_cast<std::size_t>(t[0])])].triangles.push_back(
        {at(t[0]), at(t[1]), at(t[2])});
  }
  return out;
}

std::vector<double> FrameReader::times() const {
  std::vector<double> out = file_.numbers("time");
  out.resize(std::min(out.size(), frames_));
  return out;
}

Topology FrameReader::topology() const {
  Topology out{rows<Triangle, 3>(file_, "triangles"), rows<Tetrahedron, 4>(file_, "tetrahedra"),
               rows<std::pair<int, int>, 2>(file_, "springs")};
  if (file_.has("strands")) {
    out.strands = rows<std::pair<int, int>, 2>(file_, "strands");
    out.particle = file_.integers("particle");
  }
  out.obstacles = obstacles();
  out.contact = file_.has("contact");
  if (const auto shape = out.contact ? file_.shape("contact") : std::vector{frames_, particles_};
      shape.size() != 2 || shape[0] < frames_ || shape[1] != particles_)
    throw InputError(fmt::format("{}: its contact forces are not those of its particles", path_.string()));
  out.contact_time = file_.has("obstacle_contact");
  std::size_t obstacle_points = 0;
  for (const ObstacleSurface& obstacle : out.obstacles) obstacle_points += obstacle.points.size();
  if (const auto shape =
          out.contact_time ? file_.shape("obstacle_contact") : std::vector{frames_, obstacle_points};
      shape.size() != 2 || shape[0] < frames_ || shape[1] != obstacle_points)
    throw InputError(fmt::format("{}: its times of contact are not those of its obstacles", path_.string()));
  out.masses = optional(file_, "mass", particles_);
  const std::vector<double> stiffness = optional(file_, "spring_stiffness", out.springs.size()),
                            length = optional(file_, "spring_rest_length", stiffness.size()),
                            hardening = optional(file_, "spring_hardening", length.size());
  for (std::size_t i = 0; i < hardening.size(); ++i)
    out.materials.push_back(
        {stiffness[i], length[i], 0, hardening[i] == 0 ? SpringLaw::linear : SpringLaw::cubic});
  const auto check = [&](int corner) {
    if (corner < 0 || static_cast<std::size_t>(corner) >= particles_)
      throw InputError(fmt::format("{}: an element has particle {}, but there are only {}", path_.string(),
                                   corner, particles_));
  };
  for (const Triangle& t : out.triangles) std::ranges::for_each(t, check);
  for (const Tetrahedron& t : out.tetrahedra) std::ranges::for_each(t, check);
  for (const auto& [a, b] : out.springs) check(a), check(b);
  for (const auto& [first, points] : out.strands) check(first), check(points - 1), check(first + points - 1);
  return out;
}

}  // namespace stiffly
