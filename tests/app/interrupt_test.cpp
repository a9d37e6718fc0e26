// Ctrl-C, SIGTERM, runs into the same folder, and what earlier runs have left there.
#include <algorithm>

#include "app/child.hpp"

namespace {

using namespace app_test;

std::string plugins() { return (fs::path(program()).parent_path() / "plugins/").string(); }

/// A run that gets stuck in a phase, after it has said so.
std::vector<std::string> stuck_run(const std::string& in, const fs::path& out) {
  const std::string deck = write_deck("stuck_" + in + ".toml", "[physics]\ntype = \"stuck\"\nin = \"" + in + "\"\n");
  return {"run", deck, "--plugin", plugins() + "stuck.so", "--output", out.string()};
}

std::string square(const std::string& name, const std::string& more = "") {
  return write_deck(name + ".toml", R"([mesh]
box = { min = [0, 0], max = [1, 1], cells = [8, 8], shape = "triangle" }
[run]
backend = "threads"
[physics]
type = "poisson"
[[boundary]]
on = ["left", "right"]
type = "dirichlet"
value = "x"
)" + more);
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

class Interrupt : public ::testing::TestWithParam<const char*> {};

TEST_P(Interrupt, EndsInEveryPhaseAndLeavesNothingButTheSummary) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const fs::path out = folder() / (std::string("stuck_") + GetParam());
    Child run(stuck_run(GetParam(), out));
    ASSERT_TRUE(run.wait_for("stuck\n"));
    run.send(signal);
    EXPECT_TRUE(run.wait_for("interrupted: stopping; once more to end at once\n"));
    const Result result = run.end();
    EXPECT_EQ(result.code, code) << result.text;
    EXPECT_FALSE(result.says("error")) << result.text;
    EXPECT_EQ(names_in(out), Names{"summary.json"});
    const auto summary = summary_in(out);
    EXPECT_EQ(summary["status"], "interrupted");
    EXPECT_EQ(summary["exit_code"], code);
  }
}

INSTANTIATE_TEST_SUITE_P(Phases, Interrupt, ::testing::Values("loop", "solve", "output"),
                         [](const auto& info) { return std::string(info.param); });

TEST(InterruptTwice, EndsAtOnce) {
  const fs::path out = folder() / "twice";
  Child run(stuck_run("output", out));
  ASSERT_TRUE(run.wait_for("stuck\n"));
  run.send(SIGINT);
  ASSERT_TRUE(run.wait_for("interrupted: "));
  run.send(SIGINT);
  EXPECT_EQ(run.end().code, 130);
  EXPECT_EQ(summary_in(out)["status"], "interrupted");
  EXPECT_EQ(names_in(out), Names{"summary.json"});
}

/// The handlers stand before the program says anything: whoever sees the first character may stop it.
TEST(InterruptAtOnce, IsHeard) {
  const fs::path out = folder() / "at_once";
  // Without an end: the relaxation of a large grid would take hours.
  const std::string deck = write_deck("endless.toml", R"([mesh]
box = { min = [0, 0], max = [1, 1], cells = [1500, 1500], shape = "quad" }
[run]
backend = "threads"
[physics]
type = "convection_diffusion"
discretisation = "finite_difference"
[[material]]
source = 1
velocity = [1, 1]
[[boundary]]
on = ["left", "right", "top", "bottom"]
type = "dirichlet"
[solver]
type = "sor"
omega = 1
tolerance = 1e-12
max_iterations = 100000000
)");
  Child run({"run", deck, "--output", out.string()});
  ASSERT_TRUE(run.wait_for("i"));
  run.send(SIGINT);
  const Result result = run.end();
  EXPECT_EQ(result.code, 130) << result.text;
  EXPECT_EQ(summary_in(out)["status"], "interrupted");
}

TEST(Rerun, LeavesNoOlderResultBesideItsSummary) {
  const fs::path out = folder() / "rerun";
  ASSERT_EQ(app_test::tessera("run " + square("rerun") + " --quiet --output " + out.string()).code, 0);
  EXPECT_EQ(names_in(out), (Names{"solution.pvd", "solution.vtu", "summary.json"}));
  EXPECT_EQ(summary_in(out)["files"], (Names{"solution.vtu", "solution.pvd"}));
  std::ofstream(out / "notes.txt") << "the user's own";
  const Result failed =
      app_test::tessera("run " + square("rerun") + " --quiet --set boundary.0.on=lid --output " + out.string());
  EXPECT_EQ(failed.code, 3) << failed.text;
  EXPECT_EQ(summary_in(out)["status"], "error");
  EXPECT_EQ(names_in(out), (Names{"notes.txt", "summary.json"}));
}

TEST(Lock, NamesTheOtherRunAndEndsWithIt) {
  const fs::path out = folder() / "locked";
  Child first(stuck_run("output", out));
  ASSERT_TRUE(first.wait_for("stuck\n"));
  const std::string second = "run " + square("second") + " --quiet --output " + out.string();
  const Result refused = app_test::tessera(second);
  EXPECT_EQ(refused.code, 7) << refused.text;
  EXPECT_TRUE(refused.says("another run is writing into " + out.string() + ": process " + std::to_string(first.pid())))
      << refused.text;
  EXPECT_TRUE(refused.says("help: wait for its end")) << refused.text;
  EXPECT_TRUE(fs::exists(out / "solution.csv")) << "a run that is refused must not touch the other's results";
  first.send(SIGKILL);
  EXPECT_EQ(first.end().code, 1000 + SIGKILL);
  // The dead run leaves half a file, its lock's name and a result.
  EXPECT_EQ(app_test::tessera(second).code, 0);
  EXPECT_EQ(names_in(out), (Names{"solution.pvd", "solution.vtu", "summary.json"}));
  EXPECT_EQ(summary_in(out)["status"], "ok");
}

}  // namespace
