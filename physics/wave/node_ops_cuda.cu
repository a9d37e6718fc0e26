#include "physics/wave/node_ops_impl.hpp"

namespace tessera::physics::wave {
namespace kernels {

constexpr int sums_of_block = 4;

/// A warp a sum: a receiver in a hex of degree 4 has 125 weights, which one thread would take one after the other.
template <class T>
__global__ void __launch_bounds__(32 * sums_of_block)
    add_weighted_sums(View<const Offset> row_ptr, View<const Index> columns, View<const double> weights,
                      View<const T> x, double factor, View<double> values) {
  const Offset i = blockIdx.x * Offset{sums_of_block} + threadIdx.x / 32;
  if (i >= values.size()) return;
  double sum = 0;
  for (Offset k = row_ptr[i] + threadIdx.x % 32; k < row_ptr[i + 1]; k += 32)
    sum += weights[k] * static_cast<double>(x[columns[k]]);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) values[i] += factor * sum;
}

}  // namespace kernels

template <class Exec, class T>
void add_weighted_sums(Exec& exec, View<const Offset> row_ptr, View<const Index> columns, View<const double> weights,
                       View<const T> x, double factor, View<double> values) {
  launch(exec, kernels::add_weighted_sums<T>, (values.size() + kernels::sums_of_block - 1) / kernels::sums_of_block,
         32 * kernels::sums_of_block, row_ptr, columns, weights, x, factor, values);
}

TESSERA_INSTANTIATE_NODE_OPS(Cuda, double);
TESSERA_INSTANTIATE_NODE_OPS(Cuda, float);
TESSERA_INSTANTIATE_WEIGHTED_SUMS(Cuda, double);
TESSERA_INSTANTIATE_WEIGHTED_SUMS(Cuda, float);
template void put_numbers(Cuda&, std::span<const double>, View<double>);
}  // namespace tessera::physics::wave
