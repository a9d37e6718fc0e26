#pragma once
// The cycle of a hierarchy; included by hierarchy_impl.hpp and node_hierarchy_impl.hpp.
#include <utility>

#include "linalg/vector_ops.hpp"
#include "solvers/amg/cycle.hpp"

namespace tessera::solvers::amg {

/// The same pattern with values of another type, as a matrix of the cycle.
template <class Space, class V>
LevelMatrixView<V> in_cycle(const linalg::Crs<Space, V>& A) {
  return {A.rows, A.cols, 1, A.row_ptr.view(), A.col_ind.view(), A.values.view()};
}

template <class Exec, class V, class Level>
template <class T>
void Cycle<Exec, V, Level>::apply(Exec& exec, View<const T> r, View<T> z) {
  Level& finest = levels_.front();
  const auto inverse = std::as_const(finest.inverse).view();
  begin_cycle(exec, scale_, r, inverse, finest.b.view(), finest.s.view());
  if (finest.solver.rows > 0) return solve_exactly(exec, finest, z);
  const auto A = finest.A.view();
  if (is_last(0))
    return smooth(exec, A, inverse, finest.smoother, finest.s.view(), finest.t.view(), false, finest.x.view(), z);
  smooth(exec, A, inverse, finest.smoother, finest.s.view(), finest.t.view(), false, finest.x.view(), finest.x.view());
  correct(exec, 0);
  // Where others stand on the last pass of the finest level, its result has the type of the outer iteration.
  scaled_residual(exec, A, inverse, std::as_const(finest.x).view(), std::as_const(finest.b).view(), finest.s.view());
  smooth(exec, A, inverse, finest.smoother, finest.s.view(), finest.t.view(), true, finest.x.view(), z);
}

/// x += P A_c^-1 R (b - A x).
template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::correct(Exec& exec, std::size_t l) {
  Level &level = levels_[l], &next = levels_[l + 1];
  residual(exec, level.A.view(), std::as_const(level.x).view(), std::as_const(level.b).view(), level.s.view());
  restrict_to(exec, in_cycle(level.R), std::as_const(level.s).view(), std::as_const(next.inverse).view(), next.b.view(),
              next.s.view());
  solve(exec, l + 1);
  prolong(exec, in_cycle(level.P), std::as_const(next.x).view(), level.x.view());
}

template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::cycle(Exec& exec, std::size_t l, bool again) {
  Level& level = levels_[l];
  const auto inverse = std::as_const(level.inverse).view();
  const View<const V> b = std::as_const(level.b).view();
  const View<V> x = level.x, s = level.s;
  if (level.solver.rows > 0) return solve_exactly(exec, level, x);
  const auto A = level.A.view();
  if (again) scaled_residual(exec, A, inverse, View<const V>(x), b, s);
  smooth(exec, A, inverse, level.smoother, s, level.t.view(), again, x, x);
  if (is_last(l)) return;
  correct(exec, l);
  scaled_residual(exec, A, inverse, View<const V>(x), b, s);
  smooth(exec, A, inverse, level.smoother, s, level.t.view(), true, x, x);
}

template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::solve(Exec& exec, std::size_t l) {
  cycle(exec, l, false);
  Level& level = levels_[l];
  if (is_last(l) || params_.cycle == "V") return;
  if (params_.cycle == "W") return cycle(exec, l, true);
  // Two steps of flexible conjugate gradients, each with a cycle as preconditioner.
  const View<V> x = level.x, c = level.direction, Ac = level.image, b = level.b;
  const View<double> sums = sums_.view().part(krylov_sums * static_cast<Offset>(l), krylov_sums);
  linalg::copy(exec, View<const V>(x), c);
  product(exec, level.A.view(), View<const V>(c), Ac);
  krylov_dot(exec, View<const V>(c), View<const V>(Ac), Sum::first_energy, sums);
  krylov_dot(exec, View<const V>(c), View<const V>(b), Sum::first_work, sums);
  krylov_residual(exec, View<const double>(sums), View<const V>(Ac), std::as_const(level.inverse).view(), b,
                  level.s.view());
  cycle(exec, l, false);
  krylov_dot(exec, View<const V>(x), View<const V>(Ac), Sum::cross, sums);
  krylov_dot(exec, View<const V>(x), View<const V>(b), Sum::second_work, sums);
  product(exec, level.A.view(), View<const V>(x), level.s.view());
  krylov_dot(exec, View<const V>(x), std::as_const(level.s).view(), Sum::second_energy, sums);
  krylov_combine(exec, View<const double>(sums), View<const V>(c), x);
}

template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::allocate_vectors(std::size_t l) {
  Level& level = levels_[l];
  for (auto* vector : {&level.b, &level.s, &level.x}) *vector = Array<V, Space>(level.rows);
  if (params_.smoother_degree > 2 && level.solver.rows == 0) level.t = Array<V, Space>(level.rows);
  if (params_.cycle == "K" && l > 0 && level.solver.rows == 0)
    for (auto* vector : {&level.direction, &level.image}) *vector = Array<V, Space>(level.rows);
}

template <class Exec, class V, class Level>
std::vector<MultigridLevel> Cycle<Exec, V, Level>::sizes() const {
  std::vector<MultigridLevel> result;
  for (const auto& level : levels_) result.push_back({level.rows, level.entries});
  return result;
}

/// One line instantiates the cycle of levels L<Space, V>.
#define TESSERA_INSTANTIATE_CYCLES(Exec, V, L)                                                     \
  template class Cycle<Exec, V, L<Exec::Space, V>>;                                                \
  template void Cycle<Exec, V, L<Exec::Space, V>>::apply(Exec&, View<const double>, View<double>); \
  template void Cycle<Exec, V, L<Exec::Space, V>>::apply(Exec&, View<const float>, View<float>)

}  // namespace tessera::solvers::amg
