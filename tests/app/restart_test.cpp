// Runs through time that stop and go on.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "app/child.hpp"
#include "app/nonlinear.hpp"
#include "output/checkpoint_folder.hpp"

namespace {

using namespace app_test;

/// Sources, prescribed values and flows change in time, and files and checkpoints are written at unlike steps.
std::string deck_of(const std::string& scheme, const std::string& steps, int cells = 8,
                    const std::string& material = "") {
  const std::string u = "exp(-t)*sin(2*x + t)*cos(y)";
  return box_of("triangle", 2, cells) +
         "[physics]\ntype = \"heat\"\nmass = \"lumped\"\n[[material]]\nheat_capacity = \"1 + "
         "x\"\nsource = \"x*sin(t)\"\n" +
         material + dirichlet_on("[\"left\", \"top\"]", u) +
         "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = \"cos(t)\"\n[[initial]]\nu = \"" + u +
         "\"\n[time]\nend = 0.1\n" + steps + "scheme = \"" + scheme +
         "\"\n[output]\nevery = 10\n[checkpoint]\nevery = 7\n[solver]\ntolerance = 1e-12\n[[probe]]\nname = \"a\"\nat "
         "= [0.3, 0.7]\n"
         "[[probe]]\nname = \"b\"\nat = [1, 0]\nevery = 3\n";
}
const std::string step = "step = 0.001\n", chosen = "step = 1e-4\ntolerance = 1e-6\n";

Result run_into(const std::string& deck, const fs::path& out, const std::string& options = "") {
  return app_test::tessera("run " + deck + " --quiet --backend threads --output " + out.string() + options);
}
Result go_on(const fs::path& out, const std::string& options = "") {
  return app_test::tessera("restart " + out.string() + " --quiet" + options);
}

std::vector<std::string> states_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const fs::path name = entry.path().filename();
        name.extension() == ".vtu" || name.extension() == ".pvd" || name.extension() == ".csv")
      names.push_back(name.string());
  std::sort(names.begin(), names.end());
  return names;
}
std::vector<std::string> checkpoints_in(const fs::path& folder) {
  std::vector<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".tsr") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Every file of states, byte by byte.
void expect_same_states(const fs::path& a, const fs::path& b) {
  ASSERT_EQ(states_in(a), states_in(b));
  for (const std::string& name : states_in(a)) EXPECT_EQ(bytes_of(a / name), bytes_of(b / name)) << name;
}

struct Scheme {
  const char *name, *scheme;
  std::string steps;
  std::string material = {};
};
void PrintTo(const Scheme& scheme, std::ostream* stream) { *stream << scheme.name; }
class GoingOn : public ::testing::TestWithParam<Scheme> {};

/// A run of half the length, gone on with to the whole, is the whole.
TEST_P(GoingOn, GoesOnAsIfItHadNeverStopped) {
  const Scheme& of = GetParam();
  const std::string deck =
      write_deck(std::string("restart_") + of.name + ".toml", deck_of(of.scheme, of.steps, 8, of.material));
  const fs::path whole = folder() / "whole" / of.name, half = folder() / "half" / of.name;
  ASSERT_EQ(run_into(deck, whole).code, 0);
  // Chosen steps see the end coming: there the run is cut off by hand.
  const bool fixed = of.steps == step;
  ASSERT_EQ(
      run_into(deck, half, fixed ? " --set time.end=0.05" : " --set checkpoint.keep=1000 --set checkpoint.every=3")
          .code,
      0);
  if (!fixed) {
    const std::vector<std::string> checkpoints = checkpoints_in(half);
    ASSERT_GT(checkpoints.size(), 2u);
    for (std::size_t i = checkpoints.size() / 2; i < checkpoints.size(); ++i) fs::remove(half / checkpoints[i]);
  }
  const Result result = go_on(half, fixed ? " --set time.end=0.1" : "");
  ASSERT_EQ(result.code, 0) << result.text;
  expect_same_states(whole, half);
  EXPECT_EQ(summary_in(half)["time"]["steps"], summary_in(whole)["time"]["steps"]);
  EXPECT_EQ(summary_in(half)["time"]["t"], 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, GoingOn,
    ::testing::Values(Scheme{"bdf2", "bdf2", step}, Scheme{"crank_nicolson", "crank_nicolson", step},
                      Scheme{"sdirk2", "sdirk2", step}, Scheme{"rk4", "rk4", step},
                      Scheme{"low_storage", "low_storage_rk45", step}, Scheme{"rkc", "rkc", step},
                      Scheme{"rkc_chosen", "rkc", chosen}, Scheme{"dormand_prince", "dormand_prince", chosen},
                      Scheme{"cash_karp", "cash_karp", chosen}, Scheme{"bdf2_chosen", "bdf2", chosen},
                      Scheme{"crank_nicolson_chosen", "crank_nicolson", chosen},
                      Scheme{"sdirk2_chosen", "sdirk2", chosen},
                      Scheme{"of_u_chosen", "bdf2", chosen, "conductivity = \"1 + u^2\"\n"},
                      Scheme{"of_u", "bdf2", step, "conductivity = \"1 + u^2\"\n"},
                      Scheme{"of_u_explicit", "rkc", step, "density = \"2 + u\"\n"}),
    [](const auto& info) { return std::string(info.param.name); });

/// A run that is killed again and again, and goes on; whenever it comes to its end it is held against one that never
/// was, and begins again.
class KilledRun {
 public:
  KilledRun(std::string deck, fs::path out) : deck_(std::move(deck)), out_(std::move(out)) { fs::remove_all(out_); }

  static std::vector<std::string> options() { return {"--set", "checkpoint.every=1", "--set", "output.every=20"}; }

  /// Kills it some time after it has begun; most often after it has written a checkpoint, so that it comes on. False
  /// where it came to its end before.
  bool kill_once() {
    const std::vector<std::string> before = checkpoints_in(out_);
    std::vector<std::string> arguments = {"restart", out_.string(), "--quiet"};
    if (before.empty()) {
      arguments = {"run", deck_, "--quiet", "--backend", "threads", "--output", out_.string()};
      const std::vector<std::string> more = options();
      arguments.insert(arguments.end(), more.begin(), more.end());
    }
    Child child(arguments);
    const bool comes_on = random_() % 4 != 0;
    while (comes_on && child.runs() && checkpoints_in(out_) == before) usleep(100);
    usleep(static_cast<useconds_t>(random_() % (comes_on ? 100000 : 200000)));
    child.send(SIGKILL);
    const Result result = child.end();
    EXPECT_TRUE(result.code == 0 || result.code == 1000 + SIGKILL) << result.text;
    if (result.code == 0) return false;
    look();
    return true;
  }

  int kills = 0, in_a_write = 0, unreadable = 0;

 private:
  /// At what the kill has left.
  void look() {
    ++kills;
    if (!fs::exists(out_)) return;
    std::vector<fs::path> halves;
    for (const auto& entry : fs::directory_iterator(out_))
      if (const std::string name = entry.path().filename().string();
          name.starts_with(".checkpoint") && name.ends_with(".tmp"))
        halves.push_back(entry.path());
    in_a_write += halves.empty() ? 0 : 1;
    for (const fs::path& half : halves) fs::remove(half);  // the next kill is counted by its own
    if (!checkpoints_in(out_).empty())
      unreadable += static_cast<int>(tessera::output::newest_checkpoint(out_).unreadable.size());
  }

  std::string deck_;
  fs::path out_;
  std::minstd_rand random_{12345};
};

/// TESSERA_KILLS says how many others than 20.
TEST(RestartAfter, KillsAtAnyMoment) {
  const char* const asked = std::getenv("TESSERA_KILLS");
  const int most = asked ? std::atoi(asked) : 20;
  const std::string deck = write_deck("killed.toml", deck_of("bdf2", "step = 0.0005\n", 24));
  const fs::path whole = folder() / "never_killed", killed = folder() / "killed_often";
  ASSERT_EQ(run_into(deck, whole, " --set checkpoint.every=1 --set output.every=20").code, 0);
  KilledRun run(deck, killed);
  int ends = 0;
  while (run.kills < most && !::testing::Test::HasFailure()) {
    if (run.kill_once()) continue;
    expect_same_states(whole, killed);
    fs::remove_all(killed);
    ++ends;
  }
  if (!checkpoints_in(killed).empty()) {
    EXPECT_EQ(go_on(killed).code, 0);
    expect_same_states(whole, killed);
    ++ends;
  }
  EXPECT_EQ(run.unreadable, 0);
  EXPECT_GT(ends, 0);
  if (asked)
    fmt::print("{} kills, {} of them while a checkpoint was written, {} unreadable ones; {} runs to their end\n",
               run.kills, run.in_a_write, run.unreadable, ends);
}

TEST(RestartAfter, ADamagedCheckpointTakesTheOneBefore) {
  const std::string deck = write_deck("damaged.toml", deck_of("bdf2", step));
  const fs::path whole = folder() / "undamaged", out = folder() / "damaged";
  ASSERT_EQ(run_into(deck, whole).code, 0);
  ASSERT_EQ(run_into(deck, out, " --set time.end=0.05").code, 0);
  const std::vector<std::string> checkpoints = checkpoints_in(out);
  ASSERT_EQ(checkpoints, (std::vector<std::string>{"checkpoint_000000042.tsr", "checkpoint_000000049.tsr"}));
  fs::resize_file(out / checkpoints.back(), fs::file_size(out / checkpoints.back()) - 5);
  const Result result = go_on(out, " --set time.end=0.1");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says(checkpoints.back())) << result.text;
  expect_same_states(whole, out);
  for (const std::string& name : checkpoints_in(out)) fs::resize_file(out / name, 100);
  const Result none = go_on(out, " --set time.end=0.2");
  EXPECT_EQ(none.code, 7) << none.text;
}

TEST(RestartAfter, AnInterruptGoesOnFromTheStepThatItEnded) {
  const std::string deck = write_deck("interrupted.toml", deck_of("bdf2", "step = 1e-6\n", 16));
  const fs::path out = folder() / "interrupted";
  Child run({"run", deck, "--backend", "threads", "--output", out.string(), "--set", "checkpoint.every=0", "--set",
             "output.every=100", "--set", "time.end=1000"});
  while (!fs::exists(out / "solution_000200.vtu")) usleep(1000);
  run.send(SIGINT);
  const Result result = run.end();
  EXPECT_EQ(result.code, 130) << result.text;
  EXPECT_TRUE(result.says("tessera restart")) << result.text;
  const nlohmann::json summary = summary_in(out);
  EXPECT_EQ(summary["status"], "interrupted");
  ASSERT_EQ(checkpoints_in(out).size(), 1u) << result.text;
  const auto steps = summary["time"]["steps"].get<long>();
  EXPECT_EQ(checkpoints_in(out).front(), fmt::format("checkpoint_{:09}.tsr", steps));
  EXPECT_GE(steps, 200);
  EXPECT_TRUE(fs::exists(out / "solution.pvd"));
  const Result on = go_on(out, fmt::format(" --set time.end={}", 1e-6 * static_cast<double>(steps + 50)));
  EXPECT_EQ(on.code, 0) << on.text;
  EXPECT_EQ(summary_in(out)["time"]["steps"], steps + 50);
}

TEST(RestartRefuses, WhatWouldBeAnotherRun) {
  const std::string deck = write_deck("again.toml", deck_of("bdf2", step));
  const fs::path out = folder() / "again", steady = folder() / "steady_run";
  ASSERT_EQ(run_into(deck, out).code, 0);
  const auto refused = [&](const std::string& options, const std::vector<std::string>& parts) {
    const Result result = go_on(out, options);
    EXPECT_EQ(result.code, 2) << result.text;
    for (const std::string& part : parts) EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
  };
  refused(" --set time.step=0.1", {"time.step", "stays as it is", "time.end"});
  refused(" --set physics.order=2", {"physics.order"});
  const std::string before = bytes_of(out / "summary.json");
  refused(" --set time.end=0.01", {"it is done"});
  EXPECT_EQ(bytes_of(out / "summary.json"), before);
  ASSERT_EQ(
      run_into(write_deck("steady_run.toml", box_of("quad", 2, 2) + poisson_of(1) + dirichlet_on("[\"left\"]", "0")),
               steady)
          .code,
      0);
  const Result nothing = go_on(steady);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(nothing.says("holds no checkpoint")) << nothing.text;
  EXPECT_EQ(go_on(folder() / "no_such_folder").code, 7);
  // A run that begins takes the checkpoints of the one before away.
  ASSERT_EQ(run_into(deck, out, " --set checkpoint.every=0").code, 0);
  EXPECT_TRUE(checkpoints_in(out).empty());
}

/// What a run that was killed has not listed goes where another begins; what is another's stays.
TEST(RestartRefuses, ToMixStatesOfTwoRuns) {
  const std::string deck = write_deck("two_runs.toml", deck_of("bdf2", step));
  const fs::path out = folder() / "two_runs";
  fs::create_directories(out);
  const std::vector<std::string> old = {"solution_000123.vtu", "solution_000123_4.vtu", "solution_000123.csv",
                                        "probes_every_9.csv", "checkpoint_000000123.tsr"};
  for (const std::string& name : old) std::ofstream(out / name) << "old";
  std::ofstream(out / "solution_of_mine.vtu") << "mine";
  ASSERT_EQ(run_into(deck, out).code, 0);
  for (const std::string& name : old) EXPECT_FALSE(fs::exists(out / name)) << name;
  EXPECT_TRUE(fs::exists(out / "solution_of_mine.vtu"));
}

TEST(RestartRefuses, CheckpointsOfNothing) {
  const Result steady =
      app_test::tessera("check " + write_deck("checkpoint_steady.toml",
                                              box_of("quad", 2, 2) + "[physics]\ntype = \"heat\"\n" +
                                                  dirichlet_on("[\"left\"]", "0") + "[checkpoint]\nevery = 3\n"));
  EXPECT_EQ(steady.code, 2);
  EXPECT_TRUE(steady.says("[checkpoint]") && steady.says("[time]")) << steady.text;
  const std::string deck = write_deck("from_stdin.toml", deck_of("bdf2", step));
  const Result from_stdin = shell(program() + " run - --quiet --backend threads --output " +
                                  (folder() / "from_stdin").string() + " < " + deck);
  EXPECT_EQ(from_stdin.code, 2);
  EXPECT_TRUE(from_stdin.says("standard input")) << from_stdin.text;
}

}  // namespace
