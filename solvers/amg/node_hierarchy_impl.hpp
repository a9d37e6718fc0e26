#pragma once
// The hierarchy of nodes with several unknowns, written once. It only calls declared functions, so any compiler
// instantiates it: node_hierarchy_threads.cpp and node_hierarchy_cuda.cpp.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/reused_memory.hpp"
#include "solvers/amg/cycle_impl.hpp"
#include "solvers/amg/dense_inverse.hpp"
#include "solvers/amg/hierarchy_impl.hpp"
#include "solvers/amg/node_hierarchy.hpp"
#include "solvers/amg/node_ops.hpp"
#include "solvers/amg/prolongation.hpp"
#include "solvers/amg/shared_node_hierarchy_impl.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {

/// As dependent_pivot, but that the pivots of bending are small themselves: those of a bar of squares 200 long are 1e-9
/// of their diagonal.
template <class V>
inline constexpr double dependent_node_pivot = std::is_same_v<V, float> ? 1e-12 : 1e-13;

template <class Space, class V>
NodeMatrixView<const V> in_cycle(const NodeMatrix<Space, V>& A) {
  return A.view();
}

/// z = A^-1 b of a level with a dense inverse.
template <class Exec, class V, class T>
void solve_exactly(Exec& exec, NodeLevel<typename Exec::Space, V>& level, View<T> z) {
  linalg::convert(exec, std::as_const(level.b).view(), level.wide.view());
  product(exec, level.solver.view(), std::as_const(level.wide).view(), z);
}

template <class Exec, class V>
std::string NodeHierarchy<Exec, V>::set_up(Exec& exec, const Matrix& A, const Kernel* kernel,
                                           const std::optional<Shared>& ranks) {
  levels_.clear();
  shared_.clear();
  const std::string failure = fill(exec, A, kernel, ranks, true);
  if (!failure.empty()) levels_.clear();
  return failure;
}
template <class Exec, class V>
std::string NodeHierarchy<Exec, V>::refresh(Exec& exec, const Matrix& A, const Kernel* kernel,
                                            const std::optional<Shared>& ranks) {
  const std::string failure = fill(exec, A, kernel, ranks, false);
  if (!failure.empty()) levels_.clear();
  return failure;
}

template <class Exec, class V>
std::string NodeHierarchy<Exec, V>::fill(Exec& exec, const Matrix& A, const Kernel* kernel,
                                         const std::optional<Shared>& ranks, bool fresh) {
  const ReusedMemory<Space> reused;
  if (fresh) levels_.emplace_back();
  if (ranks) share_finest(exec, A, *ranks, fresh);
  const auto matrix_of = [&](std::size_t l) { return l == 0 && !ranks ? A : std::as_const(levels_[l].matrix).view(); };
  take_kernel(exec, matrix_of(0), kernel);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Matrix matrix = matrix_of(l);
    const std::string failure = fill_level(exec, matrix, l, fresh);
    if (!failure.empty()) return failure;
    levels_[l].matrix.values = {};
    levels_[l].kernel = {};
    if (fresh) allocate_vectors(l);
  }
  if (fresh && params_.cycle == "K") sums_ = Array<double, Space>(krylov_sums * static_cast<Offset>(levels_.size()));
  return {};
}

/// That of the finest level: what is fixed takes no part.
template <class Exec, class V>
void NodeHierarchy<Exec, V>::take_kernel(Exec& exec, const Matrix& A, const Kernel* given) {
  const Offset rows = Offset{A.rows} * A.height;
  const int modes = given ? given->modes : A.height;
  if (modes < 1 || modes > most_unknowns || (given && given->vectors.size() != rows * modes))
    throw Error(ExitCode::internal,
                fmt::format("the near kernel has {} vectors and {} numbers in all, for {} rows", modes,
                            given ? given->vectors.size() : 0, rows),
                fmt::format("give 1 to {} vectors, each as long as the rows", most_unknowns));
  Array<double, Space>& kernel = levels_.front().kernel;
  kernel = Array<double, Space>(rows * modes);
  levels_.front().modes = modes;
  if (given)
    linalg::copy(exec, given->vectors.view(), kernel.view());
  else
    fill_constants(exec, modes, kernel.view());
  leave_out_fixed(exec, A, modes, kernel.view());
}

/// D^-1 of the cycle, and what the blocks on the diagonal say of the matrix.
template <class Exec, class V>
std::string NodeHierarchy<Exec, V>::scale_level(Exec& exec, const Matrix& A, const DiagonalBlocks<Space>& diagonal,
                                                std::size_t l, bool fresh) {
  auto& level = levels_[l];
  std::string failure;
  if (diagonal.bad > 0)
    failure = not_definite(fmt::format("the {0} x {0} diagonal blocks of {1} nodes of {2} are not", A.height,
                                       diagonal.bad, l == 0 ? "the mesh" : fmt::format("level {}", depth(l))));
  if (shared(l)) failure = on_any_rank(exec, failure);
  if (!failure.empty()) return failure;
  if (l == 0) {
    const double rows = shared(0) ? static_cast<double>(shared(0)->rows) : 1.0 * A.rows * A.height;
    const double trace = sum_of_level(exec, 0, diagonal.trace);
    scale_ = trace > 0 ? std::exp2(-std::round(std::log2(trace / rows))) : 1;
  }
  if (fresh) {
    level.nodes = A.rows;
    level.rows = A.rows * A.height;
    level.entries = A.col_ind.size() * A.numbers();
    level.inverse = {A.height, Array<V, Space>(diagonal.inverse.size())};
    level.theta_square = Strength::square(params_.strength / std::exp2(static_cast<double>(depth(l))));
  }
  scale_values(exec, 1 / scale_, diagonal.inverse.view(), level.inverse.values.view());
  return {};
}

template <class Exec, class V>
std::string NodeHierarchy<Exec, V>::fill_level(Exec& exec, const Matrix& A, std::size_t l, bool fresh) {
  const DiagonalBlocks<Space> diagonal = invert_diagonal(exec, A, l == 0);
  if (const std::string failure = scale_level(exec, A, diagonal, l, fresh); !failure.empty()) return failure;
  auto& level = levels_[l];
  if (should_gather(l)) {
    gather(exec, A, l, fresh);
    return {};
  }
  if (!shared(l) && level.rows <= params_.coarsest_rows) return invert_coarsest(exec, A, l);

  if (fresh) level.A.values = Array<V, Space>(A.values.size());
  level.A.pattern = A.with(View<const V>());
  scale_values(exec, scale_, A.values, level.A.values.view());
  double rho = 0;
  {
    const Offset columns = Offset{A.cols} * A.width;
    Array<V, Space> x(columns), y(columns), z(columns);
    rho = above_power * largest_eigenvalue(exec, level.A.view(), std::as_const(level.inverse).view(), power_steps,
                                           x.view(), y.view(), z.view(), bringing(exec, l),
                                           shared(l) ? shared(l)->first_row : 0);
  }
  if (!std::isfinite(rho) || rho <= 0) return "the matrix holds a value that is not finite";
  level.smoother = make_smoother<V>(rho, params_.smoother_degree);
  if (!fresh && is_last(l)) return {};
  coarsen(exec, A, diagonal.inverse.view(), damping / rho, l, fresh);
  return {};
}

/// P's pattern, R's, and room for the next level; false: the nodes make no aggregates.
template <class Exec, class V>
bool NodeHierarchy<Exec, V>::aggregate_nodes(Exec& exec, const linalg::CrsView<const double>& condensed,
                                             const RowScales<Space>& scales, const Strength& strength, std::size_t l) {
  const int height = levels_[l].inverse.block, modes = levels_[l].modes;
  auto graph = make_strong_graph(exec, condensed, strength);
  Aggregates<Space> aggregates = aggregate(exec, condensed, scales.diagonal.view(), strength, graph);
  if (aggregates.count == 0 || Offset{aggregates.count} * modes > least_coarsening * levels_[l].rows) return false;
  levels_.emplace_back();
  auto &level = levels_[l], &next = levels_[l + 1];
  auto P = prolongation_pattern<Exec, V>(exec, aggregates, std::move(graph));
  level.R = NodeMatrix<Space, V>(transpose(exec, std::as_const(P).view()), modes, height);
  level.P = NodeMatrix<Space, V>(std::move(P), height, modes);
  level.P.allocate_values();
  level.R.allocate_values();
  level.aggregate = std::move(aggregates.of_row);
  next.nodes = aggregates.count;
  return true;
}

/// P, R and the level R A P, where the nodes make aggregates.
template <class Exec, class V>
void NodeHierarchy<Exec, V>::coarsen(Exec& exec, const Matrix& A, View<const double> inverse, double omega,
                                     std::size_t l, bool fresh) {
  linalg::Crs<Space> pattern;
  {
    Array<double, Space> numbers(A.col_ind.size());
    condense(exec, A, std::min(levels_.front().inverse.block, A.height), numbers.view());
    const auto condensed = A.pattern(std::as_const(numbers).view());
    const RowScales<Space> scales = find_scales(exec, condensed);
    Array<double, Space> largest;
    if (shared(l)) largest = with_ghosts(exec, *shared(l), scales.largest.view());
    const Strength strength{shared(l) ? std::as_const(largest).view() : scales.largest.view(), levels_[l].theta_square};
    if (fresh && !(shared(l) ? aggregate_shared_nodes(exec, condensed, scales, strength, l, pattern)
                             : aggregate_nodes(exec, condensed, scales, strength, l)))
      return;
    auto &level = levels_[l], &next = levels_[l + 1];
    const int modes = next.modes = level.modes;
    const auto aggregate = std::as_const(level.aggregate).view();
    const Offset of_node = Offset{modes} * modes;
    next.kernel = Array<double, Space>((shared(l) ? shared(l + 1)->nodes.size() : next.nodes) * of_node);
    orthonormalise(exec, aggregate.part(0, A.rows), next.nodes, A.height, modes,
                   level.kernel.view().part(0, Offset{level.rows} * modes),
                   next.kernel.view().part(0, next.nodes * of_node));
    if (shared(l)) bring_kernels(exec, l);
    prolongation_values(
        exec, A, std::as_const(numbers).view(), strength, inverse, omega,
        Tentative{modes, aggregate, std::as_const(level.kernel).view(), std::as_const(next.kernel).view()},
        level.P.view());
    level.kernel = {};
    if (SharedLevel<Exec>* const here = shared(l)) {
      const Offset own = here->entries_of_P * level.P.height * level.P.width;
      here->of_P->bring(exec, std::as_const(level.P.values).view().part(0, own),
                        level.P.values.view().part(own, level.P.values.size() - own),
                        Offset{level.P.height} * level.P.width);
    }
  }
  transpose_values(exec, std::as_const(levels_[l].P).view(), levels_[l].R.view());
  multiply_level(exec, A, l, fresh, std::move(pattern));
}

/// The matrix of the next level. Patterns are those of products of matrices of numbers.
template <class Exec, class V>
void NodeHierarchy<Exec, V>::multiply_level(Exec& exec, const Matrix& A, std::size_t l, bool fresh,
                                            linalg::Crs<Space> pattern) {
  auto &level = levels_[l], &next = levels_[l + 1];
  SharedLevel<Exec>* const here = shared(l);
  const auto P = std::as_const(level.P).view(), R = std::as_const(level.R).view();
  const auto numbers_of = [](const auto& matrix) {
    return matrix.pattern(matrix.values.part(0, matrix.col_ind.size()));
  };
  if (pattern.row_ptr.empty()) {
    pattern = multiply(exec, numbers_of(A), numbers_of(P));
    if (here) append_rows<Exec, double>(exec, here->rows_of_AP, pattern);
  }
  const linalg::CrsView<const double> product = std::as_const(pattern).view();
  if (fresh) next.matrix = NodeMatrix<Space, double>(multiply(exec, numbers_of(R), product), P.width, P.width);
  pattern.values = {};
  NodeMatrix<Space, double> AP(std::move(pattern), P.height, P.width);
  AP.allocate_values();
  if (here) {
    const Offset numbers = Offset{P.height} * P.width, blocks = AP.col_ind.size() - here->rows_of_AP.col_ind.size();
    NodeMatrixView<double> own = AP.view();
    own.rows = A.rows;
    own.col_ind = own.col_ind.part(0, blocks);
    own.values = own.values.part(0, blocks * numbers);
    multiply_values(exec, A, P, own);
    here->of_AP->bring(exec, View<const double>(own.values),
                       AP.values.view().part(own.values.size(), AP.values.size() - own.values.size()), numbers);
  } else {
    multiply_values(exec, A, P, AP.view());
  }
  next.matrix.allocate_values();
  multiply_values(exec, R, std::as_const(AP).view(), next.matrix.view());
  if (here && fresh) shared(l + 1)->entries = sum(exec.link()->ranks(), next.matrix.entries());
}

template <class Exec, class V>
std::string NodeHierarchy<Exec, V>::invert_coarsest(Exec& exec, const Matrix& A, std::size_t l) {
  const Index n = levels_[l].rows;
  Array<double, Space> dense(Offset{n} * n), ratios(n);
  spread(exec, A, dense.view());
  invert_semidefinite(exec, n, dependent_node_pivot<V>, dense, ratios.view());
  for (const double ratio : to_vector(ratios))
    if (!(ratio > -negative_pivot))
      return not_definite(fmt::format("a pivot of level {}, which is factored, is negative", depth(l)));
  levels_[l].solver = make_full<Exec, double>(exec, n, scale_, std::as_const(dense).view());
  levels_[l].wide = Array<double, Space>(n);
  return {};
}

/// One line instantiates a hierarchy.
#define TESSERA_INSTANTIATE_NODE_HIERARCHY(Exec, V) \
  template class NodeHierarchy<Exec, V>;            \
  TESSERA_INSTANTIATE_CYCLES(Exec, V, NodeLevel)

}  // namespace tessera::solvers::amg
