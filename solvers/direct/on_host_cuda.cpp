#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "solvers/direct/on_host.hpp"

namespace tessera::solvers {
namespace {

template <class T>
Array<T> to_host(View<const T> there) {
  Array<T> here(there.size());
  copy_bytes(Device{}, there.data(), Host{}, here.data(), here.bytes());
  return here;
}

}  // namespace

Report factor_on_host(HostMethod method, Cuda& exec, const linalg::Operator<Cuda>& A, View<const double> b,
                      View<double> x, const SolverParams& params, const Monitor& monitor, View<const double> row_sums) {
  const auto* there = A.crs();
  if (!there)
    throw Error(ExitCode::usage,
                fmt::format("the solver '{}' needs the entries of the matrix in CRS, but its format is '{}'",
                            params.type, A.format()),
                "choose an iterative solver, or matrix.format = \"crs\"", params.where);
  exec.synchronize();
  const linalg::Crs<Host> matrix{there->rows, there->cols, to_host(there->row_ptr.view()),
                                 to_host(there->col_ind.view()), to_host(there->values.view())};
  log_info(fmt::format("{}: the host factors, {} of matrix were copied from the GPU", params.type,
                       human_bytes(12.0 * static_cast<double>(matrix.nnz()) + 8.0 * matrix.rows)));
  Threads host;
  const linalg::CrsOperator<Threads> as_operator(matrix);
  const Array<double> right = to_host(b), sums = to_host(row_sums);
  Array<double> solution(x.size());
  solution.set_zero();
  Report report = method(host, as_operator, right, solution, params, monitor, sums);
  copy_bytes(Host{}, solution.data(), Device{}, x.data(), solution.bytes());
  report.method = "a factor made on the host";
  return report;
}

}  // namespace tessera::solvers
