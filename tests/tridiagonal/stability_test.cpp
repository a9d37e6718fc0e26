// Backward errors of every method on the stability suite; prints the table of docs/methods/tridiagonal.md.
#include <fmt/format.h>

#include "tests/support/backends.hpp"
#include "tests/tridiagonal/stability_suite.hpp"

namespace tessera::testing {
namespace {

using Method = solvers::TridiagonalMethod;
using Check = solvers::TridiagonalCheck;

template <class Exec>
class StabilitySuite : public ::testing::Test {};
TYPED_TEST_SUITE(StabilitySuite, Backends);

/// Elimination with partial pivoting: 1e-14 on every matrix.
bool stable(Method method) {
  return method == Method::lu_pivoting || method == Method::spike_pivoting || method == Method::automatic;
}
/// dorr is dominant and has a condition of 1e15. PCR finds each unknown on its own: errors of neighbours are as large
/// as the condition lets them be, and do not cancel in the residual. Sweeps from both ends of a partition lose digits
/// likewise.
bool expected_small(Method method, const SuiteMatrix& matrix) {
  const bool sequential = method == Method::thomas || method == Method::cyclic_reduction;
  return stable(method) || (matrix.dominant && (sequential || matrix.name != "dorr(1e-4)"));
}

TYPED_TEST(StabilitySuite, BackwardErrors) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const std::vector<Method> methods{Method::thomas,
                                    Method::cyclic_reduction,
                                    Method::parallel_cyclic_reduction,
                                    Method::cr_pcr,
                                    Method::spike_cr,
                                    Method::lu_pivoting,
                                    Method::spike_pivoting,
                                    Method::spike_diagonal_pivoting,
                                    Method::automatic};
  std::string table = fmt::format("{}\n| matrix |", TypeParam::name);
  for (const Method method : methods) table += fmt::format(" {} |", name_of(method));
  table += "\n|---|";
  for (std::size_t i = 0; i < methods.size(); ++i) table += "---|";
  for (const SuiteMatrix& matrix : stability_suite()) {
    table += fmt::format("\n| {} |", matrix.name);
    for (const Method method : methods) {
      solvers::TridiagonalReport report;
      const std::vector<double> x =
          solve_on(exec, matrix.batch, {method, method == Method::automatic ? Check::residual : Check::none}, &report);
      const double error = backward_error(matrix.batch, x);
      table += fmt::format(" {} |", std::isnan(error) ? "fails" : fmt::format("{:.0e}", error));
      if (expected_small(method, matrix)) {
        EXPECT_LE(error, 1e-14) << matrix.name << ", " << name_of(method);
      }
      EXPECT_TRUE(report.solved()) << matrix.name << ": " << report.failure;
    }
  }
  fmt::print("{}\n", table);
  std::fflush(stdout);
}

}  // namespace
}  // namespace tessera::testing
