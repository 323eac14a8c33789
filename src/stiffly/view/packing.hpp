// Numbers as the page in the browser takes them: little-endian, in single precision.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stiffly/results/frame_file.hpp"
#include "stiffly/view/coarse_surfaces.hpp"
#include "stiffly/view/run_source.hpp"

namespace stiffly::view {

/// Of a reply with frames, beyond which it has fewer of them.
inline constexpr std::size_t most_bytes = 8u << 20;
/// Of a table, beyond which rows are left out evenly.
inline constexpr std::size_t most_rows = 2000;

/// The order in which the page gets points and springs, so that any beginning is all of the body, coarser:
/// the corners of the coarsest surface, those that each finer one has besides, what else springs have at
/// their ends, the rest, and then fibre by fibre, springs and fibres from all over. Who cannot draw all asks
/// for a beginning.
class PointOrder {
 public:
  explicit PointOrder(const Topology& topology, std::size_t points);

  std::size_t size() const { return order_.size(); }
  /// Which point comes in the k-th place, and where a point comes.
  int operator[](std::size_t place) const { return order_[place]; }
  int place_of(int point) const { return place_[static_cast<std::size_t>(point)]; }
  /// Fibres as they come: where each begins, and of how many points.
  std::span<const std::pair<int, int>> strands() const { return strands_; }
  /// Which spring comes in the k-th place.
  std::span<const std::size_t> springs() const { return springs_; }
  /// From finer to coarser; corners are points.
  std::span<const CoarseSurface> surfaces() const { return surfaces_; }

 private:
  void add(int point);

  std::vector<int> order_, place_;
  std::vector<std::pair<int, int>> strands_;
  std::vector<std::size_t> springs_;
  std::vector<CoarseSurface> surfaces_;
};

/// A length (32 bit), as many bytes of JSON that name arrays with their type and number of entries, and these
/// arrays one after the other: numbers (of the points, in the order in which they come), triangles, springs,
/// edges, strands, mass, stiffness, rest_length, hardening, obstacle_points, obstacle_of_point,
/// obstacle_triangles, obstacle_endless; coarse_surfaces (how many points and triangles each has, from finer
/// to coarser) and coarse_triangles (one surface after the other). Points are named by their places. The JSON
/// is filled up with spaces so that the arrays begin at a multiple of 8. `edges` are those of tetrahedra
/// where nothing else could be drawn.
std::string pack_topology(const Topology& topology, const PointOrder& order);

/// What a frame is made of: three numbers a point of positions and velocities, one of contact or none, twelve
/// an obstacle, one a point of obstacles or none.
struct FrameNumbers {
  std::span<const double> positions, velocities, contact, poses, contact_time = {};
};
/// How many there are of all but points.
struct FrameLayout {
  bool contact = false;
  std::size_t obstacles = 0, contact_time_points = 0;
};

/// Of the first `points`: positions, three numbers each, speeds, one each, and, where there are any, sizes of
/// contact forces; then the poses of the obstacles, and for how long each of their points was touched.
void pack_frame(const FrameNumbers& frame, const PointOrder& order, std::size_t points, std::string& out);
/// The same of a packed frame of all `all` points.
std::string first_points(const std::string& frame, std::size_t all, std::size_t points, bool contact);
inline std::size_t frame_bytes(std::size_t points, const FrameLayout& layout) {
  return (points * (layout.contact ? 5 : 4) + layout.obstacles * 12 + layout.contact_time_points) *
         sizeof(float);
}
/// The numbers of those frames that go into one reply, of a run that has so many. Throws InputError where it
/// has none of them.
std::vector<std::size_t> frames_at_once(const FrameRange& asked, std::size_t bytes_each, std::size_t there);

std::string pack_numbers(std::span<const double> numbers);

/// The header and at most `most_rows` lines, the last one among them.
std::string thin_table(std::string_view csv);

}  // namespace stiffly::view
