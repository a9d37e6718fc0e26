#include "bench/support/point_kernel.hpp"

namespace tessera::bench {

template <class T>
std::vector<Row> point_kernel_rows(Cuda&, const PointForce<T>&) {
  return {};
}
template std::vector<Row> point_kernel_rows(Cuda&, const PointForce<float>&);
template std::vector<Row> point_kernel_rows(Cuda&, const PointForce<double>&);

}  // namespace tessera::bench
