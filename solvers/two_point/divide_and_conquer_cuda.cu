#include <cassert>

#include "base/parallel.hpp"
#include "solvers/two_point/divide_and_conquer.hpp"

namespace tessera::solvers::two_point {

namespace {

constexpr int column_block = 128;
/// Rows that a thread loads before it adds: additions wait for each other, loads need not.
constexpr int ahead = 8;
constexpr int square = 32;
constexpr int transpose_block = 256;

/// U(k,j) = d_{j s + k - missing}, counted from 0: squares of f through shared memory, so that both sides are
/// contiguous.
template <class T>
__global__ void __launch_bounds__(transpose_block) set_columns(Columns columns, T h2, const T* f, T* U) {
  __shared__ T values[square][square + 1];
  const Offset across = (columns.r + square - 1) / square;
  const Offset J = blockIdx.x % across * square, K = blockIdx.x / across * square;
  const int x = threadIdx.x % square;
  for (int y = threadIdx.x / square; y < square; y += transpose_block / square) {
    const Offset j = J + y, k = K + x, i = j * columns.s + k - columns.missing();
    if (j < columns.r && k < columns.s) values[y][x] = i < 0 ? T(0) : i == 0 ? T(0.5) * h2 * f[0] : h2 * f[i];
  }
  __syncthreads();
  for (int y = threadIdx.x / square; y < square; y += transpose_block / square) {
    const Offset j = J + x, k = K + y;
    if (j < columns.r && k < columns.s) U[k * columns.r + j] = values[x][y];
  }
}

/// 1A, one thread a column: U(k,j) += U(k-1,j).
template <class T>
__global__ void __launch_bounds__(column_block) step_1a(Columns columns, T* U) {
  const Offset j = blockIdx.x * static_cast<Offset>(column_block) + threadIdx.x;
  if (j >= columns.r) return;
  T sum = 0;
  for (Offset k = 0; k < columns.s; k += ahead) {
    T row[ahead];
#pragma unroll
    for (int q = 0; q < ahead; ++q) row[q] = k + q < columns.s ? U[(k + q) * columns.r + j] : T(0);
#pragma unroll
    for (int q = 0; q < ahead; ++q)
      if (k + q < columns.s) U[(k + q) * columns.r + j] = sum += row[q];
  }
}

/// 1C and 2A, one thread a column: U(k,j) = (U(k,j) + U(s,j-1)) + U(k+1,j), k = s-1 .. 1. Bottom rows are only read.
template <class T>
__global__ void __launch_bounds__(column_block) step_1c_2a(Columns columns, T* U) {
  const Offset j = blockIdx.x * static_cast<Offset>(column_block) + threadIdx.x;
  if (j >= columns.r) return;
  const T* bottom = U + (columns.s - 1) * columns.r;
  const T a = j > 0 ? bottom[j - 1] : T(0);
  T sum = bottom[j];
  for (Offset k = columns.s - 2; k >= 0; k -= ahead) {
    T row[ahead];
#pragma unroll
    for (int q = 0; q < ahead; ++q) row[q] = k - q >= 0 ? U[(k - q) * columns.r + j] : T(0);
#pragma unroll
    for (int q = 0; q < ahead; ++q)
      if (k - q >= 0) U[(k - q) * columns.r + j] = sum += row[q] + a;
  }
}

/// 2C on the way back to the order of the grid: u = U(k,j) + U(1,j+1), but the top row as it is.
template <class T>
__global__ void __launch_bounds__(transpose_block) step_2c(Columns columns, const T* U, T* u) {
  __shared__ T values[square][square + 1];
  const Offset across = (columns.r + square - 1) / square;
  const Offset J = blockIdx.x % across * square, K = blockIdx.x / across * square;
  const int x = threadIdx.x % square;
  for (int y = threadIdx.x / square; y < square; y += transpose_block / square) {
    const Offset j = J + x, k = K + y;
    if (j >= columns.r || k >= columns.s) continue;
    const T a = k > 0 && j + 1 < columns.r ? U[j + 1] : T(0);
    values[y][x] = U[k * columns.r + j] + a;
  }
  __syncthreads();
  for (int y = threadIdx.x / square; y < square; y += transpose_block / square) {
    const Offset j = J + y, k = K + x, i = j * columns.s + k - columns.missing();
    if (j < columns.r && k < columns.s && i >= 0) u[i] = values[x][y];
  }
}

template <class T, class R>
class DivideAndConquer final : public TwoPointSolver<Cuda, T> {
 public:
  explicit DivideAndConquer(const Columns& columns)
      : columns_(columns), U_(columns.r * columns.s), edge_(static_cast<std::size_t>(columns.r)) {}

  void solve(Cuda& exec, double h, View<const T> f, View<T> u) override {
    assert(f.size() == columns_.n && u.size() == columns_.n);
    const Offset column_blocks = (columns_.r + column_block - 1) / column_block;
    const Offset squares = ((columns_.r + square - 1) / square) * ((columns_.s + square - 1) / square);
    T* U = U_.data();
    launch(exec, set_columns<T>, squares, transpose_block, columns_, static_cast<T>(h * h), f.data(), U);
    launch(exec, step_1a<T>, column_blocks, column_block, columns_, U);
    step_b(U + (columns_.s - 1) * columns_.r, recurrence_forward<R, T>);
    launch(exec, step_1c_2a<T>, column_blocks, column_block, columns_, U);
    step_b(U, recurrence_backward<R, T>);
    launch(exec, step_2c<T>, squares, transpose_block, columns_, static_cast<const T*>(U), u.data());
  }

  // f to U, two sweeps over U, U to u.
  double bytes() const override { return 8.0 * sizeof(T) * static_cast<double>(columns_.n); }
  double workspace_bytes() const override { return static_cast<double>(U_.bytes()); }
  std::string type() const override { return "divide_and_conquer"; }
  Offset rows() const override { return columns_.s; }
  Offset columns() const override { return columns_.r; }

 private:
  /// The sequential steps stay on the host, as in [BVP10]: there and back.
  template <class Recurrence>
  void step_b(T* row, Recurrence recurrence) {
    const std::size_t bytes = sizeof(T) * edge_.size();
    copy_bytes(Device{}, row, Host{}, edge_.data(), bytes);
    recurrence(View<T>(edge_.data(), columns_.r));
    copy_bytes(Host{}, edge_.data(), Device{}, row, bytes);
  }

  Columns columns_;
  Array<T, Device> U_;  ///< [s, r], row-major
  std::vector<T> edge_;
};

}  // namespace

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_divide_and_conquer(Exec&, const Columns& columns) {
  return std::make_unique<DivideAndConquer<T, R>>(columns);
}

template std::unique_ptr<TwoPointSolver<Cuda, double>> make_divide_and_conquer<Cuda, double, double>(Cuda&,
                                                                                                     const Columns&);
template std::unique_ptr<TwoPointSolver<Cuda, float>> make_divide_and_conquer<Cuda, float, float>(Cuda&,
                                                                                                  const Columns&);
template std::unique_ptr<TwoPointSolver<Cuda, float>> make_divide_and_conquer<Cuda, float, double>(Cuda&,
                                                                                                   const Columns&);

}  // namespace tessera::solvers::two_point
