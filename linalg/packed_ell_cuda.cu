#include "linalg/ell_kernel.cuh"
#include "linalg/packed_ell_encode.cuh"

namespace tessera::linalg {

/// Entries in flight of a slice of diagonals, which have nothing to read but values.
constexpr int diagonal_loads = 4;

template <int loads, class T>
__device__ T row_product(const PackedEllView<T>& a, Offset slot, const T* x) {
  const Offset slice = slot / slice_height;
  const int lane = static_cast<int>(slot % slice_height);
  const PackedSlice begin = a.slices[slice], end = a.slices[slice + 1];
  const Index width = static_cast<Index>((end.values - begin.values) / slice_height);
  const Index* words = a.words.data() + begin.words;
  const T* values = a.values.data() + begin.values + lane;
  // One branch a warp: all lanes of a slice have the same code.
  switch (code_of(end.words - begin.words, width)) {
    case ColumnCode::diagonals:
      return detail::sum_row<diagonal_loads>(values, slice_height, width, x, [=](Index k) {
        const int2 base_mask = __ldg(reinterpret_cast<const int2*>(words) + k);
        return static_cast<unsigned>(base_mask.y) >> lane & 1u ? base_mask.x + lane : -1;
      });
    case ColumnCode::deltas:
      return detail::sum_row<loads>(values, slice_height, width, x, [=](Index k) {
        const unsigned delta = __ldcs(a.deltas(words, width, k) + lane);
        const Index base = __ldg(words + k);
        return delta != a.no_delta ? base + lane + static_cast<Index>(delta) : -1;
      });
    default:
      return detail::sum_row<loads>(values, slice_height, width, x, [=](Index k) {
        return __ldcs(words + static_cast<Offset>(k) * slice_height + lane);
      });
  }
}

template <class T, class Use>
void product(Cuda& exec, const PackedEllView<T>& a, View<const T> x, Use use, double* result) {
  detail::rows_product(exec, a, x, use, result);
}

#define TESSERA_INSTANTIATE_PACKED_ELL(T)                                                             \
  template PackedEll<Device, T> packed_ell_from_crs(Cuda&, const Crs<Device, T>&, const SortParams&); \
  TESSERA_INSTANTIATE_PRODUCTS(Cuda, PackedEllView, T);                                               \
  TESSERA_INSTANTIATE_CONVERSIONS(Cuda, PackedEll, T)
TESSERA_INSTANTIATE_PACKED_ELL(double);
TESSERA_INSTANTIATE_PACKED_ELL(float);

}  // namespace tessera::linalg
