// Runs through time that go on on the other backend.
#include "app/child.hpp"
#include "app/gpu.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

struct Run {
  const char* name;
  std::string deck;
};
void PrintTo(const Run& run, std::ostream* stream) { *stream << run.name; }

const std::string exactly_solved = "[solver]\ntolerance = 1e-14\n";

std::string heat(const std::string& conductivity, const std::string& time) {
  return box_of("triangle", 2, 12) + heat_of(1, "mass = \"lumped\"\n") + "[[material]]\nconductivity = \"" +
         conductivity + "\"\nsource = \"x*sin(9*t)\"\n" + dirichlet_on("[\"left\"]", "sin(7*t)") +
         "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = \"cos(t)\"\n[[initial]]\nu = "
         "\"x*y*(1 - y)\"\n" +
         exactly_solved + time;
}

std::vector<Run> runs() {
  const std::string wave = box_of("quad", 2, 6) +
                           "[physics]\ntype = \"wave\"\nmedium = \"acoustic\"\norder = 3\n[[material]]\ndensity = 1\n"
                           "vp = \"2 - y\"\n[[initial]]\np = \"exp(-40*((x - 0.4)^2 + (y - 0.6)^2))\"\n";
  const std::string reactions =
      box_of("triangle", 2, 8) +
      "[physics]\ntype = \"reaction_diffusion\"\nmass = \"lumped\"\nreaction = \"gray_scott\"\n[[material]]\ndiffusion "
      "= [2e-2, 1e-2]\n[[initial]]\nu = \"1 - 0.5*sin(pi*y)*sin(pi*x)\"\nv = \"0.25*sin(pi*y)\"\n" +
      exactly_solved;
  return {{"bdf2", heat("1 + x", time_to(0.1, 0.005, "bdf2"))},
          {"sdirk2_of_t", heat("1 + 20*t*y", time_to(0.1, 0.005, "sdirk2"))},
          {"newton", heat("1 + u^2", time_to(0.1, 0.005, "bdf2") + "[newton]\ntolerance = 1e-12\n")},
          {"rk4", heat("1 + x", "[time]\nend = 0.02\ncfl = 0.8\nscheme = \"rk4\"\n")},
          {"rkc", heat("1 + x", time_to(0.1, 0.005, "rkc"))},
          {"newmark", wave + time_to(0.1, 0.002, "newmark")},
          {"strang", reactions + time_to(1, 0.05, "sdirk2")}};
}

class OtherBackend : public ::testing::TestWithParam<std::tuple<Run, const char*>> {};

/// A run that stops half-way on one and goes on on the other ends where it would have.
TEST_P(OtherBackend, GoesOnToTheSameEnd) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const auto& [run, first] = GetParam();
  const std::string then = std::string(first) == "threads" ? "cuda" : "threads";
  const std::string deck =
      write_deck(fmt::format("other_{}_{}.toml", run.name, first), run.deck + "[checkpoint]\nevery = 4\nkeep = 1000\n");
  const fs::path whole = folder() / fmt::format("other_{}_whole_{}", run.name, first),
                 half = folder() / fmt::format("other_{}_half_{}", run.name, first);
  for (const fs::path& out : {whole, half}) {
    const Result result = app_test::tessera("run " + deck + " --quiet --set output.every=0 --backend " + first +
                                            " --output " + out.string());
    ASSERT_EQ(result.code, 0) << result.text;
  }
  std::vector<fs::path> checkpoints;
  for (const auto& entry : fs::directory_iterator(half))
    if (entry.path().extension() == ".tsr") checkpoints.push_back(entry.path());
  std::sort(checkpoints.begin(), checkpoints.end());
  ASSERT_GE(checkpoints.size(), 2u);
  for (std::size_t i = (checkpoints.size() + 1) / 2; i < checkpoints.size(); ++i) fs::remove(checkpoints[i]);
  const Result result = app_test::tessera("restart " + half.string() + " --quiet --backend " + then);
  ASSERT_EQ(result.code, 0) << result.text;
  const nlohmann::json one = summary_in(whole), other = summary_in(half);
  EXPECT_EQ(other["backend"]["type"], then);
  ASSERT_EQ(one["time"]["steps"], other["time"]["steps"]);
  const std::string last = fmt::format("solution_{:06}.vtu", one["time"]["steps"].get<int>());
  const Result compared = app_test::tessera("compare " + (whole / last).string() + " " + (half / last).string() +
                                            " --rtol 1e-10 --atol 1e-10");
  EXPECT_EQ(compared.code, 0) << compared.text;
}

INSTANTIATE_TEST_SUITE_P(Schemes, OtherBackend,
                         ::testing::Combine(::testing::ValuesIn(runs()), ::testing::Values("threads", "cuda")),
                         [](const auto& info) {
                           return fmt::format("{}_from_{}", std::get<0>(info.param).name, std::get<1>(info.param));
                         });

}  // namespace
