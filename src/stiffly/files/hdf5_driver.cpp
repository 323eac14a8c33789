#include "stiffly/files/hdf5_driver.hpp"

#include <exception>
#include <memory>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

/// As HDF5 sees it: its own part must come first.
struct ImageFile {
  H5FD_t of_library;
  FileImage* image;
  haddr_t allocated;  ///< end of what the library has given away
};

ImageFile* image_file(H5FD_t* file) { return reinterpret_cast<ImageFile*>(file); }
const ImageFile* image_file(const H5FD_t* file) { return reinterpret_cast<const ImageFile*>(file); }

/// C knows no exceptions.
template <class Work>
herr_t guarded(const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

H5FD_t* open_image(const char*, unsigned, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (!info) return nullptr;
  auto file = std::make_unique<ImageFile>();
  file->image = *static_cast<FileImage* const*>(info);
  return &file.release()->of_library;
}

herr_t close_image(H5FD_t* file) {
  const std::unique_ptr<ImageFile> released(image_file(file));
  return 0;
}

int compare_images(const H5FD_t* a, const H5FD_t* b) {
  const std::less<> before;
  return before(image_file(a)->image, image_file(b)->image)   ? -1
         : before(image_file(b)->image, image_file(a)->image) ? 1
                                                              : 0;
}

herr_t query_image(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of_allocated(const H5FD_t* file, H5FD_mem_t) { return image_file(file)->allocated; }

herr_t set_end_of_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  image_file(file)->allocated = end;
  return 0;
}

haddr_t end_of_image(const H5FD_t* file, H5FD_mem_t) { return image_file(file)->image->size(); }

herr_t read_image(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, void* out) {
  return guarded([&] { image_file(file)->image->read(at, {static_cast<char*>(out), size}); });
}

herr_t write_image(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, const void* bytes) {
  return guarded([&] { image_file(file)->image->write(at, {static_cast<const char*>(bytes), size}); });
}

herr_t truncate_image(H5FD_t* file, hid_t, hbool_t) {
  return guarded([&] { image_file(file)->image->resize(image_file(file)->allocated); });
}

hid_t image_driver() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t d{};
#if H5_VERSION_GE(1, 13, 0)
    d.version = H5FD_CLASS_VERSION;
    d.value = static_cast<H5FD_class_value_t>(513);  // of those not registered with the HDF Group
#endif
    d.name = "stiffly image";
    d.maxaddr = (haddr_t{1} << 62) - 1;
    d.fc_degree = H5F_CLOSE_STRONG;
    d.fapl_size = sizeof(FileImage*);
    d.open = open_image;
    d.close = close_image;
    d.cmp = compare_images;
    d.query = query_image;
    d.get_eoa = end_of_allocated;
    d.set_eoa = set_end_of_allocated;
    d.get_eof = end_of_image;
    d.read = read_image;
    d.write = write_image;
    d.truncate = truncate_image;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(d.fl_map));
    return d;
  }();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

}  // namespace

hid_t image_access(FileImage& image) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  FileImage* const pointer = &image;
  if (H5Pset_driver(access, image_driver(), &pointer) < 0 ||
      H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0) {
    H5Pclose(access);
    throw FileError(image.path().string() + ": HDF5 cannot be used in this way; is it older than 1.10.2?");
  }
  return access;
}

}  // namespace stiffly
