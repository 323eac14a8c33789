// frames.h5 and its copy for ParaView.
#include "stiffly/results/frame_file.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "stiffly/error.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/mesh/mesh.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "temporary_folder.hpp"

namespace stiffly {

using namespace mesh;
namespace {

using test::contents;
using test::TemporaryFolder;

const Topology tetrahedron{{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, {{0, 1, 2, 3}}, {{0, 1}, {2, 3}}};

/// Particle i of frame k at (k, i, 0.1), as fast as (−k, i, 0).
std::vector<Point> row(double sign, std::size_t frame, std::size_t particles) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < particles; ++i)
    out.push_back({sign * static_cast<double>(frame), static_cast<double>(i), sign > 0 ? 0.1 : 0});
  return out;
}

void add(FrameFile& file, std::size_t frame, std::size_t particles) {
  file.add({0.5 * static_cast<double>(frame), row(1, frame, particles), row(-1, frame, particles)});
}

void expect_frames(const std::filesystem::path& path, std::size_t frames, std::size_t particles) {
  const Hdf5Reader file(path);
  ASSERT_EQ(file.shape("time"), std::vector{frames});
  ASSERT_EQ(file.shape("position"), (std::vector<std::size_t>{frames, particles, 3}));
  ASSERT_EQ(file.shape("velocity"), (std::vector<std::size_t>{frames, particles, 3}));
  const std::vector<double> times = file.numbers("time");
  for (std::size_t k = 0; k < frames; ++k) {
    EXPECT_EQ(times[k], 0.5 * static_cast<double>(k));
    const std::vector<double> x = file.row("position", k), v = file.row("velocity", k);
    const std::vector<Point> expected_x = row(1, k, particles), expected_v = row(-1, k, particles);
    for (std::size_t i = 0; i < particles; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        ASSERT_EQ(x[3 * i + d], expected_x[i][d]);
        ASSERT_EQ(v[3 * i + d], expected_v[i][d]);
      }
  }
}

TEST(FrameFileTest, HasEveryFrameAndWhatThereIsToDraw) {
  const TemporaryFolder folder;
  FrameFile file(folder / "frames.h5", 4, tetrahedron);
  expect_frames(folder / "frames.h5", 0, 4);
  for (std::size_t k = 0; k < 7; ++k) add(file, k, 4);
  file.flush();
  file.flush();
  expect_frames(folder / "frames.h5", 7, 4);
  const Hdf5Reader read(folder / "frames.h5");
  EXPECT_EQ(read.integers("triangles"), (std::vector<int>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}));
  EXPECT_EQ(read.integers("tetrahedra"), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(read.shape("springs"), (std::vector<std::size_t>{2, 2}));
  EXPECT_THROW(read.row("position", 7), InputError);
}

// Nothing but the frames not yet written is in memory: large ones go to disk one by one, and what is there
// can be read while the writer lives.
TEST(FrameFileTest, IsReadableWhileItGrows) {
  const TemporaryFolder folder;
  constexpr std::size_t many = 30000;
  FrameFile file(folder / "frames.h5", many, {});
  for (std::size_t k = 0; k < 3; ++k) {
    add(file, k, many);
    expect_frames(folder / "frames.h5", k + 1, many);
  }
}

TEST(FrameFileTest, GoesOnFromAnyFrame) {
  const TemporaryFolder folder;
  {
    FrameFile file(folder / "frames.h5", 5, {});
    for (std::size_t k = 0; k < 20; ++k) add(file, k, 5);
    file.flush();
  }
  for (const std::size_t kept : {20, 11, 0}) {
    FrameFile file = FrameFile::resume(folder / "frames.h5", 5, kept);
    expect_frames(folder / "frames.h5", kept, 5);
    for (std::size_t k = kept; k < 20; ++k) add(file, k, 5);
    file.flush();
    expect_frames(folder / "frames.h5", 20, 5);
  }
  EXPECT_THROW(FrameFile::resume(folder / "frames.h5", 5, 21), InputError);
  EXPECT_THROW(FrameFile::resume(folder / "frames.h5", 6, 3), InputError);
  EXPECT_THROW(FrameFile::resume(folder / "none.h5", 5, 3), FileError);
}

TEST(FrameFileTest, SeriesForParaViewHasTheSame) {
  const TemporaryFolder folder;
  FrameFile file(folder / "frames.h5", 4, tetrahedron);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<Point> x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.0 + static_cast<double>(k)}};
    file.add({0.25 * static_cast<double>(k), x, row(-1, k, 4)});
  }
  file.flush();
  write_vtu_series(folder / "frames.h5");
  const std::string index = contents(folder / "frames.pvd");
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string name = "frames/frame-00000" + std::to_string(k) + ".vtu";
    EXPECT_NE(index.find("timestep=\"" +
                         std::string(k == 0   ? "0"
                                     : k == 1 ? "0.25"
                                              : "0.5") +
                         "\" part=\"0\" file=\"" + name),
              std::string::npos)
        << index;
    const Mesh mesh = read_mesh(folder / name);
    EXPECT_EQ(mesh.points[3].z(), 1.0 + static_cast<double>(k));
    EXPECT_EQ(mesh.tetrahedra, tetrahedron.tetrahedra);
    EXPECT_EQ(mesh.triangles, tetrahedron.triangles);
  }
}

/// Whatever bit is flipped: the file is refused, or says what it said before.
TEST(FrameFileTest, NoFlippedBitGoesUnnoticed) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "frames.h5";
  FrameFile file(path, 4,
                 {tetrahedron.triangles, tetrahedron.tetrahedra, {{0, 3}, {1, 2}}, {}, {1, 2, 3, 0.7}});
  for (std::size_t k = 0; k < 3; ++k) file.add({0.07 * static_cast<double>(k), row(0, k, 4), row(-1, k, 4)});
  file.flush();
  const auto content = [&] {
    const FrameReader read(path);
    const Topology t = read.topology();
    return std::tuple(t.triangles, t.tetrahedra, t.springs, t.masses, read.times(), read.positions(2),
                      read.velocities(0));
  };
  const auto whole = content();
  const std::string sound = contents(path);
  std::minstd_rand random(3);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string damaged = sound;
    const std::size_t bit = random() % (8 * damaged.size());
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    folder.write("frames.h5", damaged);
    try {
      EXPECT_EQ(content(), whole) << "bit " << bit;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

/// Files of other programs may have any datasets of these names.
TEST(FrameFileTest, OtherShapesAreRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "frames.h5";
  const auto write = [&](std::size_t rows_of_positions, bool time_is_text) {
    Hdf5Writer file(path);
    file.write("format", std::string("stiffly frames 2"));
    if (time_is_text)
      file.write("time", std::string("noon"));
    else
      file.write("time", std::vector<double>{0, 1, 2});
    for (const char* name : {"position", "velocity"}) file.table(name, {4, 3});
    file.finish();
    Hdf5Tables tables(path);
    for (const char* name : {"position", "velocity"})
      tables.append(name, std::vector<double>(12 * rows_of_positions));
    tables.finish();
  };
  write(3, false);
  EXPECT_NO_THROW(FrameReader{path});
  write(2, false);
  EXPECT_THROW(FrameReader{path}, InputError) << "fewer positions than times";
  EXPECT_THROW(FrameFile::resume(path, 4, 1), InputError);
  write(3, true);
  EXPECT_THROW(FrameReader{path}, InputError) << "one text is no row of times";
  EXPECT_THROW(FrameFile::resume(path, 4, 1), InputError);
}

// Two fibres of three and two points and a triangle: single precision, half the size, lines for ParaView.
TEST(FrameFileTest, FibresAreCentreLinesInSinglePrecision) {
  const TemporaryFolder folder;
  constexpr std::size_t many = 30000;
  const Topology shape{
      .triangles = {{5, 6, 7}}, .strands = {{0, 3}, {3, 2}}, .particle = std::vector<int>(many, 0)};
  FrameFile file(folder / "frames.h5", many, shape);
  const std::vector<Point> x(many, {0.1, -1e-7, 3}), v(many, {1.0 / 3, 0, 0});
  for (std::size_t k = 0; k < 3; ++k) file.add({0.1 * static_cast<double>(k), x, v});
  file = FrameFile::resume(folder / "frames.h5", many, 2);
  file.add({0.7, x, v});
  file.flush();
  const Hdf5Reader read(folder / "frames.h5");
  EXPECT_EQ(read.numbers("time"), (std::vector<double>{0, 0.1, 0.7})) << "times keep all digits";
  EXPECT_EQ(read.integers("strands"), (std::vector<int>{0, 3, 3, 2}));
  EXPECT_EQ(read.shape("particle"), (std::vector<std::size_t>{many, 1}));
  const std::vector<double> last = read.row("position", 2);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(last[i], static_cast<float>(x[0][i]));
  EXPECT_EQ(read.row("velocity", 1)[0], static_cast<float>(v[0][0]));
  EXPECT_LT(static_cast<double>(std::filesystem::file_size(folder / "frames.h5")), 0.6 * 3 * 48 * many);
  write_vtu_series(folder / "frames.h5");
  EXPECT_NE(contents(folder / "frames/frame-000002.vtu").find("NumberOfCells=\"4\""), std::string::npos)
      << "a triangle, and three lines";
}

TEST(FrameFileTest, SpringsAloneAreLinesForParaView) {
  const TemporaryFolder folder;
  FrameFile file(folder / "frames.h5", 3, {{}, {}, {{0, 1}, {1, 2}}});
  add(file, 0, 3);
  file.flush();
  write_vtu_series(folder / "frames.h5");
  EXPECT_NE(contents(folder / "frames/frame-000000.vtu").find("NumberOfPoints=\"3\" NumberOfCells=\"2\""),
            std::string::npos);
}

}  // namespace
}  // namespace stiffly
