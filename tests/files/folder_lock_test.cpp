// One process at a time, however the last one ended.
#include "stiffly/files/folder_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "files/faults.hpp"
#include "stiffly/error.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::TemporaryFolder;

std::string refusal(const std::filesystem::path& folder) {
  try {
    const FolderLock lock(folder);
    return {};
  } catch (const FileError& error) {
    return error.what();
  }
}

TEST(FolderLockTest, IsHeldByOneAndSaysByWhom) {
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder / "a");
    const std::string message = refusal(folder / "a");
    EXPECT_NE(message.find("in use by process " + std::to_string(getpid())), std::string::npos) << message;
    EXPECT_EQ(refusal(folder / "b"), "");
  }
  EXPECT_EQ(refusal(folder / "a"), "");
}

/// A folder of a stranger may have a link of that name to any file.
TEST(FolderLockTest, LinksAreNotFollowed) {
  const TemporaryFolder folder;
  folder.write("precious", "all of it");
  std::filesystem::create_symlink(folder / "precious", folder / ".lock");
  EXPECT_EQ(refusal(folder.path()), (folder / ".lock").string() + ": is a link; remove it");
  EXPECT_EQ(test::contents(folder / "precious"), "all of it");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_NE(refusal(folder / "loop").find("loop: the folder cannot be made: "), std::string::npos)
      << refusal(folder / "loop");
}

TEST(FolderLockTest, EndsWithItsProcess) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.path());
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_NE(refusal(folder.path()).find("process " + std::to_string(child)), std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / ".lock")) << "nobody could remove it";
  EXPECT_EQ(refusal(folder.path()), "");
  EXPECT_FALSE(std::filesystem::exists(folder / ".lock"));
  for (const int end : ready) close(end);
}

TEST(FolderLockTest, FoldersThatNothingCameIntoGoAgain) {
  const TemporaryFolder folder;
  { const FolderLock lock(folder / "a/b"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  {
    const FolderLock lock(folder / "a/b");
    folder.write("a/b/file", "text");
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "a/b/file"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a/b/.lock"));
}

TEST(FolderLockTest, AFullDiskLeavesNothing) {
  const TemporaryFolder folder;
  const auto work = [&] { const FolderLock lock(folder / "a"); };
  for (int n = 0; n < test::operations(work); ++n) {
    EXPECT_THROW(test::with_fault(n, {ENOSPC, false}, work), FileError) << n;
    EXPECT_FALSE(std::filesystem::exists(folder / "a")) << n;
  }
}

}  // namespace
}  // namespace stiffly
