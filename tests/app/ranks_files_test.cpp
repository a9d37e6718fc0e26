// Files that a deck names, of which ranks on several machines may see different ones.
#include "app/ranks.hpp"

namespace {

using namespace app_test;

/// Decks of one text in two folders, each with a file of that name.
struct Named {
  const char* name;
  std::string deck;
  std::string file;
  std::string of_first, of_second;
};
void PrintTo(const Named& named, std::ostream* stream) { *stream << named.name; }

fs::path place(const Named& named, const char* whose, const std::string& text) {
  const fs::path at = folder() / (std::string("files_") + named.name) / whose;
  fs::create_directories(at);
  std::ofstream(at / "deck.toml") << named.deck;
  std::ofstream(at / named.file) << text;
  return at / "deck.toml";
}

/// One rank of each deck.
Result run_both(const fs::path& first, const fs::path& second, const std::string& first_more = "",
                const std::string& second_more = "") {
  const std::string out = (first.parent_path().parent_path() / "out").string();
  const auto rank = [&](const fs::path& deck, const std::string& more) {
    return fmt::format("-n 1 {} run {} --quiet --backend threads --output {} {}", program(), deck.string(), out, more);
  };
  return shell(mpirun + rank(first, first_more) + " : " + rank(second, second_more));
}

int errors_in(const Result& result) {
  int found = 0;
  for (std::size_t at = result.text.find("error: "); at != std::string::npos; at = result.text.find("error: ", at + 1))
    ++found;
  return found;
}

class RanksFiles : public ::testing::TestWithParam<Named> {};

/// Wherever the deck names it: which rank has another one, which file, where it stands; once.
TEST_P(RanksFiles, ThatDifferAreRefused) {
  SKIP_WITHOUT_MPI();
  const Named& named = GetParam();
  const fs::path first = place(named, "first", named.of_first), same = place(named, "same", named.of_first),
                 other = place(named, "other", named.of_second);
  const Result differ = run_both(first, other), agree = run_both(first, same);
  EXPECT_EQ(differ.code, 2) << differ.text;
  EXPECT_TRUE(differ.says(fmt::format("rank 1 of 2 has another file '{}' than rank 0", named.file))) << differ.text;
  EXPECT_TRUE(differ.says("deck.toml:")) << differ.text;
  EXPECT_TRUE(differ.says("help: ")) << differ.text;
  EXPECT_EQ(errors_in(differ), 1) << differ.text;
  EXPECT_EQ(agree.code, 0) << agree.text;
}

/// On the first rank or on another: which rank lacks it, once and at once.
TEST_P(RanksFiles, ThatOneRankLacksAreRefused) {
  SKIP_WITHOUT_MPI();
  const Named& named = GetParam();
  const fs::path with = place(named, "with", named.of_first), without = place(named, "without", named.of_first);
  fs::remove(without.parent_path() / named.file);
  for (const bool on_root : {false, true}) {
    const Result result = on_root ? run_both(without, with) : run_both(with, without);
    EXPECT_EQ(result.code, 7) << result.text;
    EXPECT_TRUE(result.says(fmt::format("rank {} of 2 does not have the file '{}', which rank {} has", on_root ? 0 : 1,
                                        named.file, on_root ? 1 : 0)))
        << result.text;
    EXPECT_TRUE(result.says("deck.toml:")) << result.text;
    EXPECT_EQ(errors_in(result), 1) << result.text;
    EXPECT_FALSE(result.says("MPI_ABORT")) << result.text;
  }
}

const std::string mechanism =
    box_of("interval", 1, 6) + "[physics]\ntype = \"reaction_diffusion\"\nreaction = \"mechanism\"\n" +
    "[reaction]\ntable = \"decay.txt\"\n[[material]]\ndiffusion = [1, 0.1]\n[[initial]]\nA = \"1 + x\"\nB = 0\n" +
    "[time]\nend = 0.02\nstep = 0.01\n[output]\nformats = []\n";
const std::string grid =
    "[mesh]\nbox = { max = [1, 1], min = [0, 0], cells = [4, 4], shape = \"quad\" }\n[physics]\ntype = \"wave\"\n"
    "medium = \"acoustic\"\norder = 2\n[[material]]\ndensity = 1\nfile = \"speeds.csv\"\n[[initial]]\np = \"x\"\n"
    "[time]\nend = 0.02\nstep = 0.004\n[output]\nformats = []\n";
const std::string source = box_of("triangle", 2, 4) + "[physics]\ntype = \"heat\"\n" + dirichlet_on("[\"left\"]", "0") +
                           "[[source]]\nat = [0.5, 0.5]\namplitude = 1\nfile = \"power.csv\"\n"
                           "[time]\nend = 0.02\nstep = 0.01\n[output]\nformats = []\n";

INSTANTIATE_TEST_SUITE_P(Kinds, RanksFiles,
                         ::testing::Values(Named{"mechanism", mechanism, "decay.txt", "A -> B, 2\n", "A -> B, 3\n"},
                                           Named{"grid", grid, "speeds.csv", "y,vp\n0,2\n1,2.5\n", "y,vp\n0,1\n1,2\n"},
                                           Named{"time_function", source, "power.csv", "0,0\n1,1\n", "0,0\n1,2\n"}),
                         [](const auto& info) { return std::string(info.param.name); });

/// A mesh goes out from the first rank, and so does the state of another run: another file elsewhere changes nothing.
TEST(RanksFilesOf, TheRootAloneMayDifferOrBeMissing) {
  SKIP_WITHOUT_MPI();
  const std::string mesh = bytes_of(test_paths::source() / "inputs/meshes/disk_order2.msh");
  const std::string text = "[mesh]\nfile = \"disk.msh\"\n[physics]\ntype = \"poisson\"\n[[material]]\nsource = 1\n";
  const Named named{"mesh", text + dirichlet_on("[\"rim\"]", "0") + "[output]\nformats = []\n", "disk.msh", mesh,
                    mesh + "\n"};
  const fs::path first = place(named, "first", mesh), other = place(named, "other", mesh + "\n");
  const Result differ = run_both(first, other);
  EXPECT_EQ(differ.code, 0) << differ.text;
  fs::remove(other.parent_path() / "disk.msh");
  const Result missing = run_both(first, other);
  EXPECT_EQ(missing.code, 0) << missing.text;

  const auto heat = [](const std::string& start) {
    return box_of("triangle", 2, 4) + "[physics]\ntype = \"heat\"\n" + dirichlet_on("[\"left\"]", "0") +
           "[[initial]]\n" + start + "\n[time]\nend = 0.02\nstep = 0.01\n";
  };
  const std::string before = write_deck("files_before.toml", heat("u = \"x*y\""));
  ASSERT_EQ(app_test::tessera("run " + before + " --quiet --output " + (folder() / "files_before").string()).code, 0);
  const std::string state = bytes_of(folder() / "files_before" / "solution_000002.vtu");
  const Named initial{"initial", heat("file = \"start.vtu\"") + "[output]\nformats = []\n", "start.vtu", state, ""};
  const Result start = run_both(place(initial, "first", state), place(initial, "other", "another"));
  EXPECT_EQ(start.code, 0) << start.text;
}

/// Code of others: the same on all ranks, which each loads for itself.
TEST(RanksFilesOf, PluginsMustBeTheSame) {
  SKIP_WITHOUT_MPI();
  const fs::path plugins = fs::path(program()).parent_path() / "plugins";
  const Named named{
      "plugin", box_of("triangle", 2, 4) + poisson_of(1) + dirichlet_on("[\"left\"]", "y") + "[output]\nformats = []\n",
      "nothing", "", ""};
  const fs::path deck = place(named, "first", "");
  const std::string one = "--plugin " + (plugins / "l2_projection.so").string(),
                    copied = (folder() / "own_projection.so").string();
  fs::copy_file(plugins / "l2_projection.so", copied, fs::copy_options::overwrite_existing);
  EXPECT_EQ(run_both(deck, deck, one, "--plugin " + copied).code, 0);
  std::ofstream(copied, std::ios::app | std::ios::binary) << "more";
  const Result other = run_both(deck, deck, one, "--plugin " + copied), none = run_both(deck, deck, one);
  for (const Result& result : {other, none}) {
    EXPECT_EQ(result.code, 2) << result.text;
    EXPECT_EQ(errors_in(result), 1) << result.text;
  }
  EXPECT_TRUE(other.says("rank 1 of 2 has another file '") && other.says("l2_projection.so")) << other.text;
  EXPECT_TRUE(none.says("rank 1 of 2 has other plugins")) << none.text;
}

}  // namespace
