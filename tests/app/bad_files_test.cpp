// Files and names that are none: pipes, devices, halves, nests, and what is printed into nowhere.
#include <sys/stat.h>

#include <cstring>

#include "app/child.hpp"

namespace {

using namespace app_test;

const std::string poisson = R"([run]
backend = "threads"
threads = 1
[physics]
type = "poisson"
[[boundary]]
on = "left"
type = "dirichlet"
)";
const std::string whole =
    "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [4, 4], shape = \"triangle\" }\n" + poisson;

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string fifo() {
  const std::string path = (folder() / "fifo").string();
  mkfifo(path.c_str(), 0600);
  return path;
}

void expect_refused(const Result& result, int code, const std::vector<std::string>& parts) {
  expect_says(result, {"", "", code, parts});
  EXPECT_LT(result.text.size(), 2000u) << "an error message, not a dump";
}

TEST(DeepNests, OfKeysAreRefused) {
  const std::string deep = repeated("a.", 20000) + "a";
  const std::vector<std::string> parts = {"a key has more than 64 parts", "four parts at most"};
  expect_refused(app_test::tessera("check " + write_deck("deep_key.toml", deep + " = 1\n")), 2, parts);
  expect_refused(app_test::tessera("check " + write_deck("deep_quoted.toml", repeated("\"a\" . ", 20000) + "a = 1\n")),
                 2, parts);
  expect_refused(app_test::tessera("check " + write_deck("deep_table.toml", "[" + deep + "]\nx = 1\n")), 2, parts);
  expect_refused(app_test::tessera("check " + write_deck("deep_inline.toml", "a = { " + deep + " = 1 }\n")), 2, parts);
  expect_refused(app_test::tessera("check " + write_deck("shallow.toml", whole) + " --set " + deep + "=1"), 2,
                 {"64 parts"});
  expect_refused(app_test::tessera("check " + write_deck("deep_list.toml", "a = " + repeated("[", 20000))), 2, {"256"});
  // Dots in strings and comments are no keys.
  const std::string dots = "title = \"" + repeated("a.", 200) + "\" # " + repeated("a.", 200) + "\n";
  EXPECT_EQ(app_test::tessera("check --quiet " + write_deck("dots.toml", dots + whole)).code, 0);
}

TEST(Json, ThatIsNoneIsRefused) {
  auto compare = [](const std::string& text) {
    const std::string file = write_deck("wrong.json", text);
    return app_test::tessera("compare " + file + " " + file);
  };
  expect_refused(compare(repeated("[", 200000) + repeated("]", 200000)), 7, {"deeper than 100 levels"});
  expect_refused(compare(repeated("{\"a\":", 200000) + "1" + repeated("}", 200000)), 7, {"deeper than 100 levels"});
  expect_refused(compare("{\"a\": 1e400}"), 7, {"beyond the range of double", "1e400"});
  expect_refused(compare("{\"a\": "), 7, {"it is not JSON"});
}

TEST(Vtu, WithAbsurdCountsIsRefused) {
  const fs::path out = folder() / "vtu";
  ASSERT_EQ(app_test::tessera("run --quiet " + write_deck("vtu.toml", whole) + " --output " + out.string()).code, 0);
  std::ifstream in(out / "solution.vtu", std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(in), {});
  auto compare = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    const std::string file = write_deck("bad.vtu", bad);
    return app_test::tessera("compare " + file + " " + (out / "solution.vtu").string());
  };
  expect_refused(compare("NumberOfPoints=\"25\"", "NumberOfPoints=\"999999999999\""), 7, {"claims NumberOfPoints"});
  expect_refused(compare("NumberOfCells=\"32\"", "NumberOfCells=\"9e30\""), 7, {"claims NumberOfCells"});
  expect_refused(compare("NumberOfCells=\"32\"", "NumberOfCells=\"-5\""), 7, {"claims NumberOfCells = -5"});
  expect_refused(compare("NumberOfComponents=\"3\"", "NumberOfComponents=\"2000000000\""), 7, {"NumberOfComponents"});
  expect_refused(compare("offset=\"0\"", "offset=\"99999999\""), 7, {"claims more bytes than the file has"});
  // The number of compressed blocks of the first array, behind the underscore.
  std::string bad = good;
  std::memset(bad.data() + bad.find('_', bad.find("<AppendedData")) + 1, 0x7f, 4);
  const std::string file = write_deck("blocks.vtu", bad);
  expect_refused(app_test::tessera("compare " + file + " " + file), 7, {"claims more bytes than the file has"});
}

TEST(Plugin, ThatIsNoWholeLibraryIsRefused) {
  const std::string deck = write_deck("plugin.toml", whole);
  const fs::path good = fs::path(program()).parent_path() / "plugins/l2_projection.so";
  std::ifstream in(good, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  for (const double part : {0.99, 0.9, 0.5, 0.1}) {
    const std::string half =
        write_deck("half.so", bytes.substr(0, static_cast<std::size_t>(part * double(bytes.size()))));
    expect_refused(app_test::tessera("run " + deck + " --plugin " + half), 7, {"half.so: it is cut off"});
  }
  expect_refused(app_test::tessera("run " + deck + " --plugin " + write_deck("text.so", "text")), 7,
                 {"no shared library"});
  expect_refused(app_test::tessera("run " + deck + " --plugin " + program()), 7, {"plugin"});
  expect_refused(app_test::tessera("run " + deck + " --plugin /dev/zero"), 7,
                 {"'/dev/zero' is a device, not a plugin"});
  expect_refused(app_test::tessera("run " + deck + " --plugin " + fifo()), 7, {"is a pipe, not a plugin"});
  expect_refused(app_test::tessera("run " + deck + " --plugin ''"), 2, {"--plugin", "empty"});
}

TEST(PipesAndDevices, AreNoDecksMeshesOrResults) {
  expect_refused(app_test::tessera("run /dev/zero"), 7,
                 {"'/dev/zero' is a device, not a deck", "- for standard input"});
  expect_refused(app_test::tessera("run " + fifo()), 7, {"fifo' is a pipe, not a deck"});
  expect_refused(app_test::tessera("run ''"), 2, {"the name of the deck is empty"});
  expect_refused(app_test::tessera("run x.toml --output ''"), 2, {"--output", "empty"});
  for (const std::string& file : {fifo(), std::string("/dev/zero")}) {
    const std::string deck = write_deck("device.toml", "[mesh]\nfile = \"" + file + "\"\n" + poisson);
    expect_refused(app_test::tessera("check " + deck), 7, {"not a mesh file", "device.toml:2:8"});
    expect_refused(app_test::tessera("spmv " + file), 7, {"not a matrix file"});
  }
  const std::string json = (folder() / "fifo.json").string();
  mkfifo(json.c_str(), 0600);
  expect_refused(app_test::tessera("compare " + json + " " + json), 7, {"fifo.json' is a pipe, not a file"});
  EXPECT_EQ(shell("head -c 20000000 /dev/zero | " + program() + " run -").code, 7);
}

TEST(Names, WithControlCharactersDoNotBreakMessages) {
  Child child({"run", "no\nsuch\033[2Jdeck.toml"});
  const Result result = child.end();
  EXPECT_EQ(result.code, 7);
  EXPECT_TRUE(result.says("error: there is no deck 'no\\nsuch\\x1b[2Jdeck.toml'\n")) << result.text;
  write_deck("two\nlines.toml", "[mesh]\nwrong = 1\n[physics]\ntype = \"poisson\"\n");
  Child second({"check", (folder() / "two\nlines.toml").string()});
  const Result placed = second.end();
  EXPECT_EQ(placed.code, 2);
  EXPECT_TRUE(placed.says("two\\nlines.toml:2:1")) << placed.text;
}

TEST(Msh, ANegativeTagIsCalledByItsName) {
  const std::string nodes = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n";
  const std::string cells = "3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 2 1 1 1 2 ";
  auto check = [&](const std::string& name, const std::string& text) {
    write_deck(name + ".msh", text);
    return app_test::tessera("check " + write_deck(name + ".toml", "[mesh]\nfile = \"" + name + ".msh\"\n" + poisson));
  };
  const std::string bad_node = nodes + "-7 0 1 0\n$EndNodes\n$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n";
  expect_refused(check("negative_node", bad_node), 3, {"a node with the tag -7"});
  expect_refused(check("negative_corner", nodes + cells + "-7\n$EndElements\n"), 3, {"names the node -7"});
}

class LostOutput : public ::testing::TestWithParam<const char*> {};

TEST_P(LostOutput, IsAnErrorOfTheFileSystem) {
  const std::string deck = write_deck("lost.toml", whole);
  const fs::path out = folder() / "lost";
  write_deck("lost.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n");
  std::string command = GetParam();
  for (const auto& [name, path] :
       {std::pair{std::string("DECK"), deck}, {"OUT", out.string()}, {"MTX", (folder() / "lost.mtx").string()}})
    for (std::size_t at; (at = command.find(name)) != std::string::npos;) command.replace(at, name.size(), path);
  const std::string program_with = program() + " " + command;
  if (command.starts_with("compare")) {
    ASSERT_EQ(app_test::tessera("run --quiet " + deck + " --output " + out.string()).code, 0);
  }
  const Result full = shell("(" + program_with + " > /dev/full)");
  EXPECT_EQ(full.code, 7) << full.text;
  EXPECT_TRUE(full.says("error: cannot write to standard output")) << full.text;
  EXPECT_TRUE(full.says("help: ")) << full.text;
  EXPECT_FALSE(full.says("internal")) << full.text;
  const Result closed = shell("(" + program_with + " >&-)");
  EXPECT_EQ(closed.code, 7) << closed.text;
  if (command.starts_with("run /")) {
    EXPECT_EQ(summary_in(out)["status"], "ok");
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, LostOutput,
                         ::testing::Values("list", "list physics", "template poisson", "schema poisson", "doctor",
                                           "--help", "--version", "run --help", "check DECK", "run DECK --output OUT",
                                           "mesh DECK -o OUT.msh", "compare OUT/summary.json OUT/summary.json",
                                           "spmv MTX --repeat 1 --backend threads"));

/// Whatever reads the standard output has closed its end before anything is written: deterministic, unlike `| head`.
TEST(ClosedPipe, EndsInSilence) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const std::string errors = (folder() / "closed_pipe.txt").string();
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (!freopen(errors.c_str(), "w", stderr)) _exit(99);
    execl(program().c_str(), "tessera", "list", static_cast<char*>(nullptr));
    _exit(99);
  }
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "died of a signal";
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(fs::file_size(errors), 0u);
}

}  // namespace
