#pragma once
// Cyclic reduction and parallel cyclic reduction, a pass over memory a level, written once for both backends.
#include <utility>

#include "base/parallel.hpp"
#include "solvers/tridiagonal/elimination.hpp"

namespace tessera::solvers::tridiagonal {
namespace detail {

/// Coefficients that change from level to level, laid out as the matrix.
template <class T>
struct Levels {
  T *lower, *diag, *upper, *rhs;
  TESSERA_HD Row<T> operator[](Offset i) const { return {lower[i], diag[i], upper[i], rhs[i]}; }
  TESSERA_HD void set(Offset i, const Row<T>& row) const {
    lower[i] = row.lower, diag[i] = row.diag, upper[i] = row.upper, rhs[i] = row.rhs;
  }
};

template <class T, class Space>
Levels<T> take_levels(Workspace<Space>& workspace, Offset rows) {
  auto take = [&] { return workspace.template take<T>(rows).data(); };
  T *a = take(), *b = take(), *c = take(), *d = take();
  return {a, b, c, d};
}

/// Row k of a system; outside of it the row that changes nothing.
template <class T>
TESSERA_HD inline Row<T> row_or_none(const Levels<T>& rows, const Place& place, Offset system, Offset k) {
  return k >= 0 && k < place.n ? rows[place.first(system) + k * place.step()] : Row<T>{0, 1, 0, 0};
}

/// row - alpha before - beta after, alpha = a / b_before, beta = c / b_after: x_{i-s} and x_{i+s} leave row i.
template <class T>
TESSERA_HD inline Row<T> reduce_row(Row<T> row, const Row<T>& before, const Row<T>& after) {
  const T alpha = row.lower * reciprocal(before.diag), beta = row.upper * reciprocal(after.diag);
  return {-alpha * before.lower, row.diag - alpha * before.upper - beta * after.lower, -beta * after.upper,
          row.rhs - alpha * before.rhs - beta * after.rhs};
}

}  // namespace detail

template <class Exec, class T>
void cyclic_reduction(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A,
                      View<const T> rhs, View<T> x, Offset stop) {
  const detail::Levels<T> rows = detail::take_levels<T>(workspace, A.rows());
  const Place place = place_of(A);
  const Offset n = A.n;
  for_each(exec, A.rows(), [=] TESSERA_HD(Offset i) { rows.set(i, row_at(A, rhs.data(), i, place.row(i))); });

  // CR: rows s-1+s, s-1+3s.. lose their neighbours at distance s; level by level s = 1, 2, 4 ...
  Offset stride = 1;
  for (; n / stride > (stop > 1 ? stop : 1); stride *= 2) {
    const Offset kept = n / (2 * stride);
    for_each(exec, kept * A.systems, [=] TESSERA_HD(Offset j) {
      const Offset system = j / kept, k = (j % kept + 1) * 2 * stride - 1;
      const Row<T> before = detail::row_or_none(rows, place, system, k - stride),
                   after = detail::row_or_none(rows, place, system, k + stride);
      const Offset i = place.first(system) + k * place.step();
      rows.set(i, detail::reduce_row(rows[i], before, after));
    });
  }

  // PCR on the m rows s-1, 2s-1 ...: all rows lose their neighbours at distance s, then 2s, 4s ...
  const Offset first_stride = stride, m = n / stride;
  detail::Levels<T> from = rows, to = m > 1 ? detail::take_levels<T>(workspace, A.rows()) : rows;
  for (Offset distance = 1; distance < m; distance *= 2) {
    for_each(exec, m * A.systems, [=] TESSERA_HD(Offset j) {
      const Offset system = j / m, k = (j % m + 1) * first_stride - 1, s = distance * first_stride;
      const Offset i = place.first(system) + k * place.step();
      to.set(i, detail::reduce_row(from[i], detail::row_or_none(from, place, system, k - s),
                                   detail::row_or_none(from, place, system, k + s)));
    });
    std::swap(from, to);
  }
  for_each(exec, m * A.systems, [=] TESSERA_HD(Offset j) {
    const Offset i = place.first(j / m) + ((j % m + 1) * first_stride - 1) * place.step();
    x[i] = from.rhs[i] * reciprocal(from.diag[i]);
  });

  // x_i = (d_i - a_i x_{i-s} - c_i x_{i+s}) / b_i, s = ... 4, 2, 1
  for (stride /= 2; stride >= 1; stride /= 2) {
    const Offset solved = (n / stride + 1) / 2;
    for_each(exec, solved * A.systems, [=] TESSERA_HD(Offset j) {
      const Offset system = j / solved, k = (j % solved) * 2 * stride + stride - 1;
      const Offset i = place.first(system) + k * place.step(), distance = stride * place.step();
      const Row<T> row = rows[i];
      T value = row.rhs;
      if (k >= stride) value -= row.lower * x[i - distance];
      if (k + stride < n) value -= row.upper * x[i + distance];
      x[i] = value * reciprocal(row.diag);
    });
  }
}

}  // namespace tessera::solvers::tridiagonal
