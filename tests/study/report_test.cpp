#include "stiffly/study/report.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "stiffly/error.hpp"
#include "stiffly/files/base64.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {

using namespace study;
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Report, HoldsTablesAndPicturesAndNoLinks) {
  const TemporaryFolder a, b;
  a.write("compare.json",
          R"({"scene": "a<b", "results": [{"name": "verlet", "seconds": 0.123456, "counters": {"force": 7}},
                                         {"name": "rk4", "seconds": null, "failure": "blew up"}]})");
  a.write("compare.svg", "<svg/>");
  a.write("compare.png", "pixels of the same");
  a.write("compare.csv", "x,y");
  b.write("motion.png", "picture of a run");
  const std::vector<fs::path> folders = {a.path(), b.path()};
  const std::string page = html_report(folders);
  for (const char* part : {"verlet", "0.1235", "<th>counters force</th>", "blew up", "a&lt;b", "–"})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_TRUE(has(page, encode_base64("<svg/>")));
  EXPECT_TRUE(has(page, encode_base64("picture of a run")));
  EXPECT_FALSE(has(page, encode_base64("pixels of the same")));
  EXPECT_FALSE(has(page, "a<b"));
  EXPECT_FALSE(has(page, "href"));
}

TEST(Report, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::vector<fs::path> folders = {folder.path()};
  EXPECT_THROW(html_report(folders), InputError);
  folder.write("run.json", "{ not json");
  EXPECT_THROW(html_report(folders), InputError);
  const std::vector<fs::path> missing = {folder / "nowhere"};
  EXPECT_THROW(html_report(missing), FileError);
}

}  // namespace
}  // namespace stiffly::test
