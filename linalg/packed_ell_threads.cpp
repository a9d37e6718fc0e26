#include "linalg/formats_threads.hpp"
#include "linalg/packed_ell_impl.hpp"
#include "linalg/prefetch.hpp"

namespace tessera::linalg {
namespace {

constexpr Offset slice_chunk = 16;  ///< 512 rows

/// Entries on one diagonal: neighbours in x, no gather.
template <class T>
inline void add_diagonal(Index base, unsigned mask, const T* __restrict__ values, const T* __restrict__ x,
                         T* __restrict__ sums) {
  if (mask == ~0u) {
    const T* window = x + base;
#pragma omp simd
    for (int lane = 0; lane < slice_height; ++lane) sums[lane] += values[lane] * window[lane];
    return;
  }
#pragma omp simd
  for (int lane = 0; lane < slice_height; ++lane)
    if (mask >> lane & 1u) sums[lane] += values[lane] * x[base + lane];
}

template <class T>
inline void add_deltas(Index base, const unsigned short* __restrict__ deltas, const T* __restrict__ values,
                       const T* __restrict__ x, T* __restrict__ sums) {
#pragma omp simd
  for (int lane = 0; lane < slice_height; ++lane) {
    const Index delta = deltas[lane];
    sums[lane] += values[lane] * (delta != 0xffff ? x[base + lane + delta] : T{0});
  }
}

template <class T>
inline void add_columns(const Index* __restrict__ col_ind, const T* __restrict__ values, const T* __restrict__ x,
                        T* __restrict__ sums) {
#pragma omp simd
  for (int lane = 0; lane < slice_height; ++lane)
    sums[lane] += values[lane] * (col_ind[lane] >= 0 ? x[col_ind[lane]] : T{0});
}

template <class T>
void sum_slice(const PackedEllView<T>& a, Offset slice, const T* x, T* sums) {
  const Index* words = a.words.data() + a.slices[slice].words;
  const T* values = a.values.data() + a.slices[slice].values;
  const Index width = a.width(slice * slice_height);
  const ColumnCode code = a.code(slice);
  for (Index k = 0; k < width; ++k, values += slice_height) {
    detail::prefetch(values, slice_height);
    if (code == ColumnCode::diagonals)
      add_diagonal(words[2 * k], static_cast<unsigned>(words[2 * k + 1]), values, x, sums);
    else if (code == ColumnCode::deltas)
      add_deltas(words[k], a.deltas(words, width, k), values, x, sums);
    else
      add_columns(words + static_cast<Offset>(k) * slice_height, values, x, sums);
  }
}

}  // namespace

template <class T, class Use>
void product(Threads& exec, const PackedEllView<T>& a, View<const T> x, Use use, double* result) {
  const double sum = detail::for_chunks(
      exec, a.slices.size() - 1, slice_chunk, Use::reduces,
      [&](Offset slice) { return a.slices[std::min(slice, a.slices.size() - 1)].values; },
      [&](Offset first, Offset last) {
        double total = 0;
        for (Offset slice = first; slice < last; ++slice) {
          T sums[slice_height] = {};
          sum_slice(a, slice, x.data(), sums);
          total += detail::use_slots(a, slice * slice_height, slice_height, sums, use);
        }
        return total;
      });
  if (result) *result = sum;
}

#define TESSERA_INSTANTIATE_PACKED_ELL(T)                                                            \
  template PackedEll<Host, T> packed_ell_from_crs(Threads&, const Crs<Host, T>&, const SortParams&); \
  TESSERA_INSTANTIATE_PRODUCTS(Threads, PackedEllView, T);                                           \
  TESSERA_INSTANTIATE_CONVERSIONS(Threads, PackedEll, T)
TESSERA_INSTANTIATE_PACKED_ELL(double);
TESSERA_INSTANTIATE_PACKED_ELL(float);

}  // namespace tessera::linalg
