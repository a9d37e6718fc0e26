#pragma once
#include "solvers/method.hpp"
#include "solvers/two_point/columns.hpp"
#include "solvers/two_point/two_point.hpp"

namespace tessera::solvers::two_point {

/// A2 of [BVP10] (DC of [BVP08]), step by step. U is the array of Columns, which holds d, then y, then u:
///   1A  U(k,:) += U(k-1,:), k = 2 .. s           columns in parallel
///   1B  U(s,j) += U(s,j-1), j = 2 .. r           sequential, in R, on the host
///   1C  U(1:s-1,j) += U(s,j-1), j >= 2           columns in parallel, in one sweep with 2A
///   2A  U(k,:) += U(k+1,:), k = s-1 .. 1
///   2B  U(1,j) += U(1,j+1), j = r-1 .. 1         sequential, in R, on the host
///   2C  U(2:s,j) += U(1,j+1), j < r              columns in parallel
/// Threads: columns are contiguous, so U is u itself. CUDA: rows are contiguous, one thread a column; U is a workspace
/// of n, filled from f and emptied into u by transposes; the last goes with 2C.
template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_divide_and_conquer(Exec& exec, const Columns& columns);

MethodEntry divide_and_conquer_entry();

/// Step B: values[j] += values[j-1], or values[j+1] backwards, with the running sum in R.
template <class R, class T>
void recurrence_forward(View<T> values) {
  R sum = 0;
  for (T& value : values) value = static_cast<T>(sum += static_cast<R>(value));
}
template <class R, class T>
void recurrence_backward(View<T> values) {
  R sum = 0;
  for (Offset j = values.size() - 1; j >= 0; --j) values[j] = static_cast<T>(sum += static_cast<R>(values[j]));
}

}  // namespace tessera::solvers::two_point
