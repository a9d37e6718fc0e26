// What check says of memory: it refuses where the run would be refused.
#include "physics/run/forecast.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/log.hpp"

namespace tessera::physics {
namespace {

constexpr double GiB = 1 << 30;

TEST(Fit, IsRefusedWhereTheRunComputes) {
  for (const char* name : {"host", "GPU"}) {
    say_fit({.name = name, .need = 1 * GiB, .free = 2 * GiB, .computes = true});
    try {
      say_fit({.name = name, .need = 3 * GiB, .free = 2 * GiB, .computes = true, .of = " of it", .way_out = "less"});
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::memory);
      EXPECT_EQ(error.what(), std::string("it will not fit: ") + name + " needs about 3 GiB, 2 GiB are free of it");
      EXPECT_EQ(error.help(), "less");
    }
  }
}

TEST(Fit, IsSaidOfWhereTheRunDoesNotCompute) {
  const std::size_t before = warnings().size();
  ::testing::internal::CaptureStdout();
  say_fit({.name = "GPU", .need = 3 * GiB, .free = 2 * GiB});
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("about 3 GiB of 2 GiB free: would not fit"),
            std::string::npos);
  EXPECT_EQ(warnings().size(), before);
  say_fit({.name = "host", .need = 3 * GiB, .free = 2 * GiB});  // a run on the GPU may do with less of it
  EXPECT_EQ(warnings().size(), before + 1);
}

TEST(Fit, SaysWhatWouldWhereMultigridDoesNot) {
  EXPECT_EQ(
      what_would_fit(10 * GiB, 6 * GiB, 1 * GiB, "jacobi", 4 * GiB),
      "preconditioner = \"jacobi\" would fit, with about 4 GiB; multigrid would on a mesh of about 53 per cent of "
      "the cells; ");
  EXPECT_EQ(what_would_fit(10 * GiB, 6 * GiB, 0, "jacobi", 7 * GiB),
            "multigrid would on a mesh of about 57 per cent of the cells; ");
  EXPECT_EQ(what_would_fit(100 * GiB, 1.5 * GiB, 1 * GiB, "jacobi", 50 * GiB), "");
}

}  // namespace
}  // namespace tessera::physics
