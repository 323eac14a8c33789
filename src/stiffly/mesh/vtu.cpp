// VTK's unstructured grids (.vtu): text, base64 and raw bytes, uncompressed.
#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"
#include "stiffly/files/base64.hpp"
#include "stiffly/files/byte_reader.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/files/xml.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"

namespace stiffly::mesh {
namespace {

using Number = double (*)(ByteReader&);
template <class T>
double number(ByteReader& in) {
  return static_cast<double>(in.take<T>("a value"));
}

struct Type {
  std::string_view name;
  std::size_t size;
  bool whole;
  Number take;
};
constexpr Type types[] = {
    {"Int8", 1, true, number<std::int8_t>},   {"UInt8", 1, true, number<std::uint8_t>},
    {"Int16", 2, true, number<std::int16_t>}, {"UInt16", 2, true, number<std::uint16_t>},
    {"Int32", 4, true, number<std::int32_t>}, {"UInt32", 4, true, number<std::uint32_t>},
    {"Int64", 8, true, number<std::int64_t>}, {"UInt64", 8, true, number<std::uint64_t>},
    {"Float32", 4, false, number<float>},     {"Float64", 8, false, number<double>}};

class Grid {
 public:
  Grid(std::string_view bytes, const std::string& name)
      : name_(name), bytes_(bytes.size()), file_(parse_xml(bytes, name, "AppendedData")) {
    if (file_.name != "VTKFile" || file_.attribute("type") != "UnstructuredGrid")
      fail(file_, "not a VTK file of type UnstructuredGrid");
    if (file_.attributes.contains("compressor"))
      fail(file_, "compressed files cannot be read; save it without compression");
    const std::string_view order = file_.attribute("byte_order", "LittleEndian");
    if (order != "LittleEndian" && order != "BigEndian")
      fail(file_, fmt::format("unknown byte order '{}'", shown(order)));
    order_ = order == "BigEndian" ? std::endian::big : std::endian::little;
    const std::string_view header = file_.attribute("header_type", "UInt32");
    if (header != "UInt32" && header != "UInt64")
      fail(file_, fmt::format("unknown header type '{}'", shown(header)));
    header_size_ = header == "UInt64" ? 8 : 4;
  }

  Mesh read() {
    MeshBuilder mesh(name_);
    const XmlElement& grid = child(file_, "UnstructuredGrid");
    bool any = false;
    for (const XmlElement& piece : grid.children)
      if (piece.name == "Piece") {
        read_piece(piece, mesh);
        any = true;
      }
    if (!any) fail(grid, "there is no <Piece> in it");
    return mesh.finish();
  }

 private:
  [[noreturn]] void fail(const XmlElement& at, const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", name_, at.line, message));
  }
  const XmlElement& child(const XmlElement& of, std::string_view wanted) const {
    const XmlElement* found = of.find(wanted);
    if (!found) fail(of, fmt::format("<{}> is missing in <{}>", wanted, of.name));
    return *found;
  }
  const XmlElement& array(const XmlElement& of, std::string_view wanted) const {
    for (const XmlElement& c : of.children)
      if (c.name == "DataArray" && c.attribute("Name") == wanted) return c;
    fail(of, fmt::format("the array '{}' is missing in <{}>", wanted, of.name));
  }
  std::int64_t count(const XmlElement& of, std::string_view key) const {
    TextReader in(of.attribute(key), name_);
    if (!of.attributes.contains(key)) fail(of, fmt::format("'{}' is missing", key));
    try {
      return in.count(key);
    } catch (const InputError&) {
      fail(of,
           fmt::format("'{}' must be a whole number, at least 0, not '{}'", key, shown(of.attribute(key))));
    }
  }

  /// A block of bytes with its length before it.
  std::vector<double> from_bytes(const XmlElement& of, const Type& type, std::string_view block) const {
    ByteReader in(block, fmt::format("{}:{}", name_, of.line), order_);
    const std::uint64_t size =
        header_size_ == 8 ? in.take<std::uint64_t>("a length") : in.take<std::uint32_t>("a length");
    in.require(size, 1, fmt::format("an array of {} bytes", size));
    if (size % type.size != 0) fail(of, fmt::format("{} bytes are no whole number of {}", size, type.name));
    std::vector<double> out;
    for (std::uint64_t i = 0; i < size / type.size; ++i) out.push_back(type.take(in));
    return out;
  }
  std::vector<double> from_base64(const XmlElement& of, const Type& type, std::string_view text) const {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    // VTK encodes the length on its own, with its padding, or together with the data: the padding tells.
    const std::size_t alone = header_size_ == 8 ? 12 : 8;
    const bool apart = text.size() >= alone && text[alone - 1] == '=';
    std::string bytes;
    const auto decode = [&](std::string_view part) {
      const std::optional<std::string> more = decode_base64(part);
      if (!more) fail(of, "the base64 data are not whole");
      bytes += *more;
    };
    if (apart) decode(text.substr(0, alone));
    decode(apart ? text.substr(alone) : text);
    return from_bytes(of, type, bytes);
  }
  std::vector<double> from_text(const XmlElement& of, const Type& type) const {
    std::vector<double> out;
    TextReader in(of.text, name_);
    try {
      while (in.more())
        out.push_back(type.whole ? static_cast<double>(in.integer("a value")) : in.number("a value"));
    } catch (const InputError& error) {
      // The text's own first line is the file's line `text_line`.
      const std::string message = error.what();
      throw InputError(fmt::format("{}:{}: {}", name_, of.text_line + in.line() - 1,
                                   message.substr(fmt::format("{}:{}: ", name_, in.line()).size())));
    }
    return out;
  }

  /// Arrays may share their bytes, and pieces their arrays: without a bound on all of them together a small
  /// file could ask for any amount of memory. Every value of a file that repeats nothing takes a byte at
  /// least.
  std::vector<double> values(const XmlElement& of) {
    std::vector<double> out = decoded(of);
    values_ += out.size();
    if (values_ > bytes_) fail(of, "the arrays together have more values than the file has bytes");
    return out;
  }
  std::vector<double> decoded(const XmlElement& of) const {
    const auto type = std::find_if(std::begin(types), std::end(types),
                                   [&](const Type& t) { return t.name == of.attribute("type"); });
    if (type == std::end(types))
      fail(of, fmt::format("unknown type '{}' of an array", shown(of.attribute("type"))));
    const std::string_view format = of.attribute("format", "ascii");
    if (format == "ascii") return from_text(of, *type);
    if (format == "binary") return from_base64(of, *type, of.text);
    if (format != "appended") fail(of, fmt::format("unknown format '{}' of an array", shown(format)));
    const XmlElement& appended = child(file_, "AppendedData");
    const std::size_t start = appended.text.find('_');
    const auto offset = static_cast<std::size_t>(count(of, "offset"));
    if (start == std::string_view::npos) fail(appended, "appended data must start with '_'");
    const std::string_view data = appended.text.substr(start + 1);
    if (offset > data.size())
      fail(of, fmt::format("offset {} lies past the {} bytes of appended data; the file is not whole", offset,
                           data.size()));
    const std::string_view encoding = appended.attribute("encoding");
    if (encoding == "raw") return from_bytes(of, *type, data.substr(offset));
    if (encoding != "base64") fail(appended, fmt::format("unknown encoding '{}'", shown(encoding)));
    return from_base64(of, *type, data.substr(offset));
  }
  std::vector<std::int64_t> integers(const XmlElement& of) {
    std::vector<std::int64_t> out;
    for (const double value : values(of)) {
      if (!(std::abs(value) < 1e15) || value != std::floor(value))
        fail(of, fmt::format("'{}' must hold whole numbers, not {}", of.attribute("Name"), value));
      out.push_back(static_cast<std::int64_t>(value));
    }
    return out;
  }

  void read_piece(const XmlElement& piece, MeshBuilder& mesh) {
    const std::int64_t points = count(piece, "NumberOfPoints"), cells = count(piece, "NumberOfCells");
    const std::int64_t base = mesh.points();
    const XmlElement& holder = child(piece, "Points");
    const XmlElement& coordinates = child(holder, "DataArray");
    const std::vector<double> x = values(coordinates);
    if (static_cast<std::int64_t>(x.size()) / 3 != points || x.size() % 3 != 0)
      fail(coordinates,
           fmt::format("{} points need three coordinates each, but there are {} numbers", points, x.size()));
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) mesh.point(x[i], x[i + 1], x[i + 2], coordinates.line);
    const XmlElement& list = child(piece, "Cells");
    const XmlElement& connectivity = array(list, "connectivity");
    std::vector<std::int64_t> corners = integers(connectivity);
    const std::vector<std::int64_t> ends = integers(array(list, "offsets")),
                                    kinds = integers(array(list, "types"));
    if (static_cast<std::int64_t>(ends.size()) != cells || static_cast<std::int64_t>(kinds.size()) != cells)
      fail(list, fmt::format("{} cells need as many offsets and types, not {} and {}", cells, ends.size(),
                             kinds.size()));
    for (std::int64_t& corner : corners) {
      if (corner < 0 || corner >= points)
        fail(connectivity, fmt::format("a cell names point {}, but there are {} from 0", corner, points));
      corner += base;
    }
    std::int64_t first = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i] < first || ends[i] > static_cast<std::int64_t>(corners.size()))
        fail(list,
             fmt::format("offset {} of cell {} must lie in {} … {}", ends[i], i, first, corners.size()));
      add_cell(list, kinds[i],
               std::span(corners).subspan(static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(ends[i] - first)),
               mesh);
      first = ends[i];
    }
  }

  void add_cell(const XmlElement& list, std::int64_t kind, std::span<const std::int64_t> corners,
                MeshBuilder& mesh) const {
    const auto need = [&](std::size_t count) {
      if (corners.size() != count)
        fail(list, fmt::format("a cell of type {} needs {} corners, not {}", kind, count, corners.size()));
    };
    switch (kind) {
      case 1:
      case 2:
        return mesh.left_out("single points");
      case 3:
      case 4:
        return mesh.left_out("lines");
      case 5:
        need(3);
        return mesh.polygon(corners, list.line);
      case 9:
        need(4);
        return mesh.polygon(corners, list.line);
      case 7:
        return mesh.polygon(corners, list.line);
      case 10:
        need(4);
        return mesh.tetrahedron(corners, list.line);
      default:
        fail(list, fmt::format("cells of type {} cannot be used, only triangles (5) and tetrahedra (10); "
                               "triangulate the grid first",
                               kind));
    }
  }

  const std::string& name_;
  std::size_t bytes_, values_ = 0;  ///< of the file, and in all arrays so far
  XmlElement file_;
  std::endian order_ = std::endian::little;
  std::size_t header_size_ = 4;
};

}  // namespace

Mesh read_vtu(std::string_view bytes, const std::string& name) { return Grid(bytes, name).read(); }

}  // namespace stiffly::mesh
