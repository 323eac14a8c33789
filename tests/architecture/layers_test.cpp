// The order of the rooms and what installed headers may include, read from the sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = STIFFLY_SOURCE_DIR;
const fs::path sources = root / "src" / "stiffly";

std::vector<std::string> lines(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// What a file includes, without the brackets or quotes.
std::vector<std::string> includes(const fs::path& file) {
  static const std::regex directive(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)re");
  std::vector<std::string> out;
  std::smatch match;
  for (const std::string& line : lines(file))
    if (std::regex_match(line, match, directive)) out.push_back(match[1]);
  return out;
}

/// "linalg" for "linalg/vector.hpp", "" for "text.hpp".
std::string room_of(const std::string& file) {
  const std::size_t slash = file.find('/');
  return slash == std::string::npos ? "" : file.substr(0, slash);
}

/// Rooms in the order of the table in CONTRIBUTING.md, the lowest first; "" is src/stiffly itself.
std::vector<std::string> rooms() {
  static const std::regex row(R"re(\| `src/stiffly(?:/(\w+))?`.*)re");
  std::vector<std::string> out;
  std::smatch match;
  for (const std::string& line : lines(root / "CONTRIBUTING.md"))
    if (std::regex_match(line, match, row)) out.push_back(match[1]);
  return out;
}

std::vector<std::string> public_headers() {
  std::istringstream in(STIFFLY_PUBLIC_HEADERS);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(Layers, EveryRoomIsInTheTable) {
  const std::vector<std::string> known = rooms();
  for (const auto& entry : fs::directory_iterator(sources))
    if (entry.is_directory()) {
      EXPECT_EQ(std::ranges::count(known, entry.path().filename().string()), 1) << entry.path();
    }
}

// Lower rooms know nothing of higher ones.
TEST(Layers, NothingIncludesWhatStandsHigher) {
  const std::vector<std::string> order = rooms();
  ASSERT_GE(order.size(), 10u);
  const auto height = [&](const std::string& room) { return std::ranges::find(order, room) - order.begin(); };
  int looked_at = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sources)) {
    if (!entry.is_regular_file()) continue;
    const std::string file = fs::relative(entry.path(), sources).string();
    for (const std::string& include : includes(entry.path())) {
      if (!include.starts_with("stiffly/")) continue;
      const std::string other = include.substr(8);
      ++looked_at;
      EXPECT_TRUE(fs::exists(sources / other)) << file << " includes " << include;
      EXPECT_LE(height(room_of(other)), height(room_of(file))) << file << " includes " << include;
    }
  }
  EXPECT_GT(looked_at, 300);
}

TEST(PublicHeaders, IncludeOnlyEachOtherTheStandardLibraryAndEigen) {
  const std::vector<std::string> headers = public_headers();
  ASSERT_GT(headers.size(), 50u);
  const std::regex standard("[a-z_]+");
  for (const std::string& header : headers) {
    ASSERT_TRUE(fs::exists(root / "src" / header)) << header;
    for (const std::string& include : includes(root / "src" / header)) {
      const bool ours = std::ranges::count(headers, include) == 1;
      EXPECT_TRUE(ours || include.starts_with("Eigen/") || std::regex_match(include, standard))
          << header << " includes " << include;
    }
  }
}

}  // namespace
