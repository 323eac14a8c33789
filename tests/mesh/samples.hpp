// One small body, the tetrahedron (0,0,0), (1,0,0), (0,1,0), (0,0,½), in every format of meshes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace stiffly::test {

struct Sample {
  std::string name;
  std::string file;  ///< the one to read
  std::string bytes;
  bool solid = false;  ///< given as a tetrahedron; else as four triangles
  std::string points;  ///< of the .node file where `file` is an .ele or .face file
  std::filesystem::path write(const TemporaryFolder& folder) const {
    if (!points.empty()) folder.write("m.node", points);
    return folder.write(file, bytes);
  }
};
inline void PrintTo(const Sample& s, std::ostream* out) { *out << s.name; }

constexpr double sample_points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.5}};
constexpr int sample_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

/// Bytes of values in the order asked for.
template <class T>
void put(std::string& out, T value, bool big = false) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (big) std::reverse(raw, raw + sizeof(T));
  out.append(raw, sizeof(T));
}

/// Every point (or face) by `row`, joined.
template <class Rows, class Row>
std::string lines(const Rows& rows, const Row& row) {
  std::string out;
  int i = 0;
  for (const auto& r : rows) out += row(r, i++);
  return out;
}

inline std::string ply(const std::string& format) {
  std::string out =
      "ply\nformat " + format +
      " 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty double y\nproperty float "
      "z\nproperty uchar red\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n";
  const bool text = format == "ascii", big = format == "binary_big_endian";
  for (const auto& p : sample_points) {
    if (text) {
      out += fmt::format("{} {} {} 255\n", p[0], p[1], p[2]);
      continue;
    }
    put(out, static_cast<float>(p[0]), big);
    put(out, p[1], big);
    put(out, static_cast<float>(p[2]), big);
    put(out, std::uint8_t{255}, big);
  }
  for (const auto& f : sample_faces) {
    if (text) {
      out += fmt::format("3 {} {} {}\n", f[0], f[1], f[2]);
      continue;
    }
    put(out, std::uint8_t{3}, big);
    for (const int c : f) put(out, c, big);
  }
  return out;
}

inline std::string ascii_stl() {
  return "solid body\n" +
         lines(sample_faces,
               [](const auto& f, int) {
                 std::string out = " facet normal 0 0 0\n  outer loop\n";
                 for (const int c : f)
                   out += fmt::format("   vertex {} {} {}\n", sample_points[c][0], sample_points[c][1],
                                      sample_points[c][2]);
                 return out + "  endloop\n endfacet\n";
               }) +
         "endsolid body\n";
}

inline std::string binary_stl() {
  std::string out = "solid, and yet binary";
  out.resize(80, '\0');
  put(out, std::uint32_t{4});
  for (const auto& f : sample_faces) {
    for (int i = 0; i < 3; ++i) put(out, 0.0f);
    for (const int c : f)
      for (const double x : sample_points[c]) put(out, static_cast<float>(x));
    put(out, std::uint16_t{0});
  }
  return out;
}

/// Points and faces with a number each from `base`.
inline std::string numbered_points(int base, const char* tail = "") {
  return lines(sample_points, [&](const auto& p, int i) {
    return fmt::format("{} {} {} {}{}\n", i + base, p[0], p[1], p[2], tail);
  });
}

inline std::string binary_gmsh() {
  std::string out = "$MeshFormat\n4.1 1 8\n";
  put(out, 1);
  out += "\n$EndMeshFormat\n$Nodes\n";
  for (const std::uint64_t v : {1, 4, 1, 4}) put(out, v);
  for (const int v : {3, 1, 0}) put(out, v);
  put(out, std::uint64_t{4});
  for (const std::uint64_t v : {1, 2, 3, 4}) put(out, v);
  for (const auto& p : sample_points)
    for (const double x : p) put(out, x);
  out += "\n$EndNodes\n$Elements\n";
  for (const std::uint64_t v : {1, 1, 1, 1}) put(out, v);
  for (const int v : {3, 1, 4}) put(out, v);
  for (const std::uint64_t v : {1, 1, 1, 2, 3, 4}) put(out, v);
  return out + "\n$EndElements\n";
}

inline std::string ascii_vtu() {
  return "<?xml version=\"1.0\"?>\n<!-- by hand -->\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n"
         "<UnstructuredGrid>\n<Piece NumberOfPoints=\"4\" NumberOfCells=\"4\">\n<PointData/>\n<Points>\n"
         "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0  1 0 0\n0 1 0  0 0 "
         "0.5\n"
         "</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" "
         "format=\"ascii\">\n"
         "0 2 1 0 1 3\n0 3 2 1 2 3\n</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\">3 6 9 "
         "12</DataArray>\n"
         "<DataArray type=\"UInt8\" Name=\"types\">5 5 5 "
         "5</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n"
         "</VTKFile>\n";
}

/// As other programs write it: UInt32 lengths, big-endian, appended raw.
inline std::string raw_vtu() {
  std::string data;
  std::vector<std::size_t> offsets;
  const auto array = [&](const auto& values) {
    offsets.push_back(data.size());
    put(data, static_cast<std::uint32_t>(values.size() * sizeof(values[0])), true);
    for (const auto v : values) put(data, v, true);
  };
  std::vector<float> points;
  for (const auto& p : sample_points)
    for (const double x : p) points.push_back(static_cast<float>(x));
  array(points);
  array(std::vector<std::int64_t>{0, 1, 2, 3});
  array(std::vector<std::int32_t>{4});
  array(std::vector<std::uint8_t>{10});
  return fmt::format(
             "<VTKFile type=\"UnstructuredGrid\" byte_order=\"BigEndian\">\n<UnstructuredGrid><Piece "
             "NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" "
             "NumberOfComponents=\"3\" "
             "format=\"appended\" offset=\"{}\"/></Points><Cells><DataArray type=\"Int64\" "
             "Name=\"connectivity\" "
             "format=\"appended\" offset=\"{}\"/><DataArray type=\"Int32\" Name=\"offsets\" "
             "format=\"appended\" "
             "offset=\"{}\"/><DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" "
             "offset=\"{}\"/></Cells></Piece></UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n _",
             offsets[0], offsets[1], offsets[2], offsets[3]) +
         data + "\n</AppendedData></VTKFile>\n";
}

inline std::vector<Sample> samples() {
  const std::string gmsh2 =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n";
  const std::string gmsh4 =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 "
      "4 1 "
      "9\n0 1 0 1\n1\n0 0 0\n3 1 0 3\n5\n7\n9\n1 0 0\n0 1 0\n0 0 0.5\n$EndNodes\n";
  const auto face = [](int base, const char* head, const char* tail) {
    return lines(sample_faces, [=](const auto& f, int) {
      return fmt::format("{}{} {} {}{}\n", head, f[0] + base, f[1] + base, f[2] + base, tail);
    });
  };
  const std::string obj =
      lines(sample_points, [](const auto& p, int) { return fmt::format("v {} {} {}\n", p[0], p[1], p[2]); });
  const std::string medit =
      "MeshVersionFormatted 2\n# by hand\nDimension\n3\nVertices\n4\n" +
      lines(sample_points, [](const auto& p, int) { return fmt::format("{} {} {} 0\n", p[0], p[1], p[2]); });
  const std::string off = "OFF # by hand\n4 4 0\n" + lines(sample_points, [](const auto& p, int) {
                            return fmt::format("{} {} {}\n", p[0], p[1], p[2]);
                          });
  return {
      {"obj", "m.obj", obj + face(1, "f ", ""), false, ""},
      {"ply_ascii", "m.ply", ply("ascii"), false, ""},
      {"ply_little", "m.ply", ply("binary_little_endian"), false, ""},
      {"ply_big", "m.ply", ply("binary_big_endian"), false, ""},
      {"stl_ascii", "m.STL", ascii_stl(), false, ""},
      {"stl_binary", "m.stl", binary_stl(), false, ""},
      {"off", "m.off", off + face(0, "3 ", " 255 0 0"), false, ""},
      {"gmsh2", "m.msh",
       gmsh2 + "$Nodes\n4\n" + numbered_points(1) +
           "$EndNodes\n$Elements\n2\n1 15 2 0 1 1\n2 4 2 1 1 1 2 3 4\n$EndElements\n",
       true, ""},
      {"gmsh4", "m.msh", gmsh4 + "$Elements\n1 1 1 1\n3 1 4 1\n1 1 5 7 9\n$EndElements\n", true, ""},
      {"gmsh4_binary", "m.msh", binary_gmsh(), true, ""},
      {"medit", "m.mesh", medit + "Tetrahedra\n1\n1 2 3 4 0\nEnd\n", true, ""},
      {"medit_surface", "m.mesh", medit + "Triangles\n4\n" + face(1, "", " 0") + "Edges 1\n1 2 0\nEnd\n",
       false, ""},
      {"tetgen", "m.ele", "1 4 0\n1 1 2 3 4\n", true,
       "4 3 0 1\n" + numbered_points(1, " 7") + "# made by hand\n"},
      {"tetgen_from_0", "m.ele", "1 4 0\n0 0 1 2 3\n", true, "4 3 0 0\n" + numbered_points(0)},
      {"vtu_ascii", "m.vtu", ascii_vtu(), false, ""},
      {"vtu_raw", "m.vtu", raw_vtu(), true, ""},
  };
}

}  // namespace stiffly::test
