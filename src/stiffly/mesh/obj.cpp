// Wavefront OBJ: v and f lines.
#include <fmt/format.h>

#include <algorithm>

#include "stiffly/files/csv.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"

namespace stiffly::mesh {
namespace {

/// What says nothing about the shape.
constexpr std::string_view ignored[] = {"vt",    "vn",       "vp",       "g",          "o",        "s",
                                        "mg",    "usemtl",   "mtllib",   "usemap",     "maplib",   "lod",
                                        "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};

/// "7", "7/1", "7//3", "7/1/3" or "-1": the first number, from 1, or from the end if negative.
std::int64_t corner(TextReader& in, std::int64_t points) {
  const std::string_view word = in.word("a corner");
  std::int64_t index = 0;
  if (!parse_integer(word.substr(0, word.find('/')), index) || index == 0)
    in.fail(fmt::format("a corner must be the number of a point, from 1, not '{}'", shown(word)));
  return index > 0 ? index - 1 : points + index;
}

}  // namespace

Mesh read_obj(std::string_view text, const std::string& name) {
  TextReader in(text, name);
  MeshBuilder mesh(name);
  std::vector<std::int64_t> corners;
  while (in.more()) {
    const std::string_view key = in.word("a line");
    const std::int64_t line = in.line();
    if (key == "v") {
      double x[3];
      for (double& value : x) {
        if (!in.more_on_line()) in.fail("a point needs three coordinates");
        value = in.number("a coordinate");
      }
      mesh.point(x[0], x[1], x[2], line);
      in.skip_line();  // a weight or a colour
    } else if (key == "f") {
      corners.clear();
      while (in.more_on_line()) corners.push_back(corner(in, mesh.points()));
      mesh.polygon(corners, line);
    } else if (key == "l" || key == "p") {
      mesh.left_out(key == "l" ? "lines" : "single points");
      in.skip_line();
    } else if (std::find(std::begin(ignored), std::end(ignored), key) != std::end(ignored)) {
      in.skip_line();
    } else {
      in.fail(fmt::format(
          "'{}' is not understood; only points (v) and faces (f) are: export the body as polygons",
          shown(key)));
    }
  }
  return mesh.finish();
}

}  // namespace stiffly::mesh
