#pragma once
// Vectors of implicit steps. States u are [numbers, nodes] by components, as a Scheme has them; right-hand sides and
// corrections are [nodes, numbers], as the block rows of a matrix, in units of ImplicitStep::scales.
#include "base/array.hpp"
#include "base/backend.hpp"
#include "physics/conservation/implicit_step.hpp"

namespace tessera::physics::conservation {

/// rates = (after - u) / tau: what a step of tau [nodes] of each node makes.
template <class Exec>
void rates_of(Exec& exec, int numbers, View<const double> tau, View<const double> u, View<const double> after,
              View<double> rates);

/// b = base - u + dt (theta (after - u) / tau + (1 - theta) rates), where `rates` may be empty for theta = 1.
template <class Exec>
void right_side(Exec& exec, int numbers, const ImplicitStep& step, View<const double> tau, View<const double> base,
                View<const double> u, View<const double> after, View<const double> rates, View<double> b);

/// u += scales x at the own nodes. sum_of_squares [1]: of x, over all ranks.
template <class Exec>
void add_correction(Exec& exec, int numbers, const ImplicitStep& step, View<const double> x, View<double> u,
                    double* sum_of_squares);

/// sums [numbers] over all ranks: integrals of the components of u, by the masses of the own nodes.
template <class Exec>
void integrals(Exec& exec, int numbers, View<const double> mass, View<const double> u, double* sums);

/// to = from but for component c at the nodes of a list, which is more by the part `by` of its size there: of both
/// scalars their own, of components of a vector the root of the product of these.
template <class Exec>
void shift_component(Exec& exec, int numbers, View<const Index> nodes, int c, double by, View<const double> from,
                     View<double> to);

/// turns [nodes, numbers, numbers]: column c is above - below over the difference of what shift_component has made of
/// `from` with `by` and -by at these nodes.
template <class Exec>
void difference_column(Exec& exec, int numbers, View<const Index> nodes, int c, double by, View<const double> from,
                       View<const double> above, View<const double> below, View<double> turns);

}  // namespace tessera::physics::conservation
