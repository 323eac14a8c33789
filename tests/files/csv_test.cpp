#include "stiffly/files/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<int> lines;
  explicit Table(std::string_view text) {
    read_csv(
        text, "t.csv",
        [&](std::span<const std::string> cells, int) { header.assign(cells.begin(), cells.end()); },
        [&](std::span<const std::string> cells, int line) {
          rows.emplace_back(cells.begin(), cells.end());
          lines.push_back(line);
        });
  }
};

TEST(Csv, CellsQuotesAndLineNumbers) {
  const Table t("a, b ,c\n# note\n1,\"two, \"\"2\"\"\",\n\n , x y ,3\r\n");
  EXPECT_EQ(t.header, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_EQ(t.rows[0], (std::vector<std::string>{"1", "two, \"2\"", ""}));
  EXPECT_EQ(t.rows[1], (std::vector<std::string>{"", "x y", "3"}));
  EXPECT_EQ(t.lines, (std::vector<int>{3, 5}));
}

TEST(Csv, LastLineNeedsNoLineBreak) { EXPECT_EQ(Table("a\n1").rows.size(), 1u); }

TEST(Csv, WrongTables) {
  EXPECT_THROW(Table(""), InputError);
  EXPECT_THROW(Table("a,b\n1\n"), InputError);
  EXPECT_THROW(Table("a\n\"1\n"), InputError);
  EXPECT_THROW(Table("a\n\"1\"2\n"), InputError);
}

TEST(Csv, NumbersAreWholeCells) {
  double x = 0;
  EXPECT_TRUE(parse_number("-1.5e-3", x));
  EXPECT_EQ(x, -1.5e-3);
  EXPECT_TRUE(parse_number("+2", x));
  EXPECT_TRUE(parse_number("nan", x) && std::isnan(x)) << "finite or not is for the caller to judge";
  for (const char* wrong : {"", "1 2", "1m", "0x10", "--1", "1e", "1,5", "1e999"})
    EXPECT_FALSE(parse_number(wrong, x)) << wrong;
  std::int64_t i = 0;
  EXPECT_TRUE(parse_integer("-42", i));
  EXPECT_EQ(i, -42);
  for (const char* wrong : {"", "1.0", "1e3", "9223372036854775808", "a"})
    EXPECT_FALSE(parse_integer(wrong, i)) << wrong;
}

}  // namespace
}  // namespace stiffly
