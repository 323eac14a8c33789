// Files that another program wrote, or that are damaged, are refused: never read beyond a buffer, never
// believed about their size.
#include "stiffly/files/hdf5.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <chrono>
#include <thread>

#include "stiffly/error.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::TemporaryFolder;

/// A dataset of that type and shape, as another program would write it.
std::filesystem::path write(const TemporaryFolder& folder, hid_t type, const std::vector<hsize_t>& shape,
                            const void* values) {
  const std::filesystem::path path = folder / "file.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = shape.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t data = H5Dcreate2(file, "it", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (values) H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(data);
  H5Sclose(space);
  H5Fclose(file);
  return path;
}

/// Texts of that size each; 0: of a variable one.
struct TextType {
  explicit TextType(std::size_t size) : id(H5Tcopy(H5T_C_S1)) { H5Tset_size(id, size ? size : H5T_VARIABLE); }
  ~TextType() { H5Tclose(id); }
  hid_t id;
};

template <class Read>
void expect_refused(const Read& read) {
  try {
    read();
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("file.h5: 'it'"), std::string::npos) << message;
  }
}

TEST(Hdf5Test, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  Hdf5Writer file(folder / "file.h5");
  file.write("group/numbers", std::vector<double>{0.1, -2e300});
  file.write("none", std::vector<double>{});
  file.write("whole", std::vector<int>{1, 2, 3, 4, 5, 6}, 3);
  file.write("text", std::string("äöü"));
  file.write("empty", std::string());
  file.finish();
  const Hdf5Reader read(folder / "file.h5");
  EXPECT_EQ(read.numbers("group/numbers"), (std::vector<double>{0.1, -2e300}));
  EXPECT_TRUE(read.numbers("none").empty());
  EXPECT_EQ(read.integers("whole"), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read.shape("whole"), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(read.text("text"), "äöü");
  EXPECT_EQ(read.text("empty"), "");
  EXPECT_THROW(read.numbers("group"), InputError);
  EXPECT_THROW(read.numbers("nothing/here"), InputError);
}

/// Nothing in a file says when it was made: a run that was taken up leaves the bytes of one that was not.
TEST(Hdf5Test, TheSameContentsAreTheSameBytesASecondLater) {
  const TemporaryFolder folder;
  for (const char* name : {"one.h5", "other.h5"}) {
    if (std::string(name) == "other.h5") std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    Hdf5Writer file(folder / name);
    file.write("numbers", std::vector<double>{0.1, 7e-3});
    file.write("whole", std::vector<int>{1, 2, 3, 4, 5, 6}, 3);
    file.write("text", std::string("some"));
    file.table("rows", {2}, Hdf5Writer::Precision::single);
    file.finish();
    Hdf5Tables tables(folder / name);
    tables.append("rows", std::vector<double>{0.3, 0.7});
    tables.finish();
  }
  EXPECT_EQ(test::contents(folder / "one.h5"), test::contents(folder / "other.h5"));
}

TEST(Hdf5Test, ManyTextsAreNotOne) {
  const TemporaryFolder folder;
  const TextType text(16);
  const std::vector<char> values(16 * 1000, 'x');
  const Hdf5Reader file(write(folder, text.id, {1000}, values.data()));
  expect_refused([&] { file.text("it"); });
  expect_refused([&] { file.numbers("it"); });
}

TEST(Hdf5Test, TextsOfVariableLengthAreRefused) {
  const TemporaryFolder folder;
  const TextType text(0);
  const char* value = "a text somewhere else in the file";
  const Hdf5Reader file(write(folder, text.id, {}, &value));
  expect_refused([&] { file.text("it"); });
}

TEST(Hdf5Test, OtherTypesAreRefused) {
  const TemporaryFolder folder;
  const double numbers[] = {1, 2};
  {
    const Hdf5Reader file(write(folder, H5T_NATIVE_DOUBLE, {2}, numbers));
    expect_refused([&] { file.text("it"); });
    expect_refused([&] { file.integers("it"); });
  }
  const int whole[] = {1, 2};
  const Hdf5Reader file(write(folder, H5T_NATIVE_INT, {2, 1}, whole));
  expect_refused([&] { file.numbers("it"); });
  expect_refused([&] { file.row("it", 0); });
  expect_refused([&] { file.row("it", 2); });
}

// Nothing was ever written into these, so that the file is small.
TEST(Hdf5Test, NothingIsAllocatedThatTheFileDoesNotBack) {
  const TemporaryFolder folder;
  {
    const Hdf5Reader file(write(folder, H5T_NATIVE_DOUBLE, {hsize_t{1} << 40}, nullptr));
    expect_refused([&] { file.numbers("it"); });
  }
  {
    const Hdf5Reader file(write(folder, H5T_NATIVE_DOUBLE, {4, hsize_t{1} << 40}, nullptr));
    expect_refused([&] { file.row("it", 1); });
  }
  const TextType text(std::size_t{1} << 31);
  const Hdf5Reader file(write(folder, text.id, {}, nullptr));
  expect_refused([&] { file.text("it"); });
}

}  // namespace
}  // namespace stiffly
