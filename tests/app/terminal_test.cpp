// What a user sees on a terminal, and what a log gets instead.
#include "app/child.hpp"
#include "app/progress.hpp"

namespace {

using namespace app_test;

/// The lines of a terminal after it has shown `bytes`; knows \r, \n and the erasing of a line.
std::vector<std::string> screen(const std::string& bytes) {
  std::vector<std::string> lines(1);
  std::size_t column = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string& line = lines.back();
    if (bytes[i] == '\r') {
      column = 0;
    } else if (bytes[i] == '\n') {
      lines.emplace_back();
      column = 0;
    } else if (bytes.compare(i, 3, "\033[K") == 0) {
      line.resize(std::min(line.size(), column));
      i += 2;
    } else if (bytes[i] == '\033') {  // colours
      i = bytes.find('m', i);
    } else {
      line.resize(std::max(line.size(), column + 1), ' ');
      line[column++] = bytes[i];
    }
  }
  return lines;
}

std::string square(int cells) {
  const std::string n = std::to_string(cells);
  return write_deck("terminal_" + n + ".toml",
                    "title = \"A square\"\n[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [" + n + ", " + n +
                        R"(], shape = "triangle" }
[run]
backend = "threads"
[physics]
type = "poisson"
[[material]]
source = 1
[[boundary]]
on = ["left", "right"]
type = "dirichlet"
[[quantity]]
name = "u_max"
kind = "max"
)");
}

TEST(Terminal, OneLiveLineAPhaseNeverGluedToAMessage) {
  Child run({"run", square(60), "--output", (folder() / "terminal").string()}, Child::Words::terminal);
  const Result result = run.end();
  ASSERT_EQ(result.code, 0) << result.text;
  for (const char* phase :
       {"mesh      generating", "check     cells", "assemble  cells", "solve     iteration ", "write"})
    EXPECT_TRUE(result.says(std::string("\r\033[K") + phase)) << phase << "\n" << result.text;
  EXPECT_TRUE(result.says(", residual ")) << result.text;
  for (const std::string& line : screen(result.text)) {
    for (const char* message : {"info: ", "u_max = ", "results in "})
      if (const std::size_t at = line.find(message); at != std::string::npos) {
        EXPECT_EQ(at, 0u) << line;
      }
    // A live line is gone when the next thing is said; rows of the closing table are indented.
    for (const char* phase : {"mesh  ", "check  ", "assemble  ", "solve  ", "write  ", "evaluate  "})
      EXPECT_FALSE(line.starts_with(phase)) << line;
  }
}

TEST(Terminal, AnInterruptIsALineOfItsOwn) {
  const std::string deck = write_deck("stuck_on_terminal.toml", "[physics]\ntype = \"stuck\"\nin = \"loop\"\n");
  const std::string plugin = (fs::path(program()).parent_path() / "plugins/stuck.so").string();
  Child run({"run", deck, "--plugin", plugin, "--output", (folder() / "terminal_stuck").string()},
            Child::Words::terminal);
  ASSERT_TRUE(run.wait_for("stuck"));
  run.send(SIGINT);
  const Result result = run.end();
  EXPECT_EQ(result.code, 130) << result.text;
  const auto lines = screen(result.text);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "interrupted: stopping; once more to end at once"), lines.end())
      << result.text;
}

TEST(Log, HasPlainLinesAndStandardOutputTheNumbers) {
  const std::string out = folder() / "log", log = out + ".txt", numbers = out + "_numbers.txt";
  const Result result =
      shell("(" + program() + " run " + square(20) + " --output " + out + " 2>" + log + " >" + numbers + ")");
  ASSERT_EQ(result.code, 0);
  auto text_of = [](const std::string& file) {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(text_of(log).find('\033'), std::string::npos);
  EXPECT_EQ(text_of(log).find('\r'), std::string::npos);
  EXPECT_EQ(text_of(log).find("u_max"), std::string::npos);
  const std::string table = text_of(numbers);
  EXPECT_TRUE(table.starts_with("u_max = 0.12")) << table;
  for (const char* part : {"  dofs             441\n", "  iterations ", "  phase               seconds     GB/s\n",
                           "  solve     ", "  assemble   ", "  together ", "  peak memory      host "})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
}

/// A progress whose clock and lines are the test's.
struct Shown {
  double now = 100;
  std::vector<std::string> live, lines;
  tessera::app::ProgressOutput output(bool terminal) {
    return {.silent = false,
            .terminal = terminal,
            .show_live = [this](std::string_view line) { live.emplace_back(line); },
            .clear_live = [] {},
            .write_line = [this](std::string_view line) { lines.emplace_back(line); },
            .seconds = [this] { return now; },
            .own_thread = false};
  }
};

TEST(Progress, ShowsTheTimeLeftOfAPhase) {
  Shown shown;
  tessera::app::Progress progress(shown.output(true));
  progress.begin("mesh.read");
  EXPECT_EQ(shown.live.back(), "mesh      reading");
  progress.end("mesh.read");
  shown.now += 50;  // of other phases: does not count
  progress.begin("solve");
  shown.now += 10;
  progress(0.25, "iteration 7, residual 1.00e-02");
  EXPECT_EQ(shown.live.back(),
            "solve     iteration 7, residual 1.00e-02  [#####               ]  25 %  0:10, about 0:30 left");
  progress(0.26, "too soon to draw again");
  EXPECT_EQ(shown.live.size(), 3u);
  shown.now += 0.2;
  progress.tick();
  EXPECT_NE(shown.live.back().find("too soon to draw again"), std::string::npos);
  progress.end("solve");
  EXPECT_TRUE(shown.lines.empty());
}

/// Steps of several phases each, none of which lasts: where nobody sees a line of it a run through time seems to stand.
TEST(Progress, OfStepsStaysWhileTheirPhasesComeAndGo) {
  for (const bool terminal : {true, false}) {
    Shown shown;
    tessera::app::Progress progress(shown.output(terminal));
    for (int step = 1; step <= 50; ++step) {
      for (const char* phase : {"assemble", "solve"}) {
        progress.begin(phase);
        progress.tick();
        shown.now += 0.5;
        progress.end(phase);
      }
      progress(0.5 + 0.01 * step, "t = " + std::to_string(step));  // it goes on from a checkpoint
      if (step == 1) continue;
      const std::vector<std::string>& lines = terminal ? shown.live : shown.lines;
      EXPECT_EQ(lines.empty(), !terminal && step < 11) << step;
      if (step == 26 && terminal) {
        EXPECT_EQ(lines.back(), "steps     t = 26  [###############     ]  76 %  0:25, about 0:24 left");
      }
    }
    if (!terminal) {
      ASSERT_EQ(shown.lines.size(), 4u);
      EXPECT_EQ(shown.lines[1], "steps     t = 21  71 %  0:20, about 0:29 left");
    }
    progress.begin("post");
    shown.now += 20;
    progress.tick();
    const std::vector<std::string>& lines = terminal ? shown.live : shown.lines;
    EXPECT_EQ(lines.back(), "evaluate  errors and quantities  0:20");  // they are through
  }
}

TEST(Progress, WithoutATerminalWritesALineEveryTenSeconds) {
  Shown shown;
  tessera::app::Progress progress(shown.output(false));
  progress.begin("solve.factorise");
  shown.now += 9;
  progress.tick();
  EXPECT_TRUE(shown.lines.empty());
  shown.now += 2;
  progress.tick();
  progress.tick();
  ASSERT_EQ(shown.lines.size(), 1u);
  EXPECT_EQ(shown.lines[0], "factorise matrix  0:11");
  EXPECT_TRUE(shown.live.empty());
}

}  // namespace
