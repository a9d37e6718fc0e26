// Transfers between orders on CUDA: a block of threads holds some items in shared memory and goes from axis to axis.
#include <algorithm>

#include "assembly/cells/shared_launch.cuh"
#include "assembly/matrix_free/order_transfer_impl.hpp"

namespace tessera::assembly {
namespace orders {
namespace {

constexpr int transfer_block = 128;
/// Nodes of the higher order that a block of threads holds, about.
constexpr int nodes_of_block = 4 * transfer_block;

/// Items of a block of threads, and what they need of shared memory: two lattices, and the matrix of an axis.
struct Shape {
  int items, lattice, matrix;
  explicit Shape(const ItemsView& block)
      : items(std::max(1, nodes_of_block / block.high_nodes)),
        lattice(items * std::max(block.high_nodes, block.low_nodes)),
        matrix(block.axes > 1 ? block.high * block.low : 0) {}
  template <class T>
  std::size_t bytes() const {
    return sizeof(T) * static_cast<std::size_t>(2 * lattice + matrix);
  }
};

template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(8) unsigned char shared_bytes[];
  return reinterpret_cast<T*>(shared_bytes);
}

/// The matrix of an axis where threads of a block read different entries of it: in shared memory where there are
/// several axes.
template <class T>
__device__ const T* place_matrix(const Shape& shape, const T* M, T* shared) {
  for (int t = threadIdx.x; t < shape.matrix; t += transfer_block) shared[t] = M[t];
  return shape.matrix > 0 ? shared : M;
}

/// Entry t of M now, or M^T now: now [items, outer, columns, inner], t in [items, outer, rows, inner].
template <bool transposed, class T>
__device__ T entry(const T* M, unsigned rows, unsigned columns, unsigned inner, unsigned t, const T* now) {
  const unsigned s = t % inner, line = t / inner, i = line % rows, o = line / rows;
  const T* from = now + o * columns * inner + s;
  T sum = 0;
  for (unsigned j = 0; j < columns; ++j) sum += M[transposed ? j * rows + i : i * columns + j] * from[j * inner];
  return sum;
}

template <class T>
__global__ void __launch_bounds__(transfer_block)
    prolong_items(ItemsView block, Shape shape, const T* M, SeenVector<T> y, T* x) {
  T* now = shared_memory<T>();
  T* next = now + shape.lattice;
  const T* axis_matrix = place_matrix(shape, M, next + shape.lattice);
  const Offset first = blockIdx.x * Offset{shape.items};
  const int items = static_cast<int>(min(Offset{shape.items}, block.items - first));
  const Index* rows = block.rows + first * block.low_nodes;
  for (int t = threadIdx.x; t < items * block.low_nodes; t += transfer_block) now[t] = rows[t] < 0 ? T(0) : y[rows[t]];
  unsigned inner = 1, count = items * block.low_nodes / block.low * block.high;
  for (int axis = 0; axis + 1 < block.axes; ++axis, inner *= block.high, count = count / block.low * block.high) {
    __syncthreads();
    for (unsigned t = threadIdx.x; t < count; t += transfer_block)
      next[t] = entry<false>(axis_matrix, block.high, block.low, inner, t, now);
    T* const swapped = now;
    now = next, next = swapped;
  }
  __syncthreads();
  const Index* owned = block.owned + first * block.high_nodes;
  for (unsigned t = threadIdx.x; t < count; t += transfer_block) {
    const Index row = owned[t];
    if (row >= 0 && row < block.written) x[row] += entry<false>(axis_matrix, block.high, block.low, inner, t, now);
  }
}

template <class T>
__global__ void __launch_bounds__(transfer_block)
    gather_items(ItemsView block, Shape shape, const T* M, SeenVector<T> r, T* values) {
  T* now = shared_memory<T>();
  T* next = now + shape.lattice;
  const T* axis_matrix = place_matrix(shape, M, next + shape.lattice);
  const Offset first = blockIdx.x * Offset{shape.items};
  const int items = static_cast<int>(min(Offset{shape.items}, block.items - first));
  const Index* owned = block.owned + first * block.high_nodes;
  for (int t = threadIdx.x; t < items * block.high_nodes; t += transfer_block)
    now[t] = owned[t] < 0 ? T(0) : r[owned[t]];
  unsigned inner = block.high_nodes / block.high, count = items * block.high_nodes / block.high * block.low;
  for (int axis = block.axes - 1; axis > 0; --axis, inner /= block.high, count = count / block.high * block.low) {
    __syncthreads();
    for (unsigned t = threadIdx.x; t < count; t += transfer_block)
      next[t] = entry<true>(axis_matrix, block.low, block.high, inner, t, now);
    T* const swapped = now;
    now = next, next = swapped;
  }
  __syncthreads();
  T* const to = values + block.first + first * block.low_nodes;
  for (unsigned t = threadIdx.x; t < count; t += transfer_block)
    to[t] = entry<true>(axis_matrix, block.low, block.high, inner, t, now);
}

}  // namespace

template <class Exec, class T>
void prolong(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> y, T* x) {
  const Shape shape(block);
  launch_with_shared(exec, prolong_items<T>, (block.items + shape.items - 1) / shape.items, transfer_block,
                     shape.bytes<T>(), block, shape, M, y, x);
}

template <class Exec, class T>
void gather(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> r, T* values) {
  const Shape shape(block);
  launch_with_shared(exec, gather_items<T>, (block.items + shape.items - 1) / shape.items, transfer_block,
                     shape.bytes<T>(), block, shape, M, r, values);
}

}  // namespace orders

TESSERA_INSTANTIATE_ORDER_TRANSFER(Cuda);

}  // namespace tessera::assembly
