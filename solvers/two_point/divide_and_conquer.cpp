#include "solvers/two_point/divide_and_conquer.hpp"

namespace tessera::solvers::two_point {

namespace {

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make(Exec& exec, Offset n, const SolverParams& params) {
  return make_divide_and_conquer<Exec, T, R>(exec, make_columns(n, params.method.as<ColumnsParams>().rows));
}
constexpr TwoPointMakers makers = TESSERA_TWO_POINT_MAKERS(make);

/// A row of U; on CUDA U itself.
double array_bytes(const SolverParams& params, const ProblemSize& size) {
  const Columns columns = make_columns(static_cast<Offset>(size.rows), params.method.as<ColumnsParams>().rows);
  const double value = params.precision == "double" ? 8 : 4;
  return value * static_cast<double>(size.on_cuda ? columns.r * columns.s : columns.r);
}

}  // namespace

MethodEntry divide_and_conquer_entry() {
  return {.name = "divide_and_conquer",
          .help = "A2: columns in parallel, recurrences between them on the host",
          .kind = MethodKind::two_point,
          .needs = {.two_point = true},
          .bytes = array_bytes,
          .own = Keys<ColumnsParams>().key("rows", &ColumnsParams::rows, rows_key()),
          .two_point = &makers};
}

}  // namespace tessera::solvers::two_point
