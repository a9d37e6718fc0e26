#include "linalg/cmrs_impl.hpp"
#include "linalg/formats_threads.hpp"
#include "linalg/prefetch.hpp"

namespace tessera::linalg {
namespace {

constexpr Offset strips_per_chunk = 32;  ///< 512 rows

/// Entries in the order that keeps lanes of a warp apart.
template <bool packed, class T>
void sum_entries(const CmrsView<T>& a, Offset strip, const T* x, T* sums) {
  const Offset last = a.strip_ptr[strip + 1];
  for (Offset place = a.strip_ptr[strip]; place < last; ++place) {
    const unsigned code = a.code[place];
    if (code == CmrsView<T>::padding) continue;
    if constexpr (packed)
      sums[code & 15u] += a.values[place] * x[code >> 4];
    else
      sums[a.row_in_strip[place]] += a.values[place] * x[code];
  }
}

/// Whole rows: runs of entries of one row.
template <bool packed, class T>
void sum_runs(const CmrsView<T>& a, Offset strip, const T* x, T* sums) {
  const unsigned* codes = a.code.data();
  const T* values = a.values.data();
  const Offset first = a.strip_ptr[strip], last = a.strip_ptr[strip + 1];
  auto row_of = [&](Offset place) { return packed ? codes[place] & 15u : a.row_in_strip[place]; };
  auto term = [&](Offset place) { return values[place] * x[packed ? codes[place] >> 4 : codes[place]]; };
  for (Offset place = first; place < last;) {
    const unsigned row = row_of(place);
    const Offset begin = place;
    T even = 0, odd = 0;
    for (; place + 1 < last && row_of(place + 1) == row; place += 2) {
      even += term(place);
      odd += term(place + 1);
    }
    if (place < last && row_of(place) == row) even += term(place++);
    sums[row] = even + odd;
    detail::prefetch(codes + begin, place - begin);
    detail::prefetch(values + begin, place - begin);
  }
}

template <bool packed, class T>
void sum_strip(const CmrsView<T>& a, Offset strip, const T* x, T* sums) {
  a.buffers == whole_rows ? sum_runs<packed>(a, strip, x, sums) : sum_entries<packed>(a, strip, x, sums);
}

}  // namespace

template <class T, class Use>
void product(Threads& exec, const CmrsView<T>& a, View<const T> x, Use use, double* result) {
  const double sum = detail::for_chunks(
      exec, a.strips(), strips_per_chunk, Use::reduces,
      [&](Offset strip) { return a.strip_ptr[std::min(strip, a.strips())]; },
      [&](Offset first, Offset last) {
        double total = 0;
        for (Offset strip = first; strip < last; ++strip) {
          T sums[strip_height] = {};
          if (a.packed())
            sum_strip<true>(a, strip, x.data(), sums);
          else
            sum_strip<false>(a, strip, x.data(), sums);
          const Offset row = strip * strip_height;
          for (int r = 0; r < strip_height && row + r < a.rows; ++r) total += use(row + r, sums[r]);
        }
        return total;
      });
  if (result) *result = sum;
}

#define TESSERA_INSTANTIATE_CMRS(T)                                                       \
  template Cmrs<Host, T> cmrs_from_crs(Threads&, const Crs<Host, T>&, const CmrsParams&); \
  TESSERA_INSTANTIATE_PRODUCTS(Threads, CmrsView, T);                                     \
  TESSERA_INSTANTIATE_CONVERSIONS(Threads, Cmrs, T)
TESSERA_INSTANTIATE_CMRS(double);
TESSERA_INSTANTIATE_CMRS(float);

}  // namespace tessera::linalg
