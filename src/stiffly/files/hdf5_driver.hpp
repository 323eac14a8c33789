// HDF5 files in a FileImage: the library itself never writes to a disk, so nothing that a disk can do fails
// in it. (A write that fails within H5Fclose is lost, or ends the program at its exit.)
#pragma once

#include <hdf5.h>

#include "stiffly/files/file_image.hpp"

namespace stiffly {

/// Property list of a file access, to be closed by the caller, for the one file in that image, which must
/// outlive it. Metadata are written with checksums.
hid_t image_access(FileImage& image);

}  // namespace stiffly
