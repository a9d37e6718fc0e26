// Relaxation factors: the formulas, what a deck chooses, and the counts of the source.
#include <complex>

#include "solvers/grid/lmsor_omega.hpp"
#include "solvers/lmsor_cases.hpp"

namespace tessera::solvers::grid {
namespace {

using namespace testing_lmsor;

template <class Exec>
class LmsorOmegas : public ::testing::Test {};
TYPED_TEST_SUITE(LmsorOmegas, testing::Backends);

// ---- the formulas ---------------------------------------------------------------------------------------------------

// Own Fourier analysis, minimised numerically; the first two columns are R and I, the third omega.
TEST(LmsorOmega, OfRectanglesIsTheMinimum) {
  const double table[][3] = {
      {0.5, 0.1, 1.078591}, {0.5, 1, 0.704324}, {0.5, 10, 0.114549}, {0.9, 0.3, 0.902423}, {0.49, 100, 0.012229}};
  for (const auto& [R, I, omega] : table) EXPECT_NEAR(lmsor::rectangle_omega(R, I), omega, 1e-6) << R << " " << I;
  EXPECT_NEAR(lmsor::rectangle_omega(0.8, 0), 2 / (1 + std::sqrt(1 - 0.64)), 1e-14);
  EXPECT_NEAR(lmsor::rectangle_omega(0, 3), 2 / (1 + std::sqrt(10.0)), 1e-14);
  EXPECT_NEAR(lmsor::rectangle_omega(0.8, 1e-9), lmsor::rectangle_omega(0.8, 0), 1e-4) << "continuous";
  EXPECT_NEAR(lmsor::rectangle_omega(1e-9, 3), lmsor::rectangle_omega(0, 3), 1e-4) << "continuous";
}

// The roots lambda of (lambda + w - 1)^2 = w^2 mu^2 lambda for mu in the corner and on the sides decide the rate.
TEST(LmsorOmega, OfRectanglesBeatsItsNeighbours) {
  const auto rate = [](double w, double R, double I) {
    double worst = 0;
    for (int k = 0; k <= 200; ++k)
      for (std::complex<double> mu : {std::complex<double>(R * k / 200, I), std::complex<double>(R, I * k / 200)}) {
        const std::complex<double> wm = w * mu, root = std::sqrt(wm * wm - 4.0 * (w - 1));
        worst = std::max({worst, std::norm((wm + root) / 2.0), std::norm((wm - root) / 2.0)});
      }
    return worst;
  };
  for (const auto& [R, I] : {std::pair{0.5, 0.1}, {0.5, 1.0}, {0.5, 10.0}, {0.9, 0.3}, {0.1, 5.0}}) {
    const double w = lmsor::rectangle_omega(R, I), best = rate(w, R, I);
    EXPECT_LT(best, 1);
    for (double factor : {0.9, 0.97, 1.03, 1.1})
      EXPECT_GT(rate(w * factor, R, I), best) << R << " " << I << " " << factor;
  }
}

// ---- one omega for all points
// -------------------------------------------------------------------------------------------

/// What a run says of its omega.
template <class Exec>
std::pair<double, double> omegas(Exec& exec, const Case& c, LmsorParams params) {
  params.max_iterations = 1;
  const LmsorReport report = solve(exec, c, params).report;
  return {report.omega_min, report.omega_max};
}

TYPED_TEST(LmsorOmegas, OfConstantCoefficientsAreTheLocalOnes) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  for (double wind : {0.0, 30.0, 500.0}) {  // real and imaginary mu
    const Function constant = [=](double, double) { return wind; };
    const Case c = error_case(40, constant, constant);
    const auto [lsor, lsor_max] = omegas(exec, c, {.method = "lsor"});
    EXPECT_NEAR(lsor, lsor_max, 1e-14);
    const auto [sor, sor_max] = omegas(exec, c, {.method = "sor"});
    EXPECT_NEAR(sor, lsor, 1e-14) << wind;
    EXPECT_NEAR(sor_max, lsor, 1e-14) << wind;
    const auto [black, red] = omegas(exec, c, {.method = "lmsor"});
    EXPECT_GT(red, black);
    const auto [msor_black, msor_red] = omegas(exec, c, {.method = "msor"});
    EXPECT_NEAR(msor_black, black, 1e-14) << wind;
    EXPECT_NEAR(msor_red, red, 1e-14) << wind;
    EXPECT_EQ(solve(exec, c, {.method = "msor"}).report.iterations,
              solve(exec, c, {.method = "lmsor"}).report.iterations);
  }
}

// Gauss-Seidel by hand, and omega on the right colour: with omega = 1 red and a small one black, black points hardly
// move.
TYPED_TEST(LmsorOmegas, OfTheDeckAreTaken) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  const Case c = make_case({5, 4}, zero, zero, {}, zero, [](double, double) { return 1.0; });
  EXPECT_EQ(omegas(exec, c, {.method = "msor", .omega = 1.3, .omega_black = 1.1}), std::pair(1.1, 1.3));
  EXPECT_EQ(omegas(exec, c, {.method = "sor", .omega = 1.4}), std::pair(1.4, 1.4));
  const LmsorParams params{
      .method = "msor", .omega = 1, .omega_black = 1e-3, .tolerance = 1e-300, .max_iterations = 1, .check_every = 1};
  const Values u = solve(exec, c, params).u;
  for (Index j = 1; j <= 4; ++j)
    for (Index i = 1; i <= 5; ++i) {
      const double neighbours_x = (i > 1) + (i < 5), neighbours_y = (j > 1) + (j < 4);
      const double A = 0.5 * c.h[1] * c.h[1] / (c.h[0] * c.h[0] + c.h[1] * c.h[1]), B = 0.5 - A;
      if ((i + j) % 2 == 0)
        EXPECT_NEAR(u[c.node(i, j)], A * neighbours_x + B * neighbours_y, 1e-14) << i << " " << j;
      else
        EXPECT_NEAR(u[c.node(i, j)], 1, 2e-3) << i << " " << j;
    }
}

// ---- counts
// -------------------------------------------------------------------------------------------------------------

// Table of the source's method: f = g = 1e4 Re, 100 x 100 and, for Re = 1000, 200 x 200; there the residual grows
// 142-fold first. u = x y (1-x)(1-y) at the start, stop on the update.
TYPED_TEST(LmsorOmegas, HasTheCountsOfTheSource) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  struct Entry {
    Index m;
    double Re;
    int count;
  };
  for (const auto& [m, Re, count] :
       {Entry{100, 1, 165}, {100, 10, 292}, {100, 100, 376}, {100, 1000, 457}, {200, 1000, 812}}) {
    const double wind = 1e4 * Re;
    const Function constant = [=](double, double) { return wind; };
    const Case c =
        make_case({m, m}, constant, constant, {}, zero, [](double x, double y) { return x * y * (1 - x) * (1 - y); });
    const Solved solved = solve(exec, c, {.method = "lmsor", .stop = "update", .tolerance = 1e-6});
    EXPECT_EQ(solved.report.iterations, count) << m << " " << Re;
    EXPECT_EQ(solved.report.restarts, 0);
    EXPECT_TRUE(solved.report.converged);
  }
}

/// Iterations until the error (the solution is 0) is 1e-6 of the start.
int iterations_to_1e_6(const Case& c, const std::string& method) {
  Threads exec(1);
  const auto norm = [](const Values& u) {
    double sum = 0;
    for (double value : u) sum += value * value;
    return std::sqrt(sum);
  };
  Case now = c;
  for (int iterations = 0; iterations < 5000; iterations += 8) {
    now.u = solve(exec, now, {.method = method, .tolerance = 1e-300, .max_iterations = 8, .damping = 1}).u;
    if (norm(now.u) <= 1e-6 * norm(c.u)) return iterations + 8;
  }
  return -1;
}

TEST(LmsorCounts, AgreeWithTheCheckedTable) {
  struct Entry {
    std::size_t wind;
    double Re;
    int lmsor, lsor;
  };
  // Another random start moves the counts a little.
  for (const Entry& entry : {Entry{0, 1000, 820, 414},
                             {1, 100, 92, 90},
                             {1, 1000, 92, 91},
                             {1, 10000, 342, 255},
                             {2, 1000, 100, 96},
                             {3, 1000, 195, 195},
                             {4, 1000, 139, 139}}) {
    const Wind wind = winds(entry.Re)[entry.wind];
    const Case c = error_case(80, wind.f, wind.g);
    EXPECT_NEAR(iterations_to_1e_6(c, "lmsor"), entry.lmsor, 8 + 0.06 * entry.lmsor) << wind.name << " " << entry.Re;
    EXPECT_NEAR(iterations_to_1e_6(c, "lsor"), entry.lsor, 8 + 0.06 * entry.lsor) << wind.name << " " << entry.Re;
  }
}

TYPED_TEST(LmsorOmegas, ConvergesForEveryReynoldsNumber) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  for (double Re : {0.0, 1.0, 10.0, 100.0, 1e3, 1e4})
    for (const Wind& wind : winds(Re)) {
      const Solved solved = solve(exec, error_case(60, wind.f, wind.g), {.tolerance = 1e-6, .max_iterations = 20000});
      EXPECT_TRUE(solved.report.converged) << wind.name << " " << Re << ": " << solved.report.failure;
      EXPECT_LE(solved.report.relative_residual, 1e-6);
    }
}

}  // namespace
}  // namespace tessera::solvers::grid
