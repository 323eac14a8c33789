#include "stiffly/mesh/mesh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/mesh/readers.hpp"
#include "stiffly/text.hpp"

namespace stiffly::mesh {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t largest_mesh = std::uintmax_t{1} << 30;

struct FileFormat {
  std::string extension;
  Mesh (*read)(std::string_view bytes, const std::string& name);
};

const std::vector<FileFormat>& formats() {
  static const std::vector<FileFormat> all = {
      {".obj", read_obj},    {".ply", read_ply}, {".stl", read_stl}, {".off", read_off}, {".msh", read_gmsh},
      {".mesh", read_medit}, {".vtu", read_vtu}, {".node", nullptr}, {".ele", nullptr},  {".face", nullptr}};
  return all;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string unpack(const std::string& packed, const fs::path& path) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)  // 16: with the header of .gz files
    throw FileError(fmt::format("{}: cannot be unpacked: no memory", path.string()));
  const std::unique_ptr<z_stream, int (*)(z_streamp)> guard(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes, buffer(std::size_t{1} << 20, '\0');
  for (int state = Z_OK; state != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END)
      throw InputError(fmt::format("{}: cannot be unpacked: it is not a whole .gz file", path.string()));
    bytes.append(buffer, 0, buffer.size() - stream.avail_out);
    if (bytes.size() > largest_mesh)
      throw InputError(fmt::format("{}: more than {} MB when unpacked", path.string(), largest_mesh >> 20));
  }
  return bytes;
}

}  // namespace

std::string read_mesh_bytes(const fs::path& path) {
  std::string bytes = read_file(path, largest_mesh);
  return lower(path.extension().string()) == ".gz" ? unpack(bytes, path) : bytes;
}

std::vector<std::string> mesh_extensions() {
  std::vector<std::string> out;
  for (const FileFormat& format : formats()) out.push_back(format.extension);
  return out;
}

Mesh read_mesh(const fs::path& path) {
  std::string extension = lower(path.extension().string());
  if (extension == ".gz") extension = lower(path.stem().extension().string());
  const auto format = std::find_if(formats().begin(), formats().end(),
                                   [&](const FileFormat& f) { return f.extension == extension; });
  if (format == formats().end())
    throw InputError(fmt::format("{}: no mesh format has the ending '{}'; did you mean '{}'? (known: {})",
                                 path.string(), extension, nearest(extension, mesh_extensions()),
                                 fmt::join(mesh_extensions(), " ")));
  return format->read ? format->read(read_mesh_bytes(path), path.string()) : read_tetgen(path);
}

void write_obj(const fs::path& path, const Mesh& mesh) {
  fmt::memory_buffer out;
  for (const auto& p : mesh.points)
    fmt::format_to(std::back_inserter(out), "v {} {} {}\n", p.x(), p.y(), p.z());
  for (const auto& t : mesh.triangles)
    fmt::format_to(std::back_inserter(out), "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  write_file(path, {out.data(), out.size()});
}

}  // namespace stiffly::mesh
