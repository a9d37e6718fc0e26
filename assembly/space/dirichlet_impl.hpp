#pragma once
#include "assembly/space/dirichlet.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Fixed dofs by row.
struct FixedDofs {
  std::vector<unsigned char> fixed;
  std::vector<double> prescribed;
};
FixedDofs mark_fixed_dofs(Index rows, const std::vector<Index>& dofs, const std::vector<double>& values);

template <class Exec>
void eliminate_dirichlet(Exec& exec, const linalg::Crs<typename Exec::Space>& pattern, const linalg::RowLayout& layout,
                         View<double> values, View<double> b, const std::vector<Index>& dofs,
                         const std::vector<double>& prescribed) {
  using Space = typename Exec::Space;
  if (dofs.empty() && prescribed.empty()) return;
  const FixedDofs marks = mark_fixed_dofs(pattern.rows, dofs, prescribed);
  const auto fixed_there = to_space<Space>(marks.fixed);
  const auto prescribed_there = to_space<Space>(marks.prescribed);
  const View<const unsigned char> is_fixed = fixed_there.view();
  const View<const double> value = prescribed_there.view();
  const linalg::CrsView<const double> a = pattern.view();
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    const Index* cols = a.col_ind.data() + a.row_ptr[row];
    const Offset length = a.row_ptr[row + 1] - a.row_ptr[row];
    double* entries = values.data() + layout.first(static_cast<Index>(row));
    if (is_fixed[row]) {
      double diagonal = 0;
      for (Offset k = 0; k < length; ++k) {
        double& entry = entries[k * layout.step()];
        if (cols[k] == row) {
          if (!(entry > 0)) entry = 1;
          diagonal = entry;
        } else {
          entry = 0;
        }
      }
      b[row] = diagonal * value[row];
      return;
    }
    double lifted = 0;
    for (Offset k = 0; k < length; ++k) {
      if (!is_fixed[cols[k]]) continue;
      lifted += entries[k * layout.step()] * value[cols[k]];
      entries[k * layout.step()] = 0;
    }
    b[row] -= lifted;
  });
  exec.synchronize();  // the marks are released here
}

template <class Exec>
void eliminate_dirichlet(Exec& exec, linalg::Crs<typename Exec::Space>& A, View<double> b,
                         const std::vector<Index>& dofs, const std::vector<double>& values) {
  eliminate_dirichlet(exec, A, {A.row_ptr.data(), 1}, A.values.view(), b, dofs, values);
}

}  // namespace tessera::assembly
