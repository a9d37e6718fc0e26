// Commands beside `run` that mpirun starts on several ranks, and forecasts of what those would have.
#include <csignal>
#include <optional>
#include <sstream>

#include "app/child.hpp"
#include "app/processes.hpp"
#include "app/ranks.hpp"

namespace {

using namespace app_test;

std::string poisson(const std::string& more = "") {
  return more + box_of("tet", 3, 6) + poisson_of(2) + "[[material]]\nsource = \"1 + x\"\n" +
         dirichlet_on("[\"left\"]", "y");
}

/// Occurrences of a part in a text.
int times(const Result& result, const std::string& part) {
  int found = 0;
  for (std::size_t at = result.text.find(part); at != std::string::npos; at = result.text.find(part, at + 1)) ++found;
  return found;
}

/// Without what differs from call to call: memory that is free or in use.
std::vector<std::string> lines_of(const Result& result) {
  std::vector<std::string> lines;
  std::istringstream text(result.text);
  for (std::string line; std::getline(text, line);)
    if (line.find(" free") == std::string::npos && line.find("GPU ") == std::string::npos) lines.push_back(line);
  return lines;
}

TEST(RanksCheck, ForecastsWhatARunHas) {
  SKIP_WITHOUT_MPI();
  const std::string text = poisson(), deck = write_deck("forecast.toml", text);
  const Result forecast = app_test::tessera("check " + deck + " --ranks 3");
  EXPECT_EQ(forecast.code, 0) << forecast.text;
  const nlohmann::json ranks = run_on(3, "forecast", text)["ranks"];
  double least = 1e9, most = 0;
  for (const double dofs : ranks["dofs"]) least = std::min(least, dofs), most = std::max(most, dofs);
  EXPECT_TRUE(forecast.says(fmt::format("3: {:.0f} to {:.0f} dofs", least, most))) << forecast.text;
  EXPECT_TRUE(forecast.says("has the whole mesh")) << forecast.text;
  const Result in_parts = app_test::tessera("check " + deck + " --ranks 3 --set mesh.partition='\"bricks\"'");
  EXPECT_EQ(in_parts.code, 0) << in_parts.text;
  EXPECT_TRUE(in_parts.says(fmt::format("3: {:.0f} to {:.0f} dofs", least, most))) << in_parts.text;
  EXPECT_FALSE(in_parts.says("has the whole mesh")) << in_parts.text;
}

TEST(RanksCheck, ForecastsForTheRanksThatItIsStartedOn) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("started.toml", poisson());
  const Result started = on_ranks(3, "check --quiet " + deck),
               asked = app_test::tessera("check --quiet " + deck + " --ranks 3");
  EXPECT_EQ(started.code, 0) << started.text;
  EXPECT_EQ(lines_of(started), lines_of(asked)) << started.text;
  EXPECT_TRUE(started.says("for 3 ranks")) << started.text;
  const Result others = on_ranks(2, "check " + deck + " --ranks 4");
  EXPECT_EQ(others.code, 0) << others.text;
  EXPECT_TRUE(others.says("ranks      4: ")) << others.text;
  const Result one = on_ranks(1, "check " + deck);
  EXPECT_EQ(one.code, 0) << one.text;
  EXPECT_FALSE(one.says("ranks      ")) << one.text;
}

/// Whatever is wrong is said once, and every rank ends with its code: none is ended by the launcher.
TEST(RanksCheck, SaysOnceWhatIsWrong) {
  SKIP_WITHOUT_MPI();
  struct Wrong {
    std::string arguments, words;
    int code;
  };
  const std::string deck = write_deck("wrong.toml", poisson());
  for (const Wrong& wrong : {Wrong{"check " + write_deck("unknown.toml", poisson("[mash]\na = 1\n")), "mash", 2},
                             {"check " + deck + " --set mesh.box.cells=[0,1,1]", "cells", 2},
                             {"check " + deck + " --set solver.type='\"direct\"'", "direct", 2},
                             {"check " + (folder() / "nothing.toml").string(), "nothing.toml", 7},
                             {"check " + deck + " --what", "--what", 2}}) {
    const Result result = on_ranks(3, wrong.arguments);
    EXPECT_EQ(result.code, wrong.code) << result.text;
    EXPECT_EQ(times(result, "error: "), 1) << result.text;
    EXPECT_TRUE(result.says(wrong.words)) << result.text;
  }
  const std::string codes = (folder() / "codes_").string();
  const Result each = shell(mpirun + "-n 3 sh -c '" + program() + " check " + deck +
                            " --set mesh.box.cells=[0,1,1]; echo $? > " + codes + "$OMPI_COMM_WORLD_RANK'");
  EXPECT_EQ(each.code, 0) << each.text;
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(bytes_of(codes + std::to_string(rank)), "2\n") << rank;
}

TEST(RanksRun, OtherCommandsAreThoseOfTheFirstRank) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("others.toml", poisson());
  const std::string msh = (folder() / "others.msh").string(), mtx = (folder() / "others.mtx").string();
  for (const char* arguments : {"list solvers", "template heat", "schema heat", "completion bash", "--version"}) {
    const Result many = on_ranks(3, arguments);
    EXPECT_EQ(many.code, 0) << arguments;
    EXPECT_EQ(lines_of(many), lines_of(app_test::tessera(arguments))) << arguments;
  }
  const Result mesh = on_ranks(3, "mesh " + deck + " --list");
  EXPECT_EQ(mesh.code, 0) << mesh.text;
  EXPECT_EQ(times(mesh, "bottom"), times(app_test::tessera("mesh " + deck + " --list"), "bottom")) << mesh.text;
  EXPECT_EQ(on_ranks(3, "mesh " + deck + " -o " + msh).code, 0);
  EXPECT_EQ(on_ranks(3, "export " + deck + " -o " + mtx).code, 0);
  EXPECT_TRUE(fs::exists(msh) && fs::exists(mtx));
  const Result unlike = on_ranks(3, "compare " + deck + " " + msh);
  EXPECT_EQ(unlike.code, app_test::tessera("compare " + deck + " " + msh).code) << unlike.text;
  EXPECT_EQ(times(unlike, "error: "), 1) << unlike.text;
  const Result doctor = on_ranks(3, "doctor");
  EXPECT_EQ(doctor.code, 0) << doctor.text;
  EXPECT_EQ(times(doctor, "cores"), times(app_test::tessera("doctor"), "cores")) << doctor.text;
  const Result verify = on_ranks(2, "verify " + deck);
  EXPECT_EQ(verify.code, 2) << verify.text;
  EXPECT_EQ(times(verify, "was started by mpirun"), 1) << verify.text;
}

/// A deck that writes no fields, or none that are compared: verify has them written, and sees how they differ.
TEST(RanksVerify, ComparesFieldsThatTheDeckDoesNotWrite) {
  SKIP_WITHOUT_MPI();
  const std::string heat =
      box_of("tet", 3, 4) + "[physics]\ntype = \"heat\"\n" + dirichlet_on("[\"left\"]", "sin(t)") +
      "[solver]\ntolerance = 1e-3\n[time]\nend = 0.2\nstep = 0.1\n[output]\nformats = [\"csv\"]\nevery = 1\n";
  const std::string in_parts = box_of("hex", 3, 5) + "partition = \"bricks\"\n" + poisson_of(2) +
                               "[[material]]\nsource = \"exp(x*y)\"\n" + dirichlet_on(all_sides(3), "0") +
                               "[assembly]\nstrategy = \"matrix_free\"\n[solver]\ntolerance = 1e-3\n";
  const std::string nothing = "[output]\nformats = []\n", not_written = "[output]\nwrite = false\n";
  for (const std::string& text : {in_parts + nothing, in_parts + not_written, heat}) {
    const std::string deck = write_deck("verify_fields.toml", text);
    const Result apart = app_test::tessera("verify " + deck + " --ranks 2 --set run.threads=1 --rtol 0 --atol 0");
    EXPECT_EQ(apart.code, 6) << text << apart.text;
    EXPECT_TRUE(apart.says("point field 'u'")) << text << apart.text;
    const Result same = app_test::tessera("verify " + deck + " --ranks 2 --set run.threads=1 --rtol 1e-6");
    EXPECT_EQ(same.code, 0) << text << same.text;
    EXPECT_TRUE(same.says("agrees")) << text << same.text;
  }
}

/// Some run below a folder has said so. Files may go meanwhile.
bool one_says(const fs::path& below, const std::string& words) {
  std::error_code gone;
  fs::recursive_directory_iterator entry(below, gone);
  for (; !gone && entry != fs::recursive_directory_iterator(); entry.increment(gone))
    if (entry->path().extension() == ".log" && bytes_of(entry->path()).find(words) != std::string::npos) return true;
  return false;
}

/// verify of runs that do not come back on several ranks, which are there.
struct StuckVerify {
  explicit StuckVerify(const std::string& name) : temporary(folder() / name) {
    const std::string deck = write_deck("verify_stuck.toml", "[physics]\ntype = \"stuck\"\nin = \"ranks\"\n");
    const std::string plugin = (fs::path(program()).parent_path() / "plugins/stuck.so").string();
    fs::create_directories(temporary);
    setenv("TMPDIR", temporary.c_str(), 1);
    verify.emplace(std::vector<std::string>{"verify", deck, "--plugin", plugin, "--ranks", "2"});
    unsetenv("TMPDIR");
    is_there = comes_true([&] { return !verify->runs() || one_says(temporary, "stuck\n"); }) && verify->runs();
  }
  bool leaves_nothing() const {
    for (const auto& entry : fs::directory_iterator(temporary))
      if (entry.path().filename().string().starts_with("tessera_verify_")) return false;
    return comes_true([&] { return processes_with(temporary.string()).empty(); });
  }

  fs::path temporary;
  std::optional<Child> verify;
  bool is_there = false;
};

/// What it has started ends with it, and nothing of it stays: not its folder, no launcher, no rank.
TEST(RanksVerify, ThatIsEndedEndsItsRuns) {
  SKIP_WITHOUT_MPI();
  for (const auto& [signal, code] : {std::pair{SIGTERM, 143}, std::pair{SIGINT, 130}}) {
    StuckVerify stuck(fmt::format("verify_{}", code));
    ASSERT_TRUE(stuck.is_there);
    EXPECT_FALSE(processes_with(stuck.temporary.string()).empty());
    stuck.verify->send(signal);
    const Result result = stuck.verify->end();
    EXPECT_EQ(result.code, code) << result.text;
    EXPECT_TRUE(result.says("interrupted: ")) << result.text;
    EXPECT_TRUE(stuck.leaves_nothing()) << result.text;
  }
}

/// A terminal that closes ends nothing that nohup has started.
TEST(RanksVerify, DoesNotHearWhatIsIgnored) {
  SKIP_WITHOUT_MPI();
  const auto before = std::signal(SIGHUP, SIG_IGN);  // its child has that from here
  StuckVerify stuck("verify_nohup");
  std::signal(SIGHUP, before);
  ASSERT_TRUE(stuck.is_there);
  stuck.verify->send(SIGHUP);
  stuck.verify->send(SIGTERM);  // the first that it hears
  const Result result = stuck.verify->end();
  EXPECT_EQ(result.code, 143) << result.text;
  EXPECT_TRUE(stuck.leaves_nothing()) << result.text;
}

}  // namespace
