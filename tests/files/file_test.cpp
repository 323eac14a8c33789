// Files are whole or not there.
#include "stiffly/files/file.hpp"

#include <gtest/gtest.h>

#include "stiffly/error.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::contents;
using test::TemporaryFolder;

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator{}));
}

TEST(WriteFile, WritesAndReplaces) {
  TemporaryFolder folder;
  write_file(folder / "a.txt", "one");
  EXPECT_EQ(contents(folder / "a.txt"), "one");
  write_file(folder / "a.txt", std::string("two\0three", 9));
  EXPECT_EQ(read_file(folder / "a.txt", 100), std::string("two\0three", 9));
  EXPECT_EQ(files_in(folder.path()), 1u) << "nothing is left beside it";
}

TEST(WriteFile, FailureLeavesTheOldFileAndNothingElse) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken");
  std::filesystem::create_directory(folder / "taken" / "full");
  EXPECT_THROW(write_file(folder / "taken", "text"), FileError);
  EXPECT_THROW(write_file(folder / "missing" / "a.txt", "text"), FileError);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(ReadFile, RefusesWhatIsNoFileOrTooLarge) {
  TemporaryFolder folder;
  folder.write("a.txt", "12345");
  EXPECT_EQ(read_file(folder / "a.txt", 5), "12345");
  EXPECT_THROW(read_file(folder / "a.txt", 4), InputError);
  EXPECT_THROW(read_file(folder / "b.txt", 4), FileError);
  EXPECT_THROW(read_file(folder.path(), 4), FileError);
  EXPECT_THROW(read_file("/dev/zero", 4), FileError);
}

TEST(PrepareFolder, MakesParentsAndRefusesFiles) {
  TemporaryFolder folder;
  prepare_folder(folder / "a" / "b");
  prepare_folder(folder / "a" / "b");
  EXPECT_EQ(files_in(folder / "a" / "b"), 0u);
  folder.write("file", "");
  EXPECT_THROW(prepare_folder(folder / "file"), FileError);
  EXPECT_THROW(prepare_folder(folder / "file" / "b"), FileError);
  EXPECT_THROW(prepare_folder("/proc/stiffly"), FileError);
}

}  // namespace
}  // namespace stiffly
