#pragma once
// The seam that every solver passes: what it is given, and how what it returns is judged. See solve().
#include "solvers/solve.hpp"

namespace tessera::solvers {

/// A solver: x holds the initial guess and receives the solution of A x = b; `row_sums` A 1, see reference_norm.
template <class Exec>
using Method = Report (*)(Exec&, const linalg::Operator<Exec>&, View<const double> b, View<double> x,
                          const SolverParams&, const Monitor&, View<const double> row_sums);

template <class Exec>
using SolveShifted = Report (*)(Exec&, Method<Exec>, const linalg::Operator<Exec>&, View<const double> b,
                                View<double> x, const SolverParams&, const Monitor&, const Known&);

template <class Exec>
using SolvePlain = Report (*)(Exec&, Method<Exec>, const linalg::Operator<Exec>&, View<const double> b, View<double> x,
                              const SolverParams&, const Monitor&);

/// solve() of a plain system by `method`.
template <class Exec>
Report solve_plain(Exec& exec, Method<Exec> method, const linalg::Operator<Exec>& A, View<const double> b,
                   View<double> x, const SolverParams& params, const Monitor& monitor);
/// solve() of a discretised problem by `method`: gives it the shifted system, and its solution back the constant and the fixed values.
template <class Exec>
Report solve_shifted(Exec& exec, Method<Exec> method, const linalg::Operator<Exec>& A, View<const double> b,
                     View<double> x, const SolverParams& params, const Monitor& monitor, const Known& known);

}  // namespace tessera::solvers
