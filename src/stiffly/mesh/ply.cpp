// PLY: text, little-endian and big-endian.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stiffly/files/byte_reader.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"

namespace stiffly::mesh {
namespace {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct TypeName {
  std::string_view name;
  PlyType type;
  std::size_t size;
};
constexpr TypeName ply_types[] = {
    {"char", PlyType::int8, 1},      {"int8", PlyType::int8, 1},       {"uchar", PlyType::uint8, 1},
    {"uint8", PlyType::uint8, 1},    {"short", PlyType::int16, 2},     {"int16", PlyType::int16, 2},
    {"ushort", PlyType::uint16, 2},  {"uint16", PlyType::uint16, 2},   {"int", PlyType::int32, 4},
    {"int32", PlyType::int32, 4},    {"uint", PlyType::uint32, 4},     {"uint32", PlyType::uint32, 4},
    {"float", PlyType::float32, 4},  {"float32", PlyType::float32, 4}, {"double", PlyType::float64, 8},
    {"float64", PlyType::float64, 8}};

const TypeName& read_type(TextReader& in) {
  const std::string_view name = in.word("a type");
  for (const TypeName& type : ply_types)
    if (type.name == name) return type;
  in.fail(fmt::format("unknown type '{}'; PLY has char, uchar, short, ushort, int, uint, float, double",
                      shown(name)));
}

struct Property {
  std::string_view name;
  const TypeName* type;
  const TypeName* count_type = nullptr;  ///< of lists
};

struct Element {
  std::string_view name;
  std::int64_t count;
  std::vector<Property> properties;
  int find(std::string_view wanted) const {
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const Property& p) { return p.name == wanted; });
    return found == properties.end() ? -1 : static_cast<int>(found - properties.begin());
  }
};

struct Header {
  std::optional<std::endian> order;  ///< none: text
  std::vector<Element> elements;
};

Header read_header(TextReader& in) {
  if (in.word("ply") != "ply") in.fail("a PLY file must start with 'ply'");
  Header header;
  bool has_format = false;
  for (;;) {
    const std::string_view key = in.word("end_header");
    if (key == "end_header") break;
    if (key == "comment" || key == "obj_info") {
      in.skip_line();
    } else if (key == "format") {
      const std::string_view format = in.word("the format");
      if (format == "binary_little_endian")
        header.order = std::endian::little;
      else if (format == "binary_big_endian")
        header.order = std::endian::big;
      else if (format != "ascii")
        in.fail(fmt::format("unknown format '{}'", shown(format)));
      if (in.word("the version") != "1.0") in.fail("only version 1.0 of PLY is known");
      has_format = true;
    } else if (key == "element") {
      const std::string_view name = in.word("an element's name");
      header.elements.push_back({name, in.count("the number of elements"), {}});
    } else if (key == "property") {
      if (header.elements.empty()) in.fail("a property needs an element before it");
      Property property;
      if (in.text().substr(in.offset()).starts_with(" list ")) {
        in.word("list");
        property.count_type = &read_type(in);
        if (property.count_type->type >= PlyType::float32) in.fail("a list's length must be of a whole type");
      }
      property.type = &read_type(in);
      property.name = in.word("a property's name");
      header.elements.back().properties.push_back(property);
    } else {
      in.fail(fmt::format("'{}' has no place in a PLY header", shown(key)));
    }
  }
  if (!has_format) in.fail("the header names no format");
  for (const Element& element : header.elements)
    if (element.properties.empty() && element.count > 0)
      in.fail(fmt::format("element '{}' has no properties", shown(element.name)));
  return header;
}

double take(ByteReader& in, PlyType type) {
  switch (type) {
    case PlyType::int8:
      return in.take<std::int8_t>("a value");
    case PlyType::uint8:
      return in.take<std::uint8_t>("a value");
    case PlyType::int16:
      return in.take<std::int16_t>("a value");
    case PlyType::uint16:
      return in.take<std::uint16_t>("a value");
    case PlyType::int32:
      return in.take<std::int32_t>("a value");
    case PlyType::uint32:
      return in.take<std::uint32_t>("a value");
    case PlyType::float32:
      return in.take<float>("a value");
    case PlyType::float64:
      break;
  }
  return in.take<double>("a value");
}

/// The values of the body in order, from text or bytes. All types fit into a double without loss.
class Body {
 public:
  Body(TextReader& text, const Header& header)
      : text_(text),
        header_(header),
        bytes_(text.text().substr(std::min(text.text().size(), text.offset() + 1)), text.name(),
               header.order.value_or(std::endian::native)) {}

  double value(const TypeName& type) {
    if (header_.order) return take(bytes_, type.type);
    return type.type >= PlyType::float32
               ? text_.number("a value")
               : static_cast<double>(text_.integer("a value", INT32_MIN, UINT32_MAX));
  }
  /// Fails early where a binary file is too short for all that its header counts.
  void start(const Element& element) const {
    if (!header_.order) return;
    std::uint64_t size = 0;
    for (const Property& p : element.properties) size += p.count_type ? p.count_type->size : p.type->size;
    bytes_.require(static_cast<std::uint64_t>(element.count), size,
                   fmt::format("{} elements '{}'", element.count, shown(element.name)));
  }
  std::int64_t length(const Property& property) {
    const double length = value(*property.count_type);
    if (length < 0) fail("a list has a negative length");
    if (header_.order) bytes_.require(static_cast<std::uint64_t>(length), property.type->size, "a list");
    return static_cast<std::int64_t>(length);
  }
  std::int64_t place(std::int64_t row) const { return header_.order ? row : text_.line(); }
  [[noreturn]] void fail(const std::string& message) const {
    if (header_.order) bytes_.fail(message);
    text_.fail(message);
  }
  bool finished() { return header_.order ? bytes_.left() == 0 : !text_.more(); }

 private:
  TextReader& text_;
  const Header& header_;
  ByteReader bytes_;
};

void read_element(Body& body, const Element& element, MeshBuilder& mesh, TextReader& header) {
  const bool is_point = element.name == "vertex", is_face = element.name == "face";
  const int axes[] = {element.find("x"), element.find("y"), element.find("z")};
  const int list = std::max(element.find("vertex_indices"), element.find("vertex_index"));
  if (is_point)
    for (const int axis : axes)
      if (axis < 0 || element.properties[static_cast<std::size_t>(axis)].count_type)
        header.fail("points need the properties x, y and z");
  if (is_face && element.count > 0 &&
      (list < 0 || !element.properties[static_cast<std::size_t>(list)].count_type))
    header.fail("faces need a list 'vertex_indices'");
  if (element.name == "tristrips" && element.count > 0)
    header.fail("strips of triangles cannot be read; save the body with single faces");
  body.start(element);
  std::vector<std::int64_t> corners;
  for (std::int64_t row = 0; row < element.count; ++row) {
    double x[3] = {0, 0, 0};
    for (int p = 0; p < static_cast<int>(element.properties.size()); ++p) {
      const Property& property = element.properties[static_cast<std::size_t>(p)];
      const bool wanted = is_face && p == list;
      if (wanted) corners.clear();
      if (property.count_type) {
        const std::int64_t length = body.length(property);
        for (std::int64_t i = 0; i < length; ++i) {
          const double value = body.value(*property.type);
          if (wanted) corners.push_back(std::abs(value) < 1e15 ? static_cast<std::int64_t>(value) : -1);
        }
        continue;
      }
      const double value = body.value(*property.type);
      for (int axis = 0; axis < 3; ++axis)
        if (p == axes[axis]) x[axis] = value;
    }
    if (is_point) mesh.point(x[0], x[1], x[2], body.place(row));
    if (is_face) mesh.polygon(corners, body.place(row));
  }
}

}  // namespace

Mesh read_ply(std::string_view bytes, const std::string& name) {
  TextReader text(bytes, name);
  const Header header = read_header(text);
  Body body(text, header);
  MeshBuilder mesh(name, header.order ? Place::number : Place::line);
  for (const Element& element : header.elements) read_element(body, element, mesh, text);
  if (!body.finished()) body.fail("there is more in the file than its header counts");
  return mesh.finish();
}

}  // namespace stiffly::mesh
