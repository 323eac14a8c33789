// What every reader of meshes hands its points and elements to, and what checks them.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "stiffly/mesh/mesh.hpp"

namespace stiffly::mesh {

/// What the `place` of an element is: its line in a text, or its number in a binary file.
enum class Place { line, number };

class MeshBuilder {
 public:
  explicit MeshBuilder(std::string name, Place kind = Place::line) : name_(std::move(name)), kind_(kind) {}

  /// Points are numbered in the order in which they come.
  void point(double x, double y, double z, std::int64_t place);
  /// Elements may name points that come only later. Polygons of more than three corners become fans.
  void polygon(std::span<const std::int64_t> corners, std::int64_t place);
  void tetrahedron(std::span<const std::int64_t> corners, std::int64_t place);
  /// Counts what a mesh of triangles and tetrahedra has no use for, such as lines.
  void left_out(const std::string& what, std::int64_t count = 1) { left_out_[what] += count; }
  void note(const std::string& sentence) { mesh_.notes.push_back(sentence); }

  std::int64_t points() const { return static_cast<std::int64_t>(mesh_.points.size()); }
  /// Throws InputError for the first element that is wrong. Tetrahedra that are all negative just follow the
  /// opposite convention and are turned.
  Mesh finish();
  [[noreturn]] void fail(std::string_view what, std::int64_t place, const std::string& message) const;

 private:
  template <std::size_t Corners>
  std::array<int, Corners> checked(const std::array<std::int64_t, Corners>& corners, std::string_view what,
                                   std::int64_t place) const;
  void orient_tetrahedra();

  std::string name_;
  Place kind_;
  Mesh mesh_;
  std::vector<std::array<std::int64_t, 3>> triangles_;
  std::vector<std::array<std::int64_t, 4>> tetrahedra_;
  std::vector<std::int64_t> triangle_places_, tetrahedron_places_;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace stiffly::mesh
