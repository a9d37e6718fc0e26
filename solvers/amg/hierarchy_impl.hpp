#pragma once
// The hierarchy, written once. It only calls declared functions, so any compiler instantiates it: hierarchy_threads.cpp
// and hierarchy_cuda.cpp.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/reused_memory.hpp"
#include "solvers/amg/cycle_impl.hpp"
#include "solvers/amg/dense_inverse.hpp"
#include "solvers/amg/hierarchy.hpp"
#include "solvers/amg/mark.hpp"
#include "solvers/amg/prolongation.hpp"
#include "solvers/amg/shared_hierarchy_impl.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {

/// Steps towards the largest eigenvalue, and what is added to the value found, which lies below it.
inline constexpr int power_steps = 10;
inline constexpr double above_power = 1.05;
/// The damping of the prolongation is this over the largest eigenvalue.
inline constexpr double damping = 4.0 / 3;

/// A pivot of at most this part of its diagonal entry is the rounding of P, whose rows no longer add up to one: what P
/// makes of a vector without energy has the energy of that rounding, on every row of a level.
template <class V>
inline constexpr double dependent_pivot = std::is_same_v<V, float> ? 1e-9 : 1e-12;

/// A pivot below zero by this many times what counts as zero is negative.
inline constexpr double negative_pivot = 1000;

/// `symmetric`: the matrix is, so that minres takes it.
inline std::string not_definite(const std::string& what, bool symmetric = true) {
  return fmt::format(
      "the matrix is not positive definite, which the preconditioner amg needs: {}; look for a negative coefficient, "
      "or choose preconditioner = \"jacobi\"{}",
      what, symmetric ? ", with solver.type = \"minres\" for what is meant to be indefinite" : "");
}

/// z = A^-1 b of a level with a dense inverse.
template <class Exec, class V, class T>
void solve_exactly(Exec& exec, Level<typename Exec::Space, V>& level, View<T> z) {
  product(exec, level.solver.view(), std::as_const(level.b).view(), z);
}

template <class Exec, class V>
std::string Hierarchy<Exec, V>::set_up(Exec& exec, const linalg::CrsView<const double>& A,
                                       const std::optional<Shared>& ranks) {
  levels_.clear();
  shared_.clear();
  const std::string failure = fill(exec, A, ranks, true);
  if (!failure.empty()) levels_.clear();
  return failure;
}
template <class Exec, class V>
std::string Hierarchy<Exec, V>::refresh(Exec& exec, const linalg::CrsView<const double>& A,
                                        const std::optional<Shared>& ranks) {
  const std::string failure = fill(exec, A, ranks, false);
  if (!failure.empty()) levels_.clear();
  return failure;
}

template <class Exec, class V>
std::string Hierarchy<Exec, V>::fill(Exec& exec, const linalg::CrsView<const double>& A,
                                     const std::optional<Shared>& ranks, bool fresh) {
  const ReusedMemory<Space> reused;
  if (fresh) levels_.emplace_back();
  if (ranks) share_finest(exec, A, *ranks, fresh);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const auto matrix = l == 0 && !ranks ? A : std::as_const(levels_[l].matrix).view();
    const std::string failure = fill_level(exec, matrix, l, fresh);
    if (!failure.empty()) return failure;
    levels_[l].matrix.values = {};
    if (fresh) allocate_vectors(l);
  }
  if (fresh && params_.cycle == "K") sums_ = Array<double, Space>(krylov_sums * static_cast<Offset>(levels_.size()));
  return {};
}

template <class Exec, class V>
std::string Hierarchy<Exec, V>::scale_level(Exec& exec, const linalg::CrsView<const double>& A,
                                            RowScales<Space>& scales, std::size_t l, bool fresh) {
  std::string failure;
  if (scales.bad > 0)
    failure = l == 0
                  ? describe_bad_diagonal(to_vector(scales.diagonal), linalg::Sign::positive)
                  : not_definite(fmt::format("an equation of level {} has a diagonal that is not positive", depth(l)),
                                 symmetric_);
  if (shared(l)) failure = on_any_rank(exec, failure);
  if (!failure.empty()) return failure;
  if (l == 0) {
    const Offset rows = shared(0) ? shared(0)->rows : A.rows;
    const double mean = sum_of_level(exec, 0, scales.sum) / static_cast<double>(rows);
    scale_ = rows > 0 ? std::exp2(-std::round(std::log2(mean))) : 1;
  }
  Level<Space, V>& level = levels_[l];
  if (fresh) {
    level.rows = A.rows;
    level.entries = A.values.size();
    level.inverse = Array<V, Space>(A.rows);
    level.theta_square = Strength::square(params_.strength / std::exp2(static_cast<double>(depth(l))));
  }
  invert(exec, scale_, scales.diagonal.view(), level.inverse.view());
  return {};
}

template <class Exec, class V>
std::string Hierarchy<Exec, V>::fill_level(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l,
                                           bool fresh) {
  const Mark mark("amg.level");
  Level<Space, V>& level = levels_[l];
  Array<double, Space> mean;
  if (!symmetric_) mean = symmetric_part_of(exec, A, l, fresh);
  const linalg::CrsView<const double> part =
      symmetric_ ? A : A.with(std::as_const(mean).view().part(0, A.values.size()));
  RowScales<Space> scales = find_scales(exec, part);
  if (const std::string failure = scale_level(exec, A, scales, l, fresh); !failure.empty()) return failure;
  if (should_gather(l)) {
    gather(exec, A, l, fresh);
    return {};
  }
  if (!shared(l) && A.rows <= params_.coarsest_rows) return invert_coarsest(exec, A, l);

  if (fresh)
    level.A = make_level_matrix<Exec, V>(exec, A, scale_);
  else
    refill_level_matrix(exec, A, scale_, level.A);
  const double rho = symmetric_ ? find_rho(exec, level.A.view(), l)
                                : find_rho(exec, make_level_matrix<Exec, V>(exec, part, scale_).view(), l);
  if (!std::isfinite(rho) || rho <= 0) return "the matrix holds a value that is not finite";
  level.smoother = symmetric_ ? make_smoother<V>(rho, params_.smoother_degree)
                              : make_damped_smoother<V>(rho, params_.smoother_degree);
  if (!fresh && is_last(l)) return {};
  if (shared(l))
    coarsen_shared(exec, A, part, scales, damping / rho, l, fresh);
  else
    coarsen(exec, A, part, scales, damping / rho, l, fresh);
  return {};
}

template <class Exec, class V>
double Hierarchy<Exec, V>::find_rho(Exec& exec, const LevelMatrixView<V>& A, std::size_t l) {
  const Mark mark("amg.rho");
  Array<V, Space> x(A.cols), y(A.cols);
  return above_power * largest_eigenvalue(exec, A, std::as_const(levels_[l].inverse).view(), power_steps, x.view(),
                                          y.view(), bringing(exec, l), shared(l) ? shared(l)->first_row : 0);
}

/// P, R and the level R A P, where the rows make aggregates.
template <class Exec, class V>
void Hierarchy<Exec, V>::coarsen(Exec& exec, const linalg::CrsView<const double>& A,
                                 const linalg::CrsView<const double>& symmetric, const RowScales<Space>& scales,
                                 double omega, std::size_t l, bool fresh) {
  const Mark mark("amg.coarsen");
  const Strength strength{scales.largest.view(), levels_[l].theta_square};
  const View<const double> diagonal = scales.diagonal.view();
  Array<double, Space> parts;
  if (!symmetric_) parts = smoothed_parts(exec, A, symmetric.values);
  if (fresh) {
    auto graph = make_strong_graph(exec, symmetric, strength);
    Aggregates<Space> aggregates = aggregate(exec, symmetric, diagonal, strength, graph);
    if (aggregates.count == 0 || aggregates.count > least_coarsening * A.rows) return;
    levels_[l].P = make_prolongation<Exec, V>(exec, symmetric, diagonal, strength, omega, std::as_const(parts).view(),
                                              aggregates, std::move(graph));
    levels_[l].aggregate = std::move(aggregates.of_row);
    levels_.emplace_back();
  } else {
    prolongation_values(exec, symmetric, diagonal, strength, omega, std::as_const(parts).view(),
                        std::as_const(levels_[l].aggregate).view(), levels_[l].P.view());
  }
  Level<Space, V>&level = levels_[l], &next = levels_[l + 1];
  const auto P = std::as_const(level.P).view();
  if (fresh)
    level.R = transpose(exec, P);
  else
    transpose_values(exec, P, level.R.view());
  const auto R = std::as_const(level.R).view();
  if (fresh) {
    next.matrix = galerkin_product(exec, R, A, P, symmetric_);
  } else {
    next.matrix.values = Array<double, Space>(next.matrix.nnz());
    galerkin_values(exec, R, A, P, symmetric_, next.matrix);
  }
}

template <class Exec, class V>
std::string Hierarchy<Exec, V>::invert_coarsest(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l) {
  const Index n = A.rows;
  Array<double, Space> dense(Offset{n} * n), ratios(n);
  spread(exec, A, dense.view());
  invert_semidefinite(exec, n, dependent_pivot<V>, dense, ratios.view());
  for (const double ratio : to_vector(ratios))
    if (!(ratio > -negative_pivot))
      return not_definite(fmt::format("a pivot of level {}, which is factored, is negative", depth(l)), symmetric_);
  levels_[l].solver = make_full<Exec, V>(exec, n, scale_, std::as_const(dense).view());
  return {};
}

/// One line instantiates a hierarchy.
#define TESSERA_INSTANTIATE_HIERARCHY(Exec, V) \
  template class Hierarchy<Exec, V>;           \
  TESSERA_INSTANTIATE_CYCLES(Exec, V, Level)

}  // namespace tessera::solvers::amg
