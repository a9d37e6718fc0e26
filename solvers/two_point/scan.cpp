#include "solvers/two_point/scan.hpp"

#include <cmath>

namespace tessera::solvers::two_point {

namespace {

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make(Exec& exec, Offset n, const SolverParams&) {
  return make_scan<Exec, T, R>(exec, n);
}
constexpr TwoPointMakers makers = TESSERA_TWO_POINT_MAKERS(make);

/// Of a tile two sums; on CUDA one, and tiles are of 32 KiB.
double scan_bytes(const SolverParams& params, const ProblemSize& size) {
  const double value = params.precision == "double" ? 8 : 4, sum = params.precision == "float" ? 4 : 8;
  return size.on_cuda ? sum * std::ceil(size.rows * value / 32768) : 2 * sum * std::ceil(size.rows / threads_tile);
}

}  // namespace

MethodEntry scan_entry() {
  return {.name = "scan",
          .help = "prefix sums of tiles that stay on the chip: reads f twice and writes u once",
          .kind = MethodKind::two_point,
          .needs = {.two_point = true},
          .bytes = scan_bytes,
          .two_point = &makers};
}

}  // namespace tessera::solvers::two_point
