// Numbers as the page in the browser takes them: little-endian, in single precision.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stiffly/results/frame_file.hpp"

namespace stiffly::view {

/// Of a reply with frames, beyond which it has fewer of them.
inline constexpr std::size_t most_bytes = 8u << 20;
/// Of a table, beyond which rows are left out evenly.
inline constexpr std::size_t most_rows = 2000;

/// The order in which the page gets points: those of no fibre first, then fibre by fibre, so that any
/// beginning has fibres from all over. Who cannot draw all asks for a beginning.
class PointOrder {
 public:
  explicit PointOrder(const Topology& topology, std::size_t points);

  std::size_t size() const { return order_.size(); }
  /// Which point comes in the k-th place, and where a point comes.
  int operator[](std::size_t place) const { return order_[place]; }
  int place_of(int point) const { return place_[static_cast<std::size_t>(point)]; }
  /// Fibres as they come: where each begins, and of how many points.
  std::span<const std::pair<int, int>> strands() const { return strands_; }

 private:
  std::vector<int> order_, place_;
  std::vector<std::pair<int, int>> strands_;
};

/// A length (32 bit), as many bytes of JSON that name arrays with their type and number of entries, and these
/// arrays one after the other: triangles, springs, edges, strands, mass, stiffness, rest_length, hardening,
/// obstacle_points, obstacle_of_point, obstacle_triangles, obstacle_endless. The JSON is filled up with
/// spaces so that the arrays begin at a multiple of 8. `edges` are those of tetrahedra where nothing else
/// could be drawn.
std::string pack_topology(const Topology& topology, const PointOrder& order);

/// What a frame is made of: three numbers a point of positions and velocities, one of contact or none, twelve
/// an obstacle.
struct FrameNumbers {
  std::span<const double> positions, velocities, contact, poses;
};

/// Of the first `points`: positions, three numbers each, speeds, one each, and, where there are any, sizes of
/// contact forces; then the poses of the obstacles.
void pack_frame(const FrameNumbers& frame, const PointOrder& order, std::size_t points, std::string& out);
/// The same of a packed frame of all `all` points.
std::string first_points(const std::string& frame, std::size_t all, std::size_t points, bool contact);
inline std::size_t frame_bytes(std::size_t points, bool contact, std::size_t obstacles) {
  return (points * (contact ? 5 : 4) + obstacles * 12) * sizeof(float);
}
/// How many frames of so many asked for go into one reply.
std::size_t frames_at_once(std::size_t asked, std::size_t bytes_each);

std::string pack_numbers(std::span<const double> numbers);

/// The header and at most `most_rows` lines, the last one among them.
std::string thin_table(std::string_view csv);

}  // namespace stiffly::view
