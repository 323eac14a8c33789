#include "stiffly/io/hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;

/// The library's own messages are for its developers: ours name the file.
void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

/// Closes what it holds.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

hid_t with_groups() {
  const hid_t properties = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(properties, 1);
  return properties;
}

}  // namespace

Hdf5Writer::Hdf5Writer(fs::path path) : path_(std::move(path)), partial_(path_.string() + ".part") {
  be_quiet();
  file_ = H5Fcreate(partial_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file_ < 0) throw FileError(fmt::format("{}: cannot be written", path_.string()));
}

Hdf5Writer::~Hdf5Writer() {
  if (file_ < 0) return;
  H5Fclose(file_);
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

void Hdf5Writer::fail(const std::string& name) const {
  throw FileError(fmt::format("{}: '{}' cannot be written; is the disk full?", path_.string(), name));
}

void Hdf5Writer::write(const std::string& name, std::span<const double> values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose), links(with_groups(), H5Pclose);
  const Handle data(H5Dcreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, links, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
  if (data < 0 ||
      (size > 0 && H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
    fail(name);
}

void Hdf5Writer::write(const std::string& name, std::span<const int> values, std::size_t columns) {
  const hsize_t size[] = {values.size() / columns, columns};
  const Handle space(H5Screate_simple(2, size, nullptr), H5Sclose), links(with_groups(), H5Pclose);
  const Handle data(H5Dcreate2(file_, name.c_str(), H5T_STD_I32LE, space, links, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
  if (data < 0 ||
      (!values.empty() && H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
    fail(name);
}

void Hdf5Writer::write(const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose),
      links(with_groups(), H5Pclose);
  H5Tset_size(type, text.size() + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle data(H5Dcreate2(file_, name.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (data < 0 || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0) fail(name);
}

void Hdf5Writer::append(const std::string& name, std::span<const double> row) {
  const hsize_t columns = row.size();
  if (H5Lexists(file_, name.c_str(), H5P_DEFAULT) <= 0) {
    const hsize_t size[] = {0, columns}, most[] = {H5S_UNLIMITED, columns}, chunk[] = {1, columns};
    const Handle space(H5Screate_simple(2, size, most), H5Sclose),
        creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(creation, 2, chunk);
    const Handle made(
        H5Dcreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    if (made < 0) fail(name);
  }
  const Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  hsize_t size[2] = {0, 0};
  {
    const Handle space(H5Dget_space(data), H5Sclose);
    if (H5Sget_simple_extent_dims(space, size, nullptr) != 2 || size[1] != columns) fail(name);
  }
  const hsize_t offset[] = {size[0], 0}, count[] = {1, columns};
  ++size[0];
  if (H5Dset_extent(data, size) < 0) fail(name);
  const Handle space(H5Dget_space(data), H5Sclose), memory(H5Screate_simple(2, count, nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, nullptr, count, nullptr);
  if (H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row.data()) < 0) fail(name);
}

void Hdf5Writer::finish() {
  const bool closed = H5Fclose(file_) >= 0;
  file_ = -1;
  std::error_code error;
  if (closed) fs::rename(partial_, path_, error);
  if (!closed || error)
    throw FileError(
        fmt::format("{}: cannot be completed{}", path_.string(), error ? ": " + error.message() : ""));
}

Hdf5Reader::Hdf5Reader(const fs::path& path) : path_(path) {
  be_quiet();
  if (!fs::exists(path)) throw FileError(fmt::format("{}: no such file", path.string()));
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) throw FileError(fmt::format("{}: not an HDF5 file, or damaged", path.string()));
}

Hdf5Reader::~Hdf5Reader() { H5Fclose(file_); }

bool Hdf5Reader::has(const std::string& name) const {
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
    if (H5Lexists(file_, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<double> Hdf5Reader::numbers(const std::string& name) const {
  const Handle data(has(name) ? H5Dopen2(file_, name.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (data < 0) throw InputError(fmt::format("{}: '{}' is missing", path_.string(), name));
  const Handle space(H5Dget_space(data), H5Sclose), type(H5Dget_type(data), H5Tclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(count, 0)));
  if (H5Tget_class(type) != H5T_FLOAT ||
      (!values.empty() && H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
    throw InputError(fmt::format("{}: '{}' cannot be read as numbers", path_.string(), name));
  return values;
}

std::string Hdf5Reader::text(const std::string& name) const {
  const Handle data(has(name) ? H5Dopen2(file_, name.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (data < 0) throw InputError(fmt::format("{}: '{}' is missing", path_.string(), name));
  const Handle type(H5Dget_type(data), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING)
    throw InputError(fmt::format("{}: '{}' is no text", path_.string(), name));
  std::string out(H5Tget_size(type), '\0');
  if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0)
    throw InputError(fmt::format("{}: '{}' cannot be read", path_.string(), name));
  out.resize(out.find('\0') == std::string::npos ? out.size() : out.find('\0'));
  return out;
}

}  // namespace stiffly
