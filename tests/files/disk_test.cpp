// Whatever fails while a file is written, the old one is there or the new one, and nothing else.
#include "stiffly/files/disk.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "files/faults.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::contents;
using test::TemporaryFolder;

std::size_t entries_of(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator{}));
}

TEST(Disk, EveryFailureIsNoticedAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  const auto work = [&] { write_file(folder / "a.txt", "the new text"); };
  const int count = test::operations(work);
  EXPECT_EQ(count, 5) << "open, write, sync, close, rename";
  for (int n = 0; n < count; ++n)
    for (const int error : {ENOSPC, EIO})
      for (const bool after_half : {false, true}) {
        folder.write("a.txt", "old");
        try {
          test::with_fault(n, {error, after_half}, work);
          ADD_FAILURE() << "operation " << n << " failed, and nobody noticed";
        } catch (const FileError& failure) {
          const std::string message = failure.what();
          EXPECT_NE(message.find("a.txt: cannot be written: "), std::string::npos) << message;
          EXPECT_NE(message.find(std::strerror(error)), std::string::npos) << message;
        }
        EXPECT_EQ(contents(folder / "a.txt"), "old");
        EXPECT_EQ(entries_of(folder.path()), 1u) << "operation " << n;
      }
}

TEST(Disk, ShortWritesGoOn) {
  const TemporaryFolder folder;
  const test::Hook hook([](DiskOperation, const std::filesystem::path&) { return DiskFault{0, true}; });
  write_file(folder / "a.txt", "a text in many parts");
  EXPECT_EQ(contents(folder / "a.txt"), "a text in many parts");
}

TEST(Disk, KilledAtAnyOperationTheFileIsTheOldOrTheNewOne) {
  const TemporaryFolder folder;
  const auto work = [&] { write_file(folder / "a.txt", "the new text"); };
  for (int n = 0; n <= 5; ++n) {
    folder.write("a.txt", "old");
    EXPECT_EQ(test::killed_at(n, work), n < 5);
    EXPECT_EQ(contents(folder / "a.txt"), n < 5 ? "old" : "the new text");
    remove_unfinished(folder.path());
    EXPECT_EQ(entries_of(folder.path()), 1u) << "operation " << n;
  }
}

TEST(Disk, RemovingWhatIsNotThereIsNoError) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(remove_file(folder / "a.txt"));
  folder.write("a.txt", "");
  EXPECT_THROW(test::with_fault(0, {EIO, false}, [&] { remove_file(folder / "a.txt"); }), FileError);
  remove_file(folder / "a.txt");
  EXPECT_EQ(entries_of(folder.path()), 0u);
}

}  // namespace
}  // namespace stiffly
