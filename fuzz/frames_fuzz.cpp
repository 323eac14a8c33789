// frames.h5, as it is shown and as a run that goes on reads it; nothing is written. Inputs that do not begin
// as an HDF5 file say what is in one: which datasets, of which types and shapes, with which numbers. All else
// than that has checksums, which inputs seldom get past.
#include <hdf5.h>

#include <cerrno>
#include <vector>

#include "stiffly/files/disk.hpp"
#include "stiffly/results/frame_reader.hpp"
#include "target.hpp"

namespace {

using namespace stiffly;

class Recipe {
 public:
  explicit Recipe(std::string_view bytes) : bytes_(bytes) {}

  unsigned char next() {
    if (bytes_.empty()) return 0;
    const auto out = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return out;
  }

  /// Of its datasets each is as it should be, or another, or not there.
  std::string file() {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    const hid_t out = H5Fcreate("recipe", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (next() % 8 == 0)
      dataset(out, "format");
    else
      text(out, "format", "stiffly frames 2", {});
    const hsize_t frames = next() % 5, points = next() % 5;
    numbers(out, "time", true, {frames});
    for (const char* name : {"position", "velocity"}) numbers(out, name, true, {frames, points, 3});
    numbers(out, "triangles", false, {points, 3});
    numbers(out, "tetrahedra", false, {points, 4});
    numbers(out, "springs", false, {points, 2});
    for (const char* name : {"strands", "particle"}) numbers(out, name, false, {frames, 2});
    for (const char* name : {"mass", "spring_stiffness", "spring_rest_length", "spring_hardening"})
      numbers(out, name, true, {points});
    if (next() % 2) {
      const hsize_t obstacles = next() % 3;
      numbers(out, "contact", true, {frames, points});
      numbers(out, "obstacle_point", true, {points, 3});
      numbers(out, "obstacle_of_point", false, {points, 1});
      numbers(out, "obstacle_endless", false, {obstacles, 1});
      numbers(out, "obstacle_triangles", false, {points, 3});
      numbers(out, "obstacle_pose", true, {frames, obstacles, 12});
      numbers(out, "obstacle_contact", true, {frames, points});
    }
    H5Fflush(out, H5F_SCOPE_LOCAL);
    std::string image(static_cast<std::size_t>(H5Fget_file_image(out, nullptr, 0)), '\0');
    H5Fget_file_image(out, image.data(), image.size());
    H5Fclose(out);
    H5Pclose(access);
    return image;
  }

 private:
  void numbers(hid_t file, const char* name, bool real, const std::vector<hsize_t>& size) {
    const unsigned char kind = next();
    if (kind % 16 == 0) return dataset(file, name);
    if (kind % 16 == 1) return;
    array(file, name, real, size);
  }

  void array(hid_t file, const char* name, bool real, const std::vector<hsize_t>& size) {
    std::size_t count = 1;
    for (const hsize_t length : size) count *= length;
    std::vector<int> values(count);
    for (int& value : values) value = static_cast<signed char>(next());
    const hid_t space = size.empty() ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
    const hid_t data = H5Dcreate2(file, name, real ? H5T_IEEE_F64LE : H5T_STD_I32LE, space, H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
  }

  void text(hid_t file, const char* name, std::string value, const std::vector<hsize_t>& size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size() + 1);
    const hid_t space = size.empty() ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
    const hid_t data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (size.empty()) H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str());
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
  }

  /// Anything.
  void dataset(hid_t file, const char* name) {
    const unsigned char kind = next();
    std::vector<hsize_t> size(next() % 5);
    for (hsize_t& length : size) length = next() % 5;
    switch (kind % 5) {
      case 0:
        return array(file, name, true, size);
      case 1:
        return array(file, name, false, size);
      case 2:
        return text(file, name, std::string(next(), 'x'), size);
      case 3:
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        return;
      default:
        H5Lcreate_soft("time", file, name, H5P_DEFAULT, H5P_DEFAULT);
    }
  }

  std::string_view bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFile file(".h5");
  static const bool read_only = [] {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    set_disk_hook([](DiskOperation, const std::filesystem::path&) { return DiskFault{EROFS, false}; });
    return true;
  }();
  const std::string_view bytes = fuzz::text_of(data, size);
  const std::filesystem::path& path =
      bytes.starts_with("\x89HDF") ? file.with(bytes) : file.with(Recipe(bytes).file());
  fuzz::tried([&] {
    const FrameReader frames(path);
    fuzz::tried([&] { frames.topology(); });
    fuzz::tried([&] { frames.times(); });
    fuzz::tried([&] { frames.positions(1); });
    fuzz::tried([&] { frames.velocities(1); });
    fuzz::tried([&] { frames.contact(1); });
    fuzz::tried([&] { frames.poses(1); });
    fuzz::tried([&] { frames.contact_time(1); });
  });
  return fuzz::tried([&] {
    if (read_only) FrameFile::resume(path, 2, 1);
  });
}
