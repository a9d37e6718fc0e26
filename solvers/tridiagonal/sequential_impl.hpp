#pragma once
// One thread a system, written once for both backends; and the passes that look at a system or turn its layout.
#include <cmath>

#include "base/parallel.hpp"
#include "base/reduce_pair.hpp"
#include "solvers/tridiagonal/elimination.hpp"

namespace tessera::solvers::tridiagonal {

/// Rows that a thread reads before it works on the first of them: on a GPU, loads in flight.
inline constexpr Index rows_ahead = 4;

template <class Exec, class T>
void thomas(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
            View<T> x) {
  const View<T> uppers = workspace.template take<T>(A.rows());
  const Place place = place_of(A);
  for_each(exec, A.systems, [=] TESSERA_HD(Offset system) {
    const Offset step = place.step();
    Offset i = place.first(system);
    // c'_k = c_k / (b_k - a_k c'_{k-1}) ; d'_k = (d_k - a_k d'_{k-1}) / (b_k - a_k c'_{k-1})
    T c = 0, d = 0;
    for (Index first = 0; first < place.n; first += rows_ahead) {
      const Index count = rows_ahead < place.n - first ? rows_ahead : place.n - first;
      Row<T> rows[rows_ahead];
#pragma unroll
      for (Index k = 0; k < rows_ahead; ++k)
        if (k < count) rows[k] = row_at(A, rhs.data(), i + k * step, first + k);
#pragma unroll
      for (Index k = 0; k < rows_ahead; ++k) {
        if (k >= count) break;
        const T r = reciprocal(rows[k].diag - rows[k].lower * c);
        d = (rows[k].rhs - rows[k].lower * d) * r;
        c = rows[k].upper * r;
        uppers[i] = c;
        x[i] = d;
        i += step;
      }
    }
    // x_k = d'_k - c'_k x_{k+1}
    T next = 0;
    for (Index left = place.n; left > 0; left -= rows_ahead) {
      T values[rows_ahead], factors[rows_ahead];
#pragma unroll
      for (Index k = 0; k < rows_ahead; ++k)
        if (k < left) values[k] = x[i - (k + 1) * step], factors[k] = uppers[i - (k + 1) * step];
#pragma unroll
      for (Index k = 0; k < rows_ahead; ++k) {
        if (k >= left) break;
        i -= step;
        x[i] = next = values[k] - factors[k] * next;
      }
    }
  });
}

template <class Exec, class T>
void lu_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                 View<T> x) {
  const View<T> inverse = workspace.template take<T>(A.rows());
  const View<T> first = workspace.template take<T>(A.rows());
  const View<T> second = workspace.template take<T>(A.rows());
  const Place place = place_of(A);
  for_each(exec, A.systems, [=] TESSERA_HD(Offset system) {
    const Offset step = place.step();
    Offset i = place.first(system);
    Running<T> run = start(T(0), row_at(A, rhs.data(), i, 0));
    for (Index done = 1; done < place.n; done += rows_ahead) {
      const Index count = rows_ahead < place.n - done ? rows_ahead : place.n - done;
      Row<T> rows[rows_ahead];
#pragma unroll
      for (Index k = 0; k < rows_ahead; ++k)
        if (k < count) rows[k] = row_at(A, rhs.data(), i + (k + 1) * step, done + k);
#pragma unroll
      for (Index k = 0; k < rows_ahead; ++k) {
        if (k >= count) break;
        const Factor<T> factor = eliminate<PivotRule::rows>(run, rows[k]);
        inverse[i] = factor.inverse;
        first[i] = factor.u1;
        second[i] = factor.u2;
        x[i] = factor.rhs;
        i += step;
      }
    }
    T next = run.rhs * reciprocal(run.pivot), after = 0;
    x[i] = next;
    for (Index k = place.n - 1; k-- > 0;) {
      i -= step;
      const T value = (x[i] - first[i] * next - second[i] * after) * inverse[i];
      after = next;
      x[i] = next = value;
    }
  });
}

namespace detail {

template <class T>
TESSERA_HD inline bool finite(T value) {
  return value - value == T(0);
}
template <class T>
TESSERA_HD inline bool not_finite(const Row<T>& row) {
  return !(finite(row.lower) && finite(row.diag) && finite(row.upper) && finite(row.rhs));
}
template <class T>
TESSERA_HD inline bool zero(const Row<T>& row) {
  return row.lower == 0 && row.diag == 0 && row.upper == 0;
}
template <class T>
TESSERA_HD inline bool weak(const Row<T>& row) {
  return !(magnitude(row.diag) >= magnitude(row.lower) + magnitude(row.upper));
}

}  // namespace detail

template <class Exec, class T>
Inspection inspect(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs) {
  const View<double> sums = workspace.template take<double>(3);
  const Place place = place_of(A);
  reduce_pair(
      exec, A.rows(),
      [=] TESSERA_HD(Offset i) {
        const Row<T> row = row_at(A, rhs.data(), i, place.row(i));
        return Pair{detail::weak(row) ? 1.0 : 0.0, detail::not_finite(row) || detail::zero(row) ? 1.0 : 0.0};
      },
      &sums[0], &sums[1]);
  double host[2];
  exec.synchronize();
  copy_bytes(typename Exec::Space{}, sums.data(), Host{}, host, sizeof host);
  return {host[0], host[1]};
}

template <class Exec, class T>
Residual residual(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                  View<const T> x) {
  const View<double> sums = workspace.template take<double>(4);
  const Place place = place_of(A);
  reduce_pair(
      exec, A.rows(),
      [=] TESSERA_HD(Offset i) {
        const Offset k = place.row(i), step = place.step();
        const Row<T> row = row_at(A, rhs.data(), i, k);
        double r = static_cast<double>(row.rhs) - static_cast<double>(row.diag) * x[i];
        if (k > 0) r -= static_cast<double>(row.lower) * x[i - step];
        if (k < place.n - 1) r -= static_cast<double>(row.upper) * x[i + step];
        return Pair{r * r, static_cast<double>(x[i]) * x[i]};
      },
      &sums[0], &sums[1]);
  reduce_pair(
      exec, A.rows(),
      [=] TESSERA_HD(Offset i) {
        const Row<T> row = row_at(A, rhs.data(), i, place.row(i));
        const double a = row.lower, b = row.diag, c = row.upper, d = row.rhs;
        return Pair{a * a + b * b + c * c, d * d};
      },
      &sums[2], &sums[3]);
  double host[4];
  exec.synchronize();
  copy_bytes(typename Exec::Space{}, sums.data(), Host{}, host, sizeof host);
  return {std::sqrt(host[0]), std::sqrt(host[1]), std::sqrt(host[3]), std::sqrt(host[2])};
}

template <class Exec, class T>
Offset first_fault(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                   RowFault fault) {
  const View<double> sum = workspace.template take<double>(1);
  const Place place = place_of(A);
  auto count = [&](Offset from, Offset rows) {
    reduce(
        exec, rows,
        [=] TESSERA_HD(Offset j) {
          const Row<T> row = row_at(A, rhs.data(), from + j, place.row(from + j));
          const bool found = fault == RowFault::not_finite ? detail::not_finite(row)
                             : fault == RowFault::zero     ? detail::zero(row)
                                                           : detail::weak(row);
          return found ? 1.0 : 0.0;
        },
        sum.data());
    double host = 0;
    exec.synchronize();
    copy_bytes(typename Exec::Space{}, sum.data(), Host{}, &host, sizeof host);
    return host;
  };
  // Bisection by counts: the halves sum up to one pass.
  Offset from = 0, rows = A.rows();
  if (count(from, rows) == 0) return rows;
  while (rows > 1) {
    const Offset half = rows / 2;
    if (count(from, half) > 0) {
      rows = half;
    } else {
      from += half;
      rows -= half;
    }
  }
  return from;
}

template <class Exec, class T>
void to_contiguous(Exec& exec, Index systems, Index n, View<const T> interleaved, View<T> contiguous) {
  for_each(exec, static_cast<Offset>(systems) * n,
           [=] TESSERA_HD(Offset i) { contiguous[i] = interleaved[i % n * systems + i / n]; });
}

template <class Exec, class T>
void to_interleaved(Exec& exec, Index systems, Index n, View<const T> contiguous, View<T> interleaved) {
  for_each(exec, static_cast<Offset>(systems) * n,
           [=] TESSERA_HD(Offset i) { interleaved[i % n * systems + i / n] = contiguous[i]; });
}

}  // namespace tessera::solvers::tridiagonal
