// How ranks end that the program starts by itself: by signals to it, to one of them, and by what their launcher does.
#include <algorithm>
#include <csignal>

#include "app/launched_ranks.hpp"

namespace {

using namespace app_test;

/// A launcher that has heard of it twice ends without its ranks, and they without a summary.
void expect_interrupted(Endless& run, int code) {
  const Result result = run.child->end();
  EXPECT_EQ(result.code, code) << result.text;
  EXPECT_TRUE(run.leaves_nothing()) << result.text;
  ASSERT_TRUE(fs::exists(run.out / "summary.json")) << result.text;
  // Where ranks need more than half a second to their next step, as on a busy machine, the first one ends on its own.
  const nlohmann::json summary = summary_in(run.out);
  EXPECT_TRUE(summary["status"] == "interrupted" || std::string(summary["error"]).starts_with("ended by the launcher"))
      << summary.dump();
  EXPECT_FALSE(result.says("error: ")) << result.text;
  EXPECT_FALSE(result.says("ctrl-c again")) << result.text;
}

TEST(RanksEnd, HandsSignalsToItsRanks) {
  SKIP_WITHOUT_MPI();
  for (const auto& [signal, code] : {std::pair{SIGTERM, 143}, std::pair{SIGINT, 130}}) {
    Endless run(fmt::format("launch_{}", code));
    ASSERT_TRUE(run.is_there);
    EXPECT_EQ(run.ranks().size(), 2u);
    run.child->send(signal);
    expect_interrupted(run, code);
  }
}

TEST(RanksEnd, HearsASignalToItsGroupOnce) {
  SKIP_WITHOUT_MPI();
  for (const auto& [signal, code] : {std::pair{SIGTERM, 143}, std::pair{SIGINT, 130}}) {
    Endless run(fmt::format("launch_group_{}", code));
    ASSERT_TRUE(run.is_there);
    run.child->send(signal);  // as `timeout` does
    run.child->send_to_group(signal);
    expect_interrupted(run, code);
  }
}

TEST(RanksEnd, HearsATerminalOnce) {
  SKIP_WITHOUT_MPI();
  Endless run("launch_terminal", Child::Words::terminal);
  ASSERT_TRUE(run.is_there);
  run.child->type("\x03");
  expect_interrupted(run, 130);
}

/// As those do that end a job.
TEST(RanksEnd, HearsOnceWhatIsSentToAllOfItsProcesses) {
  SKIP_WITHOUT_MPI();
  Endless run("launch_all");
  ASSERT_TRUE(run.is_there);
  for (const fs::path& process : processes_with(run.out.string()))
    kill(static_cast<pid_t>(std::stoi(process.filename().string())), SIGTERM);
  expect_interrupted(run, 143);
}

/// The state of a process as the system has it: R, S, T ...
char state_of(const fs::path& process) {
  const std::string status = bytes_of(process / "status"), key = "State:\t";
  const std::size_t at = status.find(key);
  return at == std::string::npos ? ' ' : status[at + key.size()];
}

TEST(RanksEnd, StopsAndGoesOnWithItsRanks) {
  SKIP_WITHOUT_MPI();
  Endless run("launch_stops");
  ASSERT_TRUE(run.is_there);
  const std::vector<fs::path> ranks = run.ranks();
  const fs::path itself = fmt::format("/proc/{}", run.child->pid());
  const auto are_stopped = [&](bool stopped) {
    return comes_true([&] {
      return (state_of(itself) == 'T') == stopped && std::all_of(ranks.begin(), ranks.end(), [&](const auto& rank) {
               return (state_of(rank) == 'T') == stopped;
             });
    });
  };
  ASSERT_EQ(ranks.size(), 2u);
  run.child->send_to_group(SIGTSTP);
  EXPECT_TRUE(are_stopped(true));
  run.child->send_to_group(SIGCONT);
  EXPECT_TRUE(are_stopped(false));
  run.child->send(SIGTERM);
  expect_interrupted(run, 143);
}

/// Of a signal to a rank nobody but the launcher knows, which is quiet.
TEST(RanksEnd, SaysWhichSignalHasEndedARank) {
  SKIP_WITHOUT_MPI();
  Endless run("launch_segfault");
  ASSERT_TRUE(run.is_there);
  for (const fs::path& rank : run.ranks())
    if (bytes_of(rank / "environ").find("OMPI_COMM_WORLD_RANK=1") != std::string::npos)
      kill(static_cast<pid_t>(std::stoi(rank.filename().string())), SIGSEGV);
  const Result result = run.child->end();
  EXPECT_EQ(result.code, 139) << result.text;
  EXPECT_TRUE(result.says("a rank or its launcher ended by signal 11")) << result.text;
  EXPECT_TRUE(result.says("mpirun -n 2 ")) << result.text;
  EXPECT_TRUE(run.leaves_nothing());
}

/// A launcher of this kind: a script that is the first `mpirun` on the path.
std::string path_with_mpirun(const std::string& name, const std::string& text) {
  const fs::path bin = folder() / name;
  fs::create_directories(bin);
  std::ofstream(bin / "mpirun") << text;
  fs::permissions(bin / "mpirun", fs::perms::owner_all);
  return "PATH=" + bin.string() + ":/usr/bin:/bin ";
}

TEST(RanksEnd, SaysHowALauncherFails) {
  SKIP_WITHOUT_MPI();
  const std::string run = "run " + write_deck("launch_launcher.toml", poisson()) + " --quiet --threads 1 --ranks 2";
  struct Wrong {
    std::string text, words;
    int code;
  };
  for (const Wrong& wrong :
       {Wrong{"#!/bin/sh\nexit 132\n", "signal 4", 132}, Wrong{"#!/bin/sh\nexit 77\n", "ended with 77", 77},
        Wrong{"#!/nowhere/sh\n", "cannot be started: No such file", 2}, Wrong{"no program", "Exec format error", 2}}) {
    const Result result = alone(run, path_with_mpirun("launcher_" + std::to_string(wrong.code), wrong.text));
    EXPECT_EQ(result.code, wrong.code) << result.text;
    EXPECT_EQ(times(result, "error: "), 1) << result.text;
    EXPECT_TRUE(result.says(wrong.words)) << result.text;
    EXPECT_TRUE(result.says("help: ")) << result.text;
  }
}

/// Not even one that nothing can hear leaves ranks behind.
TEST(RanksEnd, EndsItsRanksWhereItIsKilled) {
  SKIP_WITHOUT_MPI();
  Endless run("launch_killed");
  ASSERT_TRUE(run.is_there);
  run.child->send(SIGKILL);
  EXPECT_TRUE(run.leaves_nothing());
}

}  // namespace
