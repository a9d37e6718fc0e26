#include "base/reduce_pair.hpp"
#include "linalg/multivector_impl.hpp"

namespace tessera::linalg {
namespace {

/// Vectors of X, and of Y, whose products are formed in one pass: more sums a thread spill.
constexpr Offset tile = 4;
/// Results of a pass of combine_vectors.
constexpr int most_results = 8;

template <int a, int b>
void products_of_tile(Cuda& exec, const Basis<const double>& X, Offset i0, const Basis<const double>& Y, Offset j0,
                      Offset width, double* g) {
  SumTargets<a * b> targets;
  for (int i = 0; i < a; ++i)
    for (int j = 0; j < b; ++j) targets.value[i * b + j] = g + (i0 + i) * width + j0 + j;
  const Offset rows = X.rows;
  const View<const double> x = X.data.part(i0 * rows, a * rows), y = Y.data.part(j0 * rows, b * rows);
  reduce_sums(
      exec, rows,
      [=] TESSERA_HD(Offset row) {
        Sums<a * b> sums;
        double of_y[b];
        for (int j = 0; j < b; ++j) of_y[j] = y[j * rows + row];
        for (int i = 0; i < a; ++i) {
          const double of_x = x[i * rows + row];
          for (int j = 0; j < b; ++j) sums.value[i * b + j] = of_x * of_y[j];
        }
        return sums;
      },
      targets);
}

template <int results>
void combine_some(Cuda& exec, const Basis<const double>& X, Offset nx, const double* c, Offset j0, Offset ny,
                  double factor, const Basis<double>& Y) {
  const Offset rows = X.rows;
  const View<const double> x = X.data.part(0, nx * rows);
  const View<double> y = Y.data.part(j0 * rows, results * rows);
  for_each(exec, rows, [=] TESSERA_HD(Offset row) {
    double sum[results] = {};
    for (Offset k = 0; k < nx; ++k) {
      const double of_x = x[k * rows + row];
      for (int j = 0; j < results; ++j) sum[j] += c[k * ny + j0 + j] * of_x;
    }
    for (int j = 0; j < results; ++j) {
      double& to = y[j * rows + row];
      to = factor == 0 ? sum[j] : factor * to + sum[j];
    }
  });
}

}  // namespace

template <>
void inner_products(Cuda& exec, const Basis<const double>& X, Offset nx, const Basis<const double>& Y, Offset ny,
                    bool symmetric, double* g) {
  assert(X.rows == Y.rows);
  for (Offset j = 0; j < ny; j += tile) {
    const Offset last = symmetric ? std::min(nx, j + tile) : nx;
    for (Offset i = 0; i < last; i += tile) {
      const bool rows_whole = i + tile <= nx, columns_whole = j + tile <= ny;
      for (Offset a = i; a < std::min(i + tile, nx); a += rows_whole ? tile : 1)
        for (Offset b = j; b < std::min(j + tile, ny); b += columns_whole ? tile : 1) {
          if (rows_whole && columns_whole) products_of_tile<4, 4>(exec, X, a, Y, b, ny, g);
          if (rows_whole && !columns_whole) products_of_tile<4, 1>(exec, X, a, Y, b, ny, g);
          if (!rows_whole && columns_whole) products_of_tile<1, 4>(exec, X, a, Y, b, ny, g);
          if (!rows_whole && !columns_whole) products_of_tile<1, 1>(exec, X, a, Y, b, ny, g);
        }
    }
  }
}

template <>
void combine_vectors(Cuda& exec, const Basis<const double>& X, Offset nx, const double* c, Offset ny, double factor,
                     const Basis<double>& Y) {
  assert(X.rows == Y.rows);
  Offset j = 0;
  for (; j + most_results <= ny; j += most_results) combine_some<most_results>(exec, X, nx, c, j, ny, factor, Y);
  if (j + 4 <= ny) combine_some<4>(exec, X, nx, c, j, ny, factor, Y), j += 4;
  for (; j < ny; ++j) combine_some<1>(exec, X, nx, c, j, ny, factor, Y);
}

TESSERA_INSTANTIATE_COMPONENTS(Cuda);

}  // namespace tessera::linalg
