#include "linalg/ell_impl.hpp"
#include "linalg/formats_threads.hpp"
#include "linalg/prefetch.hpp"

namespace tessera::linalg {
namespace {

/// Rows of plain ELL that are summed together: their sums stay in the first cache while the columns stream by.
constexpr Offset ell_rows = 256;
/// Slices a chunk: 512 rows.
constexpr Offset slice_chunk = 16;

/// sums[i] += values[i] x[col_ind[i]], padding left out.
template <class T>
inline void add_column(const Index* __restrict__ col_ind, const T* __restrict__ values, const T* __restrict__ x,
                       int count, T* __restrict__ sums) {
  detail::prefetch(col_ind, count);
  detail::prefetch(values, count);
#pragma omp simd
  for (int i = 0; i < count; ++i) sums[i] += values[i] * (col_ind[i] >= 0 ? x[col_ind[i]] : T{0});
}

}  // namespace

template <class T, class Use>
void product(Threads& exec, const EllView<T>& a, View<const T> x, Use use, double* result) {
  const double sum = detail::for_chunks(
      exec, a.rows, ell_rows, Use::reduces, [](Offset row) { return row; },
      [&](Offset first, Offset last) {
        T sums[ell_rows] = {};
        const int count = static_cast<int>(last - first);
        for (Index k = 0; k < a.columns; ++k) {
          const Offset place = first + k * a.stride;
          add_column(a.col_ind.data() + place, a.values.data() + place, x.data(), count, sums);
        }
        return detail::use_slots(a, first, count, sums, use);
      });
  if (result) *result = sum;
}

template <class T, class Use>
void product(Threads& exec, const SlicedEllView<T>& a, View<const T> x, Use use, double* result) {
  const double sum = detail::for_chunks(
      exec, a.slice_ptr.size() - 1, slice_chunk, Use::reduces,
      [&](Offset slice) { return a.slice_ptr[std::min(slice, a.slice_ptr.size() - 1)]; },
      [&](Offset first, Offset last) {
        double total = 0;
        for (Offset slice = first; slice < last; ++slice) {
          T sums[slice_height] = {};
          for (Offset place = a.slice_ptr[slice]; place < a.slice_ptr[slice + 1]; place += slice_height)
            add_column(a.col_ind.data() + place, a.values.data() + place, x.data(), slice_height, sums);
          total += detail::use_slots(a, slice * slice_height, slice_height, sums, use);
        }
        return total;
      });
  if (result) *result = sum;
}

#define TESSERA_INSTANTIATE_ELL(T)                                                                   \
  template Ell<Host, T> ell_from_crs(Threads&, const Crs<Host, T>&);                                 \
  template SlicedEll<Host, T> sliced_ell_from_crs(Threads&, const Crs<Host, T>&, const SortParams&); \
  TESSERA_INSTANTIATE_PRODUCTS(Threads, EllView, T);                                                 \
  TESSERA_INSTANTIATE_PRODUCTS(Threads, SlicedEllView, T);                                           \
  TESSERA_INSTANTIATE_CONVERSIONS(Threads, Ell, T);                                                  \
  TESSERA_INSTANTIATE_CONVERSIONS(Threads, SlicedEll, T)
TESSERA_INSTANTIATE_ELL(double);
TESSERA_INSTANTIATE_ELL(float);

}  // namespace tessera::linalg
