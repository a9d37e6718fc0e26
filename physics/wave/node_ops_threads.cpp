#include "physics/wave/node_ops_impl.hpp"

namespace tessera::physics::wave {

template <class Exec, class T>
void add_weighted_sums(Exec& exec, View<const Offset> row_ptr, View<const Index> columns, View<const double> weights,
                       View<const T> x, double factor, View<double> values) {
  for_each(exec, values.size(), [=](Offset i) {
    double sum = 0;
    for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) sum += weights[k] * static_cast<double>(x[columns[k]]);
    values[i] += factor * sum;
  });
}

TESSERA_INSTANTIATE_NODE_OPS(Threads, double);
TESSERA_INSTANTIATE_NODE_OPS(Threads, float);
TESSERA_INSTANTIATE_WEIGHTED_SUMS(Threads, double);
TESSERA_INSTANTIATE_WEIGHTED_SUMS(Threads, float);
template void put_numbers(Threads&, std::span<const double>, View<double>);
}  // namespace tessera::physics::wave
