#include "stiffly/fibres/strand_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stiffly/error.hpp"
#include "stiffly/files/byte_reader.hpp"
#include "stiffly/files/csv.hpp"
#include "stiffly/files/file.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr std::uintmax_t largest_file = 4096ull << 20;
constexpr std::size_t point_size = 3 * sizeof(float);

Vector3d take_point(ByteReader& in) {
  Vector3d x;
  for (double& value : x) value = in.take<float>("a coordinate");
  return x;
}

void expect_end(const ByteReader& in) {
  if (in.left() > 0) in.fail(fmt::format("{} bytes follow after the last strand", in.left()));
}

std::vector<CentreLine> read_data(std::string_view bytes, const std::string& name) {
  ByteReader in(bytes, name, std::endian::little);
  const auto count = in.take<std::int32_t>("the number of strands");
  if (count < 0) in.fail(fmt::format("{} strands", count));
  in.require(static_cast<std::uint64_t>(count), sizeof(std::int32_t), fmt::format("{} strands", count));
  std::vector<CentreLine> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto points = in.take<std::int32_t>("a number of points");
    if (points < 0) in.fail(fmt::format("strand {} has {} points", i, points));
    in.require(static_cast<std::uint64_t>(points), point_size,
               fmt::format("{} points of strand {}", points, i));
    for (std::int32_t k = 0; k < points; ++k) out[i].points.push_back(take_point(in));
  }
  expect_end(in);
  return out;
}

std::vector<CentreLine> read_hair(std::string_view bytes, const std::string& name) {
  enum : std::uint32_t {
    has_segments = 1,
    has_points = 2,
    has_thickness = 4,
    has_transparency = 8,
    has_color = 16
  };
  ByteReader in(bytes, name, std::endian::little);
  if (!bytes.starts_with("HAIR")) in.fail("it does not begin with HAIR");
  in.skip(4, "HAIR");
  const std::uint64_t strands = in.take<std::uint32_t>("the number of strands");
  const std::uint64_t points = in.take<std::uint32_t>("the number of points");
  const auto arrays = in.take<std::uint32_t>("the flags");
  const auto segments = in.take<std::uint32_t>("the segments of all strands");
  const auto thickness = in.take<float>("the thickness of all strands");
  in.skip(4 * sizeof(float) + 88, "the rest of the header");
  if (!(arrays & has_points)) in.fail("there are no points in it");

  std::vector<CentreLine> out;
  std::vector<std::uint64_t> sizes;  // points of each strand
  const std::uint64_t strand_size = arrays & has_segments ? sizeof(std::uint16_t) : point_size;
  in.require(strands, strand_size, fmt::format("{} strands", strands));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < strands; ++i) {
    sizes.push_back(1 + (arrays & has_segments ? in.take<std::uint16_t>("segments of a strand")
                                               : std::uint64_t{segments}));
    sum += sizes.back();
  }
  if (sum != points) in.fail(fmt::format("its strands have {} points, its header counts {}", sum, points));
  const bool own_thickness = (arrays & has_thickness) != 0;
  in.require(points, point_size + (own_thickness ? sizeof(float) : 0), fmt::format("{} points", points));
  out.resize(sizes.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::uint64_t k = 0; k < sizes[i]; ++k) out[i].points.push_back(take_point(in));
  for (CentreLine& line : out)
    for (std::size_t k = 0; k < line.points.size(); ++k)
      line.thickness.push_back(own_thickness ? in.take<float>("a thickness") : thickness);
  const std::uint64_t unread = (arrays & has_transparency ? 4 : 0) + (arrays & has_color ? 12 : 0);
  in.skip(points * unread, "transparency and colour");
  expect_end(in);
  return out;
}

/// Where the columns of a table are.
struct Columns {
  std::size_t fibre, x, y, z;
  std::optional<std::size_t> thickness;

  Columns(std::span<const std::string> cells, const std::string& place) {
    const auto find = [&](const char* name) -> std::optional<std::size_t> {
      const auto it = std::ranges::find(cells, name);
      if (it == cells.end()) return {};
      return static_cast<std::size_t>(it - cells.begin());
    };
    const auto need = [&](const char* name) {
      if (const auto found = find(name)) return *found;
      throw InputError(fmt::format(
          "{}: there is no column '{}'; a table of fibres has fibre, x, y, z and may have thickness", place,
          name));
    };
    fibre = need("fibre"), x = need("x"), y = need("y"), z = need("z");
    thickness = find("thickness");
  }
};

std::vector<CentreLine> read_table(std::string_view text, const std::string& name) {
  std::vector<CentreLine> out;
  std::optional<Columns> columns;
  const auto place = [&](int line) { return fmt::format("{}:{}", name, line); };
  read_csv(
      text, name, [&](std::span<const std::string> cells, int line) { columns.emplace(cells, place(line)); },
      [&](std::span<const std::string> cells, int line) {
        const auto number = [&](std::size_t column) {
          double value = 0;
          if (!parse_number(cells[column], value))
            throw InputError(fmt::format("{}: '{}' is not a number", place(line), cells[column]));
          return value;
        };
        std::int64_t fibre = 0;
        if (!parse_integer(cells[columns->fibre], fibre))
          throw InputError(
              fmt::format("{}: '{}' is not the number of a fibre", place(line), cells[columns->fibre]));
        if (fibre == static_cast<std::int64_t>(out.size())) out.emplace_back();
        if (fibre + 1 != static_cast<std::int64_t>(out.size()))
          throw InputError(fmt::format(
              "{}: fibre {} follows after fibre {}; they are numbered from 0, one after the other",
              place(line), fibre, static_cast<std::int64_t>(out.size()) - 1));
        out.back().points.emplace_back(number(columns->x), number(columns->y), number(columns->z));
        if (columns->thickness) out.back().thickness.push_back(number(*columns->thickness));
      });
  return out;
}

}  // namespace

std::vector<CentreLine> read_strands(const std::filesystem::path& path, double scale, double thickness) {
  const std::string ending = path.extension().string(), name = path.string();
  const auto reader = ending == ".csv"    ? read_table
                      : ending == ".hair" ? read_hair
                      : ending == ".data" ? read_data
                                          : nullptr;
  if (!reader) throw InputError(fmt::format("{}: fibres are read from .csv, .hair and .data files", name));
  std::vector<CentreLine> out = reader(read_file(path, largest_file), name);
  if (out.empty()) throw InputError(fmt::format("{}: there are no fibres in it", name));
  for (CentreLine& line : out) {
    if (line.thickness.empty()) line.thickness.assign(line.points.size(), thickness / scale);
    for (Vector3d& x : line.points) x *= scale;
    for (double& a : line.thickness) a *= scale;
  }
  return out;
}

}  // namespace stiffly
