// Compressed chunks, several at a time: HDF5's own filters are those of one thread.
#include <zlib.h>
#include <new>

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

void pack(std::span<const char> values, std::size_t chunk_bytes, std::size_t bytes, unsigned level, Packed& packed) {
  constexpr std::uint32_t deflate_spared = 2;
  std::vector<char> whole(values.begin(), values.end()), shuffled;
  whole.resize(chunk_bytes, 0);  // rows that are not there yet
  shuffle(whole, bytes, shuffled);
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

/// From where the numbers are: HDF5 would carry chunks through a cache of its own.
void write_raw(hid_t dataset, const Shape& shape, hsize_t first, std::span<const char> values, std::size_t row_bytes,
               const std::filesystem::path& path) {
  const std::size_t chunk_bytes = row_bytes * shape.chunk;
  std::vector<char> last;
  for (std::size_t at = 0; at < values.size(); at += chunk_bytes) {
    const char* from = &values[at];
    if (at + chunk_bytes > values.size()) {
      last.assign(values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
      last.resize(chunk_bytes, 0);  // rows that are not there yet
      from = last.data();
    }
    const std::array<hsize_t, 2> place{first + at / row_bytes, 0};
    if (H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, place.data(), chunk_bytes, from) < 0) fail("write", path);
  }
}

}  // namespace

void write_chunks(hid_t dataset, hsize_t first, hsize_t count, hid_t type, const void* from, int threads,
                  const std::filesystem::path& path) {
  const unsigned level = level_of(dataset);
  const std::size_t bytes = bytes_of_number(dataset);
#if H5_VERSION_GE(1, 10, 3)
  if (is_raw(dataset, type)) {
    const Shape shape = shape_of(dataset, path);
    const std::size_t row_bytes = bytes * static_cast<std::size_t>(shape.components);
    return write_raw(dataset, shape, first, {static_cast<const char*>(from), row_bytes * count}, row_bytes, path);
  }
  if (level > 0 && bytes > 1) {
    const Shape shape = shape_of(dataset, path);
    const std::size_t row_bytes = bytes * static_cast<std::size_t>(shape.components);
    const std::size_t chunk_bytes = row_bytes * shape.chunk, chunks = (count + shape.chunk - 1) / shape.chunk;
    const std::span<const char> values(static_cast<const char*>(from), row_bytes * count);
    std::vector<Packed> packed(std::min<std::size_t>(chunks, 2 * static_cast<std::size_t>(std::max(threads, 1))));
    for (std::size_t done = 0; done < chunks; done += packed.size()) {
      const std::size_t now = std::min(packed.size(), chunks - done);
      parallel_chunks(threads, static_cast<Offset>(now), 1, [&](Offset begin, Offset end, int) {
        for (Offset i = begin; i < end; ++i) {
          const std::size_t at = (done + static_cast<std::size_t>(i)) * chunk_bytes;
          pack(values.subspan(at, std::min(chunk_bytes, values.size() - at)), chunk_bytes, bytes, level,
               packed[static_cast<std::size_t>(i)]);
        }
      });
      for (std::size_t i = 0; i < now; ++i) {
        const std::array<hsize_t, 2> place{first + (done + i) * shape.chunk, 0};
        const Packed& chunk = packed[i];
        if (H5Dwrite_chunk(dataset, H5P_DEFAULT, chunk.spared, place.data(), chunk.bytes.size(), chunk.bytes.data()) <
            0)
          fail("write", path);
      }
    }
    return;
  }
#endif
  write_rows(dataset, first, count, type, from, path);
}

}  // namespace tessera::output::hdf5
