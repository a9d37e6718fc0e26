#include <algorithm>

#include "base/parallel.hpp"
#include "solvers/grid/cufft.hpp"
#include "solvers/grid/sine_transform.hpp"

namespace tessera::solvers::grid {

namespace {

/// Side of the tiles in which lines across memory become lines along it; 8 rows of threads.
constexpr int tile = 32;
constexpr int tile_rows = 8;

/// Lines of an array [outer, length, inner], from `first` on.
struct Lines {
  Index inner, length;
  Offset first, count;

  __device__ Offset start(Offset line) const {
    const unsigned l = static_cast<unsigned>(first + line), o = l / static_cast<unsigned>(inner);
    return l - Offset{o} * inner + Offset{o} * length * inner;
  }
};

__host__ __device__ Offset tiles(Offset count) { return (count + tile - 1) / tile; }

/// e_j = factor x_j, e_{2N-j} = -e_j, e_0 = e_N = 0, N = length + 1: the odd extension, [lines, 2N]. Tiles along 0 ..
/// N.
template <class T>
__global__ void __launch_bounds__(tile* tile_rows)
    extend(Lines lines, RowFactors<T> factors, const T* __restrict__ x, T* __restrict__ e) {
  __shared__ T part[tile][tile + 1];
  const Offset N = Offset{lines.length} + 1, along = tiles(N + 1);
  const Offset first_line = blockIdx.x / along * tile, first_j = blockIdx.x % along * tile;
  const int tx = threadIdx.x % tile, ty = threadIdx.x / tile;
  if (first_line + tx < lines.count) {
    const Offset start = lines.start(first_line + tx);
#pragma unroll
    for (int row = ty; row < tile; row += tile_rows) {
      const Offset j = first_j + row, place = start + (j - 1) * lines.inner;
      part[row][tx] = j >= 1 && j < N ? factors.at(place) * x[place] : T(0);
    }
  }
  __syncthreads();
  const Offset j = first_j + tx;
  if (j > N) return;
#pragma unroll
  for (int row = ty; row < tile; row += tile_rows) {
    if (first_line + row >= lines.count) return;
    T* const line = e + (first_line + row) * 2 * N;
    const T value = part[tx][row];
    line[j] = value;
    if (j >= 1 && j < N) line[2 * N - j] = -value;
  }
}

__device__ void sine_cosine(double turn, double& s, double& c) { sincospi(turn, &s, &c); }
__device__ void sine_cosine(double turn, float& s, float& c) { sincospif(static_cast<float>(turn), &s, &c); }

/// y_k = -1/2 Im E_k, times factors, of the transform E of the 2N extended numbers. These were taken for N complex
/// ones, e_{2m} + i e_{2m+1}, whose transform is C: with t = cos(pi k / N) Re(C_k - C_{N-k}) + sin(pi k / N) Im(C_k +
/// C_{N-k}),
///   y_k = (t - Im(C_k - C_{N-k})) / 4,   y_{N-k} = (t + Im(C_k - C_{N-k})) / 4.   Tiles along 1 .. N/2.
template <class T>
__global__ void __launch_bounds__(tile* tile_rows)
    take(Lines lines, RowFactors<T> factors, const T* __restrict__ C, T* __restrict__ y) {
  __shared__ T low[tile][tile + 1], high[tile][tile + 1];
  const Offset N = Offset{lines.length} + 1, last = N / 2, along = tiles(last);
  const Offset first_line = blockIdx.x / along * tile, first_k = blockIdx.x % along * tile + 1;
  const int tx = threadIdx.x % tile, ty = threadIdx.x / tile;
  if (const Offset k = first_k + tx; k <= last) {
    T s, c;
    sine_cosine(static_cast<double>(k) / static_cast<double>(N), s, c);
#pragma unroll
    for (int row = ty; row < tile; row += tile_rows)
      if (first_line + row < lines.count) {
        const T* const line = C + (first_line + row) * 2 * N;
        const T re = line[2 * k], im = line[2 * k + 1], other_re = line[2 * (N - k)], other_im = line[2 * (N - k) + 1];
        const T t = c * (re - other_re) + s * (im + other_im), difference = im - other_im;
        low[tx][row] = T(0.25) * (t - difference);
        high[tx][row] = T(0.25) * (t + difference);
      }
  }
  __syncthreads();
  if (first_line + tx >= lines.count) return;
  const Offset start = lines.start(first_line + tx);
#pragma unroll
  for (int row = ty; row < tile; row += tile_rows) {
    const Offset k = first_k + row;
    if (k > last) return;
    const Offset place = start + (k - 1) * lines.inner, mirrored = start + (N - k - 1) * lines.inner;
    y[place] = factors.at(place) * low[row][tx];
    if (N - k != k) y[mirrored] = factors.at(mirrored) * high[row][tx];
  }
}

Offset lines_of_slice(Offset count, Offset line_bytes, Offset slice_bytes) {
  const Offset slices = (count * line_bytes + slice_bytes - 1) / slice_bytes;
  return (count + slices - 1) / slices;
}

}  // namespace

template <class Exec, class T>
struct SineTransform<Exec, T>::State {
  Index inner, length;
  Offset count, slice;  ///< lines in all, and at a time
  Array<T, Device> extended;
  ComplexTransforms<T> transforms;

  State(Cuda& exec, Index inner_size, Index line_length, Index outer, Offset slice_bytes)
      : inner(inner_size),
        length(line_length),
        count(Offset{inner_size} * outer),
        slice(lines_of_slice(count, pitch() * static_cast<Offset>(sizeof(T)), slice_bytes)),
        extended(slice * pitch()),
        transforms(exec, line_length + 1, static_cast<Index>(slice)) {
    extended.set_zero();
  }
  Offset pitch() const { return 2 * (Offset{length} + 1); }
};

template <class Exec, class T>
SineTransform<Exec, T>::SineTransform(Exec& exec, Index inner, Index length, Index outer, Offset slice_bytes)
    : state_(std::make_unique<State>(exec, inner, length, outer, slice_bytes)) {}
template <class Exec, class T>
SineTransform<Exec, T>::~SineTransform() = default;
template <class Exec, class T>
SineTransform<Exec, T>::SineTransform(SineTransform&&) noexcept = default;

template <class Exec, class T>
void SineTransform<Exec, T>::apply(Exec& exec, RowFactors<T> before, View<const T> x, RowFactors<T> after, View<T> y) {
  State& state = *state_;
  for (Offset first = 0; first < state.count; first += state.slice) {
    const Lines lines{state.inner, state.length, first, std::min(state.slice, state.count - first)};
    const Offset across = tiles(lines.count);
    T* const extended = state.extended.data();
    launch(exec, extend<T>, across * tiles(Offset{lines.length} + 2), tile * tile_rows, lines, before, x.data(),
           extended);
    // The last slice may be shorter: what its other lines held before is transformed too, and not looked at.
    state.transforms.apply(state.extended);
    launch(exec, take<T>, across * tiles((Offset{lines.length} + 1) / 2), tile * tile_rows, lines, after, extended,
           y.data());
  }
}

template <class Exec, class T>
void multiply_rows(Exec& exec, RowFactors<T> factors, std::type_identity_t<View<const T>> x, View<T> y) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset i) { y[i] = factors.at(i) * x[i]; });
}

template class SineTransform<Cuda, double>;
template class SineTransform<Cuda, float>;
template void multiply_rows(Cuda&, RowFactors<double>, View<const double>, View<double>);
template void multiply_rows(Cuda&, RowFactors<float>, View<const float>, View<float>);

}  // namespace tessera::solvers::grid
