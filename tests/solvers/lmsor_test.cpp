// Relaxation for convection-diffusion: against a direct solve, the counts of the source, and itself in every variant.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // of GCC 12 in Eigen with AVX-512
#include "solvers/grid/lmsor.hpp"

#include <Eigen/SparseLU>
#include <cmath>
#include <functional>
#include <random>

#include "base/error.hpp"
#include "solvers/grid/lmsor_omega.hpp"
#include "support/backends.hpp"

namespace tessera::solvers::grid {
namespace {

using Function = std::function<double(double x, double y)>;
using Values = std::vector<double>;

/// A problem on (0, width) x (0, height) with its values on the host.
struct Case {
  std::array<Index, 2> m;
  std::array<double, 2> h;
  Values f, g, source, u;  ///< u: rim and start

  std::size_t node(Index i, Index j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * (m[0] + 2);
  }
};

Values at_interior(const Case& c, const Function& function) {
  Values values;
  for (Index j = 1; j <= c.m[1]; ++j)
    for (Index i = 1; i <= c.m[0]; ++i) values.push_back(function(i * c.h[0], j * c.h[1]));
  return values;
}

/// `rim` on the boundary, `start` inside. An empty source stays empty.
Case make_case(std::array<Index, 2> m, const Function& f, const Function& g, const Function& source,
               const Function& rim, const Function& start, std::array<double, 2> size = {1, 1}) {
  Case c{m, {size[0] / (m[0] + 1), size[1] / (m[1] + 1)}, {}, {}, {}, {}};
  c.f = at_interior(c, f);
  c.g = at_interior(c, g);
  if (source) c.source = at_interior(c, source);
  for (Index j = 0; j <= m[1] + 1; ++j)
    for (Index i = 0; i <= m[0] + 1; ++i) {
      const bool inner = i >= 1 && i <= m[0] && j >= 1 && j <= m[1];
      c.u.push_back((inner ? start : rim)(i * c.h[0], j * c.h[1]));
    }
  return c;
}

double zero(double, double) { return 0; }

Function random_start(unsigned seed = 3) {
  return [engine = std::make_shared<std::mt19937>(seed)](double, double) {
    return std::uniform_real_distribution<double>(-1, 1)(*engine);
  };
}

/// Zero boundary, random start: the solution is 0, and the start is the error.
Case error_case(Index m, const Function& f, const Function& g) {
  return make_case({m, m}, f, g, {}, zero, random_start());
}

struct Solved {
  Values u;
  LmsorReport report;
};

template <class Exec>
Solved solve(Exec& exec, const Case& c, const LmsorParams& params) {
  using Space = typename Exec::Space;
  const auto f = to_space<Space>(c.f), g = to_space<Space>(c.g), source = to_space<Space>(c.source);
  auto u = to_space<Space>(c.u);
  Solved result;
  result.report = solve_lmsor(exec, LmsorProblem{c.m, c.h, f, g, source}, u.view(), params);
  exec.synchronize();
  result.u = to_vector(u);
  return result;
}

/// The same equations by Eigen's SparseLU.
Values direct(const Case& c) {
  const Index m1 = c.m[0], m2 = c.m[1], n = m1 * m2;
  const double h = c.h[0], k = c.h[1];
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd b(n);
  for (Index j = 1; j <= m2; ++j)
    for (Index i = 1; i <= m1; ++i) {
      const Index row = i - 1 + (j - 1) * m1;
      entries.emplace_back(row, row, -2 / (h * h) - 2 / (k * k));
      b[row] = c.source.empty() ? 0 : c.source[row];
      const auto add = [&](Index ni, Index nj, double weight) {
        if (ni >= 1 && ni <= m1 && nj >= 1 && nj <= m2)
          entries.emplace_back(row, ni - 1 + (nj - 1) * m1, weight);
        else
          b[row] -= weight * c.u[c.node(ni, nj)];
      };
      add(i - 1, j, 1 / (h * h) + c.f[row] / (2 * h));
      add(i + 1, j, 1 / (h * h) - c.f[row] / (2 * h));
      add(i, j - 1, 1 / (k * k) + c.g[row] / (2 * k));
      add(i, j + 1, 1 / (k * k) - c.g[row] / (2 * k));
    }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> solver(A);
  const Eigen::VectorXd x = solver.solve(b);
  Values u = c.u;
  for (Index j = 1; j <= m2; ++j)
    for (Index i = 1; i <= m1; ++i) u[c.node(i, j)] = x[i - 1 + (j - 1) * m1];
  return u;
}

double difference(const Values& a, const Values& b) {
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return largest / scale;
}

/// Every way of keeping coefficients, access, granularity and depth of passes that a backend has.
template <class Exec>
std::vector<LmsorParams> variants() {
  std::vector<LmsorParams> result;
  for (const char* recompute : {"none", "coefficients", "all"}) {
    if (std::is_same_v<Exec, Cuda>)
      for (const char* access : {"global", "shared", "texture"})
        for (int granularity : {1, 2, 4, 8})
          result.push_back({.recompute = recompute, .access = access, .granularity = granularity, .blocking = 1});
    else
      result.push_back({.recompute = recompute, .blocking = 1});
    if (std::is_same_v<Exec, Threads> || recompute != std::string("none"))
      for (int blocking : {2, 3, 4, 7}) result.push_back({.recompute = recompute, .blocking = blocking});
  }
  return result;
}
std::string name(const LmsorParams& p) {
  return p.method + " " + p.recompute + " " + p.access + " " + std::to_string(p.granularity) + " blocking " +
         std::to_string(p.blocking) + " " + p.precision;
}

/// For many small problems: threads would wait for each other most of the time.
template <class Exec>
Exec small_exec() {
  if constexpr (std::is_same_v<Exec, Threads>)
    return Threads(1);
  else
    return Exec();
}

template <class Exec>
class Lmsor : public ::testing::Test {};
TYPED_TEST_SUITE(Lmsor, testing::Backends);

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

// ---- counts of the source and of FORMULAS --------------------------------------------------------------------------

// Table of the source's method: f = g = 1e4 Re, 100 x 100, u = x y (1-x)(1-y) at the start, stop on the update.
TYPED_TEST(Lmsor, HasTheCountsOfTheSource) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  const std::pair<double, int> counts[] = {{1, 165}, {10, 292}, {100, 376}};
  for (const auto& [Re, count] : counts) {
    const double wind = 1e4 * Re;
    const Function constant = [=](double, double) { return wind; };
    const Case c = make_case({100, 100}, constant, constant, {}, zero,
                             [](double x, double y) { return x * y * (1 - x) * (1 - y); });
    const Solved solved = solve(exec, c, {.method = "lmsor", .stop = "update", .tolerance = 1e-6, .check_every = 1});
    EXPECT_EQ(solved.report.iterations, count) << Re;
    EXPECT_TRUE(solved.report.converged);
  }
}

struct Wind {
  const char* name;
  Function f, g;
};
std::vector<Wind> winds(double Re) {
  return {{"linear", [=](double x, double) { return Re * (2 * x - 10); },
           [=](double, double y) { return Re * (2 * y - 10); }},
          {"constant", [=](double, double) { return Re / 2; }, [=](double, double) { return Re / 2; }},
          {"stagnation", [=](double x, double) { return Re * x; }, [=](double, double y) { return Re * y; }},
          {"recirculating", [=](double x, double y) { return 2 * Re * y * (1 - x * x); },
           [=](double x, double y) { return -2 * Re * x * (1 - y * y); }},
          {"along x", [=](double, double) { return Re; }, zero}};
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

TYPED_TEST(Lmsor, ConvergesForEveryReynoldsNumber) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (double Re : {0.0, 1.0, 10.0, 100.0, 1e3, 1e4})
    for (const Wind& wind : winds(Re)) {
      const Solved solved = solve(exec, error_case(60, wind.f, wind.g), {.tolerance = 1e-6, .max_iterations = 20000});
      EXPECT_TRUE(solved.report.converged) << wind.name << " " << Re << ": " << solved.report.failure;
      EXPECT_LE(solved.report.relative_residual, 1e-6);
    }
}

// ---- the solution -----------------------------------------------------------------------------------------------------

TYPED_TEST(Lmsor, AgreesWithTheDirectSolution) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  const Function rim = [](double x, double y) { return std::cos(3 * x) + y; };
  const Function f = [](double x, double y) { return 30 * x - 20 * y; },
                 g = [](double x, double y) { return 20 * (x * y - 0.3); };
  const Function strong_g = [](double x, double y) {
    return 400 * (x * y - 0.3);
  };  // mixed points, but on the smallest grids no solver's
  const Function source = [](double x, double y) { return std::exp(x) - 5 * y; };
  const std::array<Index, 2> sizes[] = {{1, 1}, {2, 1},   {1, 2},   {3, 3},  {2, 2},  {1, 17}, {16, 1},
                                        {5, 4}, {13, 29}, {32, 31}, {64, 7}, {7, 65}, {67, 43}};
  for (const auto& m : sizes)
    for (bool with_source : {true, false}) {
      const Case c =
          make_case(m, f, m[1] > 8 ? strong_g : g, with_source ? source : Function{}, rim, random_start(), {1.5, 0.75});
      const Values exact = direct(c);
      for (const LmsorMethod& method : lmsor_methods()) {
        const bool constant = method.name == "sor" || method.name == "msor";
        if (constant && m[1] > 8) continue;  // one omega for all points is slow there
        const Solved solved = solve(exec, c, {.method = method.name, .tolerance = 1e-12});
        EXPECT_TRUE(solved.report.converged)
            << m[0] << " x " << m[1] << " " << method.name << ": " << solved.report.failure;
        EXPECT_LE(difference(solved.u, exact), 1e-9) << m[0] << " x " << m[1] << " " << method.name;
      }
    }
}

// f = 3, g = 2, u = exp(x + (1 + sqrt 3) y) solves the equation without a source.
TYPED_TEST(Lmsor, TheDiscretisationIsOfSecondOrder) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Function exact = [](double x, double y) { return std::exp(x + (1 + std::sqrt(3.0)) * y); };
  const std::pair<Index, double> errors[] = {{15, 6.14e-3}, {31, 1.54e-3}, {63, 3.85e-4}};
  for (const auto& [m, expected] : errors) {
    const Case c = make_case(
        {m, m}, [](double, double) { return 3.0; }, [](double, double) { return 2.0; }, {}, exact, zero);
    const Solved solved = solve(exec, c, {.tolerance = 1e-11});
    double largest = 0;
    for (Index j = 0; j <= m + 1; ++j)
      for (Index i = 0; i <= m + 1; ++i)
        largest = std::max(largest, std::abs(solved.u[c.node(i, j)] - exact(i * c.h[0], j * c.h[1])));
    EXPECT_NEAR(largest, expected, 0.01 * expected) << m;
  }
}

TYPED_TEST(Lmsor, SinglePrecisionIsAsGoodAsItsRounding) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Wind wind = winds(100)[2];
  const Case c = make_case(
      {60, 45}, wind.f, wind.g, [](double, double) { return 1.0; }, zero, zero);
  const Values exact = direct(c);
  const Solved solved = solve(exec, c, {.tolerance = 1e-4, .precision = "float"});
  EXPECT_TRUE(solved.report.converged) << solved.report.failure;
  EXPECT_LE(difference(solved.u, exact), 1e-3);
  const Solved too_far = solve(exec, c, {.tolerance = 1e-12, .precision = "float"});
  EXPECT_FALSE(too_far.report.converged);
  EXPECT_NE(too_far.report.failure.find("rounding of float"), std::string::npos) << too_far.report.failure;
  EXPECT_LT(too_far.report.iterations, 20000) << "noticed, not run into the limit";
}

// ---- variants ---------------------------------------------------------------------------------------------------------

TYPED_TEST(Lmsor, EveryVariantTakesTheSameSteps) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  const Function rim = [](double x, double y) { return x - y; };
  for (const auto& m : {std::array<Index, 2>{1, 1}, {3, 2}, {70, 51}, {131, 58}})
    for (const char* method : {"lsor", "lmsor"})
      for (const char* precision : {"double", "float"})
        for (bool with_source : {false, true}) {
          // Mixed points too: |f h/2| > 1 in one part of the grid, |g k/2| > 1 in another.
          const double peak_f = 3.0 * m[0], peak_g = 3.0 * m[1];
          const Case c = make_case(
              m, [=](double x, double) { return peak_f * x; }, [=](double x, double y) { return peak_g * (x - y); },
              with_source ? Function([](double x, double) { return 10 * x; }) : Function{}, rim, random_start());
          LmsorParams base{
              .method = method, .tolerance = 1e-300, .max_iterations = 11, .check_every = 11, .precision = precision};
          Values first;
          double first_update = 0;
          for (LmsorParams params : variants<TypeParam>()) {
            params.method = base.method;
            params.tolerance = base.tolerance;
            params.max_iterations = base.max_iterations;
            params.check_every = base.check_every;
            params.precision = base.precision;
            const Solved solved = solve(exec, c, params);
            if (first.empty()) {
              first = solved.u;
              first_update = solved.report.update;
            }
            // omega is recomputed from weights that were rounded where the coefficients are not kept
            EXPECT_LE(difference(solved.u, first), precision == std::string("float") ? 1e-5 : 1e-13) << name(params);
            EXPECT_NEAR(solved.report.update, first_update, 1e-5 * first_update) << name(params);
          }
        }
}

TYPED_TEST(Lmsor, PassesOfSeveralIterationsChangeNoBit) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = small_exec<TypeParam>();
  for (const auto& m : {std::array<Index, 2>{2, 3}, {45, 46}, {200, 61}, {63, 211}})
    for (const char* recompute : {"coefficients", "all"})
      for (const char* precision : {"double", "float"}) {
        const Wind wind = winds(40)[3];
        const Case c = make_case(
            m, wind.f, wind.g, [](double, double y) { return y; }, zero, random_start());
        LmsorParams params{.tolerance = 1e-300,
                           .max_iterations = 26,
                           .check_every = 13,
                           .recompute = recompute,
                           .blocking = 1,
                           .precision = precision};
        const Solved plain = solve(exec, c, params);
        for (int blocking : {2, 3, 4, 5, 8}) {
          params.blocking = blocking;
          const Solved blocked = solve(exec, c, params);
          EXPECT_EQ(blocked.u, plain.u) << name(params) << " " << m[0] << " x " << m[1];
          EXPECT_NEAR(blocked.report.update, plain.report.update, 1e-12 * plain.report.update);
        }
      }
}

TEST(LmsorThreads, TheirNumberChangesNoBit) {
  const Wind wind = winds(1000)[3];
  const Case c = make_case(
      {301, 240}, wind.f, wind.g, [](double, double y) { return y; }, zero, random_start());
  for (int blocking : {1, 2, 4}) {
    const LmsorParams params{.max_iterations = 40, .check_every = 8, .blocking = blocking};
    Threads one(1), two(2), five(5);
    const Solved expected = solve(one, c, params);
    for (Threads* exec : {&two, &five}) {
      const Solved solved = solve(*exec, c, params);
      EXPECT_EQ(solved.u, expected.u);
      EXPECT_EQ(solved.report.history, expected.report.history);
    }
  }
}

TYPED_TEST(Lmsor, IsRepeatableBitByBit) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Wind wind = winds(1000)[3];
  const Case c = make_case(
      {93, 120}, wind.f, wind.g, [](double, double y) { return y; }, zero, random_start());
  for (int blocking : {1, 4}) {
    const Solved first = solve(exec, c, {.max_iterations = 64, .blocking = blocking});
    for (int run = 0; run < 3; ++run) {
      const Solved again = solve(exec, c, {.max_iterations = 64, .blocking = blocking});
      EXPECT_EQ(again.u, first.u);
      EXPECT_EQ(again.report.history, first.report.history);
    }
  }
}

// ---- reports ----------------------------------------------------------------------------------------------------------

TYPED_TEST(Lmsor, DampsWhenTheResidualGrows) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Wind wind = winds(1e4)[3];
  const Case c = error_case(160, wind.f, wind.g);
  const Solved cured = solve(exec, c, {.tolerance = 1e-6, .max_iterations = 3000});
  EXPECT_TRUE(cured.report.converged) << cured.report.failure;
  EXPECT_GE(cured.report.restarts, 1);
  EXPECT_NEAR(cured.report.damping, std::pow(0.7, cured.report.restarts), 1e-12);
  EXPECT_GT(cured.report.mixed_points, 0);
  EXPECT_EQ(cured.report.warnings.size(), 3u) << "both winds and the damping";

  const Solved undamped = solve(exec, c, {.tolerance = 1e-6, .max_iterations = 3000, .damping = 1});
  EXPECT_FALSE(undamped.report.converged);
  EXPECT_NE(undamped.report.failure.find("the residual grew"), std::string::npos) << undamped.report.failure;
}

TYPED_TEST(Lmsor, ReportsWhatItDid) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Wind wind = winds(10)[1];
  const Case c = make_case(
      {40, 50}, wind.f, wind.g, [](double, double) { return 1.0; }, zero, zero);
  const Solved solved = solve(exec, c, {.check_every = 5});
  EXPECT_TRUE(solved.report.converged);
  EXPECT_TRUE(solved.report.warnings.empty());
  EXPECT_EQ(solved.report.iterations % 5, 0);
  EXPECT_EQ(solved.report.history.size(), 1u + static_cast<std::size_t>(solved.report.iterations) / 5);
  EXPECT_DOUBLE_EQ(solved.report.history.front(), 1) << "the start is 0";
  EXPECT_LE(solved.report.relative_residual, 1e-8);
  EXPECT_GT(solved.report.omega_min, 1);
  EXPECT_LT(solved.report.omega_max, 2);

  const Solved short_run = solve(exec, c, {.max_iterations = 7, .check_every = 5});
  EXPECT_EQ(short_run.report.iterations, 7);
  EXPECT_FALSE(short_run.report.converged);
  EXPECT_NE(short_run.report.failure.find("7 iterations"), std::string::npos);

  Case done = c;
  done.u = solved.u;
  const Solved again = solve(exec, done, {.tolerance = 1e-7});
  EXPECT_TRUE(again.report.converged);
  EXPECT_EQ(again.report.iterations, 0) << "the start is good enough";
  EXPECT_EQ(again.u, done.u) << "and stays as it is";

  const Solved nothing = solve(exec, make_case({5, 5}, wind.f, wind.g, {}, zero, zero), {});
  EXPECT_TRUE(nothing.report.converged);
  EXPECT_EQ(nothing.report.iterations, 0);
}

TYPED_TEST(Lmsor, TheMonitorWatchesAndStops) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const Case c = error_case(50, zero, zero);
  const auto f = to_space<Space>(c.f);
  auto u = to_space<Space>(c.u);
  std::vector<int> seen;
  Monitor monitor{[&](int iteration, double) { seen.push_back(iteration); }, [&] { return seen.size() == 3; }};
  const LmsorReport report =
      solve_lmsor(exec, LmsorProblem{c.m, c.h, f, {}, {}}, u.view(), {.check_every = 4}, monitor);
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(seen, (std::vector<int>{4, 8, 12}));
}

TYPED_TEST(Lmsor, NamesValuesThatAreNotFinite) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const Case good = make_case({6, 7}, zero, zero, zero, zero, zero);
  const auto expect_named = [&](const Case& bad, const std::string& text) {
    try {
      solve(exec, bad, {});
      FAIL() << "not seen: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::solver);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  const double nan = std::nan(""), infinity = HUGE_VAL;
  Case bad = good;
  bad.f[2 + 3 * 6] = nan;
  expect_named(bad, "f is not finite at node (3, 4)");
  bad = good;
  bad.g[0] = infinity;
  expect_named(bad, "g is not finite at node (1, 1)");
  bad = good;
  bad.source[41] = -infinity;
  expect_named(bad, "source is not finite at node (6, 7)");
  bad = good;
  bad.u[bad.node(0, 3)] = nan;
  expect_named(bad, "u is not finite at node (0, 3)");
  bad = good;
  bad.u[bad.node(0, 0)] = nan;
  EXPECT_TRUE(solve(exec, bad, {}).report.converged) << "corners are not read";
}

TEST(LmsorErrors, NameWhatIsWrong) {
  const auto refused = [](LmsorParams params, const std::string& text, const std::string& backend = "threads") {
    try {
      check(params, backend);
      FAIL() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      EXPECT_FALSE(error.help().empty());
    }
  };
  refused({.method = "lsorr"}, "'lsorr'");
  refused({.method = "sor", .omega = 2}, "factor of 2");
  refused({.method = "lsor", .omega = 1.5}, "takes omega from the coefficients");
  refused({.method = "sor", .omega_black = 1.5}, "only msor");
  refused({.stop = "error"}, "solver.stop is 'error'");
  refused({.tolerance = 0}, "solver.tolerance is 0");
  refused({.max_iterations = -1}, "max_iterations is -1");
  refused({.check_every = 0}, "check_every is 0");
  refused({.recompute = "some"}, "'some'");
  refused({.access = "surface"}, "'surface'");
  refused({.access = "shared"}, "on threads");
  refused({.granularity = 3}, "granularity is 3", "cuda");
  refused({.granularity = 2}, "on threads");
  refused({.blocking = 9}, "blocking is 9");
  refused({.granularity = 2, .blocking = 2}, "choices of half iterations", "cuda");
  refused({.recompute = "none", .blocking = 2}, "recompute = \"none\"", "cuda");
  refused({.damping = 0}, "damping is 0");
  refused({.precision = "mixed"}, "no precision 'mixed'");

  Threads exec;
  Values u(9);
  const View<double> view(u.data(), 9);
  const auto solve_refused = [&](const LmsorProblem& problem, const std::string& text) {
    try {
      solve_lmsor(exec, problem, view);
      FAIL() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  solve_refused({.m = {0, 1}}, "0 x 1 interior");
  solve_refused({.h = {0, 1}}, "spacings");
  solve_refused({.m = {2, 1}}, "u has 9 values, the grid with its rim 12");
  solve_refused({.f = View<const double>(u.data(), 4)}, "4 coefficients for 1");
}

}  // namespace
}  // namespace tessera::solvers::grid
