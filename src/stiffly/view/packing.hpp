// Numbers as the page in the browser takes them: little-endian, in single precision.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stiffly/results/frame_file.hpp"

namespace stiffly::view {

/// Of a reply with frames, beyond which it has fewer of them.
inline constexpr std::size_t most_bytes = 8u << 20;
/// Of a table, beyond which rows are left out evenly.
inline constexpr std::size_t most_rows = 2000;

/// A length (32 bit), as many bytes of JSON that name arrays with their type and number of entries, and these
/// arrays one after the other: triangles, springs, edges, mass, stiffness, rest_length, hardening. The JSON
/// is filled up with spaces so that the arrays begin at a multiple of 8. `edges` are those of tetrahedra
/// where nothing else could be drawn.
std::string pack_topology(const Topology& topology);

/// Positions, three numbers a particle, then speeds, one a particle.
void pack_frame(std::span<const double> positions, std::span<const double> velocities, std::string& out);
inline std::size_t frame_bytes(std::size_t particles) { return particles * 4 * sizeof(float); }
/// How many frames of so many asked for go into one reply.
std::size_t frames_at_once(std::size_t asked, std::size_t particles);

std::string pack_numbers(std::span<const double> numbers);

/// The header and at most `most_rows` lines, the last one among them.
std::string thin_table(std::string_view csv);

}  // namespace stiffly::view
