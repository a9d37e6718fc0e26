#include "linalg/ell_impl.hpp"
#include "linalg/ell_kernel.cuh"

namespace tessera::linalg {

template <int loads, class T>
__device__ T row_product(const EllView<T>& a, Offset slot, const T* x) {
  const Index* col_ind = a.col_ind.data() + slot;
  return detail::sum_row<loads>(a.values.data() + slot, a.stride, a.columns, x,
                                [=](Index k) { return __ldcs(col_ind + k * a.stride); });
}

template <int loads, class T>
__device__ T row_product(const SlicedEllView<T>& a, Offset slot, const T* x) {
  const Offset* slice = a.slice_ptr.data() + slot / slice_height;
  const Offset begin = __ldg(slice), first = begin + slot % slice_height;
  const Index* col_ind = a.col_ind.data() + first;
  return detail::sum_row<loads>(a.values.data() + first, slice_height,
                                static_cast<Index>((__ldg(slice + 1) - begin) / slice_height), x,
                                [=](Index k) { return __ldcs(col_ind + k * slice_height); });
}

template <class T, class Use>
void product(Cuda& exec, const EllView<T>& a, View<const T> x, Use use, double* result) {
  detail::rows_product(exec, a, x, use, result);
}
template <class T, class Use>
void product(Cuda& exec, const SlicedEllView<T>& a, View<const T> x, Use use, double* result) {
  detail::rows_product(exec, a, x, use, result);
}

#define TESSERA_INSTANTIATE_ELL(T)                                                                    \
  template Ell<Device, T> ell_from_crs(Cuda&, const Crs<Device, T>&);                                 \
  template SlicedEll<Device, T> sliced_ell_from_crs(Cuda&, const Crs<Device, T>&, const SortParams&); \
  TESSERA_INSTANTIATE_PRODUCTS(Cuda, EllView, T);                                                     \
  TESSERA_INSTANTIATE_PRODUCTS(Cuda, SlicedEllView, T);                                               \
  TESSERA_INSTANTIATE_CONVERSIONS(Cuda, Ell, T);                                                      \
  TESSERA_INSTANTIATE_CONVERSIONS(Cuda, SlicedEll, T)
TESSERA_INSTANTIATE_ELL(double);
TESSERA_INSTANTIATE_ELL(float);

}  // namespace tessera::linalg
