#pragma once
// What a hierarchy of nodes with several unknowns does on levels whose rows ranks share; included by
// node_hierarchy_impl.hpp.
#include <utility>
#include <vector>

#include "solvers/amg/node_hierarchy.hpp"
#include "solvers/amg/shared_coarsening.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {

/// The finest matrix with the columns of ghosts.
template <class Exec, class V>
void NodeHierarchy<Exec, V>::share_finest(Exec& exec, const Matrix& A, const Shared& ranks, bool fresh) {
  NodeMatrix<Space, double>& matrix = levels_.front().matrix;
  const Matrix ghost = as_node_matrix(*ranks.beside.ghost_blocks);
  std::vector<Index> boundary = to_vector(ranks.beside.halo->boundary());
  for (std::size_t node = 0; node < boundary.size() / static_cast<std::size_t>(A.height); ++node)
    boundary[node] = boundary[node * static_cast<std::size_t>(A.height)] / A.height;
  boundary.resize(boundary.size() / static_cast<std::size_t>(A.height));
  const auto nodes = to_space<Space>(boundary);
  const TwoParts parts{A.pattern(A.values), ghost.pattern(ghost.values), nodes.view()};
  if (fresh) {
    matrix = NodeMatrix<Space, double>(join_ghosts(exec, parts), A.height, A.width);
    shared_.push_back(share_finest_level(exec, A.rows, A.height, *ranks.beside.halo, ranks.first_row, ranks.rows));
    shared_.back()->entries = sum(exec.link()->ranks(), matrix.entries());
  }
  matrix.allocate_values();
  join_values(exec, parts, A.numbers(), std::as_const(matrix.row_ptr).view(), matrix.values.view());
}

/// Level l + 1 is level l with the rows of all ranks, on each of them.
template <class Exec, class V>
void NodeHierarchy<Exec, V>::gather(Exec& exec, const Matrix& A, std::size_t l, bool fresh) {
  SharedLevel<Exec>& here = *shared(l);
  if (fresh) {
    levels_.emplace_back();
    levels_.back().matrix =
        NodeMatrix<Space, double>(gather_pattern(exec, here, A.row_ptr, A.col_ind), A.height, A.width);
  }
  auto &level = levels_[l], &whole = levels_[l + 1];
  whole.matrix.allocate_values();
  here.of_all->bring(exec, A.values, whole.matrix.values.view(), A.numbers());
  whole.modes = level.modes;
  whole.kernel = Array<double, Space>(here.rows * level.modes);
  exec.link()->prepare(here.gathering, sizeof(double) * static_cast<std::size_t>(here.unknowns * level.modes));
  gather_vector(exec, here, here.unknowns * level.modes,
                std::as_const(level.kernel).view().part(0, Offset{level.rows} * level.modes), whole.kernel.view());
}

/// As aggregate_nodes, with the pattern of A P.
template <class Exec, class V>
bool NodeHierarchy<Exec, V>::aggregate_shared_nodes(Exec& exec, const linalg::CrsView<const double>& condensed,
                                                    const RowScales<Space>& scales, const Strength& strength,
                                                    std::size_t l, linalg::Crs<Space>& pattern) {
  SharedLevel<Exec>& here = *shared(l);
  const int height = here.unknowns, modes = levels_[l].modes;
  Aggregates<Space> aggregates;
  StrongGraph<Space> graph;
  auto below = aggregate_shared(exec, here, condensed, scales.diagonal.view(), strength, modes, aggregates, graph);
  if (!below) return false;
  auto P = prolongation_pattern<Exec, V>(exec, aggregates, std::move(graph));
  exchange_P(exec, here, *below, aggregates.of_row.view(), P);
  P.values.set_zero();
  pattern = multiply(exec, condensed, std::as_const(P).view());
  exchange_AP(exec, here, *below, aggregates.of_row.view(), P, pattern);
  append_rows<Exec, double>(exec, here.rows_of_AP, pattern);
  connect<Exec>(exec, *below, modes, nullptr);
  levels_.emplace_back();
  auto &level = levels_[l], &next = levels_[l + 1];
  auto R = transpose(exec, std::as_const(P).view());
  R.rows = below->nodes.owned();
  level.R = NodeMatrix<Space, V>(std::move(R), modes, height);
  level.P = NodeMatrix<Space, V>(std::move(P), height, modes);
  level.P.allocate_values();
  level.R.allocate_values();
  level.aggregate = std::move(aggregates.of_row);
  next.nodes = below->nodes.owned();
  shared_.push_back(std::move(below));
  return true;
}

/// T of ghosts, and the factors of their aggregates, which continue motions over borders.
template <class Exec, class V>
void NodeHierarchy<Exec, V>::bring_kernels(Exec& exec, std::size_t l) {
  const int modes = levels_[l].modes;
  const auto with_ghosts_of = [&](const IndexMap& nodes, int numbers, const Array<double, Space>& own) {
    Array<double, Space> result(Offset{nodes.size()} * numbers);
    const Offset count = Offset{nodes.owned()} * numbers;
    linalg::copy(exec, own.view().part(0, count), result.view().part(0, count));
    linalg::Halo<Exec> halo(*exec.link(), nodes, numbers);
    bring_ghosts(exec, halo, result.view());
    return result;
  };
  levels_[l].kernel = with_ghosts_of(shared(l)->nodes, shared(l)->unknowns * modes, levels_[l].kernel);
  levels_[l + 1].kernel = with_ghosts_of(shared(l + 1)->nodes, modes * modes, levels_[l + 1].kernel);
}

}  // namespace tessera::solvers::amg
