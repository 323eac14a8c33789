#include "stiffly/mesh/tetgen.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/program.hpp"

namespace stiffly::mesh {
namespace {

constexpr std::chrono::seconds limit{600};

/// Points, facets, no holes, no regions.
std::string smesh(const Mesh& surface) {
  fmt::memory_buffer out;
  auto end = std::back_inserter(out);
  fmt::format_to(end, "{} 3 0 0\n", surface.points.size());
  for (std::size_t i = 0; i < surface.points.size(); ++i)
    fmt::format_to(end, "{} {} {} {}\n", i, surface.points[i].x(), surface.points[i].y(),
                   surface.points[i].z());
  fmt::format_to(end, "{} 0\n", surface.triangles.size());
  for (const auto& t : surface.triangles) fmt::format_to(end, "3 {} {} {}\n", t[0], t[1], t[2]);
  fmt::format_to(end, "0\n0\n");
  return fmt::to_string(out);
}

}  // namespace

bool has_tetgen() { return find_program("tetgen").has_value(); }

Mesh fill_with_tetgen(const Mesh& surface, double largest_volume, double ratio) {
  const auto program = find_program("tetgen");
  if (!program)
    throw InputError(
        "the program tetgen is not installed (apt install tetgen); fill the surface with the built-in "
        "lattice "
        "instead");
  if (surface.triangles.empty()) throw InputError("only a surface of triangles can be filled");
  if (!(ratio >= 1) || !(largest_volume >= 0) || !std::isfinite(largest_volume))
    throw InputError("tetgen: the edge ratio must be at least 1 and the largest volume positive");
  const ScratchFolder scratch;
  write_file(scratch.path() / "body.smesh", smesh(surface));
  const std::string options =
      fmt::format("-pq{:f}{}", ratio, largest_volume > 0 ? fmt::format("a{:.20f}", largest_volume) : "");
  const ProgramResult result = run_program(*program, {options, "body.smesh"}, scratch.path(), limit);
  std::error_code error;
  if (result.timed_out || result.status != 0 ||
      !std::filesystem::exists(scratch.path() / "body.1.ele", error))
    throw InputError(fmt::format(
        "tetgen {}: it takes closed surfaces that do not cross themselves; fill this one with the "
        "built-in lattice instead, which takes any (filler = \"lattice\"). It said: {}",
        result.timed_out       ? "was stopped after 10 minutes"
        : result.status >= 128 ? "crashed on the surface"
                               : "refuses the surface",
        result.output));
  return read_mesh(scratch.path() / "body.1.ele");
}

}  // namespace stiffly::mesh
