// Ranks that the program starts by itself, as run.ranks and --ranks ask for them, and the cores that they keep to.
#include <sched.h>

#include <csignal>
#include <set>
#include <sstream>

#include "app/launched_ranks.hpp"

namespace {

using namespace app_test;

TEST(RanksLaunch, IsAskedForByTheDeckAndByTheOption) {
  SKIP_WITHOUT_MPI();
  const std::string one = write_deck("launch_1.toml", poisson()),
                    two = write_deck("launch_2.toml", poisson("[run]\nranks = 2\n"));
  const fs::path out = folder() / "launched", reference = folder() / "not_launched";
  const std::string where = " --backend threads --output ", into = where + out.string();
  ASSERT_EQ(alone("run " + one + " --quiet" + where + reference.string()).code, 0);
  EXPECT_EQ(ranks_in(reference), 1);
  struct Call {
    std::string arguments;
    int ranks;
  };
  for (const Call& call : {Call{two, 2},
                           {two + " --ranks 3", 3},
                           {two + " --ranks 1", 1},
                           {one + " --ranks 2", 2},
                           {one + " --set run.ranks=2", 2}}) {
    const Result result = alone("run " + call.arguments + into);
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_EQ(ranks_in(out), call.ranks) << call.arguments << result.text;
    EXPECT_EQ(times(result, "results in " + out.string()), 1) << result.text;
    EXPECT_EQ(times(result, " started by "), call.ranks > 1) << result.text;
    const Result same = alone("compare " + (out / "solution.vtu").string() + " " +
                              (reference / "solution.vtu").string() + " --rtol 1e-10 --atol 1e-12");
    EXPECT_EQ(same.code, 0) << same.text;
  }
  const Result quiet = alone("run " + two + " --quiet --threads 1" + into);
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.text.find("error"), std::string::npos) << quiet.text;
  EXPECT_TRUE(own_cores() < 2 || quiet.text.empty()) << quiet.text;
}

TEST(RanksLaunch, TakesItsDeckFromStandardInput) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("launch_stdin.toml", poisson());
  const fs::path out = folder() / "from_stdin";
  const std::string into = "run - --quiet --backend threads --output " + out.string();
  for (const std::string& before : {"cat " + deck + " | ", "< " + deck + " "}) {
    const Result result = alone(into + " --ranks 2", "", before);
    EXPECT_EQ(result.code, 0) << before << result.text;
    EXPECT_EQ(ranks_in(out), 2) << before;
    const Result launched = shell(before + mpirun + "-n 2 " + program() + " " + into);
    EXPECT_EQ(launched.code, 0) << before << launched.text;
    EXPECT_EQ(ranks_in(out), 2) << before;
  }
  // From where it is, and what is not its deck stays for others.
  const std::string from_second = "echo no deck | cat - " + deck + " > " + deck + ".2 && { read first; ";
  const Result second = shell(from_second + "env " + sessions + "OMP_NUM_THREADS=1 " + program() + " " + into +
                              " --ranks 2; } < " + deck + ".2");
  EXPECT_EQ(second.code, 0) << second.text;
  EXPECT_EQ(ranks_in(out), 2);
  const std::string beside =
      alone("run " + deck + " --quiet --threads 1 --backend threads --ranks 2 --output " + out.string() + "; cat; }",
            "", "echo for others | { ")
          .text;
  EXPECT_NE(beside.find("for others"), std::string::npos) << beside;
  const Result wrong = shell("echo '[mash]' | " + mpirun + "-n 2 " + program() + " " + into);
  EXPECT_EQ(wrong.code, 2) << wrong.text;
  EXPECT_EQ(times(wrong, "error: "), 1) << wrong.text;
}

/// A failure of ranks is that of one program: said once, with its code, and without the words of a launcher.
TEST(RanksLaunch, EndsAsItsRanksDo) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("launch_fails.toml", poisson("[run]\nranks = 2\n"));
  const fs::path out = folder() / "launch_fails";
  const Result result =
      alone("run " + deck + " --quiet --backend threads --set solver.max_iterations=2 --output " + out.string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_EQ(times(result, "error: "), 1) << result.text;
  EXPECT_FALSE(result.says("mpirun")) << result.text;
  EXPECT_EQ(summary_in(out)["status"], "not_converged");
  EXPECT_EQ(ranks_in(out), 2);
}

/// Whatever is wrong is said before anything is started, and in the summary, too.
TEST(RanksLaunch, IsRefusedBeforeItBegins) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("launch_refused.toml", poisson());
  const fs::path out = folder() / "launch_refused";
  const std::string run = "run " + deck + " --backend threads --output " + out.string(), two = run + " --ranks 2";
  struct Wrong {
    std::string arguments, environment, words;
  };
  for (const Wrong& wrong : {Wrong{two + " --set solver.type='\"direct\"'", "", "\"direct\" works on one rank only"},
                             {two + " --set solver.type='\"bcr\"'", "", "\"bcr\" works on one rank only"},
                             {two, "PATH=/nowhere", "there is no mpirun on the PATH"},
                             {two, "TESSERA_MPI=/nowhere/mpi.so", "/nowhere/mpi.so is not there"},
                             {two, "TESSERA_RANKS=2", "nothing of a launcher is in its environment"},
                             {two, "SLURM_STEP_NUM_TASKS=3", "srun has started 3 tasks"},
                             {run + " --set run.ranks=0", "", "run.ranks"},
                             {run + " --set run.ranks=1.5", "", "expected an integer"}}) {
    const Result result = alone(wrong.arguments, wrong.environment);
    EXPECT_EQ(result.code, 2) << wrong.arguments << result.text;
    EXPECT_EQ(times(result, "error: "), 1) << result.text;
    EXPECT_TRUE(result.says(wrong.words)) << result.text;
    EXPECT_TRUE(result.says("help: ")) << result.text;
    EXPECT_FALSE(result.says("started by")) << result.text;
    EXPECT_EQ(summary_in(out)["exit_code"], 2) << wrong.arguments;
    fs::remove_all(out);
  }
  for (const char* ranks : {"0", "-1", "1.5", "many"}) EXPECT_EQ(alone(run + " --ranks " + ranks).code, 2) << ranks;
  const Result unknown = alone(two + " --set solver.tipe=1");
  EXPECT_EQ(unknown.code, 2) << unknown.text;
  EXPECT_EQ(times(unknown, "error: "), 1) << unknown.text;
  EXPECT_FALSE(unknown.says("started by")) << unknown.text;
}

/// It says so once, and starts nothing more.
TEST(RanksLaunch, LeavesThoseOfALauncherAlone) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("launch_other.toml", poisson("[run]\nranks = 3\n"));
  const fs::path out = folder() / "launch_other";
  for (const int ranks : {1, 2}) {
    const Result result = on_ranks(ranks, "run " + deck + " --backend threads --output " + out.string());
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_EQ(ranks_in(out), ranks) << result.text;
    EXPECT_EQ(times(result, "run.ranks = 3: the launcher has started "), 1) << result.text;
    EXPECT_EQ(times(result, "started by"), 0) << result.text;
  }
  const Result same = on_ranks(3, "run " + deck + " --backend threads --output " + out.string());
  EXPECT_EQ(times(same, "the launcher has started"), 0) << same.text;
  const Result option = on_ranks(1, "run " + deck + " --quiet --ranks 2 --backend threads --output " + out.string());
  EXPECT_EQ(option.code, 0) << option.text;
  EXPECT_TRUE(option.says("--ranks 2: the launcher has started 1 rank, which counts (OMPI_COMM_WORLD_SIZE"))
      << option.text;
  const Result unlaunched = alone("run " + deck + " --quiet --output " + out.string(), "TESSERA_RANKS=1");
  EXPECT_EQ(unlaunched.code, 0) << unlaunched.text;
  EXPECT_EQ(ranks_in(out), 1);
}

TEST(RanksLaunch, IsWhatCheckForecasts) {
  SKIP_WITHOUT_MPI();
  const std::string check = "check " + write_deck("launch_check.toml", poisson("[run]\nranks = 2\n"));
  EXPECT_TRUE(alone(check).says("ranks      2: "));
  EXPECT_TRUE(alone(check + " --ranks 3").says("ranks      3: "));
  EXPECT_FALSE(alone(check + " --ranks 1").says("ranks      "));
  EXPECT_TRUE(on_ranks(3, check).says("ranks      3: "));
  EXPECT_FALSE(on_ranks(1, check).says("ranks      "));
  const Result direct = alone(check + " --set solver.type='\"direct\"'");
  EXPECT_EQ(direct.code, 2) << direct.text;
}

TEST(RanksLaunch, DoesNotDisturbVerify) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("launch_verify.toml", poisson("[run]\nranks = 3\n"));
  const Result result = alone("verify " + deck + " --ranks 2");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("threads, 2 ranks")) << result.text;
  EXPECT_FALSE(result.says("3 ranks")) << result.text;
}

TEST(RanksLaunch, GoesOnAsItBegan) {
  SKIP_WITHOUT_MPI();
  const fs::path out = folder() / "launch_restart";
  const std::string restart = "restart " + out.string() + " --quiet --set time.end=";
  ASSERT_EQ(alone("run " + write_deck("launch_heat.toml", heat("4")) +
                  " --ranks 2 --quiet --backend threads --output " + out.string())
                .code,
            0);
  const Result same = alone(restart + "6");
  EXPECT_EQ(same.code, 0) << same.text;
  EXPECT_EQ(ranks_in(out), 2);
  const Result one = alone(restart + "8 --ranks 1");
  EXPECT_EQ(one.code, 0) << one.text;
  EXPECT_EQ(ranks_in(out), 1);
  const Result other = alone(restart + "10 --set run.ranks=3");
  EXPECT_EQ(other.code, 0) << other.text;
  EXPECT_EQ(ranks_in(out), 3);
  EXPECT_EQ(summary_in(out)["time"]["steps"], 10);
}

/// The numbers in "0-2,5".
std::set<int> cores_in(const std::string& ranges) {
  std::set<int> cores;
  std::istringstream parts(ranges);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const int first = std::stoi(part), last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
    for (int core = first; core <= last; ++core) cores.insert(core);
  }
  return cores;
}

/// That a process may use, as the system says it.
std::string cores_of(const fs::path& process) {
  const std::string status = bytes_of(process / "status"), key = "Cpus_allowed_list:\t";
  const std::size_t at = status.find(key);
  return at == std::string::npos ? "" : status.substr(at + key.size(), status.find('\n', at) - at - key.size());
}

/// Ranks that may use the same cores have cores of their own: so the system says, and the summary.
TEST(RanksCores, AreSharedByTheRanksOfAMachine) {
  SKIP_WITHOUT_MPI();
  if (own_cores() < 2) GTEST_SKIP() << "this process may use one core only";
  const std::set<int> all = cores_in(cores_of("/proc/self"));
  Endless run("cores");
  ASSERT_TRUE(run.is_there);
  std::set<int> together;
  std::set<std::string> of_ranks;
  for (const fs::path& rank : run.ranks()) {
    of_ranks.insert(cores_of(rank));
    for (const int core : cores_in(cores_of(rank))) EXPECT_TRUE(together.insert(core).second) << core;
  }
  EXPECT_EQ(together, all);
  run.child->send(SIGTERM);
  (void)run.child->end();
  const nlohmann::json ranks = summary_in(run.out)["ranks"];
  const std::vector<std::string> said = ranks["cores"];
  EXPECT_EQ(std::set<std::string>(said.begin(), said.end()), of_ranks);
  EXPECT_EQ(ranks["threads"], (nlohmann::json{1, 1}));
}

/// What a launcher or a user has decided stays.
TEST(RanksCores, StayAsALauncherHasThem) {
  SKIP_WITHOUT_MPI();
  if (own_cores() < 2) GTEST_SKIP() << "this process may use one core only";
  const std::string deck = write_deck("cores_stay.toml", poisson()), all = cores_of("/proc/self");
  const fs::path out = folder() / "cores_stay";
  const std::string run = "run " + deck + " --quiet --backend threads --output " + out.string();
  const auto cores = [&] { return std::vector<std::string>(summary_in(out)["ranks"]["cores"]); };
  ASSERT_EQ(alone(run + " --ranks 2", "TESSERA_BIND=none").code, 0);
  EXPECT_EQ(cores(), (std::vector<std::string>{all, all}));
  // More threads than a share has cores.
  ASSERT_EQ(alone(run + fmt::format(" --ranks 2 --threads {}", own_cores())).code, 0);
  EXPECT_EQ(cores(), (std::vector<std::string>{all, all}));
  // One core, which the launcher gives to both.
  const std::string one = std::to_string(*cores_in(all).begin());
  const Result narrow =
      shell("taskset -c " + one + " env -u OMP_NUM_THREADS " + sessions + program() + " " + run + " --ranks 2");
  ASSERT_EQ(narrow.code, 0) << narrow.text;
  EXPECT_EQ(cores(), (std::vector<std::string>{one, one}));
  EXPECT_TRUE(narrow.says("2 ranks share 1 core")) << narrow.text;
  EXPECT_EQ(summary_in(out)["ranks"]["threads"], (nlohmann::json{1, 1}));
  // Each a core that is not the half which it would be given.
  const std::string last = std::to_string(*cores_in(all).rbegin());
  const std::string ranks = "-n 1 taskset -c " + last + " " + program() + " " + run + " : -n 1 taskset -c " + one +
                            " " + program() + " " + run;
  ASSERT_EQ(shell(mpirun + ranks).code, 0);
  EXPECT_EQ(cores(), (std::vector<std::string>{last, one}));
}

}  // namespace
