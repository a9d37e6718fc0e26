#pragma once
#include "base/backend.hpp"
#include "linalg/operator.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

using HostMethod = Report (*)(Threads&, const linalg::Operator<Threads>&, View<const double>, View<double>,
                              const SolverParams&, const Monitor&, View<const double>);

/// A direct solver for a system on the GPU: matrix and right-hand side are copied to the host, which factors and solves, and the
/// solution is copied back. `method` of the report says so.
Report factor_on_host(HostMethod method, Cuda& exec, const linalg::Operator<Cuda>& A, View<const double> b,
                      View<double> x, const SolverParams& params, const Monitor& monitor, View<const double> row_sums);

template <HostMethod method>
Report solve_on_host(Cuda& exec, const linalg::Operator<Cuda>& A, View<const double> b, View<double> x,
                     const SolverParams& params, const Monitor& monitor, View<const double> row_sums) {
  return factor_on_host(method, exec, A, b, x, params, monitor, row_sums);
}

}  // namespace tessera::solvers
