// TetGen's .node, .ele and .face files.
#include <fmt/format.h>

#include "stiffly/error.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"

namespace stiffly::mesh {
namespace fs = std::filesystem;
namespace {

/// TetGen numbers from 0 or from 1: the first number in the file says which. `base` is -1 as long as that is
/// open.
void check_number(TextReader& in, std::int64_t row, std::int64_t& base) {
  const std::int64_t number = in.integer("the number of a row");
  if (base < 0 && (number == 0 || number == 1)) base = number;
  if (number != base + row)
    in.fail(fmt::format("rows must be numbered from 0 or 1 without gaps: {} is due here, not {}",
                        std::max<std::int64_t>(base, 0) + row, number));
}

std::int64_t read_points(TextReader& in, MeshBuilder& mesh) {
  const std::int64_t count = in.count("the number of points");
  if (in.more_on_line() && in.integer("the dimension") != 3) in.fail("the dimension must be 3");
  in.skip_line();
  std::int64_t base = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    check_number(in, i, base);
    const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
    mesh.point(x, y, z, in.line());
    in.skip_line();  // attributes and a marker
  }
  return base < 0 ? 0 : base;
}

/// The rows of an .ele file (four corners) or a .face file (three).
void read_elements(const fs::path& path, std::size_t corners, std::int64_t base, MeshBuilder& mesh) {
  const std::string text = read_mesh_bytes(path);
  TextReader in(text, path.string());
  const std::int64_t count = in.count("the number of elements");
  if (corners == 4 && in.more_on_line() && in.integer("the corners of a tetrahedron") != 4)
    in.fail("tetrahedra must have 4 corners; run tetgen without -o2");
  in.skip_line();
  std::int64_t own_base = base;
  for (std::int64_t i = 0; i < count; ++i) {
    check_number(in, i, own_base);
    const std::int64_t line = in.line();
    std::array<std::int64_t, 4> c{};
    for (std::size_t k = 0; k < corners; ++k) {
      c[k] = in.integer("the number of a point") - base;
      if (c[k] < 0 || c[k] >= mesh.points())
        in.fail(fmt::format("point {} is not in the .node file, which has {} from {}", c[k] + base,
                            mesh.points(), base));
      if (in.line() != line) in.fail("a row ends early");
      for (std::size_t other = 0; other < k; ++other)
        if (c[other] == c[k])
          in.fail(fmt::format("point {} stands twice in one element; remove it", c[k] + base));
    }
    if (corners == 4) {
      mesh.tetrahedron(c, line);
    } else {
      mesh.polygon(std::span(c).first(3), line);
    }
    in.skip_line();  // attributes and markers
  }
}

}  // namespace

Mesh read_tetgen(const fs::path& path) {
  const auto sibling = [&](const char* extension) { return fs::path(path).replace_extension(extension); };
  const fs::path node = sibling(".node");
  std::error_code error;
  if (!fs::exists(node, error) && fs::exists(path, error))
    throw InputError(fmt::format("{}: needs the points in {} beside it", path.string(), node.string()));
  const std::string text = read_mesh_bytes(node);
  TextReader in(text, node.string());
  // Elements have been checked against the points where they were read; what is left to say is of volumes.
  MeshBuilder mesh(sibling(".ele").string());
  const std::int64_t base = read_points(in, mesh);
  bool any = false;
  for (const auto& [extension, corners] :
       {std::pair{".ele", std::size_t{4}}, std::pair{".face", std::size_t{3}}})
    if (fs::exists(sibling(extension), error)) {
      read_elements(sibling(extension), corners, base, mesh);
      any = true;
    }
  if (!any)
    throw InputError(
        fmt::format("{}: needs an .ele or a .face file of the same name beside it", node.string()));
  return mesh.finish();
}

}  // namespace stiffly::mesh
