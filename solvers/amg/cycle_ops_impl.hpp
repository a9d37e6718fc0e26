#pragma once
// Bodies of cycle_ops.hpp, written once over level_product, which each backend has; instantiated by
// cycle_ops_threads.cpp and cycle_ops_cuda.cu.
#include <cmath>
#include <utility>

#include "base/link.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/amg/cycle_ops.hpp"
#include "solvers/amg/level_matrix_impl.hpp"

namespace tessera::solvers::amg {

template <class Exec, class T, class V>
void begin_cycle(Exec& exec, double scale, View<const T> r, View<const V> inverse, View<V> b, View<V> s) {
  for_each(exec, r.size(), [=] TESSERA_HD(Offset row) {
    const V value = static_cast<V>(scale * r[row]);
    b[row] = value;
    s[row] = inverse[row] * value;
  });
}

template <class Exec, class V, class T>
void smooth(Exec& exec, const LevelMatrixView<V>& A, View<const V> inverse, const Smoother<V>& q, View<V> s, View<V> t,
            bool adds, View<V> x, View<T> z, const Bring<V>& bring) {
  const V a0 = q.a[0];
  if (q.degree == 1) {
    for_each(exec, A.rows,
             [=] TESSERA_HD(Offset row) { z[row] = static_cast<T>((adds ? x[row] : V{0}) + a0 * s[row]); });
    return;
  }
  // t = D^-1 A s ; x += a_0 s + a_1 t ; then powers, whose vectors take turns
  const V a1 = q.a[1];
  const bool more = q.degree > 2;
  if (bring) bring(s);
  level_product(exec, A, View<const V>(s), [=] TESSERA_HD(Offset row, V sum) {
    const V power = inverse[row] * sum;
    const V value = (adds ? x[row] : V{0}) + a0 * s[row] + a1 * power;
    if (more) {
      t[row] = power;
      x[row] = value;
    } else {
      z[row] = static_cast<T>(value);
    }
  });
  for (int k = 2; k < q.degree; ++k) {
    const V a = q.a[k];
    const bool last = k == q.degree - 1;
    if (bring) bring(t);
    level_product(exec, A, View<const V>(t), [=] TESSERA_HD(Offset row, V sum) {
      const V power = inverse[row] * sum, value = x[row] + a * power;
      if (last) {
        z[row] = static_cast<T>(value);
      } else {
        s[row] = power;
        x[row] = value;
      }
    });
    std::swap(s, t);
  }
}

template <class Exec, class V>
void residual(Exec& exec, const LevelMatrixView<V>& A, View<const V> x, View<const V> b, View<V> s) {
  level_product(exec, A, x, [=] TESSERA_HD(Offset row, V sum) { s[row] = b[row] - sum; });
}
template <class Exec, class V>
void scaled_residual(Exec& exec, const LevelMatrixView<V>& A, View<const V> inverse, View<const V> x, View<const V> b,
                     View<V> s) {
  level_product(exec, A, x, [=] TESSERA_HD(Offset row, V sum) { s[row] = inverse[row] * (b[row] - sum); });
}
template <class Exec, class V>
void restrict_to(Exec& exec, const LevelMatrixView<V>& R, View<const V> r, View<const V> inverse, View<V> b,
                 View<V> s) {
  level_product(exec, R, r, [=] TESSERA_HD(Offset row, V sum) {
    b[row] = sum;
    s[row] = inverse[row] * sum;
  });
}
template <class Exec, class V>
void prolong(Exec& exec, const LevelMatrixView<V>& P, View<const V> y, View<V> x) {
  level_product(exec, P, y, [=] TESSERA_HD(Offset row, V sum) { x[row] += sum; });
}
template <class Exec, class V, class T>
void product(Exec& exec, const LevelMatrixView<V>& A, View<const V> x, View<T> z) {
  level_product(exec, A, x, [=] TESSERA_HD(Offset row, V sum) { z[row] = static_cast<T>(sum); });
}

template <class Exec, class V>
void krylov_dot(Exec& exec, View<const V> x, View<const V> y, Sum which, View<double> sums) {
  reduce(
      exec, x.size(), [=] TESSERA_HD(Offset row) { return static_cast<double>(x[row]) * y[row]; },
      sums.data() + static_cast<int>(which));
}
template <class Exec, class V>
void krylov_residual(Exec& exec, View<const double> sums, View<const V> Ac, View<const V> inverse, View<V> b,
                     View<V> s) {
  for_each(exec, b.size(), [=] TESSERA_HD(Offset row) {
    const double energy = sums[static_cast<int>(Sum::first_energy)], work = sums[static_cast<int>(Sum::first_work)];
    const V value = b[row] - static_cast<V>(energy > 0 ? work / energy : 0) * Ac[row];
    b[row] = value;
    s[row] = inverse[row] * value;
  });
}
template <class Exec, class V>
void krylov_combine(Exec& exec, View<const double> sums, View<const V> c, View<V> x) {
  for_each(exec, x.size(), [=] TESSERA_HD(Offset row) {
    const auto sum = [&](Sum which) { return sums[static_cast<int>(which)]; };
    const double energy = sum(Sum::first_energy), cross = sum(Sum::cross);
    double first = energy > 0 ? sum(Sum::first_work) / energy : 0, second = 0;
    // Of the second direction what is conjugate to the first; nothing where that is rounding.
    const double rest = energy > 0 ? sum(Sum::second_energy) - cross * cross / energy : 0;
    if (rest > 1e-10 * sum(Sum::second_energy)) {
      second = sum(Sum::second_work) / rest;
      first -= cross / energy * second;
    }
    x[row] = static_cast<V>(first) * c[row] + static_cast<V>(second) * x[row];
  });
}

template <class Exec, class V>
double largest_eigenvalue(Exec& exec, const LevelMatrixView<V>& A, View<const V> inverse, int steps, View<V> x,
                          View<V> y, const Bring<V>& bring, Offset first_row) {
  Array<double, typename Exec::Space> sums(2);
  linalg::fill_random(exec, x.part(0, A.rows), 5, first_row);
  for (int step = 0; step < steps; ++step) {
    if (bring) bring(x);
    level_product(exec, A, View<const V>(x), [=] TESSERA_HD(Offset row, V sum) { y[row] = inverse[row] * sum; });
    std::swap(x, y);
  }
  const auto square = [&](View<const V> v, double* sum) {
    reduce(
        exec, inverse.size(),
        [=] TESSERA_HD(Offset row) { return static_cast<double>(v[row]) * v[row] / inverse[row]; }, sum);
  };
  square(x, sums.data());
  square(y, sums.data() + 1);
  if (bring) sum_over_ranks(exec, {{sums.data(), 2}});
  const auto host = to_vector(sums);
  return host[1] > 0 ? std::sqrt(host[0] / host[1]) : 0;
}
template <class Exec, class V>
void invert(Exec& exec, double scale, View<const double> diagonal, View<V> inverse) {
  for_each(exec, diagonal.size(),
           [=] TESSERA_HD(Offset row) { inverse[row] = static_cast<V>(1 / (scale * diagonal[row])); });
}

template <class Exec>
void spread(Exec& exec, const linalg::CrsView<const double>& A, View<double> dense) {
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    for (Index col = 0; col < A.cols; ++col) dense[row * A.cols + col] = 0;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) dense[row * A.cols + A.col_ind[k]] = A.values[k];
  });
}
template <class Exec, class V>
LevelMatrix<typename Exec::Space, V> make_full(Exec& exec, Index rows, double scale, View<const double> dense) {
  using Space = typename Exec::Space;
  LevelMatrix<Space, V> result;
  result.rows = result.cols = rows;
  result.own_starts = Array<Offset, Space>(Offset{rows} + 1);
  result.own_col_ind = Array<Index, Space>(Offset{rows} * rows);
  result.values = Array<V, Space>(Offset{rows} * rows);
  const View<Offset> starts = result.own_starts;
  const View<Index> col_ind = result.own_col_ind;
  const View<V> values = result.values;
  result.starts = starts;
  result.col_ind = col_ind;
  for_each(exec, Offset{rows} + 1, [=] TESSERA_HD(Offset row) { starts[row] = row * rows; });
  for_each(exec, Offset{rows} * rows, [=] TESSERA_HD(Offset k) {
    col_ind[k] = static_cast<Index>(k % rows);
    values[k] = static_cast<V>(dense[k] / scale);
  });
  return result;
}

/// One line instantiates what a hierarchy of V needs on a backend.
#define TESSERA_INSTANTIATE_CYCLE(Exec, V)                                                                          \
  template void begin_cycle(Exec&, double, View<const double>, View<const V>, View<V>, View<V>);                    \
  template void begin_cycle(Exec&, double, View<const float>, View<const V>, View<V>, View<V>);                     \
  template void smooth(Exec&, const LevelMatrixView<V>&, View<const V>, const Smoother<V>&, View<V>, View<V>, bool, \
                       View<V>, View<double>, const Bring<V>&);                                                     \
  template void smooth(Exec&, const LevelMatrixView<V>&, View<const V>, const Smoother<V>&, View<V>, View<V>, bool, \
                       View<V>, View<float>, const Bring<V>&);                                                      \
  template void residual(Exec&, const LevelMatrixView<V>&, View<const V>, View<const V>, View<V>);                  \
  template void scaled_residual(Exec&, const LevelMatrixView<V>&, View<const V>, View<const V>, View<const V>,      \
                                View<V>);                                                                           \
  template void restrict_to(Exec&, const LevelMatrixView<V>&, View<const V>, View<const V>, View<V>, View<V>);      \
  template void prolong(Exec&, const LevelMatrixView<V>&, View<const V>, View<V>);                                  \
  template void product(Exec&, const LevelMatrixView<V>&, View<const V>, View<double>);                             \
  template void product(Exec&, const LevelMatrixView<V>&, View<const V>, View<float>);                              \
  template void krylov_dot(Exec&, View<const V>, View<const V>, Sum, View<double>);                                 \
  template void krylov_residual(Exec&, View<const double>, View<const V>, View<const V>, View<V>, View<V>);         \
  template void krylov_combine(Exec&, View<const double>, View<const V>, View<V>);                                  \
  template double largest_eigenvalue(Exec&, const LevelMatrixView<V>&, View<const V>, int, View<V>, View<V>,        \
                                     const Bring<V>&, Offset);                                                      \
  template void invert(Exec&, double, View<const double>, View<V>);                                                 \
  template LevelMatrix<Exec::Space, V> make_full(Exec&, Index, double, View<const double>);                         \
  template LevelMatrix<Exec::Space, V> make_level_matrix(Exec&, const linalg::CrsView<const double>&, double);      \
  template void refill_level_matrix(Exec&, const linalg::CrsView<const double>&, double, LevelMatrix<Exec::Space, V>&)

}  // namespace tessera::solvers::amg
