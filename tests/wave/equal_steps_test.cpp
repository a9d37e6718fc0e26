// Steps of one length are launched as one on CUDA: what varies from step to step, the strengths of sources, stands
// where the vectors are.
#include "base/backend.hpp"
#include "decks.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

std::string source(const std::string& at, double force, double delay) {
  return fmt::format("[[source]]\nat = [{}]\nforce = [{}, 0]\ntime_function = \"ricker\"\nfrequency = 5\ndelay = {}\n",
                     at, force, delay);
}
/// Two places, one of them at a side that absorbs, whose nodes are held.
std::string struck(int each, const std::string& time) {
  std::string deck = box(2, 5) + physics("elastic", 3) +
                     "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n[[boundary]]\non = [\"left\", \"bottom\"]\ntype = "
                     "\"absorbing\"\n" +
                     probe("a", "0.47, 0.52", "u_x") + probe("b", "0.9, 0.3", "v_y");
  for (int k = 0; k < each; ++k) deck += source("0.42, 0.61", 1.0 / each, 0.1) + source("0, 0.44", -0.5 / each, 0.23);
  return deck + time;
}

TEST(WaveSteps, TakeTheStrengthsOfAsManySourcesAsThereAre) {
  const auto traces = [](int each) {
    const std::string name = fmt::format("struck_{}", each);
    run(name, struck(each, time_to(0.5, "step = 0.004")));
    return table(folder() / name / "probes.csv");
  };
  const auto one = traces(1);
  expect_same_traces(traces(20), one);
  expect_same_traces(traces(50), one);
}

/// The last step is shorter than the others, and checkpoints look ahead between them.
TEST(WaveSteps, OnCudaGoOnAsIfTheRunHadNeverStopped) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string deck = struck(20, "[checkpoint]\nevery = 30\n" + time_to(0.5, "step = 0.0043"));
  const fs::path whole = folder() / "struck_whole", part = folder() / "struck_part";
  const std::string file = write_deck("struck.toml", deck);
  const auto on_cuda = [&](const fs::path& out, const std::string& more) {
    const Result result =
        app_test::tessera("run " + file + " --quiet --backend cuda --output " + out.string() + " " + more);
    EXPECT_EQ(result.code, 0) << result.text;
  };
  on_cuda(whole, "");
  // Whole steps, so that the state at the end is one of the whole run.
  on_cuda(part, fmt::format("--set time.end={}", 70 * 0.0043));
  const Result rest = app_test::tessera("restart " + part.string() + " --quiet --set time.end=0.5");
  ASSERT_EQ(rest.code, 0) << rest.text;
  EXPECT_EQ(bytes_of(part / "probes.csv"), bytes_of(whole / "probes.csv"));
  expect_cuda_as_threads("struck_cuda", file);
}

}  // namespace
