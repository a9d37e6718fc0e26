#pragma once
// What fluids and solids do to each other at the nodes that they share, for Threads and Cuda, T = double and float.
#include "base/array.hpp"
#include "base/backend.hpp"
#include "physics/wave/node_ops.hpp"

namespace tessera::physics::wave {

/// Nodes of the interface that a rank owns. `in_fluid` and `in_solid` say where their accelerations are in vectors
/// [nodes] and [nodes, dim].
template <class T>
struct InterfaceView {
  View<const Index> dofs, in_fluid, in_solid;
  View<const T> over_fluid, over_solid;  ///< [nodes, dim] the normal over the mass of the fluid, or of the solid
};

/// a_fluid += n . u over the fluid's mass.
template <class Exec, class T>
void push_fluid(Exec& exec, int dim, const InterfaceView<T>& interface, View<const T> u, View<T> a_fluid);

/// a_solid -= n chi'' over the solid's mass, of chi'' = (a - C v) / (1 + h C) with the damping C of the fluid's nodes,
/// 0 where it is prescribed.
template <class Exec, class T>
void push_solid(Exec& exec, int dim, const InterfaceView<T>& interface, const HeldNodes<T>& fluid, double h,
                View<const T> v_fluid, View<const T> a_fluid, View<T> a_solid);
/// The same with chi'' = a.
template <class Exec, class T>
void push_solid(Exec& exec, int dim, const InterfaceView<T>& interface, View<const T> a_fluid, View<T> a_solid);

/// values_i += factor sum_k weights_ik x_k, of columns behind those of x the entries of y.
template <class Exec, class T>
void add_weighted_sums_of_two(Exec& exec, View<const Offset> row_ptr, View<const Index> columns,
                              View<const double> weights, View<const T> x, Index columns_of_x, View<const T> y,
                              double factor, View<double> values);

}  // namespace tessera::physics::wave
