#include <cub/device/device_radix_sort.cuh>

#include "linalg/row_walk_cuda.cuh"
#include "solvers/amg/prolongation_impl.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// A stable sort of the entries by their columns.
template <>
void transpose_pattern(Cuda& exec, Index rows, View<const Offset> row_ptr, View<const Index> col_ind,
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

}  // namespace detail

TESSERA_INSTANTIATE_PROLONGATION(Cuda, float);
TESSERA_INSTANTIATE_PROLONGATION(Cuda, double);

}  // namespace tessera::solvers::amg
