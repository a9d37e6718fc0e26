// Chunks made here: compressed ones several at a time, for HDF5's own filters are those of one thread, and others from
// where the numbers are, past its cache.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <span>

#include "base/team.hpp"
#include "output/hdf5/datasets.hpp"

namespace tessera::output::hdf5 {

namespace {

/// The level of what make_dataset has made: a shuffle and deflate; 0: it is not compressed, or otherwise.
unsigned level_of(hid_t dataset) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!properties.is_open() || H5Pget_layout(properties) != H5D_CHUNKED || H5Pget_nfilters(properties) != 2) return 0;
  const auto filter = [&](unsigned number, unsigned& value) {
    unsigned flags = 0, config = 0;
    std::size_t values = 1;
    return H5Pget_filter2(properties, number, &flags, &values, &value, 0, nullptr, &config);
  };
  unsigned bytes = 0, level = 0;
  return filter(0, bytes) == H5Z_FILTER_SHUFFLE && filter(1, level) == H5Z_FILTER_DEFLATE ? level : 0;
}

/// The first bytes of all numbers, then the second ones, and so on.
void shuffle(std::span<const char> from, std::size_t bytes, std::vector<char>& to) {
  const std::size_t numbers = from.size() / bytes;
  to.resize(from.size());
  for (std::size_t byte = 0; byte < bytes; ++byte)
    for (std::size_t n = 0; n < numbers; ++n) to[byte * numbers + n] = from[n * bytes + byte];
}

/// A chunk as a file has it, with the mask of the filters that it was spared.
struct Packed {
  std::vector<char> bytes;
  std::uint32_t spared = 0;
};

/// A chunk from its first values on; rows that are not there yet are 0.
std::vector<char> padded(std::span<const char> values, std::size_t chunk_bytes) {
  std::vector<char> whole(values.begin(), values.end());
  whole.resize(chunk_bytes, 0);
  return whole;
}

void pack(std::span<const char> values, std::size_t chunk_bytes, std::size_t bytes, unsigned level, Packed& packed) {
  constexpr std::uint32_t deflate_spared = 2;
  std::vector<char> shuffled;
  shuffle(padded(values, chunk_bytes), bytes, shuffled);
  uLongf size = compressBound(static_cast<uLong>(chunk_bytes));
  packed.bytes.resize(size);
  const int status =
      compress2(reinterpret_cast<Bytef*>(packed.bytes.data()), &size, reinterpret_cast<const Bytef*>(shuffled.data()),
                static_cast<uLong>(chunk_bytes), static_cast<int>(level));
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  packed.spared = status != Z_OK || size >= chunk_bytes ? deflate_spared : 0;
  if (packed.spared)
    packed.bytes = std::move(shuffled);
  else
    packed.bytes.resize(size);
}

/// Whether a dataset has chunks of numbers of this type as they are in memory.
bool is_raw(hid_t dataset, hid_t type) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose), in_file(H5Dget_type(dataset), H5Tclose);
  return properties.is_open() && in_file.is_open() && H5Pget_layout(properties) == H5D_CHUNKED &&
         H5Pget_nfilters(properties) == 0 && H5Tequal(in_file, type) > 0;
}

/// Rows of a dataset, from the first of a chunk on, as bytes.
struct Rows {
  hid_t dataset;
  hsize_t first, chunk;  ///< of a chunk: how many
  std::size_t row_bytes;
  std::span<const char> values;
  const std::filesystem::path& path;

  std::size_t chunk_bytes() const { return row_bytes * chunk; }
  std::size_t chunks() const { return (values.size() + chunk_bytes() - 1) / chunk_bytes(); }
  std::span<const char> chunk_values(std::size_t number) const {
    const std::size_t at = number * chunk_bytes();
    return values.subspan(at, std::min(chunk_bytes(), values.size() - at));
  }
  void write(std::size_t number, std::uint32_t spared, std::span<const char> bytes) const {
    const std::array<hsize_t, 2> place{first + number * chunk, 0};
    if (H5Dwrite_chunk(dataset, H5P_DEFAULT, spared, place.data(), bytes.size(), bytes.data()) < 0) fail("write", path);
  }
};

void write_raw(const Rows& rows) {
  for (std::size_t i = 0; i < rows.chunks(); ++i) {
    const std::span<const char> values = rows.chunk_values(i);
    if (values.size() == rows.chunk_bytes())
      rows.write(i, 0, values);
    else
      rows.write(i, 0, padded(values, rows.chunk_bytes()));
  }
}

void write_packed(const Rows& rows, std::size_t bytes, unsigned level, int threads) {
  const std::size_t chunks = rows.chunks();
  std::vector<Packed> packed(std::min<std::size_t>(chunks, 2 * static_cast<std::size_t>(std::max(threads, 1))));
  for (std::size_t done = 0; done < chunks; done += packed.size()) {
    const std::size_t now = std::min(packed.size(), chunks - done);
    parallel_chunks(threads, static_cast<Offset>(now), 1, [&](Offset begin, Offset end, int) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        pack(rows.chunk_values(done + i), rows.chunk_bytes(), bytes, level, packed[i]);
    });
    for (std::size_t i = 0; i < now; ++i) rows.write(done + i, packed[i].spared, packed[i].bytes);
  }
}

}  // namespace

void write_chunks(hid_t dataset, hsize_t first, hsize_t count, hid_t type, const void* from, int threads,
                  const std::filesystem::path& path) {
#if H5_VERSION_GE(1, 10, 3)
  const unsigned level = level_of(dataset);
  const std::size_t bytes = bytes_of_number(dataset);
  const bool raw = is_raw(dataset, type);
  if (raw || (level > 0 && bytes > 1)) {
    const Shape shape = shape_of(dataset, path);
    const std::size_t row_bytes = bytes * static_cast<std::size_t>(shape.components);
    const Rows rows{dataset, first, shape.chunk, row_bytes, {static_cast<const char*>(from), row_bytes * count}, path};
    return raw ? write_raw(rows) : write_packed(rows, bytes, level, threads);
  }
#endif
  write_rows(dataset, first, count, type, from, path);
}

}  // namespace tessera::output::hdf5
