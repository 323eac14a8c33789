#include "stiffly/view/packing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
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

/// Lines that are no springs: those of fibres, and of tetrahedra where there are no springs at all.
std::vector<int> edges_of(const Topology& topology) {
  std::set<std::pair<int, int>> edges;
  if (topology.springs.empty())
    for (const Tetrahedron& t : topology.tetrahedra)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < i; ++j) edges.emplace(std::min(t[i], t[j]), std::max(t[i], t[j]));
  std::vector<int> out;
  for (const auto& [first, points] : topology.strands)
    for (int i = first; i + 1 < first + points; ++i) out.push_back(i), out.push_back(i + 1);
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

std::string pack_topology(const Topology& topology) {
  Package out;
  std::vector<int> triangles, springs;
  for (const Triangle& t : topology.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  for (const auto& [a, b] : topology.springs) springs.push_back(a), springs.push_back(b);
  out.add("triangles", triangles);
  out.add("springs", springs);
  out.add("edges", edges_of(topology));
  out.add("mass", std::vector<float>(topology.masses.begin(), topology.masses.end()));
  const auto& m = topology.materials;
  out.add("stiffness", column(m, [](const SpringMaterial& s) { return s.stiffness; }));
  out.add("rest_length", column(m, [](const SpringMaterial& s) { return s.rest_length; }));
  out.add("hardening", column(m, [](const SpringMaterial& s) { return s.law == SpringLaw::cubic ? 1 : 0; }));
  return out.bytes();
}

void pack_frame(std::span<const double> positions, std::span<const double> velocities, std::string& out) {
  const std::size_t begin = out.size(), particles = positions.size() / 3;
  out.resize(begin + frame_bytes(particles));
  char* to = out.data() + begin;
  const auto put = [&](double value) {
    const auto number = static_cast<float>(value);
    std::memcpy(to, &number, sizeof number);
    to += sizeof number;
  };
  std::ranges::for_each(positions, put);
  for (std::size_t i = 0; i < particles; ++i)
    put(std::hypot(velocities[3 * i], velocities[3 * i + 1], velocities[3 * i + 2]));
}

std::size_t frames_at_once(std::size_t asked, std::size_t particles) {
  const std::size_t fit = most_bytes / std::max<std::size_t>(1, frame_bytes(particles));
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
