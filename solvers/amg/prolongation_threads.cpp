#include "base/team.hpp"
#include "solvers/amg/prolongation_impl.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// Counting sort; each thread counts and places the entries of its range of rows.
template <>
void transpose_pattern(Threads& exec, Index rows, View<const Offset> row_ptr, View<const Index> col_ind,
                       View<Offset> to_row_ptr, View<Index> to_col_ind) {
  const Offset cols = to_row_ptr.size() - 1;
  const int parts = rows > 10000 ? exec.count() : 1;
  Array<Offset> places(cols * parts);
  places.set_zero();
  const auto begin = [&](int part) { return Offset{rows} * part / parts; };
  const auto of = [&](int part, Index col) -> Offset& { return places[Offset{col} * parts + part]; };
  parallel(parts, [&](int part) {
    for (Offset k = row_ptr[begin(part)]; k < row_ptr[begin(part + 1)]; ++k) ++of(part, col_ind[k]);
  });
  Offset before = 0;
  for (Offset col = 0; col < cols; ++col) {
    to_row_ptr[col] = before;
    for (int part = 0; part < parts; ++part) {
      const Offset count = of(part, static_cast<Index>(col));
      of(part, static_cast<Index>(col)) = before;
      before += count;
    }
  }
  to_row_ptr[cols] = before;
  parallel(parts, [&](int part) {
    for (Offset row = begin(part); row < begin(part + 1); ++row)
      for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
        to_col_ind[of(part, col_ind[k])++] = static_cast<Index>(row);
  });
}

}  // namespace detail

TESSERA_INSTANTIATE_PROLONGATION(Threads, float);
TESSERA_INSTANTIATE_PROLONGATION(Threads, double);

}  // namespace tessera::solvers::amg
