// Runs on one GPU whose steps are queued ahead and replayed as a graph: what they write is what they wrote without.
#include "base/backend.hpp"
#include "decks.hpp"

namespace {

using namespace euler_decks;

// Debug builds wait after every launch, and record nothing.
#ifdef NDEBUG
constexpr bool recording = true;
#else
constexpr bool recording = false;
#endif

const std::string two_probes =
    "[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\nof = \"energy\"\n[[probe]]\nname = \"b\"\nat = [0.1, 0.9]\nof = "
    "\"momentum_y\"\n";

nlohmann::json run_on(const std::string& backend, const std::string& deck_file, const fs::path& out,
                      const std::string& options = "") {
  const Result result = app_test::tessera("run " + deck_file + " --quiet --backend " + backend + " --output " +
                                          out.string() + " " + options);
  EXPECT_EQ(result.code, 0) << result.text;
  return result.code == 0 ? summary_in(out) : nlohmann::json(nlohmann::json::value_t::discarded);
}

/// The summary of the run on CUDA, whose probes and numbers of steps are those of threads.
nlohmann::json expect_cuda_as_threads(const std::string& name, const std::string& deck, double tolerance = 1e-10) {
  const std::string file = write_deck(name + ".toml", deck);
  const fs::path here = folder() / (name + "_threads"), there = folder() / (name + "_cuda");
  const nlohmann::json one = run_on("threads", file, here), other = run_on("cuda", file, there);
  if (one.is_discarded() || other.is_discarded()) return other;
  EXPECT_EQ(one["time"]["steps"], other["time"]["steps"]) << name;
  EXPECT_EQ(one["time"]["rejected"], other["time"]["rejected"]) << name;
  EXPECT_EQ(one["time"]["evaluations"], other["time"]["evaluations"]) << name;
  EXPECT_FALSE(one["time"].contains("graph")) << name;
  const auto a = table(here / "probes.csv"), b = table(there / "probes.csv");
  EXPECT_FALSE(a.empty()) << name;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t row = 0; row < std::min(a.size(), b.size()); ++row)
    for (std::size_t k = 0; k < a[row].size(); ++k) EXPECT_NEAR(a[row][k], b[row][k], tolerance) << name << ' ' << row;
  return other;
}

TEST(StepsAheadOfRuns, AreThoseOfThreadsAndSaidToBeReplayed) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string files = "[output]\nevery = 3\n[checkpoint]\nevery = 5\n";
  const std::string deck = bang(2, 12, "triangle", 0.2) + two_probes + files;
  EXPECT_EQ(expect_cuda_as_threads("ahead", deck)["time"].contains("graph"), recording);
  std::string chosen = deck;
  chosen.replace(chosen.find("cfl = 0.5"), 9, "step = 0.0007");
  EXPECT_EQ(expect_cuda_as_threads("ahead_chosen", chosen)["time"].contains("graph"), recording);
  for (const std::string option : {"limiter = \"fct\"\n", "limiter = \"none\"\n", "limiter = \"monolithic\"\n"}) {
    std::string other = deck;
    other.insert(other.find(euler) + euler.size(), option);
    EXPECT_EQ(expect_cuda_as_threads("ahead_" + option.substr(11, 3), other)["time"].contains("graph"), recording);
  }
}

/// Values that follow the time are the host's at each stage.
TEST(StepsAheadOfRuns, AreNotWhereBoundariesFollowTheTime) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string gusts = gas_box(2, 12, "quad") + euler + initial("1", "[\"2\", \"0\"]", "1") +
                            "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" +
                            state("1 + 0.2*sin(20*t)", "[\"2\", \"0\"]", "1") +
                            "[[boundary]]\non = [\"right\"]\ntype = \"outflow\"\n" + walls + two_probes + time_to(0.2);
  EXPECT_FALSE(expect_cuda_as_threads("gusts", gusts)["time"].contains("graph"));
}

TEST(StepsAheadOfRuns, GoOnBitwiseAsIfTheyHadNeverStopped) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const std::string precision : {"double", "float"}) {
    const std::string file =
        write_deck("ahead_" + precision + ".toml", bang(2, 12, "triangle", 0.2) + two_probes +
                                                       "[run]\nbackend = \"cuda\"\nprecision = \"" + precision +
                                                       "\"\n[checkpoint]\nevery = 7\n[output]\nevery = 10\n");
    const fs::path whole = folder() / ("ahead_whole_" + precision), part = folder() / ("ahead_part_" + precision);
    run_on("cuda", file, whole);
    run_on("cuda", file, part, "--set time.end=0.1");
    const Result rest = app_test::tessera("restart " + part.string() + " --quiet --set time.end=0.2");
    ASSERT_EQ(rest.code, 0) << rest.text;
    std::vector<std::string> names{"probes.csv", "solution.pvd"};
    for (const fs::directory_entry& entry : fs::directory_iterator(whole))
      if (entry.path().extension() == ".vtu") names.push_back(entry.path().filename().string());
    ASSERT_GT(names.size(), 3U) << "no states";
    for (const std::string& name : names) {
      EXPECT_FALSE(bytes_of(whole / name).empty()) << name;
      EXPECT_EQ(bytes_of(part / name), bytes_of(whole / name)) << name << precision;
    }
  }
}

}  // namespace
