#pragma once
// Arrays in files of HDF5. `rows` are the first index of a dataset, `components` the second one; without a second
// one 1.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "output/hdf5/handle.hpp"

namespace tessera::output::hdf5 {

/// A place in a file: a group with the file's name for messages.
struct Place {
  hid_t id;
  const std::filesystem::path& path;

  bool has(const std::string& name) const;
};

struct Shape {
  hsize_t rows = 0;
  int components = 1;
  hsize_t chunk = 0;  ///< rows of a chunk; 0: stored in one piece
};

/// Rows of a chunk such that `rows` are some chunks of about equal length, none above 1 MiB.
hsize_t chunk_rows(hsize_t rows, int components, std::size_t bytes);

Handle make_group(const Place& in, const std::string& name);
Handle open_group(const Place& in, const std::string& name);

/// A new dataset of numbers of `type`, as files have them, with rows of the value 0. `grows`: rows may come, chunk > 0.
Handle make_dataset(const Place& in, const std::string& name, hid_t type, const Shape& shape, bool grows,
                    int compression);
Handle open_dataset(const Place& in, const std::string& name);
Shape shape_of(hid_t dataset, const std::filesystem::path& path);
bool is_integer(hid_t dataset);
std::size_t bytes_of_number(hid_t dataset);
/// The dataset has so many rows from now on.
void set_rows(hid_t dataset, hsize_t rows, const std::filesystem::path& path);

/// Rows first, ..., first + count - 1 from or to memory; `type`: of the numbers there.
void write_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t type, const void* from,
                const std::filesystem::path& path);
void read_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t type, void* to, const std::filesystem::path& path);

/// The same to a dataset of chunks, first a multiple of their rows; `type`: of the numbers in memory and in the file.
/// Where it is compressed the chunks are made by some threads, the same bytes by however many.
void write_chunks(hid_t dataset, hsize_t first, hsize_t count, hid_t type, const void* from, int threads,
                  const std::filesystem::path& path);

hid_t type_of(const double*);
hid_t type_of(const float*);
hid_t type_of(const std::int64_t*);
hid_t type_of(const int*);
hid_t type_of(const unsigned char*);

/// `count` rows of a dataset from `first` on, [count, components].
template <class T>
std::vector<T> rows_of(hid_t dataset, hsize_t first, hsize_t count, const std::filesystem::path& path) {
  std::vector<T> values(count * static_cast<std::size_t>(shape_of(dataset, path).components));
  read_rows(dataset, first, count, type_of(values.data()), values.data(), path);
  return values;
}

/// Numbers as an attribute; `scalar`: without an index.
void write_attribute(const Place& of, const std::string& name, const std::vector<std::int64_t>& numbers, bool scalar);
std::int64_t read_attribute(const Place& of, const std::string& name);
void write_attribute(const Place& of, const std::string& name, const std::vector<double>& numbers);
/// Text of fixed length.
void write_attribute(const Place& of, const std::string& name, const std::string& text);
std::string read_text_attribute(const Place& of, const std::string& name);

/// Names of what a group holds, in the order of the alphabet.
std::vector<std::string> names_in(const Place& group);

}  // namespace tessera::output::hdf5
