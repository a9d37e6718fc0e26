// What preconditioner = "auto" takes for systems of some sizes.
#include "solvers/automatic.hpp"

#include <gtest/gtest.h>

#include "solvers/solve.hpp"

namespace tessera {
namespace {

using solvers::OneSystem;
using solvers::ProblemSize;

std::string choice(const OneSystem& system, double tolerance = 1e-8, double free_bytes = 0) {
  return solvers::choose_preconditioner({.tolerance = tolerance}, system, free_bytes).preconditioner;
}
std::string choice(const ProblemSize& size, double tolerance = 1e-8, double free_bytes = 0) {
  return choice(OneSystem{.size = size}, tolerance, free_bytes);
}
ProblemSize tets(double rows, bool on_cuda) { return {.rows = rows, .entries = 15 * rows, .on_cuda = on_cuda}; }
ProblemSize triangles(double rows, bool on_cuda) {
  return {.rows = rows, .entries = 7 * rows, .on_cuda = on_cuda, .dim = 2};
}

TEST(AutomaticPreconditioner, IsMultigridWhereJacobiWouldTakeLonger) {
  EXPECT_EQ(choice(tets(1e5, false)), "jacobi");
  EXPECT_EQ(choice(tets(4e6, false)), "amg");
  EXPECT_EQ(choice(triangles(1e5, false)), "amg");
  EXPECT_EQ(choice(tets(1e5, true)), "jacobi");
  EXPECT_EQ(choice(tets(4e6, true)), "amg");
  EXPECT_EQ(choice(triangles(3e4, true)), "jacobi");
  EXPECT_EQ(choice(triangles(1e6, true)), "amg");
  EXPECT_EQ(choice(triangles(1e4, false)), "jacobi");
}

TEST(AutomaticPreconditioner, CountsTheDigitsThatAreAsked) {
  EXPECT_EQ(choice(tets(1e6, false), 1e-8), "amg");
  EXPECT_EQ(choice(tets(1e6, false), 1e-3), "jacobi");
}

/// Of flows jacobi takes the fewer iterations the more they carry, so that multigrid has to pay even there.
TEST(AutomaticPreconditioner, OfMatricesThatAreNotSymmetricIsMultigridOnLargeMeshes) {
  for (const char* type : {"bicgstab", "gmres"}) {
    const auto choice = [&](const ProblemSize& size) {
      return solvers::choose_preconditioner({.type = type}, {.size = size}, 0).preconditioner;
    };
    EXPECT_EQ(choice(triangles(1e5, false)), "jacobi");
    EXPECT_EQ(choice(triangles(3e5, false)), "amg");
    EXPECT_EQ(choice(tets(1e7, false)), "jacobi");
    EXPECT_EQ(choice(triangles(3e5, true)), "jacobi");
    EXPECT_EQ(choice(triangles(4e5, true)), "amg");
    EXPECT_EQ(choice(tets(1e7, true)), "jacobi");
  }
}

/// Iterations of jacobi grow with the whole mesh, and what each costs is the part of a rank.
TEST(AutomaticPreconditioner, OverRanksKnowsTheRowsOfAll) {
  ProblemSize part = tets(3e5, false);
  EXPECT_EQ(choice(part), "jacobi");
  part.all_rows = 4 * part.rows;
  EXPECT_EQ(choice(part), "amg");
  EXPECT_EQ(choice({.rows = 1e4, .entries = 7e4, .dim = 2, .all_rows = 8e6}), "jacobi");
}

TEST(AutomaticPreconditioner, TakesNoMoreMemoryThanThereIs) {
  const auto size = tets(4e6, true);
  EXPECT_EQ(choice(size, 1e-8, 80e9), "amg");
  EXPECT_EQ(choice(size, 1e-8, 1e9), "jacobi");
  const std::string why = solvers::choose_preconditioner({}, {.size = size}, 1e9).why;
  EXPECT_NE(why.find("too little memory"), std::string::npos) << why;
}

/// Where the cheaper one does not fit, the other may, if it pays.
TEST(AutomaticPreconditioner, TakesTheCheapestThatFits) {
  OneSystem tets{.size = {.rows = 1e6, .entries = 28e6}, .lower_orders = true};
  const double both = 1e12;
  ASSERT_EQ(choice(tets, 1e-8, both), "pmg");
  std::string before = "pmg";
  std::vector<std::string> seen = {before};
  for (double free = 1e10; free > 1e8; free *= 0.98)
    if (const std::string now = choice(tets, 1e-8, free); now != before) seen.push_back(before = now);
  const auto needs = [&](const char* name) { return solvers::solver_bytes({.preconditioner = name}, tets.size); };
  if (needs("amg") < needs("pmg"))
    EXPECT_EQ(seen, (std::vector<std::string>{"pmg", "amg", "jacobi"}));
  else
    EXPECT_EQ(seen, (std::vector<std::string>{"pmg", "jacobi"}));
}

/// Of order 2 and more multigrid over orders takes the least, with a matrix or without; without either no amg is left.
TEST(AutomaticPreconditioner, GoesOverOrdersWhereThereAreSome) {
  OneSystem hexes{.size = {.rows = 1e5, .entries = 6e6}, .entries = false, .matrix = false, .lower_orders = true};
  EXPECT_EQ(choice(hexes), "pmg");
  hexes.size.on_cuda = true;
  EXPECT_EQ(choice(hexes), "jacobi");
  hexes.size.rows = 17e6;
  EXPECT_EQ(choice(hexes), "pmg");
  EXPECT_EQ(choice(hexes, 1e-8, 1e9), "jacobi");
  hexes.lower_orders = false;
  EXPECT_EQ(choice(hexes), "jacobi");
  OneSystem tets{.size = {.rows = 1e5, .entries = 28e5}, .lower_orders = true};
  EXPECT_EQ(choice(tets), "pmg");
  tets.lower_orders = false;
  EXPECT_EQ(choice(tets), "jacobi");
  tets.size = {.rows = 1.8e6, .entries = 5e7, .on_cuda = true};
  EXPECT_EQ(choice(tets), "amg");
  tets.lower_orders = true;
  EXPECT_EQ(choice(tets), "pmg");
}

TEST(AutomaticPreconditioner, OfElasticBodiesCountsNodesAlongAnAxis) {
  const auto body = [](double rows, bool on_cuda) {
    return OneSystem{.size = {.rows = rows, .entries = 81 * rows, .on_cuda = on_cuda, .block = 3}};
  };
  EXPECT_EQ(choice(body(3e4, false)), "block_jacobi");
  EXPECT_EQ(choice(body(2e5, false)), "amg");
  EXPECT_EQ(choice(body(2e5, true)), "block_jacobi");
  EXPECT_EQ(choice(body(1.1e6, true)), "amg");
  OneSystem tets = body(3e4, false);
  tets.simplices = true;
  EXPECT_EQ(choice(tets), "amg");
  OneSystem without = body(1.1e6, true);
  without.entries = without.matrix = false;
  without.lower_orders = true;  // which nobody has measured on a GPU
  EXPECT_EQ(choice(without), "block_jacobi");
  without.size.on_cuda = false;
  EXPECT_EQ(choice(without), "pmg");
}

/// Steps like one that took so many iterations, of which jacobi has solved enough to know.
solvers::Following steps_of(double iterations, double to_come, double digits = 8, double matrices = 0) {
  return {.iterations = iterations,
          .with_amg = solvers::iterations_of_amg(digits, true),
          .matrices = matrices,
          .steps = to_come,
          .lost = 1e6};
}
std::string on_the_way(const ProblemSize& size, const solvers::Following& steps, double free_bytes = 0) {
  return solvers::choose_on_the_way({}, {.size = size}, steps, free_bytes).preconditioner;
}

TEST(PreconditionerOnTheWay, IsMultigridWhereManyHardSystemsAreToCome) {
  for (const bool on_cuda : {false, true}) {
    const ProblemSize large = tets(1e6, on_cuda);
    EXPECT_EQ(on_the_way(large, steps_of(300, 1)), "jacobi");
    EXPECT_EQ(on_the_way(large, steps_of(300, 100)), "amg");
    EXPECT_EQ(on_the_way(large, steps_of(20, 1e6)), "jacobi");
    EXPECT_EQ(on_the_way(large, steps_of(60, 1e6)), "jacobi");
    EXPECT_EQ(on_the_way(large, steps_of(60, 1e6, 2)), "amg");
    EXPECT_EQ(on_the_way(tets(1000, on_cuda), steps_of(300, 1e6)), "jacobi");
  }
  EXPECT_EQ(on_the_way(tets(5e3, false), steps_of(300, 100)), "amg");
  EXPECT_EQ(on_the_way(tets(5e3, true), steps_of(300, 100)), "amg");
}

TEST(PreconditionerOnTheWay, CountsTheMatricesThatChange) {
  EXPECT_EQ(on_the_way(tets(1e6, false), steps_of(200, 1000, 8, 0)), "amg");
  EXPECT_EQ(on_the_way(tets(1e6, false), steps_of(200, 1000, 8, 1)), "jacobi");
}

/// The first steps may be harder than those that follow.
TEST(PreconditionerOnTheWay, WaitsUntilJacobiHasCostMore) {
  solvers::Following steps = steps_of(300, 100);
  steps.lost = 10;
  EXPECT_EQ(on_the_way(tets(1e6, false), steps), "jacobi");
}

TEST(PreconditionerOnTheWay, TakesNoMoreMemoryThanThereIs) {
  EXPECT_EQ(on_the_way(tets(1e6, false), steps_of(300, 100), 1e10), "amg");
  EXPECT_EQ(on_the_way(tets(1e6, false), steps_of(300, 100), 1e8), "jacobi");
  const std::string why = solvers::choose_on_the_way({}, {.size = tets(1e6, false)}, steps_of(300, 100), 1e8).why;
  EXPECT_EQ(why, "300 iterations of jacobi in the last step, and 100 more to come, but amg has too little memory");
}

TEST(PreconditionerOnTheWay, IsJacobiOfWhatMultigridDoesNotTake) {
  const auto choice = [](const OneSystem& system) {
    return solvers::choose_on_the_way({}, system, steps_of(1000, 1000), 0).preconditioner;
  };
  EXPECT_EQ(choice({.size = tets(1e6, false)}), "amg");
  EXPECT_EQ(choice({.size = tets(1e6, false), .entries = false}), "jacobi");
  EXPECT_EQ(choice({.size = tets(1e6, false), .entries = false, .matrix = false}), "jacobi");
}

/// Ranks have a part of the rows each, and choose alike.
TEST(PreconditionerOnTheWay, KnowsTheRowsOfAllRanks) {
  ProblemSize part = tets(1500, false);
  EXPECT_EQ(on_the_way(part, steps_of(300, 100)), "jacobi");
  part.all_rows = 6000;
  EXPECT_EQ(on_the_way(part, steps_of(300, 100)), "amg");
}

}  // namespace
}  // namespace tessera
