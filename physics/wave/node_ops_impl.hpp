#pragma once
// Written once; instantiated by node_ops_threads.cpp and node_ops_cuda.cu.
#include "base/parallel.hpp"
#include "forms/tensor.hpp"
#include "physics/wave/node_ops.hpp"

namespace tessera::physics::wave {
namespace detail {

template <int n, class Exec>
void solve_blocks(Exec& exec, View<const Index> dofs, View<const double> C, double h, View<const double> v,
                  View<double> a) {
  for_each(exec, dofs.size(), [=] TESSERA_HD(Offset i) {
    const double* const block = C.data() + i * n * n;
    const Offset row = Offset{dofs[i]} * n;
    double A[n][n], inverse[n][n], b[n];
    for (int c = 0; c < n; ++c) {
      b[c] = a[row + c];
      for (int d = 0; d < n; ++d) {
        A[c][d] = (c == d ? 1.0 : 0.0) + h * block[c * n + d];
        b[c] -= block[c * n + d] * v[row + d];
      }
    }
    forms::invert<n, double>(A, inverse);
    for (int c = 0; c < n; ++c) {
      double sum = 0;
      for (int d = 0; d < n; ++d) sum += inverse[c][d] * b[d];
      a[row + c] = sum;
    }
  });
}

}  // namespace detail

template <class Exec>
void add_to_entries(Exec& exec, View<const Index> rows, View<const double> weights, double factor, View<double> x) {
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) { x[rows[k]] += factor * weights[k]; });
}

template <class Exec>
void solve_damping(Exec& exec, int components, View<const Index> dofs, View<const double> C, double h,
                   View<const double> v, View<double> a) {
  if (components == 1) return detail::solve_blocks<1>(exec, dofs, C, h, v, a);
  if (components == 2) return detail::solve_blocks<2>(exec, dofs, C, h, v, a);
  detail::solve_blocks<3>(exec, dofs, C, h, v, a);
}

#define TESSERA_INSTANTIATE_NODE_OPS(Exec)                                                                   \
  template void add_to_entries(Exec&, View<const Index>, View<const double>, double, View<double>);          \
  template void solve_damping(Exec&, int, View<const Index>, View<const double>, double, View<const double>, \
                              View<double>)

}  // namespace tessera::physics::wave
