// STL, ascii and binary. Its triangles do not share points, so equal ones are merged.
#include <fmt/format.h>

#include <unordered_map>

#include "stiffly/files/byte_reader.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"

namespace stiffly::mesh {
namespace {

class Merger {
 public:
  explicit Merger(MeshBuilder& mesh) : mesh_(mesh) {}

  std::int64_t point(const std::array<double, 3>& x, std::int64_t place) {
    // Adding zero makes -0 and 0 one.
    const std::array<double, 3> key = {x[0] + 0.0, x[1] + 0.0, x[2] + 0.0};
    const auto [entry, is_new] = numbers_.try_emplace(key, mesh_.points());
    if (is_new) mesh_.point(key[0], key[1], key[2], place);
    return entry->second;
  }

  /// Exporters write triangles so narrow that corners fall together in single precision: those are left out.
  void triangle(const std::array<std::int64_t, 3>& c, std::int64_t place) {
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) {
      mesh_.left_out("triangles with coinciding corners");
    } else {
      mesh_.polygon(c, place);
    }
  }

 private:
  struct Hash {
    std::size_t operator()(const std::array<double, 3>& x) const {
      std::uint64_t h = 0;
      for (const double value : x)
        h = (h ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
      return h;
    }
  };
  MeshBuilder& mesh_;
  std::unordered_map<std::array<double, 3>, std::int64_t, Hash> numbers_;
};

constexpr std::size_t header_size = 80, triangle_size = 50;

Mesh read_binary(std::string_view bytes, const std::string& name) {
  ByteReader in(bytes, name, std::endian::little);
  MeshBuilder mesh(name, Place::number);
  Merger merger(mesh);
  in.skip(header_size, "the header of 80 bytes");
  const auto count = in.take<std::uint32_t>("the number of triangles");
  in.require(count, triangle_size, fmt::format("{} triangles", count));
  if (in.left() != count * triangle_size)
    in.fail(fmt::format("{} bytes follow after the {} triangles that the header counts",
                        in.left() - count * triangle_size, count));
  for (std::uint32_t i = 0; i < count; ++i) {
    in.skip(12, "a normal");
    std::array<std::int64_t, 3> corners;
    for (std::int64_t& corner : corners) {
      std::array<double, 3> x;
      for (double& value : x) value = in.take<float>("a coordinate");
      corner = merger.point(x, i);
    }
    in.skip(2, "an attribute");
    merger.triangle(corners, i);
  }
  return mesh.finish();
}

void expect(TextReader& in, std::string_view wanted) {
  const std::string_view found = in.word(wanted);
  if (found != wanted) in.fail(fmt::format("'{}' should stand here, not '{}'", wanted, shown(found)));
}

Mesh read_ascii(std::string_view text, const std::string& name) {
  TextReader in(text, name);
  MeshBuilder mesh(name);
  Merger merger(mesh);
  while (in.more()) {
    expect(in, "solid");
    in.skip_line();
    for (std::string_view word = in.word("facet or endsolid"); word != "endsolid";
         word = in.word("facet or endsolid")) {
      if (word != "facet")
        in.fail(fmt::format("'facet' or 'endsolid' should stand here, not '{}'", shown(word)));
      in.skip_line();  // the normal, which the corners give too
      expect(in, "outer");
      expect(in, "loop");
      std::array<std::int64_t, 3> corners;
      for (std::int64_t& corner : corners) {
        expect(in, "vertex");
        std::array<double, 3> x;
        for (double& value : x) value = in.number("a coordinate");
        corner = merger.point(x, in.line());
      }
      expect(in, "endloop");
      merger.triangle(corners, in.line());
      expect(in, "endfacet");
    }
    in.skip_line();
  }
  return mesh.finish();
}

}  // namespace

/// Some binary files start with "solid" too: the size decides first.
Mesh read_stl(std::string_view bytes, const std::string& name) {
  if (bytes.size() >= header_size + 4) {
    ByteReader in(bytes, name, std::endian::little);
    in.skip(header_size, "");
    if (header_size + 4 + in.take<std::uint32_t>("") * triangle_size == bytes.size())
      return read_binary(bytes, name);
  }
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool text = first != std::string_view::npos && bytes.substr(first).starts_with("solid") &&
                    bytes.substr(0, 1000).find('\0') == std::string_view::npos;
  return text || bytes.empty() ? read_ascii(bytes, name) : read_binary(bytes, name);
}

}  // namespace stiffly::mesh
