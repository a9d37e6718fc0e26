#pragma once
// Passes over some nodes, for Threads and Cuda.
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::physics::wave {

/// x_rows[k] += factor weights_k; the rows are distinct.
template <class Exec>
void add_to_entries(Exec& exec, View<const Index> rows, View<const double> weights, double factor, View<double> x);

/// a, which holds M^-1 f at the nodes `dofs`, becomes that of M a = f - C (v + h a): C [dofs, components, components]
/// is symmetric and divided by the mass of its node.
template <class Exec>
void solve_damping(Exec& exec, int components, View<const Index> dofs, View<const double> C, double h,
                   View<const double> v, View<double> a);

}  // namespace tessera::physics::wave
