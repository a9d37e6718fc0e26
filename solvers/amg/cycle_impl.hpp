#pragma once
// The cycle of a hierarchy; included by hierarchy_impl.hpp and node_hierarchy_impl.hpp.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/link.hpp"
#include "linalg/ghost_product.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/amg/cycle.hpp"
#include "solvers/amg/shared_coarsening.hpp"

namespace tessera::solvers::amg {

/// The same pattern with values of another type, as a matrix of the cycle.
template <class Space, class V>
LevelMatrixView<V> in_cycle(const linalg::Crs<Space, V>& A) {
  return {A.rows, A.cols, 1, A.row_ptr.view(), A.col_ind.view(), A.values.view()};
}

template <class Exec, class V, class Level>
bool Cycle<Exec, V, Level>::should_gather(std::size_t l) const {
  const Index most = l == 0 ? params_.coarsest_rows : std::max(params_.coarsest_rows, params_.gathered_rows);
  return shared(l) && shared(l)->rows <= most;
}

template <class Exec, class V, class Level>
double Cycle<Exec, V, Level>::sum_of_level(const Exec& exec, std::size_t l, double mine) const {
  if (!shared(l)) return mine;
  double sum = 0;
  for (const double of_rank : gathered(exec.link()->ranks(), mine)) sum += of_rank;
  return sum;
}

/// Brings what others have of a vector to the entries behind those of rows.
template <class Exec, class V, class Level>
Bring<V> Cycle<Exec, V, Level>::bringing(Exec& exec, std::size_t l) const {
  if (!shared(l)) return {};
  return [&exec, halo = shared(l)->halo](View<V> x) { bring_ghosts(exec, *halo, x); };
}

template <class Exec, class V, class Level>
template <class T>
void Cycle<Exec, V, Level>::apply(Exec& exec, View<const T> r, View<T> z) {
  Level& finest = levels_.front();
  const auto inverse = std::as_const(finest.inverse).view();
  begin_cycle(exec, scale_, r, inverse, finest.b.view(), finest.s.view());
  if (finest.solver.rows > 0) return solve_exactly(exec, finest, z);
  if (is_gathered(0)) {
    solve_gathered(exec, 0);
    return linalg::convert(exec, std::as_const(finest.x).view().part(0, z.size()), z);
  }
  const auto A = finest.A.view();
  const Bring<V> bring = bringing(exec, 0);
  if (is_last(0))
    return smooth(exec, A, inverse, finest.smoother, finest.s.view(), finest.t.view(), false, finest.x.view(), z,
                  bring);
  smooth(exec, A, inverse, finest.smoother, finest.s.view(), finest.t.view(), false, finest.x.view(), finest.x.view(),
         bring);
  correct(exec, 0);
  // Where others stand on the last pass of the finest level, its result has the type of the outer iteration.
  scaled_residual(exec, A, inverse, std::as_const(finest.x).view(), std::as_const(finest.b).view(), finest.s.view());
  smooth(exec, A, inverse, finest.smoother, finest.s.view(), finest.t.view(), true, finest.x.view(), z, bring);
}

/// x += P A_c^-1 R (b - A x). Where ranks share the level, P has the rows of ghosts and R their columns, so that the
/// ghosts of x are right afterwards.
template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::correct(Exec& exec, std::size_t l) {
  Level &level = levels_[l], &next = levels_[l + 1];
  bring(exec, l, level.x.view());
  residual(exec, level.A.view(), std::as_const(level.x).view(), std::as_const(level.b).view(), level.s.view());
  bring(exec, l, level.s.view());
  restrict_to(exec, in_cycle(level.R), std::as_const(level.s).view(), std::as_const(next.inverse).view(), next.b.view(),
              next.s.view());
  solve(exec, l + 1);
  if (!is_gathered(l + 1)) bring(exec, l + 1, next.x.view());
  prolong(exec, in_cycle(level.P), std::as_const(next.x).view(), level.x.view());
}

/// The next level has the same rows, and those of all ranks.
template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::solve_gathered(Exec& exec, std::size_t l) {
  const SharedLevel<Exec>& here = *shared(l);
  Level &level = levels_[l], &whole = levels_[l + 1];
  gather_vector(exec, here, here.unknowns, std::as_const(level.b).view().part(0, level.rows), whole.b.view());
  begin_cycle(exec, 1.0, std::as_const(whole.b).view(), std::as_const(whole.inverse).view(), whole.b.view(),
              whole.s.view());
  solve(exec, l + 1);
  linalg::gather_rows(exec, here.numbers.view(), std::as_const(whole.x).view(), level.x.view());
}

template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::cycle(Exec& exec, std::size_t l, bool again) {
  Level& level = levels_[l];
  const auto inverse = std::as_const(level.inverse).view();
  const View<const V> b = std::as_const(level.b).view();
  const View<V> x = level.x, s = level.s;
  if (level.solver.rows > 0) return solve_exactly(exec, level, x);
  const auto A = level.A.view();
  const Bring<V> bring = bringing(exec, l);
  if (again) {
    if (bring) bring(x);
    scaled_residual(exec, A, inverse, View<const V>(x), b, s);
  }
  smooth(exec, A, inverse, level.smoother, s, level.t.view(), again, x, x, bring);
  if (is_last(l)) return;
  correct(exec, l);
  scaled_residual(exec, A, inverse, View<const V>(x), b, s);
  smooth(exec, A, inverse, level.smoother, s, level.t.view(), true, x, x, bring);
}

template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::solve(Exec& exec, std::size_t l) {
  if (is_gathered(l)) return solve_gathered(exec, l);
  cycle(exec, l, false);
  if (is_last(l) || params_.cycle == "V") return;
  if (params_.cycle == "W") return cycle(exec, l, true);
  improve(exec, l);
}

/// Two steps of flexible conjugate gradients, each with a cycle as preconditioner.
template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::improve(Exec& exec, std::size_t l) {
  Level& level = levels_[l];
  const Offset rows = level.rows;
  const View<V> x = level.x.view(), c = level.direction.view(), Ac = level.image.view().part(0, rows),
                b = level.b.view().part(0, rows), s = level.s.view().part(0, rows);
  const View<const V> own_x = x.part(0, rows), own_c = c.part(0, rows);
  const View<double> sums = sums_.view().part(krylov_sums * static_cast<Offset>(l), krylov_sums);
  const auto dot = [&](View<const V> left, View<const V> right, Sum which) {
    krylov_dot(exec, left, right, which, sums);
    if (!shared(l)) return;
    sum_over_ranks(exec, {{sums.data() + static_cast<int>(which), 1}});
    exec.link()->flush();  // others may have told it to wait with theirs
  };
  linalg::copy(exec, own_x, c.part(0, rows));
  bring(exec, l, c);
  product(exec, level.A.view(), View<const V>(c), Ac);
  dot(own_c, View<const V>(Ac), Sum::first_energy);
  dot(own_c, View<const V>(b), Sum::first_work);
  krylov_residual(exec, View<const double>(sums), View<const V>(Ac), std::as_const(level.inverse).view(), b, s);
  cycle(exec, l, false);
  dot(own_x, View<const V>(Ac), Sum::cross);
  dot(own_x, View<const V>(b), Sum::second_work);
  bring(exec, l, x);
  product(exec, level.A.view(), View<const V>(x), s);
  dot(own_x, View<const V>(s), Sum::second_energy);
  krylov_combine(exec, View<const double>(sums), own_c, x.part(0, rows));
}

template <class Exec, class V, class Level>
void Cycle<Exec, V, Level>::allocate_vectors(std::size_t l) {
  Level& level = levels_[l];
  const Offset size = level.rows + (shared(l) ? shared(l)->halo->ghosts() : 0);
  for (auto* vector : {&level.b, &level.s, &level.x}) *vector = Array<V, Space>(size);
  if (params_.smoother_degree > 2 && level.solver.rows == 0) level.t = Array<V, Space>(size);
  if (params_.cycle == "K" && l > 0 && level.solver.rows == 0)
    for (auto* vector : {&level.direction, &level.image}) *vector = Array<V, Space>(size);
}

template <class Exec, class V, class Level>
std::vector<MultigridLevel> Cycle<Exec, V, Level>::sizes() const {
  std::vector<MultigridLevel> result;
  constexpr Offset most = std::numeric_limits<Index>::max();  // which a level has to hold
  for (std::size_t l = 0; l < levels_.size(); ++l)
    if (const SharedLevel<Exec>* const here = shared(l); !here)
      result.push_back({levels_[l].rows, levels_[l].entries});
    else if (!here->is_gathered())
      result.push_back({static_cast<Index>(std::min<Offset>(here->rows, most)), here->entries});
  return result;
}

/// One line instantiates the cycle of levels L<Space, V>.
#define TESSERA_INSTANTIATE_CYCLES(Exec, V, L)                                                     \
  template class Cycle<Exec, V, L<Exec::Space, V>>;                                                \
  template void Cycle<Exec, V, L<Exec::Space, V>>::apply(Exec&, View<const double>, View<double>); \
  template void Cycle<Exec, V, L<Exec::Space, V>>::apply(Exec&, View<const float>, View<float>)

}  // namespace tessera::solvers::amg
