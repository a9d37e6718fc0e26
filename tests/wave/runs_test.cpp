// Runs that stop and go on, and runs that ranks share.
#include "base/backend.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

/// Two layers, a source, absorbing and prescribed sides, probes of u and v.
std::string layers(const std::string& scheme, const std::string& step) {
  return irregular(2, 1) + physics("elastic", 4) +
         "[[material]]\ndensity = \"2 + x\"\nvp = \"2 + 0.5*y\"\nvs = \"1\"\n"
         "[[group]]\nname = \"left\"\nof = \"curves\"\nwhere = \"x < 1e-6\"\n"
         "[[group]]\nname = \"low\"\nof = \"curves\"\nwhere = \"y < 1e-6\"\n"
         "[[boundary]]\non = [\"left\"]\ntype = \"absorbing\"\n"
         "[[boundary]]\non = [\"low\"]\ntype = \"fixed\"\n"
         "[[source]]\nat = [0.4, 0.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 12\ndelay = 0.05\n"
         "[[source]]\nat = [0.7, 0.3]\nmoment = [1, 1, 0]\ntime_function = \"gaussian\"\nwidth = 0.02\ndelay = 0.04\n"
         "[[probe]]\nname = \"u\"\nat = [0.8, 0.8]\nof = \"u_x\"\n[[probe]]\nname = \"v\"\nat = [0.2, 0.7]\nof = "
         "\"v_y\"\n"
         "[output]\nevery = 20\n" +
         time_to(0.1, step, scheme);
}

TEST(WaveRun, HasATemplateThatRunsAsItIs) {
  const Result deck = app_test::tessera("template wave");
  ASSERT_EQ(deck.code, 0) << deck.text;
  run("template", deck.text);
}

TEST(WaveRun, GoesOnBitwiseAsIfItHadNeverStopped) {
  for (const char* scheme : {"newmark", "low_storage_rk45"}) {
    const std::string deck = layers(scheme, "step = 0.0005") + "[checkpoint]\nevery = 7\n";
    const std::string name = std::string("whole_") + scheme, part = std::string("part_") + scheme;
    run(name, deck);
    run(part, deck, "--set time.end=0.05");
    const Result result = app_test::tessera("restart " + (folder() / part).string() + " --quiet --set time.end=0.1");
    ASSERT_EQ(result.code, 0) << result.text;
    for (const char* file : {"probes.csv", "solution_000200.vtu", "solution_000120.vtu"}) {
      EXPECT_FALSE(bytes_of(folder() / name / file).empty()) << file;
      EXPECT_EQ(bytes_of(folder() / part / file), bytes_of(folder() / name / file)) << scheme << ' ' << file;
    }
  }
}

/// The last states of both agree to single precision, and their traces.
TEST(WaveRun, InFloatIsThatInDoubleToItsDigits) {
  const std::string deck = layers("newmark", "step = 0.0005");
  run("in_double", deck);
  run("in_float", deck, "--set run.precision=float");
  const auto doubles = table(folder() / "in_double" / "probes.csv"),
             floats = table(folder() / "in_float" / "probes.csv");
  ASSERT_EQ(doubles.size(), floats.size());
  for (std::size_t k = 0; k < doubles[0].size(); ++k) {
    double size = 0, difference = 0;
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      size = std::max(size, std::abs(doubles[i][k]));
      difference = std::max(difference, std::abs(doubles[i][k] - floats[i][k]));
    }
    EXPECT_LT(difference, 2e-5 * size) << k;
    if (k >= 2) {
      EXPECT_GT(difference, 0) << k;
    }
  }
}

/// Media that change within cells bound the step more than their speeds say.
TEST(WaveRun, TakesStepsThatTheOperatorBearsWhereAMaterialJumpsInsideOfCells) {
  const std::string deck = box(2, 4) + physics("acoustic", 4) +
                           "[[material]]\ndensity = \"1.2 + 1000*(x > 0.4)\"\nvp = \"340 + 1200*(x > 0.4)\"\n"
                           "[[initial]]\np = \"exp(-40*((x-0.5)^2 + (y-0.5)^2))\"\n" +
                           time_to(0.005, "cfl = 1");
  const nlohmann::json summary = run("jump", deck);
  EXPECT_EQ(summary["status"], "ok");
}

/// Two hundred steps of both schemes; a second run on the GPU is bitwise the first.
TEST(WaveRun, OnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const char* scheme : {"newmark", "low_storage_rk45"}) {
    const std::string name = std::string("cuda_") + scheme;
    expect_cuda_as_threads(name, write_deck(name + ".toml", layers(scheme, "step = 0.0005")));
  }
}

TEST(WaveRun, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  for (const char* scheme : {"newmark", "low_storage_rk45"}) {
    const std::string name = std::string("ranks_") + scheme, deck = layers(scheme, "cfl = 0.5");
    const auto one = traces_on_ranks(name, deck, 1);
    for (const int ranks : scheme == std::string("newmark") ? std::vector{2, 4} : std::vector{3})
      expect_same_traces(traces_on_ranks(name, deck, ranks), one);
  }
}

}  // namespace
