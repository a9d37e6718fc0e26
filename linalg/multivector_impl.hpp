#pragma once
// What of multivector.hpp is written once.
#include <cassert>

#include "base/parallel.hpp"
#include "linalg/multivector.hpp"

namespace tessera::linalg {

template <class Exec>
void multiply_components(Exec& exec, const CrsView<const double>& A, Index block, View<const double> x,
                         View<double> y) {
  assert(x.size() == Offset{A.cols} * block && y.size() == Offset{A.rows} * block);
  for_each(exec, y.size(), [=] TESSERA_HD(Offset row) {
    const Offset node = row / block, c = row % block;
    double sum = 0;
    for (Offset k = A.row_ptr[node]; k < A.row_ptr[node + 1]; ++k)
      sum += A.values[k] * x[Offset{A.col_ind[k]} * block + c];
    y[row] = sum;
  });
}

template <class Exec>
void add_to_diagonals(Exec& exec, double factor, const CrsView<const double>& A, Index block, View<double> values) {
  assert(values.size() == A.values.size() * block * block);
  for_each(exec, A.values.size(), [=] TESSERA_HD(Offset k) {
    for (Index c = 0; c < block; ++c) values[(k * block + c) * block + c] += factor * A.values[k];
  });
}

#define TESSERA_INSTANTIATE_COMPONENTS(Exec)                                                                       \
  template void multiply_components(Exec&, const CrsView<const double>&, Index, View<const double>, View<double>); \
  template void add_to_diagonals(Exec&, double, const CrsView<const double>&, Index, View<double>)

}  // namespace tessera::linalg
