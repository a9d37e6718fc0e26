#include "output/hdf5/datasets.hpp"

#include <algorithm>
#include <array>

namespace tessera::output::hdf5 {

namespace fs = std::filesystem;

namespace {

Handle checked(Handle handle, const char* what, const fs::path& path) {
  if (!handle.is_open()) fail(what, path);
  return handle;
}

void check(herr_t status, const char* what, const fs::path& path) {
  if (status < 0) fail(what, path);
}

/// Shape and place of rows in a dataset of this many indices.
using Extent = std::array<hsize_t, 2>;
Extent extent(hsize_t rows, int components) { return {rows, static_cast<hsize_t>(components)}; }

struct Selection {
  Handle in_file, in_memory;
};
Selection select(hid_t dataset, hsize_t first, hsize_t count, const fs::path& path) {
  const int components = shape_of(dataset, path).components;
  Handle file = checked(Handle(H5Dget_space(dataset), H5Sclose), "read", path);
  const int rank = H5Sget_simple_extent_ndims(file);
  const Extent start{first, 0}, size = extent(count, components);
  check(H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), "read", path);
  if (H5Sselect_valid(file) <= 0) fail("read", path);
  Handle memory = checked(Handle(H5Screate_simple(rank, size.data(), nullptr), H5Sclose), "read", path);
  return {std::move(file), std::move(memory)};
}

}  // namespace

bool Place::has(const std::string& name) const { return H5Lexists(id, name.c_str(), H5P_DEFAULT) > 0; }

hsize_t chunk_rows(hsize_t rows, int components, std::size_t bytes) {
  constexpr hsize_t most_bytes = 1 << 20;
  const hsize_t most = std::max<hsize_t>(1, most_bytes / (bytes * static_cast<std::size_t>(components)));
  const hsize_t chunks = std::max<hsize_t>(1, (rows + most - 1) / most);
  return std::max<hsize_t>(1, (rows + chunks - 1) / chunks);
}

Handle make_group(const Place& in, const std::string& name) {
  return checked(Handle(H5Gcreate2(in.id, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose), "write",
                 in.path);
}

Handle open_group(const Place& in, const std::string& name) {
  return checked(Handle(H5Gopen2(in.id, name.c_str(), H5P_DEFAULT), H5Gclose), "read", in.path);
}

Handle make_dataset(const Place& in, const std::string& name, hid_t type, const Shape& shape, bool grows,
                    int compression) {
  const int rank = shape.components > 1 ? 2 : 1;
  const Extent size = extent(shape.rows, shape.components), chunk = extent(shape.chunk, shape.components);
  const Extent most = extent(grows ? H5S_UNLIMITED : shape.rows, shape.components);
  const Handle space = checked(Handle(H5Screate_simple(rank, size.data(), most.data()), H5Sclose), "write", in.path);
  const Handle properties = checked(Handle(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), "write", in.path);
  // Without the time of day: the same run writes the same bytes.
  check(H5Pset_obj_track_times(properties, false), "write", in.path);
  if (shape.chunk > 0) check(H5Pset_chunk(properties, rank, chunk.data()), "write", in.path);
  if (shape.chunk > 0 && compression > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    check(H5Pset_shuffle(properties), "write", in.path);
    check(H5Pset_deflate(properties, static_cast<unsigned>(compression)), "write", in.path);
  }
  return checked(Handle(H5Dcreate2(in.id, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose),
                 "write", in.path);
}

Handle open_dataset(const Place& in, const std::string& name) {
  return checked(Handle(H5Dopen2(in.id, name.c_str(), H5P_DEFAULT), H5Dclose), "read", in.path);
}

Shape shape_of(hid_t dataset, const fs::path& path) {
  const Handle space = checked(Handle(H5Dget_space(dataset), H5Sclose), "read", path);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank != 1 && rank != 2) fail("read", path);
  Extent size{0, 1}, chunk{0, 1};
  check(H5Sget_simple_extent_dims(space, size.data(), nullptr), "read", path);
  if (size[1] == 0 || size[1] > 1000) fail("read", path);  // components of what is a field
  const Handle properties = checked(Handle(H5Dget_create_plist(dataset), H5Pclose), "read", path);
  if (H5Pget_layout(properties) == H5D_CHUNKED) check(H5Pget_chunk(properties, rank, chunk.data()), "read", path);
  return {size[0], static_cast<int>(size[1]), chunk[0]};
}

bool is_integer(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return type.is_open() && H5Tget_class(type) == H5T_INTEGER;
}

std::size_t bytes_of_number(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return type.is_open() ? H5Tget_size(type) : 0;
}

void set_rows(hid_t dataset, hsize_t rows, const fs::path& path) {
  const Extent size = extent(rows, shape_of(dataset, path).components);
  check(H5Dset_extent(dataset, size.data()), "write", path);
}

void write_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t type, const void* from, const fs::path& path) {
  if (count == 0) return;
  const Selection rows = select(dataset, first, count, path);
  check(H5Dwrite(dataset, type, rows.in_memory, rows.in_file, H5P_DEFAULT, from), "write", path);
}

void read_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t type, void* to, const fs::path& path) {
  if (count == 0) return;
  const Selection rows = select(dataset, first, count, path);
  check(H5Dread(dataset, type, rows.in_memory, rows.in_file, H5P_DEFAULT, to), "read", path);
}

hid_t type_of(const double*) { return H5T_NATIVE_DOUBLE; }
hid_t type_of(const float*) { return H5T_NATIVE_FLOAT; }
hid_t type_of(const std::int64_t*) { return H5T_NATIVE_INT64; }
hid_t type_of(const int*) { return H5T_NATIVE_INT; }
hid_t type_of(const unsigned char*) { return H5T_NATIVE_UCHAR; }

void write_attribute(const Place& of, const std::string& name, const std::vector<std::int64_t>& numbers, bool scalar) {
  const hsize_t size = numbers.size();
  Handle attribute;
  if (H5Aexists(of.id, name.c_str()) > 0) {
    attribute = Handle(H5Aopen(of.id, name.c_str(), H5P_DEFAULT), H5Aclose);
  } else {
    const Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), H5Sclose);
    attribute = Handle(H5Acreate2(of.id, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  }
  attribute = checked(std::move(attribute), "write", of.path);
  check(H5Awrite(attribute, H5T_NATIVE_INT64, numbers.data()), "write", of.path);
}

std::int64_t read_attribute(const Place& of, const std::string& name) {
  const Handle attribute = checked(Handle(H5Aopen(of.id, name.c_str(), H5P_DEFAULT), H5Aclose), "read", of.path);
  const Handle space = checked(Handle(H5Aget_space(attribute), H5Sclose), "read", of.path);
  std::int64_t value = 0;
  if (H5Sget_simple_extent_npoints(space) != 1) fail("read", of.path);
  check(H5Aread(attribute, H5T_NATIVE_INT64, &value), "read", of.path);
  return value;
}

void write_attribute(const Place& of, const std::string& name, const std::vector<double>& numbers) {
  const hsize_t size = numbers.size();
  const Handle space = checked(Handle(H5Screate_simple(1, &size, nullptr), H5Sclose), "write", of.path);
  const Handle attribute =
      checked(Handle(H5Acreate2(of.id, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose),
              "write", of.path);
  check(H5Awrite(attribute, H5T_NATIVE_DOUBLE, numbers.data()), "write", of.path);
}

void write_attribute(const Place& of, const std::string& name, const std::string& text) {
  const Handle type = checked(Handle(H5Tcopy(H5T_C_S1), H5Tclose), "write", of.path);
  check(H5Tset_size(type, std::max<std::size_t>(1, text.size())), "write", of.path);
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "write", of.path);
  const Handle space = checked(Handle(H5Screate(H5S_SCALAR), H5Sclose), "write", of.path);
  const Handle attribute = checked(
      Handle(H5Acreate2(of.id, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose), "write", of.path);
  check(H5Awrite(attribute, type, text.c_str()), "write", of.path);
}

std::string read_text_attribute(const Place& of, const std::string& name) {
  const Handle attribute = checked(Handle(H5Aopen(of.id, name.c_str(), H5P_DEFAULT), H5Aclose), "read", of.path);
  const Handle type = checked(Handle(H5Aget_type(attribute), H5Tclose), "read", of.path);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) fail("read", of.path);
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()), "read", of.path);
  return text.substr(0, text.find('\0'));
}

std::vector<std::string> names_in(const Place& group) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* to) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return herr_t{0};
  };
  check(H5Literate(group.id, H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &names), "read", group.path);
  return names;
}

}  // namespace tessera::output::hdf5
