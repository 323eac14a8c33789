// Changes come to a file all at once or not at all, compared with the same changes of a text in memory.
#include "stiffly/files/file_image.hpp"

#include <gtest/gtest.h>

#include <random>

#include "files/faults.hpp"
#include "stiffly/error.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::contents;
using test::TemporaryFolder;
using Access = FileImage::Access;

std::string letters(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>('a' + random() % 26);
  return out;
}

std::string seen(const std::filesystem::path& path) {
  const FileImage image(path, Access::read);
  std::string out(image.size(), '\0');
  image.read(0, out);
  return out;
}

/// The same changes, to the image and to a text.
void change(FileImage& image, std::string& text, unsigned seed) {
  std::minstd_rand random(seed);
  for (int i = 0; i < 12; ++i) {
    const std::size_t at = random() % (text.size() + 3000);
    const std::string bytes = letters(random() % 9000, random());
    if (at + bytes.size() > text.size() && !bytes.empty()) text.resize(at + bytes.size());
    text.replace(at, std::min(bytes.size(), text.size() - std::min(at, text.size())), bytes);
    image.write(at, bytes);
    std::string part(random() % 20000, '\0');
    const std::size_t from = random() % (text.size() + 100);
    image.read(from, part);
    std::string wanted = from < text.size() ? text.substr(from, part.size()) : std::string{};
    wanted.resize(part.size());
    ASSERT_TRUE(part == wanted);
  }
  if (seed % 3 == 0) {
    const std::size_t size = text.size() / 2 + random() % 5000;
    text.resize(size);
    image.resize(size);
  }
  ASSERT_EQ(image.size(), text.size());
}

TEST(FileImageTest, IsWhatWasWritten) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const TemporaryFolder folder;
    std::string text = letters(seed % 5 == 0 ? 0 : 13001 * (seed % 4), seed);
    folder.write("file", text);
    const std::string before = text;
    FileImage image(folder / "file", Access::change);
    change(image, text, seed);
    EXPECT_TRUE(contents(folder / "file") == before) << "too early";
    image.commit();
    EXPECT_TRUE(contents(folder / "file") == text) << seed;
    EXPECT_TRUE(seen(folder / "file") == text) << seed;
    EXPECT_FALSE(std::filesystem::exists(FileImage::journal(folder / "file")));
  }
}

TEST(FileImageTest, NewFilesAreThereWhenTheyAreWhole) {
  const TemporaryFolder folder;
  FileImage image(folder / "file", Access::create);
  std::string text;
  change(image, text, 4);
  EXPECT_FALSE(std::filesystem::exists(folder / "file"));
  image.commit();
  EXPECT_TRUE(contents(folder / "file") == text);
}

TEST(FileImageTest, IsAsBeforeOrAsAfterWhateverFails) {
  int faults = 0;
  for (const unsigned seed : {3u, 5u, 7u}) {
    const TemporaryFolder folder;
    const std::string before = letters(30011, seed);
    folder.write("file", before);
    std::string after = before;
    const auto work = [&] {
      after = before;
      FileImage image(folder / "file", Access::change);
      change(image, after, seed);
      image.commit();
    };
    const int count = test::operations(work);
    for (int n = 0; n < count; ++n)
      for (const bool after_half : {false, true}) {
        folder.write("file", before);
        EXPECT_THROW(test::with_fault(n, {ENOSPC, after_half}, work), FileError);
        const std::string now = seen(folder / "file");
        EXPECT_TRUE(now.substr(0, before.size()) == before || now == after) << "operation " << n;
        // Whoever goes on goes on from there, and journals go with it.
        std::string text = now;
        FileImage next(folder / "file", Access::change);
        change(next, text, seed + 100);
        next.commit();
        EXPECT_TRUE(contents(folder / "file") == text) << "operation " << n;
        EXPECT_FALSE(std::filesystem::exists(FileImage::journal(folder / "file")));
        ++faults;
      }
    for (int n = 0; n < count; ++n) {
      folder.write("file", before);
      ASSERT_TRUE(test::killed_at(n, work));
      const std::string now = seen(folder / "file");
      EXPECT_TRUE(now.substr(0, before.size()) == before || now == after) << "killed at operation " << n;
      remove_file(FileImage::journal(folder / "file"));
    }
  }
  EXPECT_GT(faults, 50);
}

TEST(FileImageTest, CopiesAreSeenThroughTheJournal) {
  const TemporaryFolder folder;
  const std::string before = letters(30011, 1);
  folder.write("file", before);
  std::string after = before;
  const auto work = [&] {
    after = before;
    FileImage image(folder / "file", Access::change);
    change(image, after, 5);
    image.commit();
  };
  const int count = test::operations(work);
  folder.write("file", before);
  ASSERT_TRUE(test::killed_at(count - 4, work)) << "while the file is changed in place";
  ASSERT_TRUE(std::filesystem::exists(FileImage::journal(folder / "file")));
  FileImage(folder / "file", Access::read).copy_to(folder / "copy");
  remove_file(FileImage::journal(folder / "file"));
  folder.write("file", before);
  work();
  EXPECT_TRUE(contents(folder / "copy") == after);
}

TEST(FileImageTest, JournalsThatAreDamagedAreRefused) {
  const TemporaryFolder folder;
  folder.write("file", letters(9000, 1));
  folder.write(".file.journal", "stiffly journal 1\nnot one");
  EXPECT_THROW(seen(folder / "file"), InputError);
}

}  // namespace
}  // namespace stiffly
