// Runs the built program as a user does: exit codes and what it says.
#include <algorithm>
#include <sstream>

#include "app/program.hpp"

namespace {

using namespace app_test;

/// A square, u = x: solved in no time.
std::string small_deck(int cells = 8) {
  return write_deck("small_" + std::to_string(cells) + ".toml", R"(title = "A square"
[mesh]
box = { min = [0, 0], max = [1, 1], cells = [)" + std::to_string(cells) +
                                                                    ", " + std::to_string(cells) +
                                                                    R"(], shape = "triangle" }
[run]
backend = "threads"
[physics]
type = "poisson"
[[boundary]]
on = ["left", "right"]
type = "dirichlet"
value = "x"
[output]
directory = ")" + (folder() / "out").string() + R"("
)");
}

TEST(CommandLine, HelpAndVersion) {
  EXPECT_EQ(app_test::tessera("--version").code, 0);
  EXPECT_TRUE(app_test::tessera("--version").says("tessera 0."));
  const Result help = app_test::tessera("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"run", "check", "list", "template", "schema", "mesh", "compare", "restart", "doctor"})
    EXPECT_TRUE(help.says(std::string("  ") + command)) << command;
  EXPECT_TRUE(app_test::tessera("run --help").says("--backend"));
  EXPECT_EQ(app_test::tessera("").code, 2);
}

/// Most of the time of a start was the loading of Gmsh's libraries, which only files of meshes and geometries need.
TEST(CommandLine, ProgramStartsWithoutGmsh) {
  const Result needed = shell("ldd " + program());
  ASSERT_TRUE(needed.says("libc.so")) << needed.text;
  EXPECT_FALSE(needed.says("libgmsh")) << needed.text;
}

TEST(CommandLine, HelpIsShortAndOfItsCommand) {
  const std::string run_help = app_test::tessera("run --help").text;
  EXPECT_EQ(app_test::tessera("help run").text, run_help);
  EXPECT_EQ(app_test::tessera("help").text, app_test::tessera("--help").text);
  EXPECT_EQ(app_test::tessera("-V").text, app_test::tessera("--version").text);
  EXPECT_EQ(app_test::tessera("help rnu").code, 2);
  for (const char* command : {"run", "check", "list", "template", "schema", "mesh", "compare", "restart", "spmv",
                              "doctor", "completion", "help"}) {
    const std::string help = app_test::tessera(std::string(command) + " --help").text;
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 20) << help;
    EXPECT_EQ(help.find("Exit codes"), std::string::npos) << help;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

TEST(CommandLine, ADeckFromStandardInput) {
  const fs::path out = folder() / "stdin";
  const Result result =
      shell(program() + " template poisson | " + program() + " run - --quiet --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(summary_in(out)["deck"], "<stdin>");
  const Result wrong = shell("echo 'wrong = 1' | " + program() + " check -");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(wrong.says("<stdin>")) << wrong.text;
  EXPECT_EQ(shell(program() + " check - <&-").code, 7);
  // Paths are relative to where the user is.
  write_deck("here.geo", "");
  const Result here = shell("cd " + folder().string() +
                            " && printf '[mesh]\nfile = \"none.geo\"\n[physics]\ntype = "
                            "\"poisson\"\n[[boundary]]\non = \"a\"\ntype = \"dirichlet\"\n' | " +
                            program() + " check -");
  EXPECT_TRUE(here.says((folder() / "none.geo").string() + " does not exist")) << here.text;
}

TEST(CommandLine, AnUnknownCommandNamesTheNearest) {
  const Result result = app_test::tessera("rnu deck.toml");
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.says("error: unknown command 'rnu'")) << result.text;
  EXPECT_TRUE(result.says("help: did you mean 'run'")) << result.text;
}

TEST(CommandLine, AnUnknownOptionNamesTheNearest) {
  const Result result = app_test::tessera("run deck.toml --bakend cuda");
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.says("unknown option '--bakend' of run")) << result.text;
  EXPECT_TRUE(result.says("did you mean '--backend'")) << result.text;
}

TEST(CommandLine, MissingAndSuperfluousArguments) {
  EXPECT_EQ(app_test::tessera("run").code, 2);
  EXPECT_EQ(app_test::tessera("run a.toml b.toml").code, 2);
  const Result negative = app_test::tessera("run a.toml --threads -3");
  EXPECT_EQ(negative.code, 2);
  EXPECT_TRUE(negative.says("error: tessera run: --threads: '-3' is not a number of 0 or more\n")) << negative.text;
  EXPECT_EQ(app_test::tessera("mesh a.toml").code, 2);
}

TEST(CommandLine, AMissingDeckIsAFileSystemError) {
  const Result result = app_test::tessera("run /nonexistent/deck.toml");
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("/nonexistent/deck.toml"));
}

TEST(CommandLine, AnUnknownPhysicsNamesTheNearest) {
  const Result result = app_test::tessera("run " + small_deck() + " --set physics.type='\"poison\"'");
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("'poison'")) << result.text;
  EXPECT_TRUE(result.says("did you mean 'poisson'")) << result.text;
  EXPECT_EQ(app_test::tessera("template poison").code, 2);
}

TEST(CommandLine, AnUnknownKeyShowsItsPlace) {
  const std::string deck = write_deck("typo.toml",
                                      "[mesh]\nbox = { min = [0], max = [1], cells = [4], shape = \"interval\" }\n"
                                      "[physics]\ntype = \"poisson\"\noder = 2\n");
  const Result result = app_test::tessera("check " + deck);
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("typo.toml:5:1")) << result.text;
  EXPECT_TRUE(result.says("did you mean 'order'")) << result.text;
}

TEST(List, ShowsEveryTableAndRefusesOthers) {
  EXPECT_TRUE(app_test::tessera("list physics").says("poisson"));
  EXPECT_TRUE(app_test::tessera("list solvers").says("cg"));
  EXPECT_TRUE(app_test::tessera("list preconditioners").says("jacobi"));
  const Result all = app_test::tessera("list");
  EXPECT_EQ(all.code, 0);
  for (const char* category : {"physics:", "solvers:", "preconditioners:", "formats:", "strategies:", "quantities:"})
    EXPECT_TRUE(all.says(category)) << category;
  const Result wrong = app_test::tessera("list solver");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(wrong.says("did you mean 'solvers'")) << wrong.text;
}

TEST(Template, RunsAsItIs) {
  const Result deck = app_test::tessera("template poisson");
  ASSERT_EQ(deck.code, 0);
  const std::string file = write_deck("template.toml", deck.text);
  const Result result = app_test::tessera("run " + file + " --quiet --output " + (folder() / "template").string());
  EXPECT_EQ(result.code, 0) << result.text;
}

TEST(Template, StartsWithItsSchemaAndShowsTrueDefaults) {
  for (const std::string physics : {"poisson", "convection_diffusion", "two_point_bvp"}) {
    const std::string text = app_test::tessera("template " + physics).text;
    EXPECT_TRUE(text.starts_with("#:schema ./" + physics + ".schema.json\n")) << text;
    const auto schema = nlohmann::json::parse(app_test::tessera("schema " + physics).text);
    // "# key = value   # help": what stands behind a comment is the default, or is said to be none.
    std::istringstream lines(text);
    std::string line, section;
    std::vector<std::string> all;
    while (std::getline(lines, line)) all.push_back(line);
    int seen = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string& here = all[i];
      if (const std::size_t open = here.find('['); open <= 2 && here.find(']') != std::string::npos)
        section = here.substr(here.find_first_not_of("# ["), here.find(']') - here.find_first_not_of("# ["));
      const std::size_t equals = here.find(" = ");
      if (!here.starts_with("# ") || here[2] == ' ' || equals == std::string::npos || equals > 40) continue;
      std::string comment;
      for (std::size_t k = i; k < all.size() && (k == i || all[k].starts_with("      ")); ++k)
        comment += all[k].substr(all[k].rfind("# ") + 1);
      const std::string key = here.substr(2, here.find(' ', 2) - 2);
      if (here.find_first_not_of(' ', 2 + key.size()) != equals + 1) continue;  // a sentence
      std::string value = here.substr(equals + 3, here.find("  #", equals) - equals - 3);
      value.resize(value.find_last_not_of(' ') + 1);
      auto properties = schema["properties"][section];
      if (properties.contains("items")) properties = properties["items"];
      const auto& described = properties["properties"][key];
      const bool none =
          comment.find("no default") != std::string::npos || comment.find("required)") != std::string::npos;
      ++seen;
      if (none) continue;
      EXPECT_NE(comment.find("default " + value + ")"), std::string::npos) << here << "\n" << comment;
      if (described.contains("default")) {
        EXPECT_EQ(described["default"], nlohmann::json::parse(value)) << section << "." << key;
      }
    }
    EXPECT_GT(seen, 10) << physics;
  }
}

TEST(Schema, IsJson) {
  const auto json = nlohmann::json::parse(app_test::tessera("schema poisson").text, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_TRUE(json.contains("properties"));
}

TEST(Doctor, NamesLibrariesAndTheChoice) {
  const Result result = app_test::tessera("doctor");
  EXPECT_EQ(result.code, 0);
  for (const char* part :
       {"Gmsh", "VTK", "METIS", "Eigen", "muParser", "toml++", "auto", "compiler", "cores", "memory"})
    EXPECT_TRUE(result.says(part)) << part;
}

TEST(Run, WritesASummaryAndComparesWithItself) {
  const fs::path a = folder() / "a", b = folder() / "b";
  ASSERT_EQ(app_test::tessera("run " + small_deck() + " --output " + a.string()).code, 0);
  ASSERT_EQ(app_test::tessera("run " + small_deck() + " --quiet --output " + b.string()).code, 0);
  const auto summary = summary_in(a);
  EXPECT_EQ(summary["status"], "ok");
  EXPECT_EQ(summary["title"], "A square");
  EXPECT_TRUE(summary["solver"]["converged"].get<bool>());
  EXPECT_FALSE(summary["phases"].empty());
  const Result same =
      app_test::tessera("compare " + (a / "summary.json").string() + " " + (b / "summary.json").string());
  EXPECT_EQ(same.code, 0) << same.text;
  // Twice the same run: bitwise the same fields.
  for (const auto& entry : fs::directory_iterator(a))
    if (entry.path().extension() == ".vtu") {
      const Result fields = app_test::tessera("compare --rtol 0 --atol 0 " + entry.path().string() + " " +
                                              (b / entry.path().filename()).string());
      EXPECT_EQ(fields.code, 0) << fields.text;
    }
  ASSERT_EQ(app_test::tessera("run " + small_deck(16) + " --quiet --output " + b.string()).code, 0);
  EXPECT_EQ(app_test::tessera("compare " + (a / "summary.json").string() + " " + (b / "summary.json").string()).code,
            6);
}

TEST(Compare, ShowsDifferencesOnlyAndTakesFolders) {
  const fs::path a = folder() / "compare_a", b = folder() / "compare_b";
  const std::string formats = " --set 'output.formats=[\"vtu\",\"csv\"]'";
  for (const fs::path& out : {a, b})
    ASSERT_EQ(app_test::tessera("run " + small_deck() + " --quiet --output " + out.string() + formats).code, 0);
  const std::string folders = a.string() + " " + b.string();
  const Result same = app_test::tessera("compare " + folders);
  EXPECT_EQ(same.code, 0) << same.text;
  EXPECT_TRUE(same.text.starts_with("no difference in ")) << same.text;
  EXPECT_EQ(app_test::tessera("compare --quiet " + folders).text, "");
  const Result all = app_test::tessera("compare --all " + folders);
  for (const char* item : {"summary.json: quantities", "solution.vtu: points", "solution.csv: column 'u'", "same "})
    EXPECT_TRUE(all.says(item) || std::string(item) == "summary.json: quantities") << item << all.text;
  ASSERT_EQ(app_test::tessera("run " + small_deck() + " --quiet --output " + b.string() + formats +
                              " --set 'boundary.0.value=\"1.001*x\"'")
                .code,
            0);
  const Result differs = app_test::tessera("compare " + folders);
  EXPECT_EQ(differs.code, 6);
  EXPECT_TRUE(differs.says("solution.vtu: point field 'u'")) << differs.text;
  EXPECT_TRUE(differs.says("solution.csv: column 'u'")) << differs.text;
  EXPECT_FALSE(differs.says("points")) << differs.text;  // of what agrees not a word
  EXPECT_FALSE(differs.says("same")) << differs.text;
  fs::remove(b / "solution.csv");
  EXPECT_TRUE(app_test::tessera("compare " + folders).says("solution.csv  ")) << "a file that is missing";
  const Result missing = app_test::tessera("compare " + b.string() + " " + folder().string() + "/a_folder_without");
  EXPECT_EQ(missing.code, 7);
  EXPECT_TRUE(missing.says("there is no file or folder " + folder().string() + "/a_folder_without")) << missing.text;
  EXPECT_EQ(app_test::tessera("compare " + a.string() + " " + (b / "solution.vtu").string()).code, 2);
  fs::create_directories(folder() / "empty_folder");
  EXPECT_EQ(app_test::tessera("compare " + (folder() / "empty_folder").string() + " " + b.string()).code, 7);
}

TEST(Compare, LeavesTimesOutAlsoThoseOfMultigrid) {
  const fs::path a = folder() / "times_a", b = folder() / "times_b";
  for (const fs::path& out : {a, b})
    ASSERT_EQ(app_test::tessera("run " + small_deck() + " --quiet --set 'solver.preconditioner=\"amg\"' --output " +
                                out.string())
                  .code,
              0);
  const Result same = app_test::tessera("compare " + a.string() + " " + b.string());
  EXPECT_EQ(same.code, 0) << same.text;
}

TEST(Run, SaysWhereAnExpressionOfTimeStands) {
  const Result result = app_test::tessera("run " + small_deck() + " --quiet --set 'boundary.0.value=\"t\"'");
  EXPECT_TRUE(result.says("warning: --set boundary.0.value=\"t\": the expression 't' depends on t")) << result.text;
}

TEST(Run, QuietPrintsNothing) { EXPECT_EQ(app_test::tessera("run --quiet " + small_deck()).text, ""); }

TEST(Run, AFailedRunLeavesItsErrorInTheSummary) {
  const fs::path out = folder() / "failed";
  const Result result =
      app_test::tessera("run " + small_deck() + " --set boundary.0.on='[\"lid\"]' --output " + out.string());
  EXPECT_TRUE(result.code == 2 || result.code == 3) << result.text;
  EXPECT_TRUE(result.says("lid")) << result.text;
  const auto summary = summary_in(out);
  EXPECT_EQ(summary["status"], "error");
  EXPECT_EQ(summary["exit_code"], result.code);
  EXPECT_NE(summary["error"].get<std::string>().find("lid"), std::string::npos);
}

TEST(Run, IntoAFolderThatCannotBeMadeIsAFileSystemError) {
  const Result result = app_test::tessera("run " + small_deck() + " --output /proc/tessera/out");
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("/proc/tessera/out"));
}

TEST(Run, OntoAFullDiskIsAFileSystemError) {
  const Result result = shell("ulimit -f 4; exec " + program() + " run " + small_deck(64) + " --quiet --output " +
                              (folder() / "full").string());
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("cannot write " + (folder() / "full/solution.vtu").string())) << result.text;
  EXPECT_TRUE(result.says("space left")) << result.text;
  for (const auto& entry : fs::directory_iterator(folder() / "full"))
    EXPECT_EQ(entry.path().extension(), ".json") << entry.path();
}

TEST(Run, UnknownBackendOrPlugin) {
  EXPECT_EQ(app_test::tessera("run " + small_deck() + " --backend gpu").code, 2);
  EXPECT_EQ(app_test::tessera("run " + small_deck() + " --plugin /nonexistent.so").code, 7);
}

TEST(Run, APluginBringsItsPhysics) {
  const std::string plugins = (fs::path(program()).parent_path() / "plugins/").string();
  const std::string run = "run " + (source() / "docs/examples/plugin/l2_projection.toml").string() + " --output " +
                          (folder() / "plugin").string();
  EXPECT_EQ(app_test::tessera(run).code, 2) << "the program itself must not know l2_projection";
  const Result result = app_test::tessera(run + " --plugin " + plugins + "l2_projection.so");
  EXPECT_EQ(result.code, 0) << result.text;
  const Result wrong = app_test::tessera(run + " --plugin " + plugins + "wrong_version.so");
  EXPECT_EQ(wrong.code, 2) << wrong.text;
}

TEST(Run, APluginHasWhatTheDriverGivesEveryModel) {
  const std::string plugin = " --plugin " + (fs::path(program()).parent_path() / "plugins/l2_projection.so").string();
  const fs::path out = folder() / "plugin_all";
  const std::string to_out = " --output " + out.string();
  const std::string deck = write_deck("plugin_all.toml", R"(title = "all"
[mesh]
box = { cells = [4, 4], shape = "quad" }
[run]
backend = "threads"
[physics]
type = "l2_projection"
f = "x + y"
[exact]
u = "x + y"
[output]
formats = ["vtu", "csv"]
[[quantity]]
name = "mean"
kind = "average"
[[line]]
name = "diagonal"
from = [0, 0]
to = [1, 1]
points = 3
)") + plugin;
  const Result run = app_test::tessera("run " + deck + to_out);
  ASSERT_EQ(run.code, 0) << run.text;
  const auto summary = summary_in(out);
  EXPECT_NEAR(summary["quantities"]["mean"], 1, 1e-7);
  EXPECT_LE(summary["errors"]["u"]["l2"], 1e-7);
  EXPECT_EQ(summary["title"], "all");
  for (const char* file : {"solution.vtu", "solution.csv", "diagonal.csv"}) EXPECT_TRUE(fs::exists(out / file)) << file;
  const Result check = app_test::tessera("check " + deck);
  EXPECT_EQ(check.code, 0) << check.text;
  EXPECT_TRUE(check.says("25 dofs")) << check.text;
  const Result exported = app_test::tessera("export " + deck + " -o " + (folder() / "plugin_all.mtx").string());
  EXPECT_EQ(exported.code, 0) << exported.text;
  EXPECT_TRUE(exported.says("25 x 25")) << exported.text;
  EXPECT_EQ(app_test::tessera("run " + deck + to_out + " --set solver.max_iterations=1").code, 4);
  EXPECT_EQ(app_test::tessera("run " + deck + to_out + " --set 'output.fields=[\"flux\"]'").code, 2);
}

TEST(Check, ReportsWithoutSolving) {
  const fs::path out = folder() / "unsolved";
  const Result result = app_test::tessera("check " + small_deck() + " --output " + out.string());
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("81")) << result.text;  // nodes
  EXPECT_FALSE(fs::exists(out));
}

TEST(Mesh, WritesAFileThatRunsAgain) {
  const std::string msh = (folder() / "square.msh").string();
  const Result result = app_test::tessera("mesh " + small_deck() + " -o " + msh);
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("81 nodes")) << result.text;
  const std::string deck = write_deck("again.toml",
                                      "[mesh]\nfile = \"square.msh\"\n[physics]\ntype = \"poisson\"\n[[boundary]]\n"
                                      "on = \"left\"\ntype = \"dirichlet\"\nvalue = 1\n");
  const Result again = app_test::tessera("check " + deck);
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_TRUE(again.says("81")) << again.text;
  EXPECT_EQ(app_test::tessera("mesh " + small_deck() + " -o square.xyz").code, 2);
}

TEST(Restart, SaysThatThereIsNothingToRestart) {
  const fs::path out = folder() / "restart";
  ASSERT_EQ(app_test::tessera("run " + small_deck() + " --quiet --output " + out.string()).code, 0);
  const Result result = app_test::tessera("restart " + out.string());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.says("solve a stationary problem again")) << result.text;
  EXPECT_TRUE(result.says("small_8.toml")) << result.text;
  EXPECT_EQ(app_test::tessera("restart /nonexistent").code, 7);
  const Result nowhere = app_test::tessera("restart ''");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(nowhere.says("the name of the folder is empty")) << nowhere.text;
}

TEST(Docs, WriteTheDeckReference) {
  const fs::path file = folder() / "deck.md";
  ASSERT_EQ(app_test::tessera("docs " + file.string()).code, 0);
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("tolerance"), std::string::npos);
}

}  // namespace
