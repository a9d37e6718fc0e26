#pragma once
// How ranks that share a level make the next one: for matrices of numbers, and of one number a block where nodes have
// several unknowns. Host code around passes that each backend has; only calls declared functions.
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "base/link.hpp"
#include "linalg/halo.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/amg/aggregation.hpp"
#include "solvers/amg/mark.hpp"
#include "solvers/amg/prolongation.hpp"
#include "solvers/amg/shared_level.hpp"

namespace tessera::solvers::amg {

/// A level that is not smaller than this part of the one above is not worth having.
inline constexpr double least_coarsening = 0.8;

namespace detail {

/// Numbers of ghosts, in double, as their owners have them; until the next exchange of the halo.
template <class Exec>
View<const double> numbers_of_ghosts(Exec& exec, linalg::Halo<Exec>& halo, View<const double> own) {
  halo.start(exec, own);
  return halo.template finish<double>(exec);
}

}  // namespace detail

/// The entries of ghosts behind the others, brought through `halo`.
template <class Exec, class T>
void bring_ghosts(Exec& exec, linalg::Halo<Exec>& halo, View<T> x) {
  halo.start(exec, View<const T>(x));
  const View<const T> ghosts = halo.template finish<T>(exec);
  linalg::copy(exec, ghosts, x.part(x.size() - ghosts.size(), ghosts.size()));
}

/// Halos for vectors of `unknowns` a node, and of one; that of the finest level is given.
template <class Exec>
void connect(Exec& exec, SharedLevel<Exec>& level, int unknowns, linalg::Halo<Exec>* given) {
  level.unknowns = unknowns;
  const auto made = [&](int components) {
    return std::make_unique<linalg::Halo<Exec>>(*exec.link(), level.nodes, components);
  };
  if (!given) level.own_halo = made(unknowns);
  level.halo = given ? given : level.own_halo.get();
  if (unknowns > 1) level.own_node_halo = made(1);
  level.node_halo = unknowns > 1 ? level.own_node_halo.get() : level.halo;
}

/// The finest level of a matrix of `nodes` on this rank, of which this is the first row among those of all ranks.
template <class Exec>
std::unique_ptr<SharedLevel<Exec>> share_finest_level(Exec& exec, Index nodes, int unknowns, linalg::Halo<Exec>& halo,
                                                      Offset first_row, Offset rows) {
  auto level = std::make_unique<SharedLevel<Exec>>();
  Array<double, typename Exec::Space> own(Offset{nodes} * unknowns);
  number_rows(exec, first_row, own.view());
  const View<const double> found = detail::numbers_of_ghosts(exec, halo, std::as_const(own).view());
  std::vector<double> of_rows(static_cast<std::size_t>(found.size()));
  copy_bytes(typename Exec::Space{}, found.data(), Host{}, of_rows.data(), of_rows.size() * sizeof(double));
  std::vector<Offset> ghosts;
  for (std::size_t row = 0; row < of_rows.size(); row += static_cast<std::size_t>(unknowns))
    ghosts.push_back(static_cast<Offset>(of_rows[row]) / unknowns);
  Communicator& ranks = exec.link()->ranks();
  level->number(first_nodes(ranks, nodes), ranks.rank(), ghosts);
  level->first_row = first_row;
  level->rows = rows;
  connect(exec, *level, unknowns, &halo);
  return level;
}

/// The largest entries of rows with those of ghosts, for Strength.
template <class Exec>
Array<double, typename Exec::Space> with_ghosts(Exec& exec, const SharedLevel<Exec>& here, View<const double> of_rows) {
  Array<double, typename Exec::Space> result(of_rows.size() + here.node_halo->ghosts());
  linalg::copy(exec, of_rows, result.view().part(0, of_rows.size()));
  bring_ghosts(exec, *here.node_halo, result.view());
  return result;
}

/// Aggregates of the rows of this rank and, as their ranks have them, of its ghosts, in the numbers of the next level,
/// which is returned without its halos; nullptr: there are too few or too many to be worth it. The graph is that of P.
/// `unknowns`: of an aggregate. Collective.
template <class Exec>
std::unique_ptr<SharedLevel<Exec>> aggregate_shared(Exec& exec, const SharedLevel<Exec>& here,
                                                    const linalg::CrsView<const double>& A, View<const double> diagonal,
                                                    const Strength& strength, int unknowns,
                                                    Aggregates<typename Exec::Space>& aggregates,
                                                    StrongGraph<typename Exec::Space>& graph) {
  using Space = typename Exec::Space;
  const Mark mark("amg.aggregates");
  Communicator& ranks = exec.link()->ranks();
  graph = make_strong_graph(exec, A, strength);
  aggregates = aggregate(exec, A, diagonal, strength, first_columns(exec, graph, A.rows));
  const View<Index> own = aggregates.of_row.view().part(0, A.rows);
  // What is strong to ghosts alone has no neighbours in the graph within the rank.
  aggregates.count += add_single_aggregates(exec, std::as_const(graph.row_ptr).view(), aggregates.count, own);
  const std::vector<Offset> firsts = first_nodes(ranks, aggregates.count);
  const double rows = static_cast<double>(firsts.back()) * unknowns;
  if (rows == 0 || rows > least_coarsening * static_cast<double>(here.rows)) return nullptr;

  Array<double, Space> numbers(A.rows);
  const Offset first = firsts[static_cast<std::size_t>(ranks.rank())];
  number_aggregates(exec, first, View<const Index>(own), numbers.view());
  const auto of_ghosts = detail::numbers_of_ghosts(exec, *here.node_halo, std::as_const(numbers).view());
  auto next = std::make_unique<SharedLevel<Exec>>();
  next->number(firsts, ranks.rank(), distinct_aggregates(exec, of_ghosts));
  next->first_row = first * unknowns;
  next->rows = firsts.back() * unknowns;
  name_aggregates(exec, next->numbering(), of_ghosts, aggregates.of_row.view().part(A.rows, of_ghosts.size()));
  aggregates.count = next->nodes.size();
  return next;
}

/// Columns `met` of nodes of other ranks, ascending, become ghosts of the level beside those that it has; what has
/// columns, or numbers of nodes, of it is numbered anew.
template <class Exec>
void see_more(Exec& exec, const std::vector<Offset>& met, SharedLevel<Exec>& level,
              std::initializer_list<View<Index>> columns) {
  if (met.empty()) return;
  const std::vector<Offset> before(level.nodes.ghosts().begin(), level.nodes.ghosts().end());
  std::vector<Offset> ghosts(before.size() + met.size());
  std::merge(before.begin(), before.end(), met.begin(), met.end(), ghosts.begin());
  std::vector<Index> names;
  for (std::size_t k = 0; k < ghosts.size(); ++k)
    if (names.size() < before.size() && ghosts[k] == before[names.size()])
      names.push_back(level.nodes.owned() + static_cast<Index>(k));
  level.number(std::move(level.firsts), exec.link()->ranks().rank(), ghosts);
  const auto to = to_space<typename Exec::Space>(names);
  for (const View<Index>& of : columns) rename_ghosts(exec, level.nodes.owned(), to.view(), of);
}

/// The pattern of P gets the rows of ghosts.
template <class Exec, class V>
void exchange_P(Exec& exec, SharedLevel<Exec>& here, SharedLevel<Exec>& next, View<Index> aggregate,
                linalg::Crs<typename Exec::Space, V>& P) {
  const Mark mark("amg.pattern_of_P");
  here.entries_of_P = P.nnz();
  here.of_P.emplace(exec, *exec.link(), here.rows_of_ghosts(*exec.link()), std::as_const(P.row_ptr).view(),
                    std::as_const(P.col_ind).view(), next.numbering());
  see_more(exec, here.of_P->unseen(exec, next.numbering()), next, {P.col_ind.view(), aggregate});
  append_rows<Exec, V>(exec, here.of_P->arrange(exec, next.numbering()), P);
  P.cols = next.nodes.size();
}

/// Which rows of A P come from others: those of ghosts that R has columns of. AP [rows of this rank] stays without
/// them.
template <class Exec, class V>
void exchange_AP(Exec& exec, SharedLevel<Exec>& here, SharedLevel<Exec>& next, View<Index> aggregate,
                 linalg::Crs<typename Exec::Space, V>& P, linalg::Crs<typename Exec::Space>& AP) {
  const Mark mark("amg.pattern_of_A_P");
  here.of_AP.emplace(exec, *exec.link(), here.rows_of_ghosts(*exec.link()), std::as_const(AP.row_ptr).view(),
                     std::as_const(AP.col_ind).view(), next.numbering());
  // The ghost's row of P has a column of this rank; columns ascend, and those of others come behind.
  Array<Index, typename Exec::Space> used(here.of_AP->rows());
  find_used(exec, std::as_const(P.row_ptr).view(), std::as_const(P.col_ind).view(), here.nodes.owned(),
            next.nodes.owned(), used.view());
  const View<const Index> of_R = std::as_const(used).view();
  see_more(exec, here.of_AP->unseen(exec, next.numbering(), of_R), next,
           {P.col_ind.view(), aggregate, AP.col_ind.view()});
  here.rows_of_AP = here.of_AP->arrange(exec, next.numbering(), of_R);
  P.cols = AP.cols = next.nodes.size();
}

/// Gathers the rows of all ranks of a level, for each of them: from now on they go on alone. Returns the pattern of its
/// matrix, of which `row_ptr` and `col_ind` are the rows of this rank.
template <class Exec>
linalg::Crs<typename Exec::Space> gather_pattern(Exec& exec, SharedLevel<Exec>& here, View<const Offset> row_ptr,
                                                 View<const Index> col_ind) {
  using Space = typename Exec::Space;
  const auto plan = all_rows<Exec>(*exec.link(), here.firsts, sizeof(double) * static_cast<std::size_t>(here.unknowns));
  here.gathering = plan.places;
  here.of_all.emplace(exec, *exec.link(), plan, row_ptr, col_ind, here.numbering());
  here.numbers = Array<Index, Space>(Offset{here.nodes.size()} * here.unknowns);
  number_unknowns(exec, here.numbering(), here.unknowns, here.numbers.view());
  linalg::Crs<Space> whole;
  whole.rows = whole.cols = static_cast<Index>(here.firsts.back());
  auto rows = here.of_all->arrange(exec, Numbering{whole.rows, 0, {}, 0});
  whole.row_ptr = std::move(rows.row_ptr);
  whole.col_ind = std::move(rows.col_ind);
  return whole;
}
/// whole = the rows of all ranks of a vector of `numbers` a node, for which the link is prepared.
template <class Exec, class T>
void gather_vector(Exec& exec, const SharedLevel<Exec>& here, int numbers, View<const T> own, View<T> whole) {
  exec.link()->start(here.gathering, own.data(), whole.data(), sizeof(T) * static_cast<std::size_t>(numbers));
  exec.link()->finish();
  linalg::copy(exec, own, whole.part(here.nodes.first_owned() * numbers, own.size()));
}

}  // namespace tessera::solvers::amg
