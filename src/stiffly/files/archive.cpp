#include "stiffly/files/archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstring>

#include "stiffly/error.hpp"
#include "stiffly/files/byte_reader.hpp"

namespace stiffly {
namespace {

constexpr std::uint32_t a_text = 0, doubles = 1;
constexpr std::size_t checksum_size = sizeof(std::uint32_t);
static_assert(std::endian::native == std::endian::little, "archives are written as they are in memory");

template <class T>
void append(std::string& out, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  out.append(raw, sizeof(T));
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ArchiveWriter::ArchiveWriter(std::string_view format) { bytes_ = fmt::format("{}\n", format); }

void ArchiveWriter::entry(std::string_view name, std::uint32_t kind, std::string_view data) {
  append(bytes_, static_cast<std::uint32_t>(name.size()));
  bytes_ += name;
  append(bytes_, kind);
  append(bytes_, static_cast<std::uint64_t>(data.size()));
  bytes_ += data;
}

void ArchiveWriter::write(std::string_view name, std::span<const double> values) {
  entry(name, doubles, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void ArchiveWriter::write(std::string_view name, std::string_view text) { entry(name, a_text, text); }

std::string ArchiveWriter::finish() {
  append(bytes_, checksum(bytes_));
  return std::move(bytes_);
}

ArchiveReader::ArchiveReader(std::string bytes, std::string name, std::string_view format,
                             std::string_view what)
    : bytes_(std::move(bytes)), name_(std::move(name)), what_(what) {
  if (!bytes_.starts_with(fmt::format("{}\n", format)))
    throw InputError(fmt::format("{}: not a {} of this version of the program", name_, what_));
  const std::size_t begin = format.size() + 1;
  if (bytes_.size() < begin + checksum_size) damaged("it is cut off");
  const std::string_view all = std::string_view(bytes_).substr(0, bytes_.size() - checksum_size);
  std::uint32_t stated = 0;
  std::memcpy(&stated, bytes_.data() + all.size(), checksum_size);
  if (stated != checksum(all)) damaged("its checksum does not fit");
  ByteReader in(all.substr(begin), name_, std::endian::little);
  while (in.left() > 0) {
    const auto part = [&](std::uint64_t size, std::string_view wanted) {
      const std::string_view out = all.substr(begin + in.offset());
      in.skip(size, wanted);
      return out.substr(0, size);
    };
    const std::string_view entry = part(in.take<std::uint32_t>("the length of a name"), "a name");
    const auto kind = in.take<std::uint32_t>("a kind");
    const std::string_view data = part(in.take<std::uint64_t>("a size"), "data");
    if (!entries_.try_emplace(std::string(entry), Entry{kind, data}).second)
      damaged(fmt::format("'{}' is there twice", entry));
  }
}

void ArchiveReader::damaged(std::string_view how) const {
  throw InputError(fmt::format("{}: the {} is damaged: {}", name_, what_, how));
}

void ArchiveReader::refuse(std::string_view name, std::string_view why) const {
  damaged(fmt::format("'{}' {}", name, why));
}

const ArchiveReader::Entry& ArchiveReader::find(std::string_view name, std::uint32_t kind,
                                                std::string_view kind_name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) refuse(name, "is missing");
  if (found->second.kind != kind) refuse(name, fmt::format("is not {}", kind_name));
  return found->second;
}

std::vector<double> ArchiveReader::numbers(std::string_view name) const {
  const std::string_view data = find(name, doubles, "numbers").data;
  if (data.size() % sizeof(double) != 0) refuse(name, "is no whole number of numbers");
  std::vector<double> out(data.size() / sizeof(double));
  if (!out.empty()) std::memcpy(out.data(), data.data(), data.size());
  return out;
}

std::string ArchiveReader::text(std::string_view name) const {
  return std::string(find(name, a_text, "a text").data);
}

}  // namespace stiffly
