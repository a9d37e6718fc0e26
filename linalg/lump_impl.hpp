#pragma once
#include "base/parallel.hpp"
#include "linalg/lump.hpp"

namespace tessera::linalg {

template <class Exec>
void lump(Exec& exec, Crs<typename Exec::Space>& M) {
  const CrsView<double> m = M.view();
  for_each(exec, M.rows, [=] TESSERA_HD(Offset row) {
    double sum = 0;
    Offset diagonal = -1;
    for (Offset k = m.row_ptr[row]; k < m.row_ptr[row + 1]; ++k) {
      if (m.col_ind[k] == row) diagonal = k;
      sum += m.values[k];
      m.values[k] = 0;
    }
    if (diagonal >= 0) m.values[diagonal] = sum;
  });
}

}  // namespace tessera::linalg
