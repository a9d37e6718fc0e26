#include <cub/device/device_radix_sort.cuh>

#include "solvers/amg/row_exchange_impl.hpp"

namespace tessera::solvers::amg {

template <>
std::vector<Offset> distinct(Cuda& exec, View<const Offset> numbers) {
  const Offset size = numbers.size();
  if (size == 0) return {};
  Array<Offset, Device> sorted(size);
  std::size_t bytes = 0;
  const auto sort = [&](void* workspace) {
    return cub::DeviceRadixSort::SortKeys(workspace, bytes, numbers.data(), sorted.data(), size, 0, 64, exec.stream());
  };
  TESSERA_CUDA_CHECK(sort(nullptr));
  Array<unsigned char, Device> workspace(static_cast<Offset>(bytes) + 1);
  TESSERA_CUDA_CHECK(sort(workspace.data()));
  const View<const Offset> ascending = std::as_const(sorted).view();
  Array<Offset, Device> places(size + 1);
  const View<Offset> counts = places;
  for_each(exec, size, [=] TESSERA_HD(Offset k) { counts[k] = k == 0 || ascending[k] != ascending[k - 1]; });
  Array<Offset, Device> result(linalg::counts_to_offsets(exec, counts));
  detail::keep_counted(exec, std::as_const(places).view(), ascending, result.view());
  return to_vector(result);
}

TESSERA_INSTANTIATE_ROW_EXCHANGE(Cuda);

}  // namespace tessera::solvers::amg
