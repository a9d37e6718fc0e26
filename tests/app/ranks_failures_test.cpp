// Ranks of which one fails, and parts of a mesh that are not what one expects.
#include <chrono>

#include "app/parted.hpp"

namespace {

using namespace app_test;

/// Occurrences of a part in a text.
int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string laplace(const std::string& shape, int dim, int cells) {
  return box_of(shape, dim, cells) + poisson_of(1) + "[[material]]\nsource = \"1 + x\"\n" +
         dirichlet_on("[\"left\"]", "y") + "[solver]\ntolerance = 1e-13\n";
}

/// Two ranks of one deck, the second of which is started by a shell that runs `before` first. Without shared memory,
/// whose files are larger than a small disk.
Result with_second(const std::string& before, const std::string& deck, const fs::path& out) {
  const std::string run =
      program() + " run " + deck + " --quiet --backend threads --threads 1 --output " + out.string();
  return shell(mpirun + "--mca btl self,tcp -n 1 " + run + " : -n 1 sh -c '" + before + "; exec " + run + "'");
}

/// A run without end that is not ended fails, and does not stop the tests.
const std::string within_minutes = "timeout -k 5 400 env ";

/// The disk of one rank is full: said once, with its name and the file, and nothing passes for the whole.
TEST(RanksFailure, ADiskFullOnOneRankIsSaidOnce) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("one_disk.toml", laplace("triangle", 2, 96) + "[output]\nformats = [\"pvtu\"]\n");
  const fs::path out = folder() / "one_disk";
  const Result result = with_second("ulimit -f 16", deck, out);
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_EQ(count(result.text, "error: "), 1) << result.text;
  EXPECT_TRUE(result.says("rank 1 of 2")) << result.text;
  EXPECT_TRUE(result.says("solution_1.vtu")) << result.text;
  for (const auto& entry : fs::directory_iterator(out)) EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  for (const char* none : {"solution_1.vtu", "solution.pvtu"}) EXPECT_FALSE(fs::exists(out / none)) << none;
  EXPECT_EQ(summary_in(out)["exit_code"], 7);
}

/// One rank has no memory for what it sees of the mesh; the others do not wait for it.
TEST(RanksFailure, ARankOutOfMemoryEndsAll) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("one_memory.toml", laplace("quad", 2, 1400) + "[output]\nformats = []\n");
  const fs::path out = folder() / "one_memory";
  const Result result = with_second("ulimit -d 200000", deck, out);
  EXPECT_EQ(result.code, 5) << result.text;
  EXPECT_TRUE(result.says("rank 1 of 2")) << result.text;
  EXPECT_TRUE(result.says("out of host memory")) << result.text;
}

/// Whoever waits for a rank that was killed does not wait for long: its launcher says so and ends all.
TEST(RanksFailure, ARankThatIsKilledEndsAllWithinTenSeconds) {
  SKIP_WITHOUT_MPI();
  const fs::path out = folder() / "one_killed", killed = folder() / "killed_at";
  const std::string deck = write_deck("one_killed.toml", box_of("quad", 2, 8) + "[physics]\ntype = \"heat\"\n" +
                                                             dirichlet_on("[\"left\"]", "y") +
                                                             "[time]\nend = 1e7\nstep = 1\n[output]\nformats = []\n");
  // The second rank kills itself when the first has its folder, in the middle of its steps.
  const std::string run =
      program() + " run " + deck + " --quiet --backend threads --threads 1 --output " + out.string();
  const std::string second = "( while [ ! -e " + (out / ".tessera.lock").string() +
                             " ]; do sleep 0.05; done; sleep 1; date +%s > " + killed.string() +
                             "; kill -9 $$ ) & exec " + run;
  const Result result = shell(within_minutes + mpirun + "-n 1 " + run + " : -n 1 sh -c '" + second + "'");
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  double then = 0;
  std::ifstream(killed) >> then;
  ASSERT_GT(then, 0) << result.text;
  EXPECT_LE(std::chrono::duration<double>(now).count() - then, 11) << result.text;  // `then` is cut to seconds
  EXPECT_NE(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("signal 9")) << result.text;
  // Nobody has interrupted the first rank: its launcher ends it.
  EXPECT_TRUE(result.says("ended by the launcher: another rank has ended")) << result.text;
  EXPECT_FALSE(result.says("once more")) << result.text;
  const nlohmann::json summary = summary_in(out);
  EXPECT_EQ(summary["status"], "error");
  EXPECT_EQ(summary["error"], "ended by the launcher: another rank has ended, or the launcher was stopped");
  EXPECT_EQ(summary["exit_code"], 143);
}

/// A user who ends a rank is not taken for its launcher.
TEST(RanksFailure, ARankThatAUserInterruptsSaysSo) {
  SKIP_WITHOUT_MPI();
  const fs::path out = folder() / "one_interrupted";
  const std::string deck = write_deck(
      "one_interrupted.toml", box_of("quad", 2, 8) + "[physics]\ntype = \"heat\"\n" + dirichlet_on("[\"left\"]", "y") +
                                  "[time]\nend = 1e7\nstep = 1\n[output]\nformats = []\n");
  const std::string run =
      program() + " run " + deck + " --quiet --backend threads --threads 1 --output " + out.string();
  const std::string first = "( while [ ! -e " + (out / ".tessera.lock").string() +
                            " ]; do sleep 0.05; done; sleep 1; kill -TERM $$ ) & exec " + run;
  const Result result = shell(within_minutes + mpirun + "-n 1 sh -c '" + first + "' : -n 1 " + run);
  EXPECT_TRUE(result.says("interrupted: stopping; once more to end at once")) << result.text;
  EXPECT_FALSE(result.says("ended by the launcher")) << result.text;
  EXPECT_EQ(summary_in(out)["status"], "interrupted");
}

struct Cut {
  const char* name;
  int parts;
  int (*map)(int column, int row);
};
void PrintTo(const Cut& cut, std::ostream* stream) { *stream << cut.name; }
class RanksCut : public ::testing::TestWithParam<Cut> {};

/// The solution is that of one rank, with as many iterations but for one.
TEST_P(RanksCut, AnywhereGiveWhatOneGives) {
  SKIP_WITHOUT_MPI();
  const Cut& cut = GetParam();
  const std::string name = std::string("cut_") + cut.name;
  const std::string deck = deck_on_file(name + ".msh", msh22({"2.2", cut.parts, false, cut.map}));
  const nlohmann::json one = run_on(1, name, deck), many = run_on(cut.parts, name, deck);
  ASSERT_FALSE(one.is_discarded() || many.is_discarded());
  const Result compared =
      app_test::tessera("compare " + (out_of(name, 1) / "solution.vtu").string() + " " +
                        (out_of(name, cut.parts) / "solution.vtu").string() + " --rtol 1e-12 --atol 1e-12");
  EXPECT_EQ(compared.code, 0) << compared.text;
  EXPECT_NEAR(int(many["solver"]["iterations"]), int(one["solver"]["iterations"]), 1);
  expect_near(many["balance"], one["balance"], name);
}

// Columns 0 to 7 and rows 0 to 3; u is prescribed at the left, beside column 0.
INSTANTIATE_TEST_SUITE_P(
    Meshes, RanksCut,
    ::testing::Values(
        // Squares of a part meet at corners alone, everywhere.
        Cut{"like_a_chessboard", 2, [](int i, int j) { return 1 + (i + j) % 2; }},
        // A part lies around others and meets itself at both ends; another has no side of the mesh at all.
        Cut{"with_a_ring", 4,
            [](int i, int j) { return i == 0 || i == 7 || j == 0 || j == 3 ? 1
                                      : i < 3                              ? 2
                                      : i < 5                              ? 3
                                                                           : 4; }},
        // Pieces that do not hang together.
        Cut{"in_pieces", 4, [](int i, int j) { return 1 + (i + 2 * (j / 2)) % 4; }},
        // All parts but the first have nothing prescribed.
        Cut{"where_one_has_what_is_prescribed", 4, [](int i, int) { return 1 + i / 2; }}),
    [](const auto& info) { return std::string(info.param.name); });

/// As many ranks as vertices: some have no cell of their own, and none has more than a vertex.
TEST(RanksCutTo, AVertexEachGiveWhatOneGives) {
  SKIP_WITHOUT_MPI();
  const std::string deck =
      "[mesh]\nbox = { max = [1, 1], min = [0, 0], cells = [2, 1], shape = \"triangle\" }\npartition = "
      "\"curve\"\n" +
      poisson_of(2) + "[[material]]\nsource = \"1 + x\"\n" + dirichlet_on("[\"left\"]", "y") +
      "[solver]\ntolerance = 1e-14\n";
  const nlohmann::json one = run_on(1, "vertex_each", deck), six = run_on(6, "vertex_each", deck);
  ASSERT_FALSE(one.is_discarded() || six.is_discarded());
  const Result compared =
      app_test::tessera("compare " + (out_of("vertex_each", 1) / "solution.vtu").string() + " " +
                        (out_of("vertex_each", 6) / "solution.vtu").string() + " --rtol 1e-12 --atol 1e-12");
  EXPECT_EQ(compared.code, 0) << compared.text;
  expect_near(six["balance"], one["balance"], "vertex_each");
}

/// A part of the file whose vertices all lie at cells of parts before it.
TEST(RanksCutTo, NothingIsRefused) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck(
      "thin.toml",
      deck_on_file("thin.msh", msh22({"2.2", 2, false, [](int i, int j) { return i == 3 && j == 1 ? 2 : 1; }})));
  const Result result =
      on_ranks(2, "run " + deck + " --quiet --backend threads --output " + (folder() / "thin").string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("so thin that")) << result.text;
  EXPECT_EQ(count(result.text, "error: "), 1) << result.text;
}

}  // namespace
