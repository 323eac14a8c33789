#include "stiffly/view/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "stiffly/error.hpp"

namespace stiffly::view {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

/// Named arrays of 32-bit numbers.
class Package {
 public:
  template <class Number>
  void add(const char* name, const std::vector<Number>& numbers) {
    static_assert(sizeof(Number) == 4);
    contents_.push_back({{"name", name},
                         {"type", std::is_floating_point_v<Number> ? "f32" : "i32"},
                         {"count", numbers.size()}});
    data_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  }

  std::string bytes() const {
    std::string header = contents_.dump();
    header.resize((header.size() + 4 + 7) / 8 * 8 - 4, ' ');
    const auto length = static_cast<std::uint32_t>(header.size());
    std::string out(reinterpret_cast<const char*>(&length), sizeof length);
    return out + header + data_;
  }

 private:
  nlohmann::ordered_json contents_ = nlohmann::ordered_json::array();
  std::string data_;
};

/// Surfaces of fewer points are drawn whole.
constexpr std::size_t fewest_corners = 1500;

/// 0 … n − 1 so that any beginning is spread evenly: k·s mod n comes k-th, with s nearest to n over the
/// golden ratio that has no divisor in common with n.
std::vector<std::size_t> spread(std::size_t n) {
  auto stride = static_cast<std::size_t>(0.6180339887 * static_cast<double>(n));
  while (n > 0 && std::gcd(stride, n) != 1) ++stride;
  std::vector<std::size_t> out(n);
  for (std::size_t k = 0; k < n; ++k) out[k] = k * stride % n;
  return out;
}

/// Of tetrahedra, where there are no springs at all; spread over all.
std::vector<std::pair<int, int>> edges_of(const Topology& topology) {
  if (!topology.springs.empty()) return {};
  std::vector<std::pair<int, int>> edges;
  for (const Tetrahedron& t : topology.tetrahedra)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < i; ++j) edges.emplace_back(std::minmax(t[i], t[j]));
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<std::pair<int, int>> out;
  for (const std::size_t k : spread(edges.size())) out.push_back(edges[k]);
  return out;
}

}  // namespace

void PointOrder::add(int point) {
  int& place = place_[static_cast<std::size_t>(point)];
  if (place >= 0) return;
  place = static_cast<int>(order_.size());
  order_.push_back(point);
}

PointOrder::PointOrder(const Topology& topology, std::size_t points)
    : place_(points, -1),
      springs_(spread(topology.springs.size())),
      surfaces_(coarse_surfaces(topology.triangles, fewest_corners)) {
  std::vector<bool> in_fibre(points);
  for (const auto& [first, count] : topology.strands)
    for (int i = first; i < first + count; ++i) in_fibre[static_cast<std::size_t>(i)] = true;
  const auto add_other = [&](int point) {
    if (!in_fibre[static_cast<std::size_t>(point)]) add(point);
  };
  for (auto surface = surfaces_.rbegin(); surface != surfaces_.rend(); ++surface)
    std::ranges::for_each(surface->points, add_other);
  for (const Triangle& t : topology.triangles) std::ranges::for_each(t, add_other);
  for (const std::size_t k : springs_)
    add_other(topology.springs[k].first), add_other(topology.springs[k].second);
  for (std::size_t i = 0; i < points; ++i) add_other(static_cast<int>(i));
  for (const std::size_t k : spread(topology.strands.size())) {
    const auto& [first, count] = topology.strands[k];
    strands_.emplace_back(static_cast<int>(order_.size()), count);
    for (int i = first; i < first + count; ++i) add(i);
  }
}

std::string pack_topology(const Topology& topology, const PointOrder& order) {
  Package out;
  const auto at = [&](int point) { return order.place_of(point); };
  const auto corners = [&](std::span<const Triangle> triangles, std::vector<int>& to) {
    for (const Triangle& t : triangles) std::ranges::transform(t, std::back_inserter(to), at);
  };
  std::vector<int> numbers, triangles, springs, edges, strands, surfaces, coarse_triangles;
  for (std::size_t k = 0; k < order.size(); ++k) numbers.push_back(order[k]);
  corners(topology.triangles, triangles);
  for (const std::size_t k : order.springs())
    springs.push_back(at(topology.springs[k].first)), springs.push_back(at(topology.springs[k].second));
  for (const auto& [a, b] : edges_of(topology)) edges.push_back(at(a)), edges.push_back(at(b));
  for (const auto& [first, count] : order.strands()) strands.push_back(first), strands.push_back(count);
  for (const CoarseSurface& surface : order.surfaces()) {
    int points = 0;
    for (const int point : surface.points) points = std::max(points, at(point) + 1);
    surfaces.push_back(points), surfaces.push_back(static_cast<int>(surface.triangles.size()));
    corners(surface.triangles, coarse_triangles);
  }
  std::vector<float> masses;
  if (!topology.masses.empty())
    for (std::size_t k = 0; k < order.size(); ++k)
      masses.push_back(static_cast<float>(topology.masses[static_cast<std::size_t>(order[k])]));
  out.add("numbers", numbers);
  out.add("triangles", triangles);
  out.add("springs", springs);
  out.add("edges", edges);
  out.add("strands", strands);
  out.add("mass", masses);
  const auto column = [&](const auto& value) {
    std::vector<float> values;
    if (!topology.materials.empty())
      for (const std::size_t k : order.springs())
        values.push_back(static_cast<float>(value(topology.materials[k])));
    return values;
  };
  out.add("stiffness", column([](const SpringMaterial& s) { return s.stiffness; }));
  out.add("rest_length", column([](const SpringMaterial& s) { return s.rest_length; }));
  out.add("hardening", column([](const SpringMaterial& s) { return s.law == SpringLaw::cubic ? 1 : 0; }));
  const ObstacleArrays obstacles = arrays_of(topology.obstacles);
  out.add("obstacle_points", std::vector<float>(obstacles.points.begin(), obstacles.points.end()));
  out.add("obstacle_of_point", obstacles.owner);
  out.add("obstacle_triangles", obstacles.triangles);
  out.add("obstacle_endless", obstacles.endless);
  out.add("coarse_surfaces", surfaces);
  out.add("coarse_triangles", coarse_triangles);
  return out.bytes();
}

void pack_frame(const FrameNumbers& frame, const PointOrder& order, std::size_t points, std::string& out) {
  points = std::min(points, order.size());
  const bool contact = !frame.contact.empty();
  const std::size_t begin = out.size();
  out.resize(begin + frame_bytes(points, {contact, frame.poses.size() / 12, frame.contact_time.size()}));
  char* to = out.data() + begin;
  const auto put = [&](double value) {
    const auto number = static_cast<float>(value);
    std::memcpy(to, &number, sizeof number);
    to += sizeof number;
  };
  const auto row = [&](std::size_t place) { return static_cast<std::size_t>(order[place]); };
  for (std::size_t k = 0; k < points; ++k)
    for (std::size_t axis = 0; axis < 3; ++axis) put(frame.positions[3 * row(k) + axis]);
  for (std::size_t k = 0; k < points; ++k) {
    const double* v = &frame.velocities[3 * row(k)];
    put(std::hypot(v[0], v[1], v[2]));
  }
  for (std::size_t k = 0; contact && k < points; ++k) put(frame.contact[row(k)]);
  std::ranges::for_each(frame.poses, put);
  std::ranges::for_each(frame.contact_time, put);
}

std::string first_points(const std::string& frame, std::size_t all, std::size_t points, bool contact) {
  if (points >= all) return frame;
  constexpr std::size_t one = sizeof(float);
  std::string out = frame.substr(0, 3 * points * one);
  std::size_t at = 3 * all * one;
  for (int k = 0; k < (contact ? 2 : 1); ++k, at += all * one) out += frame.substr(at, points * one);
  return out + frame.substr(at);
}

std::vector<std::size_t> frames_at_once(const FrameRange& asked, std::size_t bytes_each, std::size_t there) {
  if (asked.first >= there)
    throw InputError(fmt::format("frame {} is asked for, and there are {}", asked.first, there));
  const std::size_t fit = std::max<std::size_t>(1, most_bytes / std::max<std::size_t>(1, bytes_each)),
                    every = std::max<std::size_t>(1, asked.every);
  std::vector<std::size_t> out = {asked.first};
  while (out.size() < std::min(asked.count, fit) && there - out.back() > every)
    out.push_back(out.back() + every);
  return out;
}

std::string pack_numbers(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

std::string thin_table(std::string_view csv) {
  const auto rows = static_cast<std::size_t>(std::ranges::count(csv, '\n'));
  if (rows <= most_rows + 1) return std::string(csv);
  const std::size_t stride = (rows + most_rows - 1) / most_rows;
  std::string out;
  for (std::size_t row = 0, begin = 0; begin < csv.size(); ++row) {
    const std::size_t end = std::min(csv.size(), csv.find('\n', begin) + 1);
    if (row == 0 || (row - 1) % stride == 0 || row + 1 == rows) out += csv.substr(begin, end - begin);
    begin = end;
  }
  return out;
}

}  // namespace stiffly::view
