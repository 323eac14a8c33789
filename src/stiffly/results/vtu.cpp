#include "stiffly/results/vtu.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "stiffly/error.hpp"
#include "stiffly/files/base64.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/xml.hpp"

namespace stiffly {

using namespace mesh;
namespace {

/// The header, which names arrays by their offset in what follows it, and the arrays.
class Writer {
 public:
  explicit Writer(VtuEncoding encoding) : encoding_(encoding) {}

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(header_), format, std::forward<Arguments>(arguments)...);
  }
  template <class T>
  void array(std::string_view name, std::string_view type, int components, std::span<const T> values) {
    print(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        type, escape_xml(name), components, data_.size());
    std::string block(sizeof(std::uint64_t) + values.size_bytes(), '\0');
    const std::uint64_t size = values.size_bytes();
    std::memcpy(block.data(), &size, sizeof(size));
    if (size > 0) std::memcpy(block.data() + sizeof(size), values.data(), size);
    data_ += encoding_ == VtuEncoding::raw ? block
                                           : encode_base64(std::string_view(block).substr(0, sizeof(size))) +
                                                 encode_base64(std::string_view(block).substr(sizeof(size)));
  }
  void vectors(std::string_view name, std::span<const Eigen::Vector3d> values) {
    const double* first = values.empty() ? nullptr : values.front().data();
    array<double>(name, "Float64", 3, {first, 3 * values.size()});
  }
  void write(const std::filesystem::path& path) {
    print("<AppendedData encoding=\"{}\">_", encoding_ == VtuEncoding::raw ? "raw" : "base64");
    write_file(path, fmt::format("{}{}\n</AppendedData>\n</VTKFile>\n", fmt::to_string(header_), data_));
  }

 private:
  VtuEncoding encoding_;
  fmt::memory_buffer header_;
  std::string data_;
};

struct Cells {
  std::vector<std::int64_t> corners, ends;
  std::vector<std::uint8_t> types;
  template <class Range>
  void add(const Range& cell, std::uint8_t type) {
    corners.insert(corners.end(), cell.begin(), cell.end());
    ends.push_back(static_cast<std::int64_t>(corners.size()));
    types.push_back(type);
  }
};

Cells cells_of(const Mesh& mesh, std::span<const std::array<int, 2>> lines) {
  Cells cells;
  for (const auto& t : mesh.triangles) cells.add(t, 5);
  for (const auto& t : mesh.tetrahedra) cells.add(t, 10);
  for (const auto& line : lines) cells.add(line, 3);
  if (cells.types.empty())
    for (std::size_t i = 0; i < mesh.points.size(); ++i)
      cells.add(std::array{static_cast<std::int64_t>(i)}, 1);
  return cells;
}

}  // namespace

void write_vtu(const std::filesystem::path& path, const Mesh& mesh, std::span<const PointVectors> fields,
               VtuEncoding encoding, std::span<const std::array<int, 2>> lines) {
  for (const PointVectors& field : fields)
    if (field.values.size() != mesh.points.size())
      throw InputError(fmt::format("{}: '{}' has {} vectors for {} points", path.string(), field.name,
                                   field.values.size(), mesh.points.size()));
  const Cells cells = cells_of(mesh, lines);
  Writer out(encoding);
  out.print(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", mesh.points.size(),
      cells.types.size());
  out.print("<Points>\n");
  out.vectors("Points", mesh.points);
  out.print("</Points>\n<Cells>\n");
  out.array<std::int64_t>("connectivity", "Int64", 1, cells.corners);
  out.array<std::int64_t>("offsets", "Int64", 1, cells.ends);
  out.array<std::uint8_t>("types", "UInt8", 1, cells.types);
  out.print("</Cells>\n<PointData>\n");
  for (const PointVectors& field : fields) out.vectors(field.name, field.values);
  out.print("</PointData>\n</Piece>\n</UnstructuredGrid>\n");
  out.write(path);
}

void write_pvd(const std::filesystem::path& path, std::span<const PvdEntry> entries) {
  std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
  for (const PvdEntry& entry : entries)
    text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", entry.time,
                        escape_xml(entry.file.string()));
  write_file(path, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace stiffly
