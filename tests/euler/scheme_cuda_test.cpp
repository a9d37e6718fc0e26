// The scheme on a GPU beside that on threads.
#include "flows.hpp"

namespace {

using namespace euler_test;

TEST(GasSchemeOnCuda, IsThatOfThreadsAfterAHundredSteps) {
  TESSERA_REQUIRE(Cuda);
  const auto run = []<class Exec>(Exec& exec, Limiter limiter) {
    Flow<Exec, 3> flow(exec, unit_box("tet", 3, 10, 0.2), {.gas = make_gas(1.4), .limiter = limiter},
                       euler_test::tube<3>({1, 0, 1}, {0.125, 0, 0.1}, 0.5));
    flow.run(1e9, 0.5, 100);
    return flow.state();
  };
  Threads threads(2);
  Cuda cuda;
  for (const Limiter limiter : {Limiter::none, Limiter::convex, Limiter::fct}) {
    const std::vector<double> one = run(threads, limiter), other = run(cuda, limiter);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-10) << i;
  }
}

}  // namespace
