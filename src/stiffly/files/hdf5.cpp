#include "stiffly/files/hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "stiffly/error.hpp"
#include "stiffly/files/file_image.hpp"
#include "stiffly/files/hdf5_driver.hpp"

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

/// Without the time of its creation: the same contents make the same bytes.
hid_t timeless(hid_t kind) {
  const hid_t properties = H5Pcreate(kind);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

constexpr hsize_t small_chunk = 64 << 10;  // bytes: rows shorter than this share one

hsize_t product(std::span<const hsize_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), hsize_t{1}, std::multiplies<>());
}

/// Of a dataset of that size along its axes, which may grow along the first: in pieces with a checksum each,
/// where there is anything.
hid_t with_checksums(std::vector<hsize_t> size, bool grows) {
  const hid_t properties = timeless(H5P_DATASET_CREATE);
  const hsize_t row_bytes = sizeof(double) * product(std::span(size).subspan(1));
  const hsize_t rows = std::max<hsize_t>(1, small_chunk / std::max<hsize_t>(1, row_bytes));
  size[0] = grows ? rows : std::min(rows, size[0]);
  if (product(size) > 0) {
    H5Pset_chunk(properties, static_cast<int>(size.size()), size.data());
    H5Pset_fletcher32(properties);
  }
  return properties;
}

/// Lengths along each axis; empty for what is no array.
std::vector<hsize_t> lengths(hid_t data) {
  const Handle space(H5Dget_space(data), H5Sclose);
  std::vector<hsize_t> out(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, out.data(), nullptr);
  return out;
}

/// Opens a dataset to read it. Throws InputError where there is none.
hid_t open_data(hid_t file, bool has, const fs::path& path, const std::string& name) {
  const hid_t data = has ? H5Dopen2(file, name.c_str(), H5P_DEFAULT) : -1;
  if (data < 0) throw InputError(fmt::format("{}: '{}' is missing", path.string(), name));
  return data;
}

/// Reads or writes `rows` rows from number `first` on.
bool transfer(hid_t data, hsize_t first, hsize_t rows, const auto& with) {
  std::vector<hsize_t> count = lengths(data), offset(count.size(), 0);
  count[0] = rows;
  offset[0] = first;
  const Handle space(H5Dget_space(data), H5Sclose),
      memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  return H5Sselect_hyperslab(space, H5S_SELECT_SET, offset.data(), nullptr, count.data(), nullptr) >= 0 &&
         with(memory, space) >= 0;
}

}  // namespace

Hdf5Writer::Hdf5Writer(fs::path path)
    : image_(std::make_unique<FileImage>(std::move(path), FileImage::Access::create)) {
  be_quiet();
  const Handle access(image_access(*image_), H5Pclose), creation(timeless(H5P_FILE_CREATE), H5Pclose);
  file_ = H5Fcreate(image_->path().c_str(), H5F_ACC_TRUNC, creation, access);
  if (file_ < 0) throw FileError(fmt::format("{}: cannot be written", image_->path().string()));
}

Hdf5Writer::~Hdf5Writer() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Writer::fail(const std::string& name) const {
  throw FileError(fmt::format("{}: '{}' cannot be written", image_->path().string(), name));
}

void Hdf5Writer::write(const std::string& name, std::span<const double> values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose), links(with_groups(), H5Pclose),
      creation(with_checksums({size}, false), H5Pclose);
  const Handle data(H5Dcreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, links, creation, H5P_DEFAULT),
                    H5Dclose);
  if (data < 0 ||
      (size > 0 && H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
    fail(name);
}

void Hdf5Writer::write(const std::string& name, std::span<const int> values, std::size_t columns) {
  const hsize_t size[] = {values.size() / columns, columns};
  const Handle space(H5Screate_simple(2, size, nullptr), H5Sclose), links(with_groups(), H5Pclose),
      creation(with_checksums({size[0], size[1]}, false), H5Pclose);
  const Handle data(H5Dcreate2(file_, name.c_str(), H5T_STD_I32LE, space, links, creation, H5P_DEFAULT),
                    H5Dclose);
  if (data < 0 ||
      (!values.empty() && H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
    fail(name);
}

void Hdf5Writer::write(const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose),
      links(with_groups(), H5Pclose), creation(timeless(H5P_DATASET_CREATE), H5Pclose);
  H5Tset_size(type, text.size() + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle data(H5Dcreate2(file_, name.c_str(), type, space, links, creation, H5P_DEFAULT), H5Dclose);
  if (data < 0 || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0) fail(name);
}

void Hdf5Writer::table(const std::string& name, const std::vector<std::size_t>& row_shape,
                       Precision precision) {
  std::vector<hsize_t> size = {0}, most = {H5S_UNLIMITED};
  for (const std::size_t length : row_shape)
    for (auto* axes : {&size, &most}) axes->push_back(length);
  const Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), most.data()), H5Sclose),
      links(with_groups(), H5Pclose), creation(with_checksums(size, true), H5Pclose);
  const hid_t type = precision == Precision::single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const Handle data(H5Dcreate2(file_, name.c_str(), type, space, links, creation, H5P_DEFAULT), H5Dclose);
  if (data < 0) fail(name);
}

void Hdf5Writer::finish() {
  if (H5Fclose(std::exchange(file_, -1)) < 0) fail("the file");
  image_->commit();
}

Hdf5Tables::Hdf5Tables(const fs::path& path)
    : image_(std::make_unique<FileImage>(path, FileImage::Access::change)) {
  be_quiet();
  const Handle access(image_access(*image_), H5Pclose);
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
  if (file_ < 0) throw FileError(fmt::format("{}: not an HDF5 file, or damaged", path.string()));
}

Hdf5Tables::~Hdf5Tables() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Tables::fail(const std::string& name) const {
  throw FileError(fmt::format("{}: '{}' cannot be written", image_->path().string(), name));
}

std::size_t Hdf5Tables::rows(const std::string& name) const {
  const Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const std::vector<hsize_t> size = data < 0 ? std::vector<hsize_t>{} : lengths(data);
  if (size.empty()) throw FileError(fmt::format("{}: there is no table '{}'", image_->path().string(), name));
  return size[0];
}

void Hdf5Tables::append(const std::string& name, std::span<const double> values) {
  const std::size_t before = rows(name);
  const Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  std::vector<hsize_t> size = lengths(data);
  const hsize_t per_row = product(std::span(size).subspan(1));
  if (per_row == 0 || values.size() % per_row != 0)
    throw FileError(fmt::format("{}: rows of '{}' have {} numbers, which {} numbers cannot be divided into",
                                image_->path().string(), name, per_row, values.size()));
  const hsize_t added = values.size() / per_row;
  size[0] = before + added;
  if (H5Dset_extent(data, size.data()) < 0 || !transfer(data, before, added, [&](hid_t memory, hid_t space) {
        return H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data());
      }))
    fail(name);
}

void Hdf5Tables::keep(const std::string& name, std::size_t count) {
  if (count >= rows(name)) return;
  const Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  std::vector<hsize_t> size = lengths(data);
  size[0] = count;
  if (H5Dset_extent(data, size.data()) < 0) fail(name);
}

void Hdf5Tables::finish() {
  if (H5Fclose(std::exchange(file_, -1)) < 0) fail("the file");
  image_->commit();
}

Hdf5Reader::Hdf5Reader(const fs::path& path)
    : image_(std::make_unique<FileImage>(path, FileImage::Access::read)) {
  be_quiet();
  const Handle access(image_access(*image_), H5Pclose);
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file_ < 0) throw FileError(fmt::format("{}: not an HDF5 file, or damaged", path.string()));
}

Hdf5Reader::~Hdf5Reader() { H5Fclose(file_); }

bool Hdf5Reader::has(const std::string& name) const {
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
    if (H5Lexists(file_, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5Reader::check_backed(const std::string& name, std::span<const std::size_t> lengths,
                              std::size_t entry) const {
  std::uintmax_t bytes = entry;
  for (const std::size_t length : lengths)
    if (__builtin_mul_overflow(bytes, length, &bytes)) bytes = std::numeric_limits<std::uintmax_t>::max();
  if (bytes > image_->size())
    throw InputError(
        fmt::format("{}: '{}' claims to be larger than the file", image_->path().string(), name));
}

template <class T>
std::vector<T> Hdf5Reader::read(const std::string& name, const char* what, int type_class,
                                std::int64_t memory_type) const {
  const Handle data(open_data(file_, has(name), image_->path(), name), H5Dclose),
      type(H5Dget_type(data), H5Tclose);
  const std::vector<hsize_t> size = lengths(data);
  check_backed(name, std::vector<std::size_t>(size.begin(), size.end()), H5Tget_size(type));
  std::vector<T> values(product(size));
  if (H5Tget_class(type) != type_class ||
      (!values.empty() && H5Dread(data, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
    throw InputError(fmt::format("{}: '{}' cannot be read as {}", image_->path().string(), name, what));
  return values;
}

std::vector<double> Hdf5Reader::numbers(const std::string& name) const {
  return read<double>(name, "numbers", H5T_FLOAT, H5T_NATIVE_DOUBLE);
}

std::vector<int> Hdf5Reader::integers(const std::string& name) const {
  return read<int>(name, "whole numbers", H5T_INTEGER, H5T_NATIVE_INT);
}

std::vector<std::size_t> Hdf5Reader::shape(const std::string& name) const {
  const Handle data(open_data(file_, has(name), image_->path(), name), H5Dclose);
  const std::vector<hsize_t> size = lengths(data);
  return {size.begin(), size.end()};
}

std::vector<double> Hdf5Reader::row(const std::string& name, std::size_t number) const {
  const std::vector<std::size_t> size = shape(name);
  if (size.empty() || number >= size[0])
    throw InputError(fmt::format("{}: '{}' has no row {}", image_->path().string(), name, number));
  const std::span<const std::size_t> row(size.begin() + 1, size.end());
  check_backed(name, row, sizeof(double));
  const Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose), type(H5Dget_type(data), H5Tclose);
  std::vector<double> values(std::accumulate(row.begin(), row.end(), std::size_t{1}, std::multiplies<>()));
  if (H5Tget_class(type) != H5T_FLOAT || !transfer(data, number, 1, [&](hid_t memory, hid_t space) {
        return H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data());
      }))
    throw InputError(fmt::format("{}: '{}' cannot be read as numbers", image_->path().string(), name));
  return values;
}

std::string Hdf5Reader::text(const std::string& name) const {
  const Handle data(open_data(file_, has(name), image_->path(), name), H5Dclose),
      type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
  // Of one text of a fixed length, as Hdf5Writer writes it: arrays of texts are longer than their type says,
  // and texts of a variable length are pointers.
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 ||
      H5Sget_simple_extent_type(space) != H5S_SCALAR)
    throw InputError(fmt::format("{}: '{}' is not a text", image_->path().string(), name));
  check_backed(name, {}, H5Tget_size(type));
  std::string out(H5Tget_size(type), '\0');
  if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0)
    throw InputError(fmt::format("{}: '{}' cannot be read", image_->path().string(), name));
  out.resize(std::min(out.size(), out.find('\0')));
  return out;
}

}  // namespace stiffly
