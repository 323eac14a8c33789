// What was saved comes back to the bit, and nothing else does.
#include "stiffly/files/archive.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <limits>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

constexpr const char* format = "a format 3";

std::string sample() {
  ArchiveWriter out(format);
  out.write("numbers", std::vector<double>{1.5, -0.0, std::numeric_limits<double>::quiet_NaN(), 3e-310});
  out.write("none", std::vector<double>{});
  out.write("text", std::string_view("a\0b", 3));
  return out.finish();
}

ArchiveReader reader(std::string bytes) { return {std::move(bytes), "file", format, "thing"}; }

TEST(Archive, GivesBackWhatWasWritten) {
  const ArchiveReader in = reader(sample());
  const std::vector<double> numbers = in.numbers("numbers");
  ASSERT_EQ(numbers.size(), 4u);
  EXPECT_EQ(numbers[0], 1.5);
  EXPECT_TRUE(std::signbit(numbers[1]));
  EXPECT_TRUE(std::isnan(numbers[2]));
  EXPECT_EQ(numbers[3], 3e-310);
  EXPECT_TRUE(in.numbers("none").empty());
  EXPECT_EQ(in.text("text"), std::string("a\0b", 3));
  EXPECT_TRUE(in.has("none"));
  EXPECT_FALSE(in.has("other"));
  EXPECT_THROW(in.text("numbers"), InputError);
  EXPECT_THROW(in.numbers("text"), InputError);
  EXPECT_THROW(in.numbers("other"), InputError);
}

TEST(Archive, NoBitMayDiffer) {
  const std::string sound = sample();
  for (std::size_t bit = 0; bit < 8 * sound.size(); ++bit) {
    std::string damaged = sound;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_THROW(reader(damaged), InputError) << "bit " << bit;
  }
  for (std::size_t size = 0; size < sound.size(); ++size)
    EXPECT_THROW(reader(sound.substr(0, size)), InputError) << "cut off after " << size;
  EXPECT_THROW(reader(sound + '\0'), InputError);
}

/// Sizes that the bytes do not back, with a checksum that fits.
TEST(Archive, LengthsAreCheckedBeforeTheyAreBelieved) {
  const auto with_checksum = [](std::string bytes) {
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
    char raw[4];
    std::memcpy(raw, &sum, 4);
    return bytes.append(raw, 4);
  };
  const std::string head = std::string(format) + "\n";
  EXPECT_NO_THROW(reader(with_checksum(head)));
  for (const std::string& body :
       {std::string("\xff\xff\xff\xff", 4), std::string("\x01\0\0\0a", 5),
        std::string("\x01\0\0\0a\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 17),
        std::string("\x01\0\0\0a\x01\0\0\0\x08\0\0\0\0\0\0\0abcdefg", 24), std::string("\0\0\0", 3)})
    EXPECT_THROW(reader(with_checksum(head + body)), InputError);
  const std::string seven("\x01\0\0\0a\x01\0\0\0\x07\0\0\0\0\0\0\0abcdefg", 24);
  EXPECT_THROW(reader(with_checksum(head + seven)).numbers("a"), InputError) << "not a whole number of them";
  EXPECT_THROW(reader(with_checksum(head + seven + seven)), InputError) << "the same name twice";
}

}  // namespace
}  // namespace stiffly
