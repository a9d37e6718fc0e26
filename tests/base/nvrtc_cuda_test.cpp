// The compiler that is loaded at run time. Needs no GPU.
#include "base/nvrtc.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

void expect_missing(const std::string& file, const std::string& part) {
  const Nvrtc& nvrtc = Nvrtc::library(file);
  EXPECT_FALSE(nvrtc.usable());
  EXPECT_NE(nvrtc.problem().find(part), std::string::npos) << nvrtc.problem();
  std::string problem;
  EXPECT_FALSE(nvrtc.compile("", {}, problem));
  EXPECT_EQ(problem, nvrtc.problem());
}

TEST(Nvrtc, ThatIsMissingIsNamed) {
  expect_missing("libnvrtc-of-nobody.so.1", "libnvrtc-of-nobody.so.1 cannot be loaded (");
}

TEST(Nvrtc, ThatIsAnotherLibraryIsNamedWithTheFirstFunctionItLacks) {
  expect_missing("libm.so.6", "libm.so.6 has no nvrtcVersion");
}

TEST(Nvrtc, CompilesOrSaysWhatIsWrong) {
  const Nvrtc& nvrtc = Nvrtc::library();
  if (!nvrtc.usable()) GTEST_SKIP() << nvrtc.problem();
  const std::vector<std::string> options = {"--gpu-architecture=sm_90"};
  std::string problem;
  const auto cubin = nvrtc.compile("extern \"C\" __global__ void f(double* a) { *a = 1; }", options, problem);
  ASSERT_TRUE(cubin) << problem;
  EXPECT_TRUE(
      cubin->starts_with("\x7f"
                         "ELF"));
  EXPECT_FALSE(nvrtc.compile("__global__ void f() { unknown(); }", options, problem));
  EXPECT_NE(problem.find("unknown"), std::string::npos) << problem;
  EXPECT_EQ(problem.find('\n'), std::string::npos);
  EXPECT_FALSE(nvrtc.compile("", {"--gpu-architecture=sm_1"}, problem));
  EXPECT_NE(problem.find("NVRTC_ERROR_INVALID_OPTION"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tessera
