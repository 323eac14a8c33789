#include "stiffly/view/packing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

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

/// Of tetrahedra, where there are no springs at all.
std::vector<int> edges_of(const Topology& topology) {
  if (!topology.springs.empty()) return {};
  std::set<std::pair<int, int>> edges;
  for (const Tetrahedron& t : topology.tetrahedra)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < i; ++j) edges.emplace(std::min(t[i], t[j]), std::max(t[i], t[j]));
  std::vector<int> out;
  for (const auto& [a, b] : edges) out.push_back(a), out.push_back(b);
  return out;
}

template <class Value>
std::vector<float> column(std::span<const SpringMaterial> materials, const Value& value) {
  std::vector<float> out;
  for (const SpringMaterial& material : materials) out.push_back(static_cast<float>(value(material)));
  return out;
}

}  // namespace

// Of n things, number k·s mod n comes k-th, with s nearest to n over the golden ratio that has no divisor in
// common with n: any beginning is spread evenly.
PointOrder::PointOrder(const Topology& topology, std::size_t points) : place_(points, -1) {
  const auto add = [&](int point) {
    place_[static_cast<std::size_t>(point)] = static_cast<int>(order_.size());
    order_.push_back(point);
  };
  std::vector<bool> in_fibre(points);
  for (const auto& [first, count] : topology.strands)
    for (int i = first; i < first + count; ++i) in_fibre[static_cast<std::size_t>(i)] = true;
  for (std::size_t i = 0; i < points; ++i)
    if (!in_fibre[i]) add(static_cast<int>(i));
  const std::size_t n = topology.strands.size();
  auto stride = static_cast<std::size_t>(0.6180339887 * static_cast<double>(n));
  while (n > 0 && std::gcd(stride, n) != 1) ++stride;
  for (std::size_t k = 0; k < n; ++k) {
    const auto& [first, count] = topology.strands[k * stride % n];
    strands_.emplace_back(static_cast<int>(order_.size()), count);
    for (int i = first; i < first + count; ++i) add(i);
  }
}

std::string pack_topology(const Topology& topology, const PointOrder& order) {
  Package out;
  const auto at = [&](int point) { return order.place_of(point); };
  std::vector<int> triangles, springs, edges = edges_of(topology), strands;
  for (const Triangle& t : topology.triangles) std::ranges::transform(t, std::back_inserter(triangles), at);
  for (const auto& [a, b] : topology.springs) springs.push_back(at(a)), springs.push_back(at(b));
  std::ranges::transform(edges, edges.begin(), at);
  for (const auto& [first, count] : order.strands()) strands.push_back(first), strands.push_back(count);
  std::vector<float> masses;
  if (!topology.masses.empty())
    for (std::size_t k = 0; k < order.size(); ++k)
      masses.push_back(static_cast<float>(topology.masses[static_cast<std::size_t>(order[k])]));
  out.add("triangles", triangles);
  out.add("springs", springs);
  out.add("edges", edges);
  out.add("strands", strands);
  out.add("mass", masses);
  const auto& m = topology.materials;
  out.add("stiffness", column(m, [](const SpringMaterial& s) { return s.stiffness; }));
  out.add("rest_length", column(m, [](const SpringMaterial& s) { return s.rest_length; }));
  out.add("hardening", column(m, [](const SpringMaterial& s) { return s.law == SpringLaw::cubic ? 1 : 0; }));
  const ObstacleArrays obstacles = arrays_of(topology.obstacles);
  out.add("obstacle_points", std::vector<float>(obstacles.points.begin(), obstacles.points.end()));
  out.add("obstacle_of_point", obstacles.owner);
  out.add("obstacle_triangles", obstacles.triangles);
  out.add("obstacle_endless", obstacles.endless);
  return out.bytes();
}

void pack_frame(const FrameNumbers& frame, const PointOrder& order, std::size_t points, std::string& out) {
  points = std::min(points, order.size());
  const bool contact = !frame.contact.empty();
  const std::size_t begin = out.size();
  out.resize(begin + frame_bytes(points, contact, frame.poses.size() / 12));
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
}

std::string first_points(const std::string& frame, std::size_t all, std::size_t points, bool contact) {
  if (points >= all) return frame;
  constexpr std::size_t one = sizeof(float);
  std::string out = frame.substr(0, 3 * points * one);
  std::size_t at = 3 * all * one;
  for (int k = 0; k < (contact ? 2 : 1); ++k, at += all * one) out += frame.substr(at, points * one);
  return out + frame.substr(at);
}

std::size_t frames_at_once(std::size_t asked, std::size_t bytes_each) {
  const std::size_t fit = most_bytes / std::max<std::size_t>(1, bytes_each);
  return std::max<std::size_t>(1, std::min(asked, fit));
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
