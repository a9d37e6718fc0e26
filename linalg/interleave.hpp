#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// Several numbers a node that do not meet in a matrix: fields that only diffuse. Rows are node * components +
// component, as those of all fields of several components; the matrix has no entries between components, 12 B for each
// of the others where block rows would have `components` times as many.

/// The pattern of `components` matrices of one pattern, values 0.
template <class Exec>
Crs<typename Exec::Space> interleaved_pattern(Exec& exec, const CrsView<const double>& of_one, int components);

/// The values of component c become those of a matrix with the pattern of one (16 B a non-zero).
template <class Exec>
void set_component(Exec& exec, const CrsView<const double>& of_one, int c, int components,
                   Crs<typename Exec::Space>& all);

/// y[node * components + c] = x[node].
template <class Exec>
void set_component(Exec& exec, View<const double> x, int c, int components, View<double> y);

}  // namespace tessera::linalg
