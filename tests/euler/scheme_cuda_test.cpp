// The scheme on a GPU beside that on threads.
#include "flows.hpp"

namespace {

using namespace euler_test;

TEST(GasSchemeOnCuda, IsThatOfThreadsAfterAHundredSteps) {
  TESSERA_REQUIRE(Cuda);
  const auto run = []<class Exec>(Exec& exec, Limiter limiter, const std::string& steps) {
    Flow<Exec, 3> flow(exec, unit_box("tet", 3, 10, 0.2), {.gas = make_gas(1.4), .limiter = limiter},
                       euler_test::tube<3>({1, 0, 1}, {0.125, 0, 0.1}, 0.5), false, steps);
    flow.run(1e9, 0.5, 100);
    return flow.state();
  };
  Threads threads(2);
  Cuda cuda;
  const auto compare = [&](Limiter limiter, const std::string& steps) {
    const std::vector<double> one = run(threads, limiter, steps), other = run(cuda, limiter, steps);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-10) << i << ' ' << steps;
  };
  for (const Limiter limiter : {Limiter::none, Limiter::convex, Limiter::fct}) compare(limiter, "ssp_rk3");
  for (const char* steps : {"erk22", "erk33"}) compare(Limiter::convex, steps);
}

}  // namespace
