// Other programs: found, run, stopped.
#include "stiffly/files/program.hpp"

#include <gtest/gtest.h>

#include "stiffly/error.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using std::chrono::seconds;

TEST(Program, IsFoundInThePath) {
  ASSERT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
}

TEST(Program, GivesStatusAndOutput) {
  const test::TemporaryFolder folder;
  const ProgramResult r =
      run_program(*find_program("sh"), {"-c", "pwd; echo oh >&2; exit 3"}, folder.path(), seconds(20));
  EXPECT_EQ(r.status, 3);
  EXPECT_FALSE(r.timed_out);
  EXPECT_EQ(r.output, folder.path().string() + "\noh\n");
}

TEST(Program, IsStoppedInTime) {
  const test::TemporaryFolder folder;
  const ProgramResult r =
      run_program(*find_program("sh"), {"-c", "sleep 60; true"}, folder.path(), seconds(0));
  EXPECT_TRUE(r.timed_out);
  EXPECT_NE(r.status, 0);
}

TEST(Program, ThatCannotBeStartedIsAFileError) {
  EXPECT_THROW(run_program("/no/such/program", {}, "/tmp", seconds(1)), FileError);
}

}  // namespace
}  // namespace stiffly
