#include <optional>
#include <utility>

#include "base/team.hpp"
#include "solvers/amg/prolongation_impl.hpp"
#include "solvers/amg/row_sums_threads.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// Counting sort; each thread counts and places the entries of its range of rows.
template <class Exec, class V>
void transpose_entries(Exec& exec, const linalg::CrsView<const V>& P, linalg::Crs<typename Exec::Space, V>& R) {
  const Offset rows = P.rows, cols = P.cols;
  const int parts = rows > 10000 ? exec.count() : 1;
  Array<Offset> places(cols * parts);
  places.set_zero();
  const auto begin = [&](int part) { return rows * part / parts; };
  const auto of = [&](int part, Index col) -> Offset& { return places[Offset{col} * parts + part]; };
  parallel(parts, [&](int part) {
    for (Offset k = P.row_ptr[begin(part)]; k < P.row_ptr[begin(part + 1)]; ++k) ++of(part, P.col_ind[k]);
  });
  Offset before = 0;
  for (Offset col = 0; col < cols; ++col) {
    R.row_ptr[col] = before;
    for (int part = 0; part < parts; ++part) {
      const Offset count = of(part, static_cast<Index>(col));
      of(part, static_cast<Index>(col)) = before;
      before += count;
    }
  }
  R.row_ptr[cols] = before;
  parallel(parts, [&](int part) {
    for (Offset row = begin(part); row < begin(part + 1); ++row)
      for (Offset k = P.row_ptr[row]; k < P.row_ptr[row + 1]; ++k) {
        const Offset place = of(part, P.col_ind[k])++;
        R.col_ind[place] = static_cast<Index>(row);
        R.values[place] = P.values[k];
      }
  });
}

}  // namespace detail

template <class Exec, class V>
linalg::Crs<typename Exec::Space, V> make_prolongation(Exec& exec, const linalg::CrsView<const double>& A,
                                                       View<const double> diagonal, const Strength&, double omega,
                                                       View<const double> parts,
                                                       const Aggregates<typename Exec::Space>& aggregates,
                                                       StrongGraph<typename Exec::Space>&& given) {
  std::optional<StrongGraph<Host>> graph(std::move(given));
  const View<const Index> aggregate = aggregates.of_row.view();
  const auto add = [&, first = std::as_const(graph->row_ptr).view(), strong = std::as_const(graph->col_ind).view()](
                       RowSums<V>& sums, Offset row) {
    const double d = diagonal[row], factor = (parts.empty() ? omega : omega * parts[row]) / d;
    double lumped = d;
    Offset next = first[row];  // strong entries are some of those of A, in the same order
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const Index col = A.col_ind[k];
      if (col == row) continue;
      const bool is_strong = next < first[row + 1] && strong[next] == col;
      next += is_strong;
      const Index to = is_strong ? aggregate[col] : -1;
      if (to >= 0)
        sums.add(to, -static_cast<V>(factor * A.values[k]));
      else
        lumped += A.values[k];
    }
    if (aggregate[row] >= 0) sums.add(aggregate[row], static_cast<V>(1 - factor * lumped));
  };
  ChunkedRows<V> rows = make_rows<V>(exec, A.rows, aggregates.count, true, add);
  graph.reset();
  return to_crs(exec, std::move(rows), aggregates.count);
}

TESSERA_INSTANTIATE_PROLONGATION(Threads, float);
TESSERA_INSTANTIATE_PROLONGATION(Threads, double);

}  // namespace tessera::solvers::amg
