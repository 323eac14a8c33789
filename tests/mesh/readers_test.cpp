// Meshes in every format: one body, written by hand in each, must come out the same; broken files are named.
#include "stiffly/mesh/mesh.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <Eigen/LU>
#include <random>

#include "samples.hpp"
#include "stiffly/error.hpp"
#include "stiffly/results/vtu.hpp"
#include "temporary_folder.hpp"

namespace stiffly {

using namespace mesh;
namespace {

using test::TemporaryFolder;

std::string read_error(const std::filesystem::path& path) {
  try {
    read_mesh(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

class MeshFormat : public testing::TestWithParam<test::Sample> {};

TEST_P(MeshFormat, GivesTheBody) {
  const TemporaryFolder folder;
  const auto path = GetParam().write(folder);
  const Mesh mesh = read_mesh(path);
  const std::vector<Eigen::Vector3d> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.5}};
  ASSERT_EQ(mesh.points.size(), 4u);
  // STL numbers points in the order in which triangles name them.
  for (const auto& x : corners)
    EXPECT_NE(std::find(mesh.points.begin(), mesh.points.end(), x), mesh.points.end());
  if (GetParam().solid) {
    ASSERT_EQ(mesh.tetrahedra.size(), 1u);
    EXPECT_EQ(mesh.tetrahedra[0], (std::array{0, 1, 2, 3}));
  } else {
    ASSERT_EQ(mesh.triangles.size(), 4u);
    double volume = 0;
    for (const auto& t : mesh.triangles) {
      Eigen::Matrix3d m;
      for (int i = 0; i < 3; ++i)
        m.col(i) = mesh.points[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])];
      volume += m.determinant() / 6;
    }
    EXPECT_NEAR(volume, 1 / 12.0, 1e-15);
  }
}

TEST_P(MeshFormat, CutShortAnywhereNeverCrashes) {
  const TemporaryFolder folder;
  const auto path = GetParam().write(folder);
  const std::string whole = test::contents(path);
  for (std::size_t size = 0; size < whole.size(); size += std::max<std::size_t>(1, whole.size() / 60)) {
    folder.write(path.filename().string(), std::string_view(whole).substr(0, size));
    const std::string message = read_error(path);
    EXPECT_TRUE(message == "accepted" || message.starts_with(folder.path().string())) << message;
  }
}

TEST_P(MeshFormat, MutationsNeverCrash) {
  const TemporaryFolder folder;
  const auto path = GetParam().write(folder);
  const std::string whole = test::contents(path);
  std::mt19937 random(7);
  for (int trial = 0; trial < 40; ++trial) {
    std::string bytes = whole;
    for (int k = 0; k <= trial % 3; ++k) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, 1 + random() % 8);
          break;
        case 2:
          bytes.insert(at, bytes.substr(random() % bytes.size(), 1 + random() % 30));
          break;
        default:
          bytes[at] = "0123456789-+.eE \n"[random() % 17];
      }
      if (bytes.empty()) bytes = "x";
    }
    folder.write(path.filename().string(), bytes);
    const std::string message = read_error(path);  // anything but InputError fails the test
    EXPECT_TRUE(message == "accepted" || message.starts_with(folder.path().string())) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, MeshFormat, testing::ValuesIn(test::samples()),
                         [](const auto& p) { return p.param.name; });

struct Broken {
  const char* name;
  const char* file;
  const char* text;
  int line;  ///< 0: no line
  const char* expected;
};
void PrintTo(const Broken& b, std::ostream* out) { *out << b.name; }

const Broken broken[] = {
    {"obj_empty", "m.obj", "", 0, "holds no triangles"},
    {"obj_points_only", "m.obj", "v 0 0 0\n", 0, "(but 1 points)"},
    {"obj_two_coordinates", "m.obj", "v 0 0\n", 1, "three coordinates"},
    {"obj_word", "m.obj", "v 0 zero 0\n", 1, "must be a number, not 'zero'"},
    {"obj_nan", "m.obj", "v 0 nan 0\n", 1, "must be finite"},
    {"obj_inf", "m.obj", "\nv 0 inf 0\n", 2, "must be finite"},
    {"obj_huge", "m.obj", "v 0 1e200 0\n", 1, "below 1e100"},
    {"obj_index_0", "m.obj", "v 0 0 0\nf 0 1 2\n", 2, "from 1, not '0'"},
    {"obj_index_past", "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", 4, "the file has 3 points"},
    {"obj_index_before", "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", 4, "the file has 3 points"},
    {"obj_index_overflow", "m.obj", "v 0 0 0\nf 1 2 99999999999999999999\n", 2,
     "must be the number of a point"},
    {"obj_two_corners", "m.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", 3, "at least 3 corners, not 2"},
    {"obj_twice", "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2\n", 4, "same point twice"},
    {"obj_curve", "m.obj", "v 0 0 0\ncurv 0 1 1 2\n", 2, "export the body as polygons"},
    {"obj_binary", "m.obj", "\x01\x02\x03\x04", 1, "is not understood"},
    {"ply_empty", "m.ply", "", 1, "the file ends where ply"},
    {"ply_magic", "m.ply", "plx\n", 1, "must start with 'ply'"},
    {"ply_format", "m.ply", "ply\nformat asci 1.0\nend_header\n", 2, "unknown format 'asci'"},
    {"ply_version", "m.ply", "ply\nformat ascii 2.0\nend_header\n", 2, "only version 1.0"},
    {"ply_no_format", "m.ply", "ply\nelement vertex 0\nend_header\n", 3, "names no format"},
    {"ply_type", "m.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n", 4,
     "unknown type 'real'"},
    {"ply_count_negative", "m.ply", "ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", 3,
     "at least 0"},
    {"ply_no_z", "m.ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n", 6,
     "x, y and z"},
    {"ply_no_properties", "m.ply", "ply\nformat ascii 1.0\nelement vertex 999999999999\nend_header\n", 4,
     "has no properties"},
    {"ply_short", "m.ply",
     "ply\nformat ascii 1.0\nelement vertex 999999999999\nproperty float x\nproperty float y\nproperty float "
     "z\nend_header\n0 0 0\n1",
     9, "the file ends"},
    {"ply_short_binary", "m.ply",
     "ply\nformat binary_little_endian 1.0\nelement vertex 999999999999\nproperty float x\nproperty float "
     "y\nproperty float z\nend_header\nabc",
     0, "where 999999999999 elements 'vertex' should follow"},
    {"ply_strips", "m.ply",
     "ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n3 0 1 "
     "2\n",
     5, "single faces"},
    {"ply_orphan_property", "m.ply", "ply\nformat ascii 1.0\nproperty float x\nend_header\n", 3,
     "needs an element"},
    {"ply_float_list", "m.ply",
     "ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\nend_header\n", 4,
     "whole type"},
    {"ply_keyword", "m.ply", "ply\nformat ascii 1.0\nelment vertex 1\nend_header\n", 3,
     "'elment' has no place"},
    {"stl_empty", "m.stl", "", 0, "holds no triangles"},
    {"stl_short_header", "m.stl", "abc", 0, "the file ends after 3 bytes"},
    {"stl_truncated", "m.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", 6,
     "where vertex should follow"},
    {"stl_quad", "m.stl",
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 "
     "0\nendloop\nendfacet\nendsolid\n",
     7, "'endloop' should stand here"},
    {"stl_nan", "m.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex nan 0 0\n", 4, "must be finite"},
    {"stl_keyword", "m.stl", "solid a\nfacets normal 0 0 1\n", 2, "'facet' or 'endsolid'"},
    {"stl_collapsed", "m.stl",
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 1 1 "
     "0\nendloop\nendfacet\nendsolid\n",
     0, "holds no triangles"},
    {"off_magic", "m.off", "OF\n0 0 0\n", 1, "must start with OFF"},
    {"off_four", "m.off", "4OFF\n0 0 0\n", 1, "must start with OFF"},
    {"off_binary", "m.off", "OFF BINARY\n", 1, "save it as text"},
    {"off_huge", "m.off", "OFF\n999999999999 1 0\n0 0 0\n", 4, "the file ends"},
    {"off_index", "m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 6, "at most 2, not 3"},
    {"off_twice", "m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 1\n", 6, "same point twice"},
    {"off_more", "m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7\n", 7, "more in the file"},
    {"off_negative", "m.off", "OFF\n-3 1 0\n", 2, "at least 0, not -3"},
    {"msh_magic", "m.msh", "Nodes\n", 1, "must start with $MeshFormat"},
    {"msh_version", "m.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", 2, "save it as version 2 or 4.1"},
    {"msh_binary_2", "m.msh", "$MeshFormat\n2.2 1 8\n\1\0\0\0\n$EndMeshFormat\n", 2,
     "save it as text or as version 4.1"},
    {"msh_no_elements", "m.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", 7,
     "$Elements is missing"},
    {"msh_hexahedron", "m.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 5 0 1 1 1 1 1 1 1 "
     "1\n$EndElements\n",
     10, "kind 5 (hexahedron) cannot be used"},
    {"msh_kind", "m.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 77 0 "
     "1\n$EndElements\n",
     10, "kind 77 cannot be used"},
    {"msh_index", "m.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 2 0 1 2 "
     "3\n$EndElements\n",
     10, "names point 2, which is not there"},
    {"msh_point_twice", "m.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", 7,
     "point 1 is there twice"},
    {"msh_end", "m.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNode\n", 7,
     "'$EndNodes' should stand here"},
    {"msh_order", "m.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n", 4,
     "$Nodes before $Elements"},
    {"msh_open_section", "m.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n", 4,
     "'$EndPhysicalNames' is missing"},
    {"msh4_count", "m.msh",
     "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", 8,
     "counts 2 points but holds 1"},
    {"msh4_huge", "m.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 2\n3 1 0 999999999999\n1\n",
     8, "the file ends"},
    {"medit_magic", "m.mesh", "Vertices 0\n", 1, "must start with MeshVersionFormatted"},
    {"medit_dimension", "m.mesh", "MeshVersionFormatted 2\nDimension 2\n", 2, "three dimensions"},
    {"medit_section", "m.mesh", "MeshVersionFormatted 2\nDimension 3\nTriangels\n1\n", 3,
     "did you mean 'Triangles'?"},
    {"medit_no_end", "m.mesh", "MeshVersionFormatted 2\nDimension 3\n", 2, "'End' is missing"},
    {"medit_prisms", "m.mesh", "MeshVersionFormatted 2\nDimension 3\nPrisms\n1\n", 4, "split them first"},
    {"medit_index", "m.mesh",
     "MeshVersionFormatted 2\nDimension 3\nVertices 1\n0 0 0 0\nTriangles 1\n1 2 3 0\nEnd\n", 6,
     "the file has 1 points"},
    {"medit_index_0", "m.mesh",
     "MeshVersionFormatted 2\nDimension 3\nVertices 1\n0 0 0 0\nTriangles 1\n0 2 3 0\nEnd\n", 6,
     "at least 1, not 0"},
    {"medit_flat", "m.mesh",
     "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\nTetrahedra 1\n1 2 "
     "3 4 0\nEnd\n",
     9, "is flat"},
    {"medit_reference", "m.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices 2\n0 0 0 0.5\n", 4,
     "whole number, not '0.5'"},
    {"tetgen_alone", "m.node", "1 3 0 0\n0 0 0 0\n", 0, "needs an .ele or a .face"},
    {"tetgen_no_node", "m.ele", "1 4 0\n0 0 1 2 3\n", 0, "needs the points in"},
    {"tetgen_dimension", "m.node", "1 2 0 0\n0 0 0\n", 1, "dimension must be 3"},
    {"tetgen_gap", "m.node", "2 3 0 0\n0 0 0 0\n2 0 0 0\n", 3, "1 is due here, not 2"},
    {"tetgen_short", "m.node", "99999999999 3 0 0\n0 0 0 0\n", 3, "the file ends"},
    {"vtu_empty", "m.vtu", "", 1, "an XML element should start here"},
    {"vtu_other", "m.vtu", "<VTKFile type=\"PolyData\"></VTKFile>", 1, "type UnstructuredGrid"},
    {"vtu_compressed", "m.vtu", "<VTKFile type=\"UnstructuredGrid\" compressor=\"z\"></VTKFile>", 1,
     "without compression"},
    {"vtu_open", "m.vtu", "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n", 2,
     "is missing; the file is not whole"},
    {"vtu_no_piece", "m.vtu",
     "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid></UnstructuredGrid></VTKFile>", 2, "no <Piece>"},
    {"vtu_crossed", "m.vtu", "<VTKFile type=\"UnstructuredGrid\">\n<a></b></VTKFile>", 2,
     "'</b>' closes <a>"},
    {"vtu_attribute", "m.vtu", "<VTKFile type=UnstructuredGrid>", 1, "needs quotes"},
    {"vtu_count", "m.vtu",
     "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n<Piece NumberOfPoints=\"x\" "
     "NumberOfCells=\"1\"/></UnstructuredGrid></VTKFile>",
     2, "'NumberOfPoints' must be a whole number"},
    {"unknown_ending", "m.objj", "", 0, "did you mean '.obj'?"},
};

class BrokenMesh : public testing::TestWithParam<Broken> {};

TEST_P(BrokenMesh, IsNamed) {
  const Broken& b = GetParam();
  const TemporaryFolder folder;
  const std::string path = folder.write(b.file, b.text).string();
  if (std::string_view(b.file).ends_with(".node") && b.line > 0) folder.write("m.ele", "0 4 0\n");
  const std::string message = read_error(path);
  EXPECT_TRUE(message.starts_with(b.line ? fmt::format("{}:{}: ", path, b.line) : path + ": ")) << message;
  EXPECT_NE(message.find(b.expected), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenMesh, testing::ValuesIn(broken),
                         [](const auto& p) { return p.param.name; });

/// One array or attribute of a good grid replaced at a time.
struct BrokenGrid {
  const char* name;
  const char* from;
  const char* to;
  const char* expected;
};
void PrintTo(const BrokenGrid& b, std::ostream* out) { *out << b.name; }

const BrokenGrid broken_grids[] = {
    {"points", "NumberOfPoints=\"4\"", "NumberOfPoints=\"5\"", "5 points need three coordinates each"},
    {"cells", "NumberOfCells=\"4\"", "NumberOfCells=\"999999999999\"", "cells need as many offsets"},
    {"corner", "0 2 1", "0 2 4", "names point 4"},
    {"negative_corner", "0 2 1", "0 2 -1", "names point -1"},
    {"fraction", "0 2 1", "0 2 0.5", "must be a whole number"},
    {"offset_back", "3 6 9 12", "3 2 9 12", "offset 2 of cell 1"},
    {"offset_past", "3 6 9 12", "3 6 9 13", "offset 13 of cell 3"},
    {"kind", "5 5 5 5", "5 5 5 12", "cells of type 12 cannot be used"},
    {"corners", "5 5 5 5", "5 5 5 10", "needs 4 corners, not 3"},
    {"type", "Float64", "Float65", "unknown type 'Float65'"},
    {"nan", "0.5", "nan", "must be finite"},
    {"format", "format=\"ascii\"", "format=\"appended\"", "<AppendedData> is missing"},
    {"array", "connectivity", "connection", "the array 'connectivity' is missing"},
};

class BrokenVtu : public testing::TestWithParam<BrokenGrid> {};

TEST_P(BrokenVtu, IsNamedWithItsLine) {
  const BrokenGrid& b = GetParam();
  std::string text = test::ascii_vtu();
  const std::size_t at = text.find(b.from);
  ASSERT_NE(at, std::string::npos);
  const TemporaryFolder folder;
  const auto path = folder.write("m.vtu", text.replace(at, std::strlen(b.from), b.to));
  const std::string message = read_error(path);
  EXPECT_TRUE(message.starts_with(path.string() + ":")) << message;
  EXPECT_NE(message.find(b.expected), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenVtu, testing::ValuesIn(broken_grids),
                         [](const auto& p) { return p.param.name; });

/// 1.3 MB in which 2500 pieces have the same 16 000 points: they would take more than a gigabyte.
TEST(Mesh, AGridWhosePiecesShareTheirBytesIsRefused) {
  constexpr std::uint32_t points = 16000;
  constexpr const char* array = R"(<DataArray type="{}" Name="{}" format="appended" offset="{}"/>)";
  std::string data;
  test::put(data, points * 3 * std::uint32_t{sizeof(double)}, false);
  for (std::uint32_t i = 0; i < 3 * points; ++i) test::put(data, std::sin(0.7 * i), false);
  std::vector<std::size_t> cell;  // where each array of the only one begins
  for (const std::vector<std::int32_t>& values : {std::vector{0, 1, 2}, {3}, {5}}) {
    cell.push_back(data.size());
    test::put(data, static_cast<std::uint32_t>(values.size() * sizeof values[0]), false);
    for (const std::int32_t value : values) test::put(data, value, false);
  }
  const std::string piece = fmt::format(R"(<Piece NumberOfPoints="{}" NumberOfCells="1"><Points>)", points) +
                            fmt::format(array, "Float64", "p", 0) + "</Points><Cells>" +
                            fmt::format(array, "Int32", "connectivity", cell[0]) +
                            fmt::format(array, "Int32", "offsets", cell[1]) +
                            fmt::format(array, "Int32", "types", cell[2]) + "</Cells></Piece>";
  const auto file = [&](int pieces) {
    std::string text = R"(<VTKFile type="UnstructuredGrid"><UnstructuredGrid>)";
    for (int i = 0; i < pieces; ++i) text += piece;
    return text + R"(</UnstructuredGrid><AppendedData encoding="raw">_)" + data + "</AppendedData></VTKFile>";
  };
  const TemporaryFolder folder;
  EXPECT_EQ(read_mesh(folder.write("one.vtu", file(1))).points.size(), points);
  const auto path = folder.write("many.vtu", file(2500));
  ASSERT_LT(std::filesystem::file_size(path), 1500000u);
  EXPECT_EQ(read_error(path),
            path.string() + ":1: the arrays together have more values than the file has bytes");
}

TEST(Mesh, PolygonsBecomeTrianglesAndLinesAreLeftOut) {
  const TemporaryFolder folder;
  const Mesh mesh = read_mesh(folder.write(
      "m.obj",
      "# a square\nv 0 0 0\nv 1 0 0 1\nv 1 1 0\nv 0 1 0\nvt 0 0\nf 1/1/1 2//2 \\\n 3/1 -1\nl 1 2\n"));
  EXPECT_EQ(mesh.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(mesh.notes, std::vector<std::string>{"1 lines left out"});
}

TEST(Mesh, ObjAndVtuRoundTrips) {
  const TemporaryFolder folder;
  Mesh mesh;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 40; ++i) mesh.points.emplace_back(uniform(random), uniform(random), uniform(random));
  for (int i = 0; i + 2 < 40; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
  write_obj(folder / "m.obj", mesh);
  EXPECT_EQ(read_mesh(folder / "m.obj").points, mesh.points);
  EXPECT_EQ(read_mesh(folder / "m.obj").triangles, mesh.triangles);
  mesh.tetrahedra = {{0, 1, 2, 3}};
  const PointVectors velocity{"velocity <m/s>", mesh.points};
  for (const VtuEncoding encoding : {VtuEncoding::raw, VtuEncoding::base64}) {
    write_vtu(folder / "m.vtu", mesh, {&velocity, 1}, encoding);
    const Mesh back = read_mesh(folder / "m.vtu");
    EXPECT_EQ(back.points, mesh.points);
    EXPECT_EQ(back.triangles, mesh.triangles);
    EXPECT_EQ(back.tetrahedra.size(), 1u);
    EXPECT_NE(test::contents(folder / "m.vtu").find("Name=\"velocity &lt;m/s&gt;\""), std::string::npos);
  }
  const PointVectors wrong{"short", std::span(mesh.points).first(3)};
  EXPECT_THROW(write_vtu(folder / "m.vtu", mesh, {&wrong, 1}), InputError);
}

TEST(Mesh, PackedFilesAreUnpacked) {
  // v 0 0 0, v 1 0 0, v 0 1 0, f 1 2 3
  constexpr char packed[] =
      "\037\213\010\000\000\000\000\000\002\003\053\123\060\000\101\256\062\005\103\050"
      "\155\000\142\161\245\001\111\043\005\143\056\000\103\371\156\052\040\000\000\000";
  const std::string_view whole(packed, sizeof(packed) - 1);
  const TemporaryFolder folder;
  EXPECT_EQ(read_mesh(folder.write("m.obj.gz", whole)).triangles.size(), 1u);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(read_error(folder.write("m.obj.gz", whole.substr(0, size))).find("not a whole .gz file"),
              std::string::npos);
}

TEST(Mesh, PvdListsTimes) {
  const TemporaryFolder folder;
  const PvdEntry entries[] = {{0, "a.vtu"}, {0.1, "b.vtu"}};
  write_pvd(folder / "run.pvd", entries);
  const std::string text = test::contents(folder / "run.pvd");
  EXPECT_NE(text.find("timestep=\"0.1\" part=\"0\" file=\"b.vtu\""), std::string::npos) << text;
}

TEST(Mesh, MissingFileIsAFileError) { EXPECT_THROW(read_mesh("/nowhere/m.obj"), FileError); }

}  // namespace
}  // namespace stiffly
