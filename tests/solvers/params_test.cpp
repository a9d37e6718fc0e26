#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/precondition/chebyshev.hpp"
#include "solvers/precondition/ssor.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/solve.hpp"
#include "support/backends.hpp"
#include "support/matrices.hpp"

namespace tessera {
namespace {

solvers::SolverParams read(const std::string& text) {
  return solvers::read_solver(deck::Deck::parse(text, "test.toml"), "double");
}

TEST(SolverParams, DefaultsAndValuesOfADeck) {
  const auto standard = read("");
  EXPECT_EQ(standard.type, "cg");
  EXPECT_EQ(standard.preconditioner, solvers::automatic);
  const auto params =
      read("[solver]\ntype = \"minres\"\npreconditioner = \"ssor\"\ntolerance = 1e-6\nrelaxation = 1.5\n");
  EXPECT_EQ(params.type, "minres");
  EXPECT_EQ(params.preconditioner, "ssor");
  EXPECT_EQ(params.tolerance, 1e-6);
  EXPECT_EQ(params.preconditioning.as<solvers::SweepParams>().relaxation, 1.5);
  ASSERT_TRUE(params.where);
}

TEST(SolverParams, TheSchemaRefusesWhatIsOutOfRange) {
  for (const char* line : {"type = \"gc\"", "preconditioner = \"jacoby\"", "tolerance = 0", "tolerance = 2.0",
                           "max_iterations = 0", "relaxation = 0.0", "relaxation = 2.5", "check_every = 0"}) {
    try {
      read(std::string("[solver]\n") + line + "\n");
      FAIL() << line << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      ASSERT_TRUE(error.where()) << line;
      EXPECT_EQ(error.where()->line, 2) << line;
    }
  }
}

TEST(SolverParams, CheckRefusesWhatTheSchemaLetsPass) {
  EXPECT_NO_THROW(solvers::check({}));
  EXPECT_THROW(solvers::check({.preconditioner = "ssor", .preconditioning = solvers::SweepParams{.relaxation = 2}}),
               Error);
  EXPECT_THROW(solvers::check({.tolerance = 1}), Error);
  try {
    solvers::check({.preconditioner = "jacoby"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.help().find("'jacobi'"), std::string::npos) << error.help();
  }
}

TEST(Solve, RefusesSizesThatDoNotFit) {
  Threads exec;
  const auto A = testing::laplacian(5, 1).to<Host>();
  Array<double> b(4), x(5);
  EXPECT_THROW(solvers::solve(exec, A, b, x, {}), Error);
}

TEST(Solve, TablesNameWhatExists) {
  EXPECT_GE(solvers::solver_table().size(), 5u);
  for (const auto& row : solvers::solver_table()) EXPECT_TRUE(row.threads && !row.help.empty());
  for (const auto& row : solvers::preconditioner_table()) EXPECT_TRUE(row.threads && !row.help.empty());
}

TEST(Solve, EstimatesItsMemory) {
  EXPECT_EQ(solvers::solver_bytes({}, 1000, 15000), 32000);
  EXPECT_EQ(solvers::solver_bytes({.preconditioner = "none"}, 1000, 15000), 24000);
  EXPECT_GT(solvers::solver_bytes({.type = "direct"}, 1000, 15000), 12.0 * 15000);
}

template <class Exec>
struct OnlyThreads : ::testing::Test {};
TYPED_TEST_SUITE(OnlyThreads, testing::Backends);

TYPED_TEST(OnlyThreads, SolversThatABackendLacksAreRefused) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const auto A = testing::laplacian(5, 1).to<Space>();
  const auto b = to_space<Space>(std::vector<double>(5, 1.0));
  auto x = to_space<Space>(std::vector<double>(5, 0.0));
  for (const solvers::SolverParams& params :
       {solvers::SolverParams{.type = "direct"}, solvers::SolverParams{.preconditioner = "ssor"}}) {
    const bool on_host = params.type == "direct";  // a matrix on the GPU is copied, and said to be
    if (std::is_same_v<TypeParam, Threads> || on_host)
      EXPECT_TRUE(solvers::solve(exec, A, b, x, params).converged);
    else
      EXPECT_THROW(solvers::solve(exec, A, b, x, params), Error);
  }
}

}  // namespace
}  // namespace tessera
