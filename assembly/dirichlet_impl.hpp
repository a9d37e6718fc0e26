#pragma once
#include "assembly/dirichlet.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Fixed dofs by row.
struct FixedDofs {
  std::vector<unsigned char> fixed;
  std::vector<double> prescribed;
};
FixedDofs mark_fixed_dofs(Index rows, const std::vector<Index>& dofs, const std::vector<double>& values);

template <class Exec>
void eliminate_dirichlet(Exec& exec, linalg::Crs<typename Exec::Space>& A, View<double> b, const std::vector<Index>& dofs,
                         const std::vector<double>& values) {
  using Space = typename Exec::Space;
  if (dofs.empty() && values.empty()) return;
  const FixedDofs marks = mark_fixed_dofs(A.rows, dofs, values);
  const auto fixed_there = to_space<Space>(marks.fixed);
  const auto prescribed_there = to_space<Space>(marks.prescribed);
  const View<const unsigned char> is_fixed = fixed_there.view();
  const View<const double> value = prescribed_there.view();
  const linalg::CrsView<double> a = A.view();
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    const Offset first = a.row_ptr[row], last = a.row_ptr[row + 1];
    if (is_fixed[row]) {
      double diagonal = 0;
      for (Offset k = first; k < last; ++k) {
        if (a.col_ind[k] == row) {
          if (!(a.values[k] > 0)) a.values[k] = 1;
          diagonal = a.values[k];
        } else {
          a.values[k] = 0;
        }
      }
      b[row] = diagonal * value[row];
      return;
    }
    double lifted = 0;
    for (Offset k = first; k < last; ++k) {
      const Index col = a.col_ind[k];
      if (!is_fixed[col]) continue;
      lifted += a.values[k] * value[col];
      a.values[k] = 0;
    }
    b[row] -= lifted;
  });
  exec.synchronize();  // the marks are released here
}

}  // namespace tessera::assembly
