// What solvers allocate on the device.
#include <algorithm>

#include "base/memory.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::SolverParams;
using testing::HostMatrix;

TEST(SolverMemory, IsWhatWasSaidOnTheDevice) {
  TESSERA_REQUIRE(Cuda);
  Cuda exec;
  const HostMatrix host = testing::laplacian(70, 3);
  const auto A = host.to<Device>();
  const auto b = to_space<Device>(testing::random_vector(A.rows, 1));
  Array<double, Device> x(A.rows);
  std::vector<std::pair<double, SolverParams>> runs;
  for (const char* precision : {"double", "mixed"})
    for (const SolverParams& params :
         {SolverParams{.preconditioner = "none"}, SolverParams{}, SolverParams{.variant = "single_reduction"},
          SolverParams{.preconditioner = "chebyshev"}, SolverParams{.type = "minres"}, SolverParams{.type = "bicgstab"},
          SolverParams{.type = "gmres", .restart = 20}}) {
      SolverParams with = params;
      with.precision = precision;
      with.max_iterations = 12;
      runs.push_back({solvers::solver_bytes<Cuda>(with, A.rows, A.nnz()), with});
    }
  // The peak of the process only grows, so the least goes first.
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [bytes, params] : runs) {
    x.set_zero();
    const double before = static_cast<double>(memory_use().device_now);
    solvers::solve(exec, A, b, x, params);
    const double used = static_cast<double>(memory_use().device_peak) - before;
    EXPECT_NEAR(used / bytes, 1, 0.01) << params.type << " " << params.preconditioner << " " << params.precision;
  }
}

}  // namespace
}  // namespace tessera
