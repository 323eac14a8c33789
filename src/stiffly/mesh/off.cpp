// OFF, also with colours (COFF) or normals (NOFF), which are skipped.
#include <fmt/format.h>

#include "stiffly/files/text_reader.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"

namespace stiffly::mesh {

Mesh read_off(std::string_view text, const std::string& name) {
  TextReader in(text, name);
  const std::string_view kind = in.word("the header OFF");
  if (kind != "OFF" && kind != "COFF" && kind != "NOFF" && kind != "CNOFF")
    in.fail(fmt::format("the file must start with OFF, not '{}'", shown(kind)));
  if (in.more() && text.substr(in.offset()).starts_with("BINARY"))
    in.fail("binary OFF files cannot be read; save it as text");
  const std::int64_t points = in.count("the number of points"), faces = in.count("the number of faces");
  in.skip_line();  // the number of edges, which nobody fills in
  MeshBuilder mesh(name);
  for (std::int64_t i = 0; i < points; ++i) {
    const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
    mesh.point(x, y, z, in.line());
    if (kind != "OFF") in.skip_line();
  }
  std::vector<std::int64_t> corners;
  for (std::int64_t i = 0; i < faces; ++i) {
    const std::int64_t count = in.integer("the number of corners", 1, 1'000'000), line = in.line();
    corners.clear();
    for (std::int64_t c = 0; c < count; ++c)
      corners.push_back(in.integer("a corner", 0, std::max<std::int64_t>(points - 1, 0)));
    in.skip_line();  // a colour
    if (count < 3) {
      mesh.left_out(count == 1 ? "single points" : "lines");
    } else {
      mesh.polygon(corners, line);
    }
  }
  if (in.more()) {
    in.word("");
    in.fail("there is more in the file than its header counts");
  }
  return mesh.finish();
}

}  // namespace stiffly::mesh
