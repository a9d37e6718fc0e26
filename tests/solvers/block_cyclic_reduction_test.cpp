// Block cyclic reduction and partial solutions of any grid against the operator itself, a direct solution and known
// counts.
#include "solvers/grid/fast_poisson.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "base/error.hpp"
#include "solvers/grid/partial_solution.hpp"
#include "solvers/grid_matrices.hpp"
#include "solvers/solve.hpp"
#include "support/errors.hpp"
#include "support/precisions.hpp"

namespace tessera::solvers::grid {
namespace {

template <class V>
class BlockCyclicReduction : public ::testing::Test {};
TYPED_TEST_SUITE(BlockCyclicReduction, testing::DoubleAndFloat);

std::vector<double> random_values(Offset n, unsigned seed = 7) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> f(static_cast<std::size_t>(n));
  for (double& v : f) v = value(engine);
  return f;
}

using Values = std::vector<long double>;

/// tridiag(side, centre, side) along one axis.
Values along(const GridProblem& p, const Values& x, int axis, long double centre, long double side) {
  Offset step = 1;
  for (int a = 0; a < axis; ++a) step *= p.n[a];
  Values y(x.size());
  for (Offset i = 0; i < static_cast<Offset>(x.size()); ++i) {
    const Offset at = i / step % p.n[axis];
    y[i] = centre * x[i] + side * ((at > 0 ? x[i - step] : 0) + (at + 1 < p.n[axis] ? x[i + step] : 0));
  }
  return y;
}

/// A x.
Values product(const GridProblem& p, const Values& x) {
  const bool star = p.stencil == Stencil::star;
  const auto mass = [&](Values v, int but) {
    for (int axis = 0; axis < p.dim && !star; ++axis)
      if (axis != but) v = along(p, v, axis, 4.0L * p.h[axis] / 6, 1.0L * p.h[axis] / 6);
    return v;
  };
  Values y = mass(x, -1);
  for (long double& value : y) value *= p.shift;
  for (int axis = 0; axis < p.dim; ++axis) {
    const long double k = star ? 1 / (1.0L * p.h[axis] * p.h[axis]) : 1 / (1.0L * p.h[axis]);
    const Values part = along(p, mass(x, axis), axis, 2 * k, -k);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += part[i];
  }
  return y;
}

double norm_of_operator(const GridProblem& p) {
  double all = p.shift, sum = 0;
  for (int axis = 0; axis < p.dim; ++axis) {
    const double h = p.h[axis];
    double product = p.stencil == Stencil::star ? 4 / (h * h) : 4 / h;
    if (p.stencil == Stencil::tensor) {
      for (int other = 0; other < p.dim; ++other) product *= other == axis ? 1 : p.h[other];
      all *= h;
    }
    sum += product;
  }
  return sum + all;
}

template <class Container>
double norm(const Container& x) {
  long double sum = 0;
  for (auto value : x) sum += static_cast<long double>(value) * value;
  return static_cast<double>(std::sqrt(sum));
}

template <class Exec, class T>
std::vector<T> solve(Exec& exec, const GridProblem& p, const std::vector<T>& f, int radix, int times = 1) {
  using Space = typename Exec::Space;
  FastPoisson<Exec, T> solver(exec, p, {.method = "bcr", .radix = radix});
  const auto right = to_space<Space>(f);
  Array<T, Space> u(right.size());
  for (int time = 0; time < times; ++time) solver.solve(right, u);
  exec.synchronize();
  return to_vector(u);
}

/// || f - A u || / (|| A || || u ||)
template <class T>
double backward_error(const GridProblem& p, const std::vector<T>& f, const std::vector<T>& u) {
  Values r = product(p, Values(u.begin(), u.end()));
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= f[i];
  const double error = norm(r) / (norm_of_operator(p) * norm(u));
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

template <class T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
  Values d(a.begin(), a.end());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] -= b[i];
  const double result = norm(d) / norm(b);
  return std::isfinite(result) ? result : std::numeric_limits<double>::infinity();
}

GridProblem rectangle(Index nx, Index ny, double hx = 0, double hy = 0, double shift = 0,
                      Stencil stencil = Stencil::star) {
  return {2, {nx, ny, 1}, {hx > 0 ? hx : 1.0 / (nx + 1), hy > 0 ? hy : 1.0 / (ny + 1), 1}, shift, stencil};
}
GridProblem box(Index nx, Index ny, Index nz, Stencil stencil = Stencil::star, double shift = 0) {
  return {3, {nx, ny, nz}, {1.0 / (nx + 1), 1.0 / (ny + 1), 1.0 / (nz + 1)}, shift, stencil};
}

template <class V>
void expect_solved(typename V::Exec& exec, const GridProblem& p) {
  using T = typename V::T;
  const double unit = std::numeric_limits<T>::epsilon();
  const std::vector<double> values = random_values(p.unknowns());
  const std::vector<T> f(values.begin(), values.end());
  const std::vector<T> two = solve(exec, p, f, 2), four = solve(exec, p, f, 4);
  EXPECT_LE(backward_error(p, f, two), 4 * unit) << testing::describe(p);
  EXPECT_LE(backward_error(p, f, four), 4 * unit) << testing::describe(p);
  EXPECT_LE(difference(four, two), 2000 * unit) << testing::describe(p);
}

TYPED_TEST(BlockCyclicReduction, SolvesSmallGridsOfAllKinds) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (const GridProblem& p : testing::small_grids()) expect_solved<TypeParam>(exec, p);
}

TYPED_TEST(BlockCyclicReduction, SolvesRectangles) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (Stencil stencil : {Stencil::star, Stencil::tensor}) {
    for (Index n : {1, 2, 3, 5, 7, 13, 15, 31, 37, 63, 64})
      expect_solved<TypeParam>(exec, rectangle(n, n, 0, 0, 0, stencil));
    for (auto [nx, ny] : {std::pair<Index, Index>{3, 63},
                          {63, 3},
                          {7, 100},
                          {100, 7},
                          {31, 15},
                          {127, 7},
                          {15, 127},
                          {97, 61},
                          {127, 63},
                          {1, 255},
                          {255, 1},
                          {254, 126},
                          {511, 31},
                          {512, 30}})
      expect_solved<TypeParam>(exec, rectangle(nx, ny, 0, 0, 0, stencil));
  }
}

// Lines of one warp, of several and of more than a block.
TYPED_TEST(BlockCyclicReduction, SolvesWithLongLines) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (Index nx : {255, 256, 700, 1023, 1500, 2047, 2048, 4095, 5000, 8191, 8192, 9000})
    for (Index ny : {2, 7}) {
      expect_solved<TypeParam>(exec, rectangle(nx, ny));
      expect_solved<TypeParam>(exec, rectangle(nx, ny, 0.1, 0.1, 0, Stencil::tensor));
    }
  for (Index n : {2, 3}) {
    expect_solved<TypeParam>(exec, box(9000, n, n));
    expect_solved<TypeParam>(exec, {3, {9000, n, n}, {0.1, 0.1, 0.1}, 0, Stencil::tensor});
  }
}

TYPED_TEST(BlockCyclicReduction, SolvesBoxes) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (auto [nx, ny, nz] :
       {std::array<Index, 3>{3, 3, 3}, {7, 7, 7}, {15, 15, 15}, {7, 15, 31}, {31, 7, 3}, {1, 3, 7}, {31, 31, 15}})
    expect_solved<TypeParam>(exec, box(nx, ny, nz));
  for (auto [nx, ny, nz] : {std::array<Index, 3>{5, 6, 7}, {13, 4, 9}, {20, 17, 10}}) {
    expect_solved<TypeParam>(exec, box(nx, ny, nz));
    expect_solved<TypeParam>(exec, box(nx, ny, nz, Stencil::tensor, 10));
  }
}

TYPED_TEST(BlockCyclicReduction, IsStableForStretchedGridsAndLargeShifts) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (double rho : {1e-4, 0.3, 1e4})
    for (double shift : {0.0, 1.0, 1e6})
      for (Index n : {31, 50}) {
        const double hx = 0.01, hy = hx * std::sqrt(rho);
        expect_solved<TypeParam>(exec, rectangle(n, n, hx, hy, shift / (hx * hx)));
        expect_solved<TypeParam>(exec, rectangle(n, n, hx, hy, shift / (hx * hx), Stencil::tensor));
      }
}

// (2 + 4 sigma) / (1 - sigma) has its pole where the mass outweighs the stiffness.
TYPED_TEST(BlockCyclicReduction, SolvesWhereALineOfElementsIsDiagonal) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (double shift : {6.0, 6.0 * (1 - 1e-15), 6.0 * (1 + 1e-15), 5.9, 6.1})
    expect_solved<TypeParam>(exec, {1, {50, 1, 1}, {1, 1, 1}, shift, Stencil::tensor});
}

// M / h - h / 6 (K + c M) has no side entries where c h^2 = 12 on square cells, and is not the identity.
TYPED_TEST(BlockCyclicReduction, SolvesWhereTheCouplingOfElementsIsDiagonal) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (Index n : {2, 4, 7, 63, 200}) expect_solved<TypeParam>(exec, rectangle(n, n, 1, 1, 12, Stencil::tensor));
  expect_solved<TypeParam>(exec, rectangle(31, 300, 0.5, 0.5, 48, Stencil::tensor));
  expect_solved<TypeParam>(exec, {3, {7, 6, 5}, {1, 1, 1}, 12, Stencil::tensor});
}

// || f - A u || / || f || for a smooth solution.
TYPED_TEST(BlockCyclicReduction, ErrorsOfSmoothSolutionsStayAtRoundOff) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  typename TypeParam::Exec exec;
  constexpr bool wide = std::is_same_v<T, double>;
  for (Index n : {127, 255, 200}) {
    const GridProblem p = rectangle(n, n);
    std::vector<T> exact;
    for (Index j = 1; j <= n; ++j)
      for (Index i = 1; i <= n; ++i)
        exact.push_back(static_cast<T>(std::sin(3.0 * i / (n + 1)) * (j * (n + 1.0 - j)) / (n * n)));
    const Values right = product(p, Values(exact.begin(), exact.end()));
    const std::vector<T> f(right.begin(), right.end());
    for (int radix : {2, 4}) EXPECT_LE(difference(solve(exec, p, f, radix), exact), wide ? 1e-12 : 1e-3) << n;
    std::vector<T> smooth;  // of one sign: rounding of f does not show
    for (Index j = 1; j <= n; ++j)
      for (Index i = 1; i <= n; ++i) smooth.push_back(static_cast<T>(1 + 0.5 * std::cos(3.0 * i / n + 2.0 * j / n)));
    Threads host;
    const std::vector<double> in_double(smooth.begin(), smooth.end()), reference = solve(host, p, in_double, 2);
    const std::vector<T> u = solve(exec, p, smooth, 4);
    EXPECT_LE(difference(std::vector<double>(u.begin(), u.end()), reference), wide ? 2e-14 : 1e-6) << n;
  }
}

TYPED_TEST(BlockCyclicReduction, AgreesWithADirectSolution) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  if constexpr (std::is_same_v<typename TypeParam::T, double>) {
    typename TypeParam::Exec exec;
    Threads host;
    for (const GridProblem& p : {rectangle(31, 15), rectangle(15, 29), rectangle(16, 16, 0, 0, 3, Stencil::tensor),
                                 box(7, 7, 7), box(6, 5, 9, Stencil::tensor)}) {
      const auto A = testing::grid_matrix(p).to<Host>();
      const std::vector<double> f = random_values(p.unknowns());
      const auto b = to_space<Host>(f);
      Array<double> x(b.size());
      x.set_zero();
      solvers::solve(host, A, b, x, {.type = "direct"});
      EXPECT_LE(difference(solve(exec, p, f, 4), to_vector(x)), 1e-13) << testing::describe(p);
    }
  }
}

/// x with A x = f by Cholesky's method in long double, bands of the last two axes: for grids that are long along x
/// alone.
Values solve_in_long_double(const GridProblem& p, const std::vector<double>& f) {
  const Index across = p.n[1] * p.n[2], rows = p.n[0] * across, band = across + p.n[2] + 1;
  const auto place = [&](Index row) { return row / across + p.n[0] * (row % across); };  // x slowest -> x fastest
  const auto stiff = [&](int axis, Index d) { return (d == 0 ? 2.0L : d == 1 ? -1.0L : 0.0L) / p.h[axis]; };
  const auto mass = [&](int axis, Index d) { return (d == 0 ? 4.0L : d == 1 ? 1.0L : 0.0L) * p.h[axis] / 6; };
  const auto entry = [&](Index row, Index col) {
    const Index a = row % across, b = col % across;
    const Index d[3] = {row / across - col / across, std::abs(a % p.n[1] - b % p.n[1]),
                        std::abs(a / p.n[1] - b / p.n[1])};
    long double sum = p.shift * mass(0, d[0]) * mass(1, d[1]) * mass(2, d[2]);
    for (int axis = 0; axis < 3; ++axis)
      sum += stiff(axis, d[axis]) * mass((axis + 1) % 3, d[(axis + 1) % 3]) * mass((axis + 2) % 3, d[(axis + 2) % 3]);
    return sum;
  };
  std::vector<long double> L(static_cast<std::size_t>(rows) * (band + 1));  // L[i, i - j]
  Values x(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) {
    const Index first = std::max<Index>(0, i - band);
    long double* const row = &L[static_cast<std::size_t>(i) * (band + 1)];
    long double right = f[place(i)];
    for (Index j = first; j <= i; ++j) {
      long double sum = entry(i, j);
      const long double* const other = &L[static_cast<std::size_t>(j) * (band + 1)];
      for (Index k = std::max(first, j - band); k < j; ++k) sum -= row[i - k] * other[j - k];
      row[i - j] = j < i ? sum / other[0] : std::sqrt(sum);
      if (j < i) right -= row[i - j] * x[j];
    }
    x[i] = right / row[0];
  }
  for (Index i = rows - 1; i >= 0; --i) {
    x[i] /= L[static_cast<std::size_t>(i) * (band + 1)];
    for (Index j = std::max<Index>(0, i - band); j < i; ++j)
      x[j] -= L[static_cast<std::size_t>(i) * (band + 1) + i - j] * x[i];
  }
  Values u(x.size());
  for (Index i = 0; i < rows; ++i) u[place(i)] = x[i];
  return u;
}

/// || A || || A^-1 || of linear elements in three dimensions, from the eigenvalues.
double condition(const GridProblem& p) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  const auto sine2 = [&](int axis, Index k) {
    const double s = std::sin(std::acos(-1.0) * k / (2.0 * (p.n[axis] + 1)));
    return s * s;
  };
  for (Index k = 1; k <= p.n[0]; ++k)
    for (Index l = 1; l <= p.n[1]; ++l)
      for (Index m = 1; m <= p.n[2]; ++m) {
        const double s[3] = {sine2(0, k), sine2(1, l), sine2(2, m)};
        double masses = 1, stiff = p.shift;
        for (int axis = 0; axis < 3; ++axis) {
          const double mass = p.h[axis] * (1 - 2.0 / 3 * s[axis]);
          masses *= mass;
          stiff += 4 * s[axis] / p.h[axis] / mass;
        }
        least = std::min(least, stiff * masses);
        most = std::max(most, stiff * masses);
      }
  return most / least;
}

// Cells of 1 : 2250 have a condition of 10^7. What holds is the bound by it: radix 2 comes to a fortieth of it, radix 4
// to 1e-13.
TYPED_TEST(BlockCyclicReduction, ErrorsOnStretchedElementsAreBoundByTheCondition) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  if constexpr (std::is_same_v<typename TypeParam::T, double>) {
    typename TypeParam::Exec exec;
    for (Index nx : {100, 9000}) {
      const GridProblem p = box(nx, 3, 3, Stencil::tensor);
      const std::vector<double> f = random_values(p.unknowns());
      const Values exact = solve_in_long_double(p, f);
      const double bound = std::numeric_limits<double>::epsilon() * condition(p);
      for (int radix : {2, 4}) {
        const std::vector<double> u = solve(exec, p, f, radix);
        EXPECT_LE(difference(Values(u.begin(), u.end()), exact), bound) << testing::describe(p) << ", radix " << radix;
        EXPECT_LE(backward_error(p, f, u), 4 * std::numeric_limits<double>::epsilon());
      }
    }
  }
}

TYPED_TEST(BlockCyclicReduction, IsRepeatableBitByBit) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  typename TypeParam::Exec exec;
  for (const GridProblem& p :
       {rectangle(255, 127), rectangle(100, 90), rectangle(9000, 20), rectangle(60, 63, 0, 0, 0, Stencil::tensor),
        box(15, 31, 7), box(12, 9, 10, Stencil::tensor)}) {
    const std::vector<double> values = random_values(p.unknowns());
    const std::vector<T> f(values.begin(), values.end());
    const std::vector<T> once = solve(exec, p, f, 4);
    for (int times : {1, 2, 4}) EXPECT_EQ(solve(exec, p, f, 4, times), once) << testing::describe(p);
    EXPECT_EQ(solve(exec, p, f, 2), solve(exec, p, f, 2)) << testing::describe(p);
    if constexpr (std::is_same_v<typename TypeParam::Exec, Threads>) {
      Threads one(1), two(2), five(5);
      EXPECT_EQ(solve(one, p, f, 4), once);
      EXPECT_EQ(solve(two, p, f, 4), once);
      EXPECT_EQ(solve(five, p, f, 4), once);
    }
  }
}

TYPED_TEST(BlockCyclicReduction, TakesOtherArraysInTurn) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Exec::Space;
  typename TypeParam::Exec exec;
  const GridProblem p = rectangle(63, 31);
  FastPoisson<typename TypeParam::Exec, T> solver(exec, p, {});
  std::vector<Array<T, Space>> f, u;
  for (unsigned k = 0; k < 3; ++k) {
    const std::vector<double> values = random_values(p.unknowns(), k);
    f.push_back(to_space<Space>(std::vector<T>(values.begin(), values.end())));
    u.emplace_back(p.unknowns());
  }
  for (int k : {0, 0, 0, 1, 2, 2, 2, 2, 1, 1, 0}) solver.solve(f[k], u[k]);
  for (int k : {0, 1, 2}) EXPECT_EQ(to_vector(u[k]), solve(exec, p, to_vector(f[k]), 4));
}

TYPED_TEST(BlockCyclicReduction, AValueThatIsNotFiniteSpreads) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  using T = typename TypeParam::T;
  typename TypeParam::Exec exec;
  const GridProblem p = rectangle(31, 30);
  std::vector<T> f(static_cast<std::size_t>(p.unknowns()), T(1));
  const auto good = to_space<typename TypeParam::Exec::Space>(f);
  require_finite<typename TypeParam::Exec, T>(exec, p, good);
  f[31 * 4 + 2] = std::numeric_limits<T>::quiet_NaN();
  for (T value : solve(exec, p, f, 4)) ASSERT_FALSE(std::isfinite(value));
  const auto bad = to_space<typename TypeParam::Exec::Space>(f);
  try {
    require_finite<typename TypeParam::Exec, T>(exec, p, bad);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::solver);
    EXPECT_NE(std::string(error.what()).find("(3, 5, 1)"), std::string::npos) << error.what();
  }
}

// (17) and (18) of the source; 3/4 (n + 1) (log2(n + 1) - 1) + 1 for odd k.
TEST(BlockCyclicReductionCounts, AreThoseOfTheSource) {
  const auto problems = [](Index n, int radix) { return make_plan(n, 1, Stencil::star, radix).problems(); };
  for (auto [n, two, four] : {std::array<Offset, 3>{1, 1, 1},
                              {3, 5, 3},
                              {7, 17, 13},
                              {15, 49, 33},
                              {31, 129, 97},
                              {63, 321, 225},
                              {127, 769, 577}}) {
    EXPECT_EQ(problems(static_cast<Index>(n), 2), two);
    EXPECT_EQ(problems(static_cast<Index>(n), 4), four);
  }
  for (int k = 1; k <= 13; ++k) {
    const Index n = (1 << k) - 1;
    EXPECT_EQ(problems(n, 2), (n + 1) * (k - 1) + 1);
    EXPECT_EQ(4 * problems(n, 4), k % 2 == 0 ? (n + 1) * (3 * k - 4) + 4 : (n + 1) * 3 * (k - 1) + 4);
  }
  EXPECT_LE(problems(1000, 4), 2 * problems(1023, 4)) << "what rows of any number cost";
}

TEST(BlockCyclicReductionCounts, EveryRowIsWrittenOnce) {
  for (Index n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 29, 100, 1000, 1023})
    for (int radix : {2, 4}) {
      const HostPlan plan = make_plan(n, 1, Stencil::star, radix);
      std::vector<int> written(static_cast<std::size_t>(n), 0);
      for (const Step& step : plan.steps)
        for (Index o = step.output; !step.reduction && o < step.output + step.output_count; ++o)
          ++written[plan.outputs[o].row];
      EXPECT_EQ(written, std::vector<int>(static_cast<std::size_t>(n), 1)) << n << " rows, radix " << radix;
    }
}

TEST(FastPoissonErrors, NameWhatIsWrong) {
  using testing::expect_refused;
  Threads exec;
  const auto make = [&](const GridProblem& p, const FastPoissonOptions& options = {}) {
    return [&exec, p, options] { FastPoisson<Threads, double>(exec, p, options); };
  };
  expect_refused(make(rectangle(0, 3)), "0 interior nodes along x");
  expect_refused(make(rectangle(3, -1)), "-1 interior nodes along y");
  expect_refused(make({4, {1, 1, 1}}), "4 dimensions");
  expect_refused(make({2, {3, 3, 1}, {0.1, 0, 1}}), "spacing along y");
  expect_refused(make({2, {3, 3, 1}, {0.1, std::nan(""), 1}}), "spacing along y");
  expect_refused(make(rectangle(3, 3, 0, 0, -1e-9)), "c of a fast Poisson solver is -1e-09");
  expect_refused(make(rectangle(3, 3, 0, 0, std::nan(""))), "is nan");
  expect_refused(make(rectangle(100000, 100000)), "1e+10 unknowns");
  expect_refused(make({2, {2147483647, 1, 1}}), "2147483647 interior nodes along x");
  expect_refused(make(rectangle(3, 3), {.method = "bcrr"}), "'bcrr'");
  expect_refused(make(rectangle(3, 3), {.radix = 3}), "radix of block cyclic reduction is 3");
  FastPoisson<Threads, double> solver(exec, rectangle(3, 3));
  Array<double> f(9), u(8);
  expect_refused([&] { solver.solve(f, u); }, "the solution 8");
  expect_refused([&] { solver.solve(f, f); }, "same array");
}

TEST(FastPoissonErrors, NamesOfMethods) {
  Threads exec;
  EXPECT_EQ((FastPoisson<Threads, double>(exec, rectangle(31, 15), {.radix = 2}).describe()),
            "block cyclic reduction, radix 2");
  EXPECT_EQ((FastPoisson<Threads, double>(exec, rectangle(31, 16)).describe()),
            "partial solution variant of cyclic reduction, radix 4");
}

}  // namespace
}  // namespace tessera::solvers::grid
