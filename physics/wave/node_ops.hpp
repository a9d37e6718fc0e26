#pragma once
// Passes over some nodes, for Threads and Cuda, T = double and float.
#include <array>
#include <span>

#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::physics::wave {

/// x_rows[k] += factor weights_k; the rows are distinct.
template <class Exec, class T>
void add_to_entries(Exec& exec, View<const Index> rows, View<const T> weights, double factor, View<T> x);

/// The same with a factor that lives where the vectors live.
template <class Exec, class T>
void add_to_entries(Exec& exec, View<const Index> rows, View<const T> weights, const double* factor, View<T> x);

/// What add_to_entries would do to a before a step of the leapfrog, after it: v += kick factor weights, u += drift of
/// that.
template <class Exec, class T>
void add_to_leap(Exec& exec, View<const Index> rows, View<const T> weights, const double* factor, double kick,
                 double drift, View<T> v, View<T> u);

/// to = values of the host, which may change at once: they travel with the launch, and nothing waits.
template <class Exec>
void put_numbers(Exec& exec, std::span<const double> values, View<double> to);

/// a -= C v at the nodes `dofs`: C [dofs, components, components].
template <class Exec, class T>
void damp(Exec& exec, int components, View<const Index> dofs, View<const T> C, View<const T> v, View<T> a);

/// Nodes that do not only follow the force.
template <class T>
struct HeldNodes {
  View<const Index> dofs;
  View<const T> damping;            ///< [nodes, components, components], over the mass; 0: none
  View<const unsigned char> fixed;  ///< [nodes] bit c: component c is prescribed
};
/// A step of the leapfrog at these nodes: a [nodes, components] is solved for, a = a - C (v + h a); then v += kick a, u
/// += drift v.
template <class Exec, class T>
void leap_held(Exec& exec, int components, const HeldNodes<T>& held, View<T> a, double h, double kick, double drift,
               View<T> v, View<T> u);

/// v *= 1 + factor c of its node, v [nodes, components].
template <class Exec, class T>
void scale_by_nodes(Exec& exec, int components, View<const T> c, double factor, View<T> v);
/// u += factor c v of its node, of all entries of v.
template <class Exec, class T>
void move_by_nodes(Exec& exec, int components, View<const T> c, double factor, View<const T> v, View<T> u);
/// a -= c v of all entries of a, c of the node.
template <class Exec, class T>
void subtract_by_nodes(Exec& exec, int components, View<const T> c, View<const T> v, View<T> a);
/// v /= 1 + h c of its node, and u is moved by drift times that v in the place of what v was.
template <class Exec, class T>
void divide_leap(Exec& exec, int components, View<const T> c, double h, double drift, View<T> v, View<T> u);

/// What follows the rate of a fluid of one number a node with three times of relaxation, tau r' = v - r, and the force
/// sum_l c_l (v - r_l) over the mass: all [nodes, 3].
inline constexpr int times_of_fluids = 3;
/// v += factor sum_l c_l v + kick sum_l c_l r_l
template <class Exec, class T>
void push_by_memory(Exec& exec, View<const T> c, View<const T> r, double factor, double kick, View<T> v);
/// a_k += sum_l c_kl r_l of node dofs_k
template <class Exec, class T>
void add_memory(Exec& exec, View<const Index> dofs, View<const T> c, View<const T> r, View<T> a);
/// r_l = kept_l r_l + (1 - kept_l) v
template <class Exec, class T>
void follow(Exec& exec, const std::array<double, times_of_fluids>& kept, View<const T> v, View<T> r);

/// x_rows[k] = values_k.
template <class Exec, class T>
void set_values(Exec& exec, View<const Index> rows, View<const double> values, View<T> x);

/// x_i /= inverse of its node: x [nodes, components].
template <class Exec, class T>
void divide_by(Exec& exec, int components, View<const T> inverse, View<double> x);

/// peaks_i = max(peaks_i, |x_i|) of the first nodes of x [nodes, components]: all that peaks has.
template <class Exec, class T>
void take_peaks(Exec& exec, int components, View<const T> x, View<T> peaks);

/// values_i += factor sum_k weights_ik x_k, of a matrix in CRS with few rows.
template <class Exec, class T>
void add_weighted_sums(Exec& exec, View<const Offset> row_ptr, View<const Index> columns, View<const double> weights,
                       View<const T> x, double factor, View<double> values);

}  // namespace tessera::physics::wave
