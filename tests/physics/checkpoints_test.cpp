// Whether the steps that a state counts lead to its time.
#include "physics/run/checkpoints.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"

namespace tessera::physics {
namespace {

TimeParams steps_of(double step, double start = 0) {
  TimeParams time;
  time.start = start;
  time.step = step;
  return time;
}

bool leads(Offset steps, double t, const TimeParams& time, bool shorter) {
  State state;
  state.t = t;
  state.step = steps;
  try {
    check_reached(state, time, shorter);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file_system);
    return false;
  }
  return true;
}

TEST(StepsOfACheckpoint, LeadToItsTimeWhereAllAreOfOneLength) {
  for (const double start : {0.0, -3.0, 1e9}) {
    const TimeParams time = steps_of(0.1, start);
    for (const Offset step : {Offset{0}, Offset{1}, Offset{7}, Offset{1000000}})
      EXPECT_TRUE(leads(step, start + static_cast<double>(step) * 0.1, time, false)) << start << ' ' << step;
    EXPECT_FALSE(leads(7, start + 0.6, time, false));
    EXPECT_FALSE(leads(7, start + 0.65, time, false));
    EXPECT_FALSE(leads(7, start + 0.8, time, false));
  }
}

TEST(StepsOfACheckpoint, LeadToItsTimeOrBeforeWhereTheyMayBeShorter) {
  const TimeParams time = steps_of(0.1);
  EXPECT_TRUE(leads(7, 0.2, time, true));
  EXPECT_FALSE(leads(7, 0.8, time, true));
  // The sum of so many steps is beside their product, by more than a part in a million of a step.
  constexpr Offset many = 1000000;
  double t = 0;
  for (Offset i = 0; i < many; ++i) t += 0.1;
  EXPECT_GT(t, 0.1 * many + 1e-6 * 0.1);
  EXPECT_TRUE(leads(many, t, time, true));
}

TEST(StepsOfACheckpoint, CountFromTheStart) {
  TimeParams time = steps_of(0.1, 1);
  time.tolerance = 1e-3;  // then the length is that of the first step alone
  EXPECT_TRUE(leads(3, 50, time, false));
  EXPECT_FALSE(leads(-1, 50, time, false));
  EXPECT_FALSE(leads(3, 0.5, time, false));
  EXPECT_FALSE(leads(3, std::numeric_limits<double>::quiet_NaN(), time, false));
}

}  // namespace
}  // namespace tessera::physics
