#include <cub/device/device_radix_sort.cuh>

#include "linalg/row_walk_cuda.cuh"
#include "solvers/amg/prolongation_impl.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// A stable sort of the entries by their columns.
static void transpose_pattern(Cuda& exec, Index rows, View<const Offset> row_ptr, View<const Index> col_ind,
                              View<Offset> to_row_ptr, View<Index> to_col_ind) {
  const Offset entries = col_ind.size(), cols = to_row_ptr.size() - 1;
  Array<Index, Device> row_of(entries), sorted(entries);
  const View<Index> row_of_entry = row_of;
  for_each(exec, rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) row_of_entry[k] = static_cast<Index>(row);
  });
  if (entries > 0) {
    int bits = 1;
    while (bits < 31 && cols > Offset{1} << bits) ++bits;
    std::size_t bytes = 0;
    const auto sort = [&](void* workspace) {
      return cub::DeviceRadixSort::SortPairs(workspace, bytes, col_ind.data(), sorted.data(), row_of_entry.data(),
                                             to_col_ind.data(), entries, 0, bits, exec.stream());
    };
    TESSERA_CUDA_CHECK(sort(nullptr));
    Array<unsigned char, Device> workspace(static_cast<Offset>(bytes) + 1);
    TESSERA_CUDA_CHECK(sort(workspace.data()));
  }
  const View<const Index> column = std::as_const(sorted).view();
  for_each(exec, entries + 1, [=] TESSERA_HD(Offset k) {
    const Offset before = k == 0 ? -1 : column[k - 1], here = k == entries ? cols : column[k];
    for (Offset col = before + 1; col <= here; ++col) to_row_ptr[col] = k;
  });
}

template <class Exec, class V>
void transpose_entries(Exec& exec, const linalg::CrsView<const V>& P, linalg::Crs<typename Exec::Space, V>& R) {
  transpose_pattern(exec, P.rows, P.row_ptr, P.col_ind, R.row_ptr.view(), R.col_ind.view());
  transpose_values(exec, P, R.view());
}

}  // namespace detail

template <class Exec, class V>
linalg::Crs<typename Exec::Space, V> make_prolongation(Exec& exec, const linalg::CrsView<const double>& A,
                                                       View<const double> diagonal, const Strength& strength,
                                                       double omega, View<const double> parts,
                                                       const Aggregates<typename Exec::Space>& aggregates,
                                                       StrongGraph<typename Exec::Space>&& graph) {
  auto P = prolongation_pattern<Exec, V>(exec, aggregates, std::move(graph));
  prolongation_values(exec, A, diagonal, strength, omega, parts, aggregates.of_row.view(), P.view());
  return P;
}

TESSERA_INSTANTIATE_PROLONGATION(Cuda, float);
TESSERA_INSTANTIATE_PROLONGATION(Cuda, double);

}  // namespace tessera::solvers::amg
