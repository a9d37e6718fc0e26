// Steps that no run would come to the end of.
#include "physics/step_count.hpp"

#include "support/errors.hpp"

namespace tessera::physics {
namespace {

TEST(StepCount, OfStepsThatFollowFromTheCflIsLimited) {
  TimeParams params;
  params.start = 0, params.end = 0.1, params.cfl = 0.5;
  EXPECT_NO_THROW(check_chosen_step(params, 1e-9));
  testing::expect_refused([&] { check_chosen_step(params, 4e-21); },
                          "time.cfl = 0.5, which is steps of 4e-21, makes 2.5e+19 steps, too many to count");
  testing::expect_refused([&] { check_chosen_step(params, 0); }, "makes inf steps");
  params.start = 1e9, params.end = 1e9 + 1;
  testing::expect_refused([&] { check_chosen_step(params, 1e-8); }, "is below the last digit of t");
  params.cfl.reset();  // that of the deck was looked at when it was read
  EXPECT_NO_THROW(check_chosen_step(params, 1e-8));
}

}  // namespace
}  // namespace tessera::physics
