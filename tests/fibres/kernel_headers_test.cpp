// Files that are compiled for wider processors include nothing but kernels: an inline function of anything
// else could take the place of the one that all processors can run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

const fs::path sources = fs::path(STIFFLY_SOURCE_DIR) / "src";

/// What a file includes, and what that includes.
void collect(const fs::path& file, std::set<std::string>& out) {
  static const std::regex directive(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)re");
  std::ifstream in(file);
  ASSERT_TRUE(in) << file;
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, directive) && out.insert(match[1]).second)
      collect(sources / match[1].str(), out);
}

TEST(KernelHeaders, IncludeNothingButEachOther) {
  const std::set<std::string> kernels = {"stiffly/fibres/batch_kernel_table.hpp",
                                         "stiffly/fibres/batch_kernels.hpp",
                                         "stiffly/fibres/batch_kernels_for.hpp",
                                         "stiffly/fibres/batch_krylov.hpp",
                                         "stiffly/fibres/batch_springs.hpp",
                                         "stiffly/fibres/batch_tangent.hpp",
                                         "stiffly/fibres/batch_view.hpp",
                                         "stiffly/fibres/block_tridiagonal.hpp",
                                         "stiffly/fibres/lanes.hpp",
                                         "stiffly/fibres/small_exponentials.hpp"};
  int files = 0;
  for (const auto& entry : fs::directory_iterator(sources / "stiffly" / "fibres")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("batch_kernels_") || entry.path().extension() != ".cpp") continue;
    ++files;
    std::set<std::string> included;
    collect(entry.path(), included);
    EXPECT_EQ(included, kernels) << name;
  }
  EXPECT_EQ(files, 4);
}

}  // namespace
