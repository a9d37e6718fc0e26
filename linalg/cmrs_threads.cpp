#include "linalg/cmrs_impl.hpp"
#include "linalg/formats_threads.hpp"

namespace tessera::linalg {
namespace {

constexpr Offset strips_per_chunk = 32;  ///< 512 rows

template <bool packed, class T>
void sum_strip(const CmrsView<T>& a, Offset strip, const T* x, T* sums) {
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
