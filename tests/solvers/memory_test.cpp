// What solvers say that they take, and what they take; and that a second solve takes nothing.
#include "base/memory.hpp"
#include "base/array_memory.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"
#include "support/block_matrices.hpp"

namespace tessera {
namespace {

using solvers::CgParams;
using solvers::LinearSolver;
using solvers::SolverParams;

template <class Exec>
struct SolverMemory : ::testing::Test {
  static double now() {
    return static_cast<double>(std::is_same_v<Exec, Threads> ? host_array_memory().now : memory_use().device_now);
  }
  static double peak() {
    return static_cast<double>(std::is_same_v<Exec, Threads> ? host_array_memory().peak : memory_use().device_peak);
  }
};
TYPED_TEST_SUITE(SolverMemory, testing::Backends);

/// Every iterative method with those preconditioners whose bytes are no estimate.
template <class Exec>
std::vector<SolverParams> iterative() {
  std::vector<SolverParams> result = testing::every_iterative_solver<Exec>();
  if (std::is_same_v<Exec, Cuda>)  // it pads there
    std::erase_if(result, [](const SolverParams& params) { return params.preconditioner == "multicolour_ssor"; });
  std::erase_if(result, [](const SolverParams& params) { return params.preconditioner == "amg"; });  // see AmgMemory
  for (SolverParams& params : result) params.tolerance = 1e-5;
  return result;
}

/// The same, those that find the solution and those that fail in 12 iterations.
template <class Exec>
std::vector<SolverParams> converging_or_not() {
  std::vector<SolverParams> result = iterative<Exec>();
  const std::size_t count = result.size();
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(result[i]);
    result.back().max_iterations = 12;
  }
  return result;
}

TYPED_TEST(SolverMemory, IsWhatWasSaid) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto A = testing::laplacian(std::is_same_v<TypeParam, Threads> ? 26 : 70, 3).template to<Space>();
  const linalg::CrsOperator<TypeParam> op(A);
  const auto b = to_space<Space>(testing::random_vector(A.rows, 1));
  Array<double, Space> x(A.rows);
  const std::vector<Index> fixed_rows;
  std::vector<std::pair<double, std::pair<SolverParams, bool>>> runs;
  for (const SolverParams& params : converging_or_not<TypeParam>())
    for (bool known : {false, true})
      runs.push_back(
          {solvers::solver_bytes<TypeParam>(params, A.rows, A.nnz()) + (known ? solvers::shift_bytes(A.rows) : 0),
           {params, known}});
  // The peak of the process only grows, so the least goes first.
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [bytes, run] : runs) {
    const auto& [params, known] = run;
    x.set_zero();
    reset_host_array_peak();
    const double before = this->now();
    LinearSolver<TypeParam> solver(exec, params);
    solver.set_operator(op);
    if (known)
      solver.solve(b.view(), x.view(), {}, {{}, {}, true});
    else
      solver.solve(b.view(), x.view());
    const double used = this->peak() - before;
    EXPECT_NEAR(used / bytes, 1, 0.01) << params.type << " " << params.preconditioner << " " << params.precision << " "
                                       << params.method.template as<CgParams>().variant << " " << params.max_iterations
                                       << (known ? " shifted" : "") << ": " << used << " B, said were " << bytes;
  }
}

/// Of block rows: the inverted blocks, and copies in CRS for those who read entries.
TYPED_TEST(SolverMemory, OfSeveralUnknownsANodeIsWhatWasSaid) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto A = testing::vector_laplacian(std::is_same_v<TypeParam, Threads> ? 14 : 40, 3, 3).template to<Space>();
  const linalg::BlockCrsOperator<TypeParam> op(A);
  const auto b = to_space<Space>(testing::random_vector(A.rows, 1));
  Array<double, Space> x(A.rows);
  for (const SolverParams& params : iterative<TypeParam>()) {
    if (params.preconditioner == "multicolour_ssor") continue;  // its copy is for the set-up alone: that is a bound
    const bool copies = solvers::needs_entries(params);
    const double bytes = solvers::solver_bytes<TypeParam>(params, A.rows, A.nnz(), 3, copies);
    x.set_zero();
    reset_host_array_peak();
    const double before = this->now();
    LinearSolver<TypeParam> solver(exec, params);
    solver.set_operator(op);
    EXPECT_TRUE(solver.solve(b.view(), x.view()).converged);
    const double used = this->peak() - before;
    if (std::is_same_v<TypeParam, Threads>) {  // the peak of a GPU only grows
      EXPECT_NEAR(used / bytes, 1, 0.01) << params.type << " " << params.preconditioner << " " << params.precision
                                         << ": " << used << " B, said were " << bytes;
    }
    const double now = this->now(), peak = this->peak();
    solver.set_operator(op, solvers::Reuse::pattern);
    x.set_zero();
    EXPECT_TRUE(solver.solve(b.view(), x.view()).converged);
    if (params.precision == "double") {
      EXPECT_EQ(this->now(), now);
      EXPECT_LE(this->peak(), peak + 256);  // a counter for a moment
    }
  }
}

TYPED_TEST(SolverMemory, ASecondSolveTakesNothing) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto A = testing::laplacian(30, 2).template to<Space>();
  const linalg::CrsOperator<TypeParam> op(A);
  const auto b = to_space<Space>(testing::random_vector(A.rows, 1));
  Array<double, Space> x(A.rows);
  std::vector<SolverParams> all = iterative<TypeParam>();
  for (const SolverParams& params : testing::every_direct_solver()) all.push_back(params);
  for (const SolverParams& params : all) {
    SCOPED_TRACE(params.type + " " + params.preconditioner + " " + params.precision);
    LinearSolver<TypeParam> solver(exec, params);
    solver.set_operator(op);
    const auto solve = [&] {
      x.set_zero();
      EXPECT_TRUE(solver.solve(b.view(), x.view()).converged);
      EXPECT_TRUE(solver.solve(b.view(), x.view(), {}, {{}, {}, true}).converged);
    };
    solve();
    reset_host_array_peak();
    const double now = this->now(), peak = this->peak();
    solve();
    EXPECT_EQ(this->now(), now);
    EXPECT_EQ(this->peak(), peak);
  }
}

}  // namespace
}  // namespace tessera
