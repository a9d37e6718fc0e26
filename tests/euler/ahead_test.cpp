// Steps that are queued before the host knows how long they are: they are those that the host would have taken.
#include <fmt/format.h>

#include <limits>

#include "flows.hpp"
#include "physics/conservation/steps_ahead.hpp"

namespace {

using namespace euler_test;

template <class Exec>
class StepsAhead : public ::testing::Test {};
TYPED_TEST_SUITE(StepsAhead, tessera::testing::Backends);

/// A gas in a corner of a closed box, much hotter than the rest.
template <int dim>
Solution<dim> hot_corner(double pressure) {
  return [=](const std::array<double, 3>& x, double) {
    Primitive<dim> w;
    bool inside = true;
    for (std::size_t d = 0; d < dim; ++d) inside = inside && x[d] < 0.4;
    w.p = inside ? pressure : 0.1;
    return w;
  };
}

struct Way {
  double cfl = 0.9, pressure = 10;
  double longest = std::numeric_limits<double>::infinity();  ///< of a step
  double end = 0.1;
  int most = 1 << 30;  ///< steps
};

/// What a run leaves, step by step.
struct Steps {
  std::vector<double> lengths, last;
  std::vector<std::vector<double>> states;  ///< the first ones
  Offset rejected = 0, evaluations = 0;
  int timeless = 0;
};

template <class Exec, int dim>
Steps run(const std::string& shape, const SchemeParams& params, const std::string& scheme, const Way& way, bool ahead) {
  constexpr std::size_t shown = 12;
  Exec exec = tessera::testing::with_threads<Exec>(2);
  Flow<Exec, dim> flow(exec,
                       unit_box(shape, dim,
                                dim == 1   ? 60
                                : dim == 2 ? 14
                                           : 6,
                                0.2),
                       params, hot_corner<dim>(way.pressure), true, scheme);
  if (ahead) flow.steps().go_ahead(way.cfl, way.longest);
  Steps result;
  double t = 0;
  for (int k = 0; t < way.end && k < way.most; ++k) {
    const auto done = flow.steps().step(t, way.cfl, std::min(way.longest, way.end - t));
    result.rejected += done.rejected;
    if (done.dt == 0) {
      ADD_FAILURE() << "no step at t = " << t;
      break;
    }
    result.lengths.push_back(done.dt);
    t = done.dt >= way.end - t ? way.end : t + done.dt;
    if (result.states.size() < shown) result.states.push_back(flow.state());
    if (k == 7) {
      EXPECT_GE(flow.steps().slowest(t), 0);  // looks at the state of now again
    }
  }
  result.last = flow.state();
  result.evaluations = flow.steps().evaluations();
  result.timeless = flow.timeless();
  return result;
}

/// Returns how many steps were tried in vain.
template <class Exec, int dim>
Offset expect_same(const std::string& shape, const SchemeParams& params, const std::string& scheme,
                   const Way& way = {}) {
  SCOPED_TRACE(fmt::format("{} {} {} {}", shape, static_cast<int>(params.limiter), scheme, way.cfl));
  const Steps one = run<Exec, dim>(shape, params, scheme, way, false),
              other = run<Exec, dim>(shape, params, scheme, way, true);
  EXPECT_GT(one.lengths.size(), 8u);
  EXPECT_EQ(one.lengths, other.lengths);
  EXPECT_EQ(one.rejected, other.rejected);
  EXPECT_EQ(one.evaluations, other.evaluations);
  EXPECT_EQ(one.states, other.states);
  EXPECT_EQ(one.last, other.last);
  EXPECT_EQ(one.timeless, 0);
  EXPECT_GT(other.timeless, 0);
  // On threads each step is made when it is queued: nearly all of them were taken, and most of them as they were
  // queued.
  if (std::is_same_v<Exec, Threads>) {
    const auto stages = static_cast<double>(stages_of(scheme).size());
    EXPECT_GT(other.timeless, (static_cast<double>(one.lengths.size()) - 3) * stages);
  }
  return one.rejected;
}

SchemeParams limited(Limiter limiter) { return {.gas = make_gas(1.4), .limiter = limiter}; }

TYPED_TEST(StepsAhead, AreThoseOfTheHostBitByBit) {
  TESSERA_REQUIRE(TypeParam);
  for (const Limiter limiter : {Limiter::none, Limiter::convex, Limiter::monolithic, Limiter::fct})
    expect_same<TypeParam, 2>("triangle", limited(limiter), "ssp_rk3");
  for (const char* scheme : {"ssp_rk2", "euler", "erk33", "erk22"})
    expect_same<TypeParam, 2>("quad", limited(Limiter::convex), scheme);
  expect_same<TypeParam, 2>("quad", limited(Limiter::fct), "ssp_rk2");
  expect_same<TypeParam, 1>("interval", limited(Limiter::convex), "ssp_rk3");
  expect_same<TypeParam, 3>("tet", limited(Limiter::convex), "ssp_rk3");
  SchemeParams in_float = limited(Limiter::convex);
  in_float.in_float = true;
  expect_same<TypeParam, 2>("triangle", in_float, "ssp_rk3");
}

TYPED_TEST(StepsAhead, AreTakenAgainWhereTheyWereTooLong) {
  TESSERA_REQUIRE(TypeParam);
  Offset rejected = 0;
  for (const char* scheme : {"ssp_rk3", "ssp_rk2", "erk33"})
    rejected += expect_same<TypeParam, 2>("triangle", limited(Limiter::convex), scheme,
                                          {.cfl = 1, .pressure = 1e5, .end = 1e-3});
  EXPECT_GT(rejected, 0);
}

TYPED_TEST(StepsAhead, HaveTheLengthThatIsChosenWhereItIsShorter) {
  TESSERA_REQUIRE(TypeParam);
  const Way chosen{.cfl = 0.9, .longest = 7e-4, .end = 0.03};
  expect_same<TypeParam, 2>("triangle", limited(Limiter::convex), "ssp_rk3", chosen);
  const std::vector<double> lengths =
      run<TypeParam, 2>("triangle", limited(Limiter::convex), "ssp_rk3", chosen, true).lengths;
  EXPECT_EQ(lengths.front(), chosen.longest);
}

// Debug builds wait after every launch, and record nothing.
#ifdef NDEBUG
constexpr bool recording = true;
#else
constexpr bool recording = false;
#endif

/// The host asks for the work of a step twice in each of three turns, however many steps there are.
TEST(StepsAheadOnCuda, AreReplayed) {
  TESSERA_REQUIRE(Cuda);
  const auto timeless = [](int steps) {
    return run<Cuda, 2>("triangle", limited(Limiter::convex), "ssp_rk3", {.end = 10, .most = steps}, true).timeless;
  };
  constexpr int turns = physics::conservation::StepsAhead<Cuda>::turns, stages = 3;
  EXPECT_EQ(timeless(40) == 2 * turns * stages, recording);
  EXPECT_EQ(timeless(40) == timeless(60), recording);
}

}  // namespace
