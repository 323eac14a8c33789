// The table of forces is that of the forces there are.
#include "stiffly/forces/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "forces/cases.hpp"

namespace stiffly {
namespace {

TEST(Forces, TableAndTestedForcesAreTheSame) {
  std::set<std::string> listed, tested;
  for (const ForceInfo& info : forces()) {
    EXPECT_TRUE(listed.insert(info.name).second) << info.name << " stands there twice";
    EXPECT_FALSE(info.summary.empty() || info.keys.empty()) << info.name;
  }
  test::Random random(1);
  test::Setting setting;
  setting.rest = test::random_points(random);
  setting.masses.assign(test::particles, 1.0);
  setting.free = test::particles - 2;
  for (const test::Case& c : test::cases()) tested.insert(c.make(setting, random)->name());
  tested.insert(
      "contact");  // whose second derivatives jump: tests/contact has what these cases ask, elsewhere
  EXPECT_EQ(listed, tested);
}

}  // namespace
}  // namespace stiffly
