// What preconditioner = "auto" takes for systems of some sizes.
#include "solvers/automatic.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

using solvers::ProblemSize;

std::string choice(const ProblemSize& size, double tolerance = 1e-8, double free_bytes = 0) {
  return solvers::choose_preconditioner({.tolerance = tolerance}, size, free_bytes).preconditioner;
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
      return solvers::choose_preconditioner({.type = type}, size, 0).preconditioner;
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
  const std::string why = solvers::choose_preconditioner({}, size, 1e9).why;
  EXPECT_NE(why.find("too little memory"), std::string::npos) << why;
}

}  // namespace
}  // namespace tessera
