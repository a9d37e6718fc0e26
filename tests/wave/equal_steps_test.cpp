// Steps of one length are launched as one on CUDA: what varies from step to step, the strengths of sources, stands
// where the vectors are.
#include "physics/wave/equal_steps.hpp"

#include "decks.hpp"
#include "linalg/vector_ops.hpp"
#include "support/backends.hpp"
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

// Debug builds wait after every launch, and record nothing.
#ifdef NDEBUG
constexpr bool recording = true;
#else
constexpr bool recording = false;
#endif

template <class Exec>
class EqualSteps : public ::testing::Test {};
TYPED_TEST_SUITE(EqualSteps, tessera::testing::Backends);

/// The work of a step adds 1 to all entries of a vector; how often it is asked for is how often it was not replayed.
TYPED_TEST(EqualSteps, AskForTheirWorkTwiceAndMakeItEachTime) {
  using namespace tessera;
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  auto exec = tessera::testing::with_threads<TypeParam>(2);
  output::Summary summary;
  physics::wave::EqualSteps<TypeParam> steps(summary);
  const auto ones = to_space<Space>(std::vector<double>(100, 1.0));
  auto x = to_space<Space>(std::vector<double>(100, 0.0));
  int asked = 0;
  const auto run = [&](int count, double dt, bool apart) {
    asked = 0;
    for (int k = 0; k < count; ++k)
      steps.run(exec, dt, dt, apart, [&] {
        ++asked;
        linalg::axpy(exec, 1.0, ones.view(), x.view());
      });
  };
  const int replayed = recording && std::is_same_v<TypeParam, Cuda> ? 2 : 0;
  const auto expect = [&](double value, int count) {
    EXPECT_EQ(to_vector(x), std::vector<double>(100, value));
    EXPECT_EQ(asked, replayed > 0 ? std::min(count, replayed) : count);
  };
  run(2, 0.5, false);
  expect(2, 2);
  EXPECT_FALSE(summary.has("time.graph") && replayed == 0);
  run(8, 0.5, false);
  EXPECT_EQ(to_vector(x), std::vector<double>(100, 10.0));
  EXPECT_EQ(asked, replayed > 0 ? 0 : 8);
  EXPECT_EQ(summary.has("time.graph"), replayed > 0);
  run(5, 0.25, false);  // another length
  expect(15, 5);
  run(3, 0.25, true);  // what does more than queue
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(to_vector(x), std::vector<double>(100, 18.0));
  const Array<double, Space> before = std::move(x);
  x = to_space<Space>(std::vector<double>(100, 0.0));
  steps.forget();
  run(4, 0.25, false);  // the vector lies elsewhere
  expect(4, 4);
  EXPECT_EQ(to_vector(before), std::vector<double>(100, 18.0));
}

/// The last step is shorter than the others, and checkpoints look ahead between them.
TEST(WaveSteps, OnCudaGoOnAsIfTheRunHadNeverStopped) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string checkpoints = "[checkpoint]\nevery = 30\n", time = time_to(0.5, "step = 0.0043");
  for (const std::string precision : {"double", "float"}) {
    const std::string deck =
        struck(20, checkpoints + "[run]\nbackend = \"cuda\"\nprecision = \"" + precision + "\"\n" + time);
    const fs::path whole = folder() / ("struck_whole_" + precision), part = folder() / ("struck_part_" + precision);
    const std::string file = write_deck("struck_" + precision + ".toml", deck);
    const auto on_cuda = [&](const fs::path& out, const std::string& more) {
      const Result result = app_test::tessera("run " + file + " --quiet --output " + out.string() + " " + more);
      EXPECT_EQ(result.code, 0) << result.text;
      if (result.code == 0) {
        EXPECT_EQ(summary_in(out)["time"].contains("graph"), recording);
      }
    };
    on_cuda(whole, "");
    // Whole steps, so that the state at the end is one of the whole run.
    on_cuda(part, fmt::format("--set time.end={}", 70 * 0.0043));
    const Result rest = app_test::tessera("restart " + part.string() + " --quiet --set time.end=0.5");
    ASSERT_EQ(rest.code, 0) << rest.text;
    EXPECT_EQ(bytes_of(part / "probes.csv"), bytes_of(whole / "probes.csv")) << precision;
  }
  expect_cuda_as_threads("struck_cuda", write_deck("struck.toml", struck(20, checkpoints + time)));
}

/// What is prescribed by the host at each step is not of a graph.
TEST(WaveSteps, OnCudaFollowWhatIsPrescribedInTime) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string deck = struck(2,
                                  "[[boundary]]\non = [\"top\"]\ntype = \"prescribed\"\nvalue = [\"0.1*sin(9*t)\", "
                                  "\"0\"]\n" +
                                      time_to(0.5, "step = 0.004"));
  expect_cuda_as_threads("struck_moved", write_deck("struck_moved.toml", deck));
  EXPECT_FALSE(summary_in(folder() / "struck_moved_first")["time"].contains("graph"));
}

}  // namespace
