// MEDIT .mesh, as text.
#include <fmt/format.h>

#include <algorithm>

#include "stiffly/files/text_reader.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"
#include "stiffly/text.hpp"

namespace stiffly::mesh {
namespace {

enum class Use { points, triangles, tetrahedra, refuse, skip };

/// `numbers` stand in each of a section's lines, a reference last where there is one.
struct Section {
  std::string name;
  int numbers;
  Use use;
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"Vertices", 4, Use::points},
      {"Triangles", 4, Use::triangles},
      {"Quadrilaterals", 5, Use::triangles},
      {"Tetrahedra", 5, Use::tetrahedra},
      {"Hexahedra", 9, Use::refuse},
      {"Hexaedra", 9, Use::refuse},
      {"Prisms", 7, Use::refuse},
      {"Pyramids", 6, Use::refuse},
      {"TetrahedraP2", 11, Use::refuse},
      {"TrianglesP2", 7, Use::refuse},
      {"Edges", 3, Use::skip},
      {"Corners", 1, Use::skip},
      {"Ridges", 1, Use::skip},
      {"RequiredVertices", 1, Use::skip},
      {"RequiredEdges", 1, Use::skip},
      {"RequiredTriangles", 1, Use::skip},
      {"Normals", 3, Use::skip},
      {"NormalAtVertices", 2, Use::skip},
      {"Tangents", 3, Use::skip},
      {"TangentAtVertices", 2, Use::skip},
  };
  return all;
}

const Section& find_section(TextReader& in, std::string_view name) {
  std::vector<std::string> names;
  for (const Section& section : sections()) {
    if (section.name == name) return section;
    names.push_back(section.name);
  }
  in.fail(fmt::format("unknown section '{}'; did you mean '{}'?", shown(name),
                      nearest(name.substr(0, 40), names)));
}

void read_section(TextReader& in, const Section& section, MeshBuilder& mesh) {
  const std::int64_t count = in.count("the number of " + section.name);
  if (section.use == Use::refuse && count > 0)
    in.fail(fmt::format("{} cannot be used, only Triangles and Tetrahedra; split them first", section.name));
  for (std::int64_t i = 0; i < count; ++i) {
    if (section.use == Use::points) {
      const double x = in.number("a coordinate"), y = in.number("a coordinate"),
                   z = in.number("a coordinate");
      mesh.point(x, y, z, in.line());
      in.integer("a reference");
      continue;
    }
    if (section.use == Use::skip) {
      for (int n = 0; n < section.numbers; ++n) in.number("a number");
      continue;
    }
    std::array<std::int64_t, 4> corners{};
    const auto size = static_cast<std::size_t>(section.numbers - 1);
    for (std::size_t c = 0; c < size; ++c) corners[c] = in.integer("the number of a point", 1) - 1;
    const std::int64_t line = in.line();
    in.integer("a reference");
    if (section.use == Use::triangles) {
      mesh.polygon(std::span(corners).first(size), line);
    } else {
      mesh.tetrahedron(corners, line);
    }
  }
  if (section.use == Use::skip && section.name == "Edges") mesh.left_out("lines", count);
}

}  // namespace

Mesh read_medit(std::string_view text, const std::string& name) {
  TextReader in(text, name);
  const std::string_view first = in.word("MeshVersionFormatted");
  if (first != "MeshVersionFormatted")
    in.fail(fmt::format("the file must start with MeshVersionFormatted, not '{}'; save it as MEDIT text",
                        shown(first)));
  in.integer("the version", 1, 4);
  MeshBuilder mesh(name);
  while (in.more()) {
    const std::string_view word = in.word("a section");
    if (word == "End") return mesh.finish();
    if (word == "Dimension") {
      if (in.integer("the dimension") != 3) in.fail("only meshes in three dimensions can be used");
    } else {
      read_section(in, find_section(in, word), mesh);
    }
  }
  in.fail("'End' is missing; the file is not whole");
}

}  // namespace stiffly::mesh
