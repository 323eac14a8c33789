// Gmsh's MSH: version 2 as text, version 4.1 as text and binary.
#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "stiffly/files/byte_reader.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/mesh/readers.hpp"

namespace stiffly::mesh {
namespace {

struct Kind {
  std::int64_t number;
  std::size_t corners;
  const char* name;
};
constexpr Kind usable[] = {
    {1, 2, "line"}, {2, 3, "triangle"}, {3, 4, "quadrangle"}, {4, 4, "tetrahedron"}, {15, 1, "point"}};
constexpr Kind refused[] = {
    {5, 8, "hexahedron"},          {6, 6, "prism"},           {7, 5, "pyramid"},
    {8, 3, "curved line"},         {9, 6, "curved triangle"}, {10, 9, "curved quadrangle"},
    {11, 10, "curved tetrahedron"}};

/// The numbers of a section, from text or bytes.
class Numbers {
 public:
  Numbers(TextReader& text, bool binary)
      : text_(text), binary_(binary), bytes_({}, text.name(), std::endian::native) {}

  /// After the line that opens the section.
  void start() {
    if (!binary_) return;
    text_.skip_past("\n");
    first_ = text_.offset();
    bytes_ = ByteReader(text_.text().substr(first_), text_.name(), std::endian::native);
  }
  std::int64_t small(std::string_view what) {
    return binary_ ? bytes_.take<std::int32_t>(what) : text_.integer(what, INT32_MIN, INT32_MAX);
  }
  std::int64_t large(std::string_view what) {
    if (!binary_) return text_.integer(what, 0);
    const auto value = bytes_.take<std::uint64_t>(what);
    if (value > INT64_MAX) fail(fmt::format("{} must be smaller, not {}", what, value));
    return static_cast<std::int64_t>(value);
  }
  double real(std::string_view what) { return binary_ ? bytes_.take<double>(what) : text_.number(what); }
  /// Text: the line of the last number. Bytes: how many points or elements came before.
  std::int64_t place(std::int64_t number) const { return binary_ ? number : text_.line(); }
  void end(std::string_view mark) {
    if (binary_) text_.skip_past(text_.text().substr(first_, bytes_.offset()));
    const std::string_view word = text_.word(mark);
    if (word != mark) text_.fail(fmt::format("'{}' should stand here, not '{}'", mark, shown(word)));
  }
  [[noreturn]] void fail(const std::string& message) const {
    if (binary_) bytes_.fail(message);
    text_.fail(message);
  }

 private:
  TextReader& text_;
  bool binary_;
  std::size_t first_ = 0;
  ByteReader bytes_;
};

class Reader {
 public:
  Reader(Numbers& in, MeshBuilder& mesh) : in_(in), mesh_(mesh) {}

  void points2() {
    const std::int64_t count = in_.large("the number of points");
    for (std::int64_t i = 0; i < count; ++i) point(in_.large("a point's number"));
  }
  void points4() {
    const std::int64_t blocks = in_.large("the number of blocks"), count = in_.large("the number of points");
    in_.large("the smallest number"), in_.large("the largest number");
    std::vector<std::int64_t> tags;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = in_.small("a dimension");
      in_.small("an entity");
      if (dimension < 0 || dimension > 3)
        in_.fail(fmt::format("a dimension must be 0 … 3, not {}", dimension));
      const bool parametric = in_.small("whether there are parameters") != 0;
      const std::int64_t size = in_.large("the size of a block");
      tags.clear();
      for (std::int64_t i = 0; i < size; ++i) tags.push_back(in_.large("a point's number"));
      for (const std::int64_t tag : tags) {
        point(tag);
        for (std::int64_t p = 0; parametric && p < dimension; ++p) in_.real("a parameter");
      }
    }
    if (count != mesh_.points())
      in_.fail(fmt::format("the section counts {} points but holds {}", count, mesh_.points()));
  }
  void elements2() {
    const std::int64_t count = in_.large("the number of elements");
    for (std::int64_t i = 0; i < count; ++i) {
      in_.large("an element's number");
      const Kind& kind = this->kind(in_.large("an element's kind"));
      const std::int64_t tags = in_.large("the number of tags");
      for (std::int64_t t = 0; t < tags; ++t) in_.small("a tag");
      element(kind);
    }
  }
  void elements4() {
    const std::int64_t blocks = in_.large("the number of blocks"),
                       count = in_.large("the number of elements");
    in_.large("the smallest number"), in_.large("the largest number");
    for (std::int64_t b = 0; b < blocks; ++b) {
      in_.small("a dimension"), in_.small("an entity");
      const Kind& kind = this->kind(in_.small("an element's kind"));
      const std::int64_t size = in_.large("the size of a block");
      for (std::int64_t i = 0; i < size; ++i) {
        in_.large("an element's number");
        element(kind);
      }
    }
    if (count != elements_)
      in_.fail(fmt::format("the section counts {} elements but holds {}", count, elements_));
  }

 private:
  void point(std::int64_t tag) {
    const double x = in_.real("a coordinate"), y = in_.real("a coordinate"), z = in_.real("a coordinate");
    if (!numbers_.try_emplace(tag, mesh_.points()).second)
      in_.fail(fmt::format("point {} is there twice", tag));
    mesh_.point(x, y, z, in_.place(mesh_.points()));
  }
  const Kind& kind(std::int64_t number) const {
    for (const Kind& known : usable)
      if (known.number == number) return known;
    std::string name;
    for (const Kind& known : refused)
      if (known.number == number) name = fmt::format(" ({})", known.name);
    in_.fail(fmt::format(
        "elements of kind {}{} cannot be used, only triangles and tetrahedra; in Gmsh, mesh with order 1 and "
        "without recombining",
        number, name));
  }
  void element(const Kind& kind) {
    std::array<std::int64_t, 4> corners{};
    for (std::size_t i = 0; i < kind.corners; ++i) {
      const std::int64_t tag = in_.large("a corner");
      const auto found = numbers_.find(tag);
      if (found == numbers_.end())
        in_.fail(fmt::format("a {} names point {}, which is not there", kind.name, tag));
      corners[i] = found->second;
    }
    const std::int64_t place = in_.place(elements_++);
    if (kind.number == 4) {
      mesh_.tetrahedron(corners, place);
    } else if (kind.corners >= 3) {
      mesh_.polygon(std::span(corners).first(kind.corners), place);
    } else {
      mesh_.left_out(kind.corners == 2 ? "lines" : "single points");
    }
  }

  Numbers& in_;
  MeshBuilder& mesh_;
  std::unordered_map<std::int64_t, std::int64_t> numbers_;
  std::int64_t elements_ = 0;
};

struct Encoding {
  bool old = false;  ///< version 2
  bool binary = false;
};

Encoding read_format(TextReader& in) {
  if (in.word("$MeshFormat") != "$MeshFormat")
    in.fail("a Gmsh file must start with $MeshFormat; save it from Gmsh as version 2 or 4.1");
  const std::string_view version = in.word("the version");
  Encoding format{version.starts_with("2"), false};
  if (!format.old && version != "4.1")
    in.fail(fmt::format("version {} cannot be read; save it as version 2 or 4.1", shown(version)));
  format.binary = in.integer("0 for text or 1 for binary", 0, 1) == 1;
  if (in.integer("the size of a number") != 8) in.fail("numbers must have 8 bytes");
  if (format.binary) {
    if (format.old) in.fail("binary files of version 2 cannot be read; save it as text or as version 4.1");
    Numbers one(in, true);
    one.start();
    if (one.small("the number one") != 1)
      in.fail("the file comes from a machine with another byte order; save it as text");
    one.end("$EndMeshFormat");
  } else if (in.word("$EndMeshFormat") != "$EndMeshFormat") {
    in.fail("'$EndMeshFormat' should stand here");
  }
  return format;
}

}  // namespace

Mesh read_gmsh(std::string_view bytes, const std::string& name) {
  TextReader text(bytes, name);
  const Encoding format = read_format(text);
  Numbers numbers(text, format.binary);
  MeshBuilder mesh(name, format.binary ? Place::number : Place::line);
  Reader reader(numbers, mesh);
  bool points = false, elements = false;
  while (text.more()) {
    const std::string section(text.word("a section"));
    if (!section.starts_with('$') || section.size() > 60)
      text.fail(fmt::format("a section should start here, not '{}'", shown(section)));
    const std::string end = "$End" + section.substr(1);
    if (section == "$Nodes" && !std::exchange(points, true)) {
      numbers.start();
      format.old ? reader.points2() : reader.points4();
      numbers.end(end);
    } else if (section == "$Elements" && points && !std::exchange(elements, true)) {
      numbers.start();
      format.old ? reader.elements2() : reader.elements4();
      numbers.end(end);
    } else if (section == "$Nodes" || section == "$Elements") {
      text.fail(fmt::format("{} must come once, and $Nodes before $Elements", section));
    } else {
      text.skip_past(end);  // names, entities, data
    }
  }
  if (!elements) text.fail("the section $Elements is missing; the file is not whole");
  return mesh.finish();
}

}  // namespace stiffly::mesh
