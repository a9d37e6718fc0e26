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
/// Those that a thread has, at most: of an item alone where it has more nodes.
constexpr int most_nodes = (max_order + 1) * (max_order + 1) * (max_order + 1);
constexpr int nodes_of_thread = (most_nodes + transfer_block - 1) / transfer_block;

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
__device__ __forceinline__ T entry(const T* M, unsigned rows, unsigned columns, unsigned inner, unsigned t,
                                   const T* now) {
  const unsigned s = t % inner, line = t / inner, i = line % rows, o = line / rows;
  const T* from = now + o * columns * inner + s;
  T sum = 0;
#pragma unroll
  for (unsigned j = 0; j < columns; ++j) sum += M[transposed ? j * rows + i : i * columns + j] * from[j * inner];
  return sum;
}
/// All `count` entries.
template <bool transposed, class T>
__device__ __forceinline__ void pass(const T* M, unsigned rows, unsigned columns, unsigned inner, unsigned count,
                                     const T* now, T* next) {
  for (unsigned t = threadIdx.x; t < count; t += transfer_block)
    next[t] = entry<transposed>(M, rows, columns, inner, t, now);
}

/// How items go from axis to axis; `now` has their values and `next` is free. `first` makes all axes but the last one
/// that is left, and says where their result is; `last` an entry of that.
template <class T>
struct AnySize {
  int axes, high, low;
  explicit AnySize(const ItemsView& block) : axes(block.axes), high(block.high), low(block.low) {}

  template <bool transposed>
  __device__ const T* first(const T* M, unsigned nodes, T* now, T* next) const {
    const unsigned rows = transposed ? low : high, columns = transposed ? high : low;
    for (int step = 0; step + 1 < axes; ++step) {
      __syncthreads();
      nodes = nodes / columns * rows;
      pass<transposed>(M, rows, columns, power(high, transposed ? axes - 1 - step : step), nodes, now, next);
      T* const swapped = now;
      now = next, next = swapped;
    }
    return now;
  }
  template <bool transposed>
  __device__ T last(const T* M, unsigned t, const T* now) const {
    return transposed ? entry<true>(M, low, high, 1, t, now)
                      : entry<false>(M, high, low, power(high, axes - 1), t, now);
  }

 private:
  __device__ static unsigned power(unsigned base, int exponent) {
    unsigned result = 1;
    for (int i = 0; i < exponent; ++i) result *= base;
    return result;
  }
};

/// The same of two axes where the compiler knows the sizes, and divides by no number.
template <class T, unsigned high, unsigned low>
struct FixedSize {
  template <bool transposed>
  __device__ const T* first(const T* M, unsigned nodes, T* now, T* next) const {
    constexpr unsigned rows = transposed ? low : high, columns = transposed ? high : low;
    __syncthreads();
    pass<transposed>(M, rows, columns, transposed ? high : 1u, nodes / columns * rows, now, next);
    return next;
  }
  template <bool transposed>
  __device__ T last(const T* M, unsigned t, const T* now) const {
    if constexpr (transposed)
      return entry<true>(M, low, high, 1u, t, now);
    else
      return entry<false>(M, high, low, high, t, now);
  }
};

template <class Size, class T>
__global__ void __launch_bounds__(transfer_block)
    prolong_items(Size size, ItemsView block, Shape shape, const T* M, SeenVector<T> y, T* x) {
  T* now = shared_memory<T>();
  T* next = now + shape.lattice;
  const T* axis_matrix = place_matrix(shape, M, next + shape.lattice);
  const Offset first = blockIdx.x * Offset{shape.items};
  const int items = static_cast<int>(min(Offset{shape.items}, block.items - first));
  const Index* rows = block.rows + first * block.low_nodes;
  for (int t = threadIdx.x; t < items * block.low_nodes; t += transfer_block) now[t] = rows[t] < 0 ? T(0) : y[rows[t]];
  // What is added to comes while the axes are gone through.
  const int nodes = items * block.high_nodes;
  const Index* owned = block.owned + first * block.high_nodes;
  Index row[nodes_of_thread];
  T sum[nodes_of_thread];
#pragma unroll
  for (int k = 0, t = threadIdx.x; k < nodes_of_thread; ++k, t += transfer_block) row[k] = t < nodes ? owned[t] : -1;
#pragma unroll
  for (int k = 0; k < nodes_of_thread; ++k) {
    if (row[k] >= block.written) row[k] = -1;
    if (row[k] >= 0) sum[k] = x[row[k]];
  }
  const T* lines = size.template first<false>(axis_matrix, items * block.low_nodes, now, next);
  __syncthreads();
#pragma unroll
  for (int k = 0, t = threadIdx.x; k < nodes_of_thread; ++k, t += transfer_block)
    if (row[k] >= 0) x[row[k]] = sum[k] + size.template last<false>(axis_matrix, t, lines);
}

template <class Size, class T>
__global__ void __launch_bounds__(transfer_block)
    gather_items(Size size, ItemsView block, Shape shape, const T* M, SeenVector<T> r, T* values) {
  T* now = shared_memory<T>();
  T* next = now + shape.lattice;
  const T* axis_matrix = place_matrix(shape, M, next + shape.lattice);
  const Offset first = blockIdx.x * Offset{shape.items};
  const int items = static_cast<int>(min(Offset{shape.items}, block.items - first));
  const Index* owned = block.owned + first * block.high_nodes;
  const int nodes = items * block.high_nodes;
  T value[nodes_of_thread];
#pragma unroll
  for (int k = 0, t = threadIdx.x; k < nodes_of_thread; ++k, t += transfer_block) {
    const Index row = t < nodes ? owned[t] : -1;
    value[k] = row < 0 ? T(0) : r[row];
  }
#pragma unroll
  for (int k = 0, t = threadIdx.x; k < nodes_of_thread; ++k, t += transfer_block)
    if (t < nodes) now[t] = value[k];
  const T* lines = size.template first<true>(axis_matrix, nodes, now, next);
  __syncthreads();
  T* const to = values + block.first + first * block.low_nodes;
  for (int t = threadIdx.x; t < items * block.low_nodes; t += transfer_block)
    to[t] = size.template last<true>(axis_matrix, t, lines);
}

/// Hexes of sizes that the compiler knows: high^2 threads hold an item, each a line of it at a time. Items of a block
/// of threads, which has about 128.
template <int high>
constexpr int items_of_lines = high* high > 64 ? 1 : 128 / (high * high);

/// The matrix of an axis as a kernel parameter: parameters are constants, which multiplications take as operands.
template <int high, int low, class T>
struct AxisConstants {
  T values[high * low];
  explicit AxisConstants(const double* axis) {
    for (int i = 0; i < high * low; ++i) values[i] = static_cast<T>(axis[i]);
  }
};

/// to = M from, or M^T from.
template <int rows, int columns, bool transposed, class T>
__device__ __forceinline__ void times(const T (&M)[rows * columns], const T (&from)[columns], T (&to)[rows]) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    to[i] = 0;
#pragma unroll
    for (int j = 0; j < columns; ++j) to[i] += M[transposed ? j * rows + i : i * columns + j] * from[j];
  }
}

template <int high, int low, class T>
__global__ void __launch_bounds__(items_of_lines<high>* high* high)
    prolong_lines(ItemsView block, const __grid_constant__ AxisConstants<high, low, T> M, SeenVector<T> y, T* x) {
  __shared__ T of_x[items_of_lines<high>][low * low * high], of_xy[items_of_lines<high>][low * high * high];
  const int in_block = threadIdx.x / (high * high), lane = threadIdx.x % (high * high);
  const Offset item = blockIdx.x * Offset{items_of_lines<high>} + in_block;
  const bool active = item < block.items;
  T from[low], to[high];
  // What is added to comes while the first two axes are gone through.
  Index row[high];
  T sum[high];
#pragma unroll
  for (int i = 0; i < high; ++i)
    row[i] = active ? block.owned[item * (high * high * high) + i * high * high + lane] : -1;
  if (active && lane < low * low) {
    const Index* rows = block.rows + item * (low * low * low) + lane * low;
#pragma unroll
    for (int j = 0; j < low; ++j) from[j] = rows[j] < 0 ? T(0) : y[rows[j]];
    times<high, low, false>(M.values, from, to);
#pragma unroll
    for (int i = 0; i < high; ++i) of_x[in_block][lane * high + i] = to[i];
  }
#pragma unroll
  for (int i = 0; i < high; ++i) {
    if (row[i] >= block.written) row[i] = -1;
    sum[i] = row[i] < 0 ? T(0) : x[row[i]];
  }
  __syncthreads();
  if (lane < high * low) {
    const int a = lane % high, c = lane / high;
#pragma unroll
    for (int j = 0; j < low; ++j) from[j] = of_x[in_block][(c * low + j) * high + a];
    times<high, low, false>(M.values, from, to);
#pragma unroll
    for (int i = 0; i < high; ++i) of_xy[in_block][(c * high + i) * high + a] = to[i];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < low; ++j) from[j] = of_xy[in_block][j * high * high + lane];
  times<high, low, false>(M.values, from, to);
#pragma unroll
  for (int i = 0; i < high; ++i)
    if (row[i] >= 0) x[row[i]] = sum[i] + to[i];
}

template <int high, int low, class T>
__global__ void __launch_bounds__(items_of_lines<high>* high* high)
    gather_lines(ItemsView block, const __grid_constant__ AxisConstants<high, low, T> M, SeenVector<T> r, T* values) {
  __shared__ T of_z[items_of_lines<high>][low * high * high], of_yz[items_of_lines<high>][low * low * high];
  const int in_block = threadIdx.x / (high * high), lane = threadIdx.x % (high * high);
  const Offset item = blockIdx.x * Offset{items_of_lines<high>} + in_block;
  const bool active = item < block.items;
  T from[high], to[low];
  Index row[high];
#pragma unroll
  for (int i = 0; i < high; ++i)
    row[i] = active ? block.owned[item * (high * high * high) + i * high * high + lane] : -1;
#pragma unroll
  for (int i = 0; i < high; ++i) from[i] = row[i] < 0 ? T(0) : r[row[i]];
  times<low, high, true>(M.values, from, to);
#pragma unroll
  for (int j = 0; j < low; ++j) of_z[in_block][j * high * high + lane] = to[j];
  __syncthreads();
  if (lane < high * low) {
    const int a = lane % high, c = lane / high;
#pragma unroll
    for (int i = 0; i < high; ++i) from[i] = of_z[in_block][(c * high + i) * high + a];
    times<low, high, true>(M.values, from, to);
#pragma unroll
    for (int j = 0; j < low; ++j) of_yz[in_block][(c * low + j) * high + a] = to[j];
  }
  __syncthreads();
  if (!active || lane >= low * low) return;
#pragma unroll
  for (int i = 0; i < high; ++i) from[i] = of_yz[in_block][lane * high + i];
  times<low, high, true>(M.values, from, to);
  T* const out = values + block.first + item * (low * low * low) + lane * low;
#pragma unroll
  for (int j = 0; j < low; ++j) out[j] = to[j];
}

/// Sizes of hexes that are known.
template <int of_high, int of_low>
struct LinesOf {
  static constexpr int high = of_high, low = of_low;
};

/// items(size) of the cells of a block, or lines(size) of those that have them: the orders that are halved most often
/// are known to the compiler.
template <class T, class Items, class Lines>
void with_size(const ItemsView& block, Items items, Lines lines) {
  const auto is = [&](int axes, int high, int low) {
    return block.axes == axes && block.high == high && block.low == low;
  };
  if (is(3, 3, 2)) return lines(LinesOf<3, 2>{});
  if (is(3, 5, 3)) return lines(LinesOf<5, 3>{});
  if (is(3, 9, 5)) return lines(LinesOf<9, 5>{});
  if (is(2, 3, 2)) return items(FixedSize<T, 3, 2>{});
  if (is(2, 5, 3)) return items(FixedSize<T, 5, 3>{});
  if (is(2, 9, 5)) return items(FixedSize<T, 9, 5>{});
  items(AnySize<T>(block));
}

}  // namespace

template <class Exec, class T>
void prolong(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> y, T* x) {
  const Shape shape(block);
  with_size<T>(
      block,
      [&](auto size) {
        launch_with_shared(exec, prolong_items<decltype(size), T>, (block.items + shape.items - 1) / shape.items,
                           transfer_block, shape.bytes<T>(), size, block, shape, M, y, x);
      },
      [&](auto size) {
        constexpr int high = decltype(size)::high, low = decltype(size)::low, items = items_of_lines<high>;
        launch(exec, prolong_lines<high, low, T>, (block.items + items - 1) / items, items * high * high, block,
               AxisConstants<high, low, T>(block.axis), y, x);
      });
}

template <class Exec, class T>
void gather(Exec& exec, const ItemsView& block, const T* M, SeenVector<T> r, T* values) {
  const Shape shape(block);
  with_size<T>(
      block,
      [&](auto size) {
        launch_with_shared(exec, gather_items<decltype(size), T>, (block.items + shape.items - 1) / shape.items,
                           transfer_block, shape.bytes<T>(), size, block, shape, M, r, values);
      },
      [&](auto size) {
        constexpr int high = decltype(size)::high, low = decltype(size)::low, items = items_of_lines<high>;
        launch(exec, gather_lines<high, low, T>, (block.items + items - 1) / items, items * high * high, block,
               AxisConstants<high, low, T>(block.axis), r, values);
      });
}

}  // namespace orders

TESSERA_INSTANTIATE_ORDER_TRANSFER(Cuda);

}  // namespace tessera::assembly
