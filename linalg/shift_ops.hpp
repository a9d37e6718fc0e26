#pragma once
#include "linalg/vector_ops.hpp"

namespace tessera::linalg {

// Passes over vectors for a system A x = b whose unknown is shifted by a constant c, x = y + c: A y = b - c t, where t
// = A 1 are the row sums. Each is done once or a few times a solve. Vectors are in double but for those of `loads`; e
// [rows] is 1 on free rows and 0 on fixed ones. Every function exists for Threads and Cuda.

/// x_i = value for the i in `rows`, which are distinct.
template <class Exec>
void set_entries(Exec& exec, View<const Index> rows, double value, View<double> x);
/// x_rows[k] = values_k.
template <class Exec>
void set_entries(Exec& exec, View<const Index> rows, View<const double> values, View<double> x);
/// x_i += c (16 B).
template <class Exec>
void add_constant(Exec& exec, double c, View<double> x);
/// t_i = 0 where |t_i| <= share |d_i|: there the entries of the row cancel but for the rounding of their assembly.
/// *bt = (b, t), *tt = (t, t) (32 B).
template <class Exec>
void clean_row_sums(Exec& exec, double share, View<const double> d, View<const double> b, View<double> t, double* bt,
                    double* tt);
/// shifted_i = e_i (b_i - c t_i); *square = (shifted, shifted), *size = the sum of (e_i (|b_i| + |c d_i|))^2, which
/// times the square of the last digit is what rounding may have made of it (40 B).
template <class Exec>
void shift_right_side(Exec& exec, double c, View<const double> e, View<const double> t, View<const double> d,
                      View<const double> b, View<double> shifted, double* square, double* size);
/// *square = the sum of (b_i - t_i y_i)^2, *size = the sum of (|b_i| + |t_i y_i|)^2 (24 B).
template <class Exec, class T>
void loads(Exec& exec, View<const T> b, View<const double> t, View<const T> y, double* square, double* size);
/// *square = the sum of (d_i y_i)^2 (16 B).
template <class Exec>
void product_square(Exec& exec, View<const double> d, View<const double> y, double* square);

struct VectorSums {
  double sum = 0, absolute = 0;
};
/// Sums of x_i and |x_i|, on the host; waits (8 B).
template <class Exec>
VectorSums sums(Exec& exec, View<const double> x);

}  // namespace tessera::linalg
