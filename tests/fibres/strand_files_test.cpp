// Files of strands: what is in them, and what is wrong with them.
#include "stiffly/fibres/strand_files.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "stiffly/error.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {
namespace {

/// Numbers one after the other as bytes.
class Bytes {
 public:
  template <class T>
  Bytes& add(T value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  Bytes& point(float x, float y, float z) { return add(x).add(y).add(z); }
  std::string text;
};

/// Two strands of two and three points, as each format has them.
Bytes hair_header(std::uint32_t strands, std::uint32_t points, std::uint32_t flags,
                  std::uint32_t segments = 0) {
  Bytes out;
  out.text = "HAIR";
  out.add(strands).add(points).add(flags).add(segments).add(0.25f);
  for (int i = 0; i < 4; ++i) out.add(0.5f);
  out.text.resize(128, ' ');
  return out;
}

Bytes& points(Bytes& out) {
  return out.point(0, 0, 1).point(0, 0, 2).point(1, 0, 0).point(1, 2, 0).point(1, 2, 5);
}

Bytes data() {
  Bytes out;
  out.add(std::int32_t{2}).add(std::int32_t{2}).point(0, 0, 1).point(0, 0, 2);
  out.add(std::int32_t{3}).point(1, 0, 0).point(1, 2, 0).point(1, 2, 5);
  return out;
}

const std::string table = "fibre,x,y,z\n0,0,0,1\n0,0,0,2\n1,1,0,0\n1,1,2,0\n1,1,2,5\n";

std::vector<CentreLine> read(const std::string& name, const std::string& text, double scale = 0.01) {
  const TemporaryFolder folder;
  return read_strands(folder.write(name, text), scale, 7e-5);
}

void expect_both(const std::vector<CentreLine>& lines) {
  ASSERT_EQ(lines.size(), 2u);
  ASSERT_EQ(lines[0].points.size(), 2u);
  ASSERT_EQ(lines[1].points.size(), 3u);
  EXPECT_EQ(lines[0].points[1], Eigen::Vector3d(0, 0, 0.02));
  EXPECT_EQ(lines[1].points[2], Eigen::Vector3d(0.01, 0.02, 0.05));
  for (const CentreLine& line : lines) EXPECT_EQ(line.thickness.size(), line.points.size());
}

TEST(StrandFiles, Table) {
  const auto lines = read("a.csv", table);
  expect_both(lines);
  EXPECT_DOUBLE_EQ(lines[1].thickness[1], 7e-5);
  EXPECT_DOUBLE_EQ(read("a.csv", "z,fibre,thickness,x,y\n1,0,0.5,0,0\n2,0,0.25,0,0\n")[0].thickness[1],
                   0.0025);
}

TEST(StrandFiles, Data) {
  const auto lines = read("a.data", data().text);
  expect_both(lines);
  EXPECT_DOUBLE_EQ(lines[1].thickness[1], 7e-5);
}

TEST(StrandFiles, Hair) {
  Bytes file = hair_header(2, 5, 1 | 2);
  points(file.add(std::uint16_t{1}).add(std::uint16_t{2}));
  const auto lines = read("a.hair", file.text);
  expect_both(lines);
  EXPECT_DOUBLE_EQ(lines[1].thickness[1], 0.0025);

  Bytes full = hair_header(2, 5, 31);
  points(full.add(std::uint16_t{1}).add(std::uint16_t{2}));
  for (int i = 0; i < 5; ++i) full.add(static_cast<float>(i));
  for (int i = 0; i < 20; ++i) full.add(0.1f);
  EXPECT_DOUBLE_EQ(read("a.hair", full.text)[1].thickness[2], 0.04);
}

TEST(StrandFiles, HairWithOneNumberOfSegments) {
  Bytes file = hair_header(2, 4, 2, 1);
  file.point(0, 0, 1).point(0, 0, 2).point(1, 0, 0).point(1, 2, 0);
  EXPECT_EQ(read("a.hair", file.text)[1].points[1], Eigen::Vector3d(0.01, 0.02, 0));
}

void expect_refused(const std::string& name, const std::string& text, const std::string& part) {
  try {
    read(name, text);
    FAIL() << "it was read: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(StrandFiles, RefuseWhatIsBroken) {
  expect_refused("a.obj", "", "from .csv, .hair and .data");
  expect_refused("a.csv", "fibre,x,y\n0,1,2\n", "no column 'z'");
  expect_refused("a.csv", "fibre,x,y,z\n", "no fibres in it");
  expect_refused("a.csv", "fibre,x,y,z\n0,1,2,q\n", ":2: 'q' is not a number");
  expect_refused("a.csv", "fibre,x,y,z\n0,1,2,3\n2,1,2,3\n", "fibre 2 follows after fibre 0");
  expect_refused("a.hair", "HAI", "does not begin with HAIR");
  expect_refused("a.hair", hair_header(2, 5, 1).text, "no points");
  Bytes wrong = hair_header(2, 7, 1 | 2);
  expect_refused("a.hair", points(wrong.add(std::uint16_t{1}).add(std::uint16_t{2})).text,
                 "have 5 points, its header counts 7");
  expect_refused("a.data", data().add(1).text, "4 bytes follow");
}

// Cut anywhere, and with counts of anything, files are refused without memory for what is not there.
TEST(StrandFiles, RefuseWhatIsCutShort) {
  Bytes hair = hair_header(2, 5, 1 | 2);
  points(hair.add(std::uint16_t{1}).add(std::uint16_t{2}));
  for (const auto& [name, whole] :
       {std::pair<std::string, std::string>{"a.hair", hair.text}, {"a.data", data().text}})
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_THROW(read(name, whole.substr(0, size)), InputError) << name << " of " << size << " bytes";
  for (const std::uint32_t count : {0xffffffffu, 0x7fffffffu}) {
    std::string file = data().text;
    std::memcpy(file.data(), &count, 4);
    EXPECT_THROW(read("a.data", file), InputError);
    file = data().text;
    std::memcpy(file.data() + 4, &count, 4);
    EXPECT_THROW(read("a.data", file), InputError);
    for (const std::size_t place : {4u, 8u, 16u})
      for (const std::uint32_t flags : {2u, 3u}) {
        file = hair.text;
        std::memcpy(file.data() + 12, &flags, 4);
        std::memcpy(file.data() + place, &count, 4);
        if (place == 16 && flags == 3) continue;  // not used there
        EXPECT_THROW(read("a.hair", file), InputError);
      }
  }
}

}  // namespace
}  // namespace stiffly::test
