#pragma once
// Written once; instantiated by coupling_ops_threads.cpp and coupling_ops_cuda.cu.
#include "base/parallel.hpp"
#include "physics/wave/coupling_ops.hpp"

namespace tessera::physics::wave {

template <class Exec, class T>
void push_fluid(Exec& exec, int dim, const InterfaceView<T>& interface, View<const T> u, View<T> a_fluid) {
  for_each(exec, interface.dofs.size(), [=] TESSERA_HD(Offset i) {
    T sum = 0;
    for (int d = 0; d < dim; ++d) sum += interface.over_fluid[i * dim + d] * u[Offset{interface.dofs[i]} * dim + d];
    a_fluid[interface.in_fluid[i]] += sum;
  });
}

template <class Exec, class T>
void push_solid(Exec& exec, int dim, const InterfaceView<T>& interface, const HeldNodes<T>& fluid, double h,
                View<const T> v_fluid, View<const T> a_fluid, View<T> a_solid) {
  const T half = static_cast<T>(h);
  for_each(exec, interface.dofs.size(), [=] TESSERA_HD(Offset i) {
    const Index held = interface.in_fluid[i];
    if (fluid.fixed[held]) return;
    const T C = fluid.damping[held];
    const T second = (a_fluid[held] - C * v_fluid[interface.dofs[i]]) / (T(1) + half * C);
    for (int d = 0; d < dim; ++d)
      a_solid[Offset{interface.in_solid[i]} * dim + d] -= interface.over_solid[i * dim + d] * second;
  });
}

template <class Exec, class T>
void push_solid(Exec& exec, int dim, const InterfaceView<T>& interface, View<const T> a_fluid, View<T> a_solid) {
  for_each(exec, interface.dofs.size(), [=] TESSERA_HD(Offset i) {
    for (int d = 0; d < dim; ++d)
      a_solid[Offset{interface.in_solid[i]} * dim + d] -=
          interface.over_solid[i * dim + d] * a_fluid[interface.in_fluid[i]];
  });
}

template <class Exec, class T>
void add_weighted_sums_of_two(Exec& exec, View<const Offset> row_ptr, View<const Index> columns,
                              View<const double> weights, View<const T> x, Index columns_of_x, View<const T> y,
                              double factor, View<double> values) {
  for_each(exec, values.size(), [=] TESSERA_HD(Offset i) {
    double sum = 0;
    for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const Index column = columns[k];
      sum += weights[k] * static_cast<double>(column < columns_of_x ? x[column] : y[column - columns_of_x]);
    }
    values[i] += factor * sum;
  });
}

#define TESSERA_INSTANTIATE_COUPLING_OPS(Exec, T)                                                           \
  template void push_fluid(Exec&, int, const InterfaceView<T>&, View<const T>, View<T>);                    \
  template void push_solid(Exec&, int, const InterfaceView<T>&, const HeldNodes<T>&, double, View<const T>, \
                           View<const T>, View<T>);                                                         \
  template void push_solid(Exec&, int, const InterfaceView<T>&, View<const T>, View<T>);                    \
  template void add_weighted_sums_of_two(Exec&, View<const Offset>, View<const Index>, View<const double>,  \
                                         View<const T>, Index, View<const T>, double, View<double>)

}  // namespace tessera::physics::wave
