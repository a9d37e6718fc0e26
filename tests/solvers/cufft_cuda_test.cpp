// What is said where cuFFT is missing: the library is looked for at run time. Needs no GPU.
#include "solvers/grid/cufft.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::solvers::grid {
namespace {

void expect_refused(const std::string& file, const std::string& part) {
  try {
    require_cufft(file);
    FAIL() << file << " was taken for cuFFT";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("need cuFFT: " + part), std::string::npos) << error.what();
    for (const char* way : {"LD_LIBRARY_PATH", "TESSERA_CUFFT", "bcr", "--backend threads"})
      EXPECT_NE(error.help().find(way), std::string::npos) << error.help();
  }
}

TEST(CufftLibrary, ThatIsMissingIsNamed) {
  expect_refused("libcufft-of-nobody.so.1", "libcufft-of-nobody.so.1 cannot be loaded (");
}

TEST(CufftLibrary, ThatIsAnotherOneIsNamedWithTheFirstFunctionItLacks) {
  expect_refused("libm.so.6", "libm.so.6 has no cufftCreate");
}

}  // namespace
}  // namespace tessera::solvers::grid
