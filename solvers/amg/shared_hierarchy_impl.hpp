#pragma once
// What a hierarchy does on levels whose rows ranks share; included by hierarchy_impl.hpp.
#include <algorithm>
#include <utility>

#include "solvers/amg/hierarchy.hpp"
#include "solvers/amg/mark.hpp"
#include "solvers/amg/shared_coarsening.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {

/// The finest matrix with the columns of ghosts.
template <class Exec, class V>
void Hierarchy<Exec, V>::share_finest(Exec& exec, const linalg::CrsView<const double>& A, const Shared& ranks,
                                      bool fresh) {
  const Mark mark("amg.share_finest");
  linalg::Crs<Space>& matrix = levels_.front().matrix;
  const TwoParts parts{A, *ranks.beside.ghost, ranks.beside.halo->boundary().view()};
  if (fresh) {
    matrix = join_ghosts(exec, parts);
    shared_.push_back(share_finest_level(exec, A.rows, 1, *ranks.beside.halo, ranks.first_row, ranks.rows));
    shared_.back()->entries = sum(exec.link()->ranks(), matrix.nnz());
  }
  matrix.values = Array<double, Space>(matrix.nnz());
  join_values(exec, parts, 1, std::as_const(matrix.row_ptr).view(), matrix.values.view());
}

/// Of rows and, behind them, of what is seen of the rows of ghosts.
template <class Exec, class V>
Array<double, typename Exec::Space> Hierarchy<Exec, V>::symmetric_part_of(Exec& exec,
                                                                          const linalg::CrsView<const double>& A,
                                                                          std::size_t l, bool fresh) {
  SharedLevel<Exec>* const here = shared(l);
  if (!here) return symmetric_part(exec, A);
  if (fresh) {
    here->of_A.emplace(exec, *exec.link(), here->rows_of_ghosts(*exec.link()), A.row_ptr, A.col_ind, here->numbering());
    here->rows_of_A = here->of_A->arrange(exec, here->numbering());
  }
  linalg::Crs<Space> all;
  all.rows = A.rows;
  all.cols = A.cols;
  all.row_ptr = Array<Offset, Space>(Offset{A.rows} + 1);
  all.col_ind = Array<Index, Space>(A.col_ind.size());
  all.values = Array<double, Space>(A.col_ind.size());
  copy_bytes(Space{}, A.row_ptr.data(), Space{}, all.row_ptr.data(), all.row_ptr.bytes());
  copy_bytes(Space{}, A.col_ind.data(), Space{}, all.col_ind.data(), all.col_ind.bytes());
  linalg::copy(exec, A.values, all.values.view());
  append_rows<Exec, double>(exec, here->rows_of_A, all);
  const Offset own = A.values.size();
  here->of_A->bring(exec, A.values, all.values.view().part(own, all.nnz() - own));
  return symmetric_part(exec, std::as_const(all).view());
}

/// Level l + 1 is level l with the rows of all ranks, on each of them.
template <class Exec, class V>
void Hierarchy<Exec, V>::gather(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l, bool fresh) {
  const Mark mark("amg.gather");
  SharedLevel<Exec>& here = *shared(l);
  if (fresh) {
    levels_.emplace_back();
    levels_.back().matrix = gather_pattern(exec, here, A.row_ptr, A.col_ind);
  }
  linalg::Crs<Space>& whole = levels_[l + 1].matrix;
  whole.values = Array<double, Space>(whole.nnz());
  here.of_all->bring(exec, A.values, whole.values.view());
}

/// P, R and the level R A P, where the rows make aggregates on any rank.
template <class Exec, class V>
void Hierarchy<Exec, V>::coarsen_shared(Exec& exec, const linalg::CrsView<const double>& A,
                                        const linalg::CrsView<const double>& symmetric, const RowScales<Space>& scales,
                                        double omega, std::size_t l, bool fresh) {
  SharedLevel<Exec>& here = *shared(l);
  const Array<double, Space> largest = with_ghosts(exec, here, scales.largest.view());
  const Strength strength{largest.view(), levels_[l].theta_square};
  if (fresh) {
    Aggregates<Space> aggregates;
    StrongGraph<Space> graph;
    auto next = aggregate_shared(exec, here, symmetric, scales.diagonal.view(), strength, 1, aggregates, graph);
    if (!next) return;
    Level<Space, V>& level = levels_[l];
    level.P = prolongation_pattern<Exec, V>(exec, aggregates, std::move(graph));
    level.aggregate = std::move(aggregates.of_row);
    exchange_P(exec, here, *next, level.aggregate.view(), level.P);
    levels_.emplace_back();
    shared_.push_back(std::move(next));
  }
  Level<Space, V>&level = levels_[l], &next = levels_[l + 1];
  SharedLevel<Exec>& below = *shared(l + 1);
  {
    const Mark mark("amg.values_of_P");
    Array<double, Space> parts;
    if (!symmetric_) parts = smoothed_parts(exec, A, symmetric.values);
    linalg::CrsView<V> own = level.P.view();
    own.rows = A.rows;
    prolongation_values(exec, symmetric, scales.diagonal.view(), strength, omega, std::as_const(parts).view(),
                        std::as_const(level.aggregate).view(), own);
  }
  const Offset own = here.entries_of_P;
  here.of_P->bring(exec, std::as_const(level.P.values).view().part(0, own),
                   level.P.values.view().part(own, level.P.nnz() - own));
  if (fresh) {
    level.R = transpose(exec, std::as_const(level.P).view());
    level.R.rows = below.nodes.owned();
  } else {
    transpose_values(exec, std::as_const(level.P).view(), level.R.view());
  }
  const linalg::Crs<Space> AP = multiply_shared(exec, A, l, fresh);
  const auto R = std::as_const(level.R).view();
  if (!fresh) {
    next.matrix.values = Array<double, Space>(next.matrix.nnz());
    return multiply_values(exec, R, AP.view(), next.matrix);
  }
  {
    const Mark mark("amg.R_AP");
    next.matrix = multiply(exec, R, AP.view());
  }
  const Mark mark("amg.connect");
  connect<Exec>(exec, below, 1, nullptr);
  below.entries = sum(exec.link()->ranks(), next.matrix.nnz());
}

/// A P with the rows of ghosts that R has columns of.
template <class Exec, class V>
linalg::Crs<typename Exec::Space> Hierarchy<Exec, V>::multiply_shared(Exec& exec,
                                                                      const linalg::CrsView<const double>& A,
                                                                      std::size_t l, bool fresh) {
  SharedLevel<Exec>& here = *shared(l);
  Level<Space, V>& level = levels_[l];
  const Mark mark("amg.A_P");
  linalg::Crs<Space> AP = multiply(exec, A, std::as_const(level.P).view());
  if (fresh) exchange_AP(exec, here, *shared(l + 1), level.aggregate.view(), level.P, AP);
  const Offset own = AP.nnz();
  const Mark values("amg.rows_of_A_P");
  append_rows<Exec, double>(exec, here.rows_of_AP, AP);
  here.of_AP->bring(exec, std::as_const(AP.values).view().part(0, own), AP.values.view().part(own, AP.nnz() - own));
  return AP;
}

}  // namespace tessera::solvers::amg
