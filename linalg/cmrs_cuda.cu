#include "linalg/cmrs_impl.hpp"
#include "linalg/cmrs_kernel.cuh"

namespace tessera::linalg {
namespace detail {

/// One warp a strip; lane r < 16 places the entries of row r.
template <class Place, class Finish>
__global__ void __launch_bounds__(product_block) arrange_kernel(Strips strips, Place place, Finish finish) {
  const Offset strip = (blockIdx.x * static_cast<Offset>(product_block) + threadIdx.x) / 32;
  if (strip >= strips.count()) return;
  const int lane = threadIdx.x % 32;
  const Index length = lane < strip_height ? static_cast<Index>(strips.length(strip * strip_height + lane)) : 0;
  Index left = length;
  Offset slots = 0;
  for (; __any_sync(0xffffffffu, left > 0); slots += strip_chunk) {
    Index start = 0;  // what the rows before this one give
#pragma unroll
    for (int r = 0; r < strip_height; ++r) {
      const Index other = __shfl_sync(0xffffffffu, left, r);
      if (other > left || (other == left && r < lane)) start += min(other, strips.buffers);
    }
    const Index take = min(min(left, strips.buffers), max(0, strip_chunk - start));
    for (Index i = 0; i < take; ++i) place(strip, slots + start + i, lane, length - left + i);
    left -= take;
  }
  if (lane == 0) finish(strip, slots);
}

template <class Place, class Finish>
void arrange(Cuda& exec, const Strips& strips, Place place, Finish finish) {
  constexpr int warps = product_block / 32;
  launch(exec, arrange_kernel<Place, Finish>, (strips.count() + warps - 1) / warps, product_block, strips, place,
         finish);
}

}  // namespace detail

template <class T, class Use>
void product(Cuda& exec, const CmrsView<T>& a, View<const T> x, Use use, double* result) {
  constexpr int warps = detail::product_block / 32;
  detail::launch_product(exec, detail::cmrs_kernel<detail::cmrs_loads, detail::cmrs_resident, T, Use>,
                         (a.strips() + warps - 1) / warps, detail::cmrs_resident, true, result, use, a, x.data());
}

#define TESSERA_INSTANTIATE_CMRS(T)                                                        \
  template Cmrs<Device, T> cmrs_from_crs(Cuda&, const Crs<Device, T>&, const CmrsParams&); \
  TESSERA_INSTANTIATE_PRODUCTS(Cuda, CmrsView, T);                                         \
  TESSERA_INSTANTIATE_CONVERSIONS(Cuda, Cmrs, T)
TESSERA_INSTANTIATE_CMRS(double);
TESSERA_INSTANTIATE_CMRS(float);

}  // namespace tessera::linalg
