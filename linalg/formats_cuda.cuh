#pragma once
// How products of the formats go over a GPU.
#include "base/parallel.hpp"

namespace tessera::linalg::detail {

/// Threads of a block; what ends a reduction relies on it.
inline constexpr int product_block = reduce_block;

/// Where the blocks of a kernel that also sums leave their parts.
struct ProductSum {
  unsigned* ticket = nullptr;
  double* partial = nullptr;
  double* result = nullptr;

  __device__ void finish(double total) const {
    kernels::finish_reduce(kernels::block_sum<double, product_block>(total), ticket, partial, result);
  }
};

/// Launches kernel(args..., use, sum) on `tiles` tiles of work. Where it sums, or asks to be `persistent`, at most as
/// many blocks as fit on the GPU, `resident` on a multiprocessor, go through all tiles; each block leaves one partial
/// sum, and their number fixes the order of the sum.
template <class Use, class Kernel, class... Args>
void launch_product(Cuda& exec, Kernel kernel, Offset tiles, int resident, bool persistent, double* result, Use use,
                    const Args&... args) {
  const Offset most = static_cast<Offset>(exec.multiprocessors()) * resident;
  Offset blocks = (Use::reduces || persistent) && tiles > most ? most : tiles;
  ProductSum sum{nullptr, nullptr, result};
  if constexpr (Use::reduces) {
    if (blocks < 1) blocks = 1;  // the sum of nothing is 0
    auto* scratch = static_cast<char*>(exec.scratch(256 + sizeof(double) * static_cast<std::size_t>(blocks)));
    sum.ticket = reinterpret_cast<unsigned*>(scratch);
    sum.partial = reinterpret_cast<double*>(scratch + 256);
  }
  launch(exec, kernel, blocks, product_block, args..., use, sum);
}

}  // namespace tessera::linalg::detail
