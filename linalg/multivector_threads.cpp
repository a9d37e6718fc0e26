#include <algorithm>
#include <vector>

#include "linalg/multivector_impl.hpp"

namespace tessera::linalg {
namespace {

/// Rows that are worked on together: those of some dozens of vectors stay in a second-level cache.
constexpr Offset rows_together = 256;
constexpr Offset tile = 4;

/// g_j += (x, y_j) of `count` rows, j < 4.
void dot_four(const double* x, const double* const* y, Offset count, double* g) {
  double a = 0, b = 0, c = 0, d = 0;
  const double *y0 = y[0], *y1 = y[1], *y2 = y[2], *y3 = y[3];
#pragma omp simd reduction(+ : a, b, c, d)
  for (Offset i = 0; i < count; ++i) {
    a += x[i] * y0[i];
    b += x[i] * y1[i];
    c += x[i] * y2[i];
    d += x[i] * y3[i];
  }
  g[0] += a, g[1] += b, g[2] += c, g[3] += d;
}

/// y = factor y + sum of four c_k x_k; a vector that is none has c_k = 0 and stands for another one.
void add_four(const double* const* x, const double* c, double factor, Offset count, double* y) {
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  if (factor == 0) {
#pragma omp simd
    for (Offset i = 0; i < count; ++i) y[i] = (c0 * x0[i] + c1 * x1[i]) + (c2 * x2[i] + c3 * x3[i]);
  } else {
#pragma omp simd
    for (Offset i = 0; i < count; ++i) y[i] = factor * y[i] + ((c0 * x0[i] + c1 * x1[i]) + (c2 * x2[i] + c3 * x3[i]));
  }
}

}  // namespace

template <>
void inner_products(Threads& exec, const Basis<const double>& X, Offset nx, const Basis<const double>& Y, Offset ny,
                    bool symmetric, double* g) {
  assert(X.rows == Y.rows);
  const Offset rows = X.rows, chunks = (rows + reduce_chunk - 1) / reduce_chunk;
  const Offset width = (ny + tile - 1) / tile * tile;
  std::vector<double> sums(static_cast<std::size_t>(chunks * nx * width), 0.0);
  parallel_for(exec.count(), chunks, [&](Offset chunk) {
    double* const own = &sums[static_cast<std::size_t>(chunk * nx * width)];
    const Offset end = std::min(rows, (chunk + 1) * reduce_chunk);
    for (Offset first = chunk * reduce_chunk; first < end; first += rows_together) {
      const Offset count = std::min(rows_together, end - first);
      for (Offset j = 0; j < ny; j += tile) {
        const double* y[tile];
        for (Offset t = 0; t < tile; ++t) y[t] = Y[std::min(j + t, ny - 1)].data() + first;
        const Offset last = symmetric ? std::min(nx, j + tile) : nx;
        for (Offset i = 0; i < last; ++i) dot_four(X[i].data() + first, y, count, own + i * width + j);
      }
    }
  });
  for (Offset i = 0; i < nx; ++i)
    for (Offset j = 0; j < ny; ++j) {
      double sum = 0;
      for (Offset chunk = 0; chunk < chunks; ++chunk)
        sum += sums[static_cast<std::size_t>((chunk * nx + i) * width + j)];
      g[i * ny + j] = sum;
    }
}

template <>
void combine_vectors(Threads& exec, const Basis<const double>& X, Offset nx, const double* c, Offset ny, double factor,
                     const Basis<double>& Y) {
  assert(X.rows == Y.rows);
  const Offset rows = X.rows, pieces = (rows + rows_together - 1) / rows_together;
  parallel_for(exec.count(), pieces, [&](Offset piece) {
    const Offset first = piece * rows_together, count = std::min(rows_together, rows - first);
    for (Offset j = 0; j < ny; ++j)
      for (Offset k = 0; k < nx; k += tile) {
        const double* x[tile];
        double of_x[tile];
        for (Offset t = 0; t < tile; ++t) {
          x[t] = X[std::min(k + t, nx - 1)].data() + first;
          of_x[t] = k + t < nx ? c[(k + t) * ny + j] : 0.0;
        }
        add_four(x, of_x, k == 0 ? factor : 1, count, Y[j].data() + first);
      }
  });
}

TESSERA_INSTANTIATE_COMPONENTS(Threads);

}  // namespace tessera::linalg
