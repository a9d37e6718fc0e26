// Every kind of mistake in a deck: what is said, and where the caret stands.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "schema_fixture.hpp"

namespace tessera::deck::testing {
namespace {

TEST(DeckErrors, UnknownNamesListTheNearest) {
  expect_error("[solvr]\ntype = \"cg\"", "unknown section [solvr]", "'solver'", 1, 2, 5);
  expect_error("[[bondary]]\ntype = \"neumann\"", "unknown section [[bondary]]", "'boundary'", 1, 3, 7);
  expect_error("[solver]\n  tolerence = 1", "unknown key 'tolerence' in [solver]", "'tolerance'", 2, 3, 9);
  expect_error("[mesh]\nbox = { cels = [1] }", "unknown key 'cels' in [mesh.box]", "'cells'", 2, 9, 4);
  expect_error("[[boundary]]\ntype = \"neumann\"\n[[boundary]]\nvalu = 1", "unknown key 'valu' in [boundary]",
               "'value'", 4, 1, 4);
  expect_error("titel = \"a\"", "unknown key 'titel'", "'title'", 1, 1, 5);
}

TEST(DeckErrors, WrongTypesSayWhatIsFoundAndExpected) {
  expect_error("[solver]\ntolerance = \"a\"", "solver.tolerance is the string \"a\"; expected a number",
               "e.g. tolerance = 1e-8", 2, 13, 3);
  expect_error("[solver]\nmax_iterations = 1.5", "the number 1.5; expected an integer", "", 2, 18, 3);
  expect_error("[solver]\nverbose = 1", "the integer 1; expected a boolean", "", 2, 11, 1);
  expect_error("[solver]\ntype = true", "the boolean true; expected a string", "", 2, 8, 4);
  expect_error("[solver]\ntype = [\"cg\"]", "an array of 1; expected a string", "", 2, 8, 6);
  expect_error("[[boundary]]\non = [\"a\", 2]", "boundary[0].on[1] is the integer 2; expected a string", "", 2, 12, 1);
  expect_error("[[boundary]]\non = 2", "expected a string or a list of strings", "", 2, 6, 1);
  expect_error("[mesh]\nbox = 3", "mesh.box is the integer 3; expected a table", "box = {", 2, 7, 1);
  expect_error("[[boundary]]\ntype=\"neumann\"\nvalue = 2020-01-01",
               "the date 2020-01-01; expected a number or an expression", "", 3, 9, 10);
}

TEST(DeckErrors, Ranges) {
  expect_error("[solver]\ntolerance = 0", "solver.tolerance is 0; it must be > 0 and <= 1", "", 2, 13, 1);
  expect_error("[solver]\ntolerance = 2.0", "it must be > 0 and <= 1", "", 2, 13, 3);
  expect_error("[solver]\nmax_iterations = -1", "it must be >= 0", "", 2, 18, 2);
  expect_error("[solver]\ntolerance = nan", "finite number", "", 2, 13, 3);
  expect_error("[[boundary]]\ntype=\"neumann\"\nvalue = inf", "finite number", "", 3, 9, 3);
  expect_error("[[boundary]]\ntype=\"neumann\"\nalpha = \"1-2\"", "boundary[0].alpha is -1; it must be >= 0", "", 3, 9,
               5);
  expect_error("[solver]\nmax_iterations = 3000000000", "does not fit in 32 bits", "2147483647", 2, 18, 10);
  expect_error("[mesh]\nbox.cells = [4, 0]", "mesh.box.cells[1] is 0; it must be >= 1", "", 2, 17, 1);
}

TEST(DeckErrors, Choices) {
  expect_error("[solver]\ntype = \"bicgstb\"", "solver.type has no choice 'bicgstb'", "'bicgstab'", 2, 8, 9);
  expect_error("[solver]\ntype = \"zzzzzz\"", "no choice", "valid names: cg, bicgstab, gmres", 2, 8, 8);
}

TEST(DeckErrors, MissingKeys) {
  expect_error("\n[[boundary]]\non = \"a\"", "[[boundary]] needs the key 'type'", "dirichlet, neumann", 2, 1, 12);
  expect_error("[mesh]\nbox = { min = [0] }", "[mesh.box] needs the key 'cells'", "add cells =", 2, 7, 13);
  try {
    mesh_section().read(Deck::parse("", "deck.toml"), true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the deck has no [mesh]");
  }
}

TEST(DeckErrors, TablesAndListsOfTables) {
  expect_error("[boundary]\ntype = \"neumann\"", "[boundary] is one table", "[[boundary]], with two brackets", 1, 2, 8);
  expect_error("[[solver]]\ntype = \"cg\"", "[[solver]] is a list", "[solver], with one bracket", 1, 1, 10);
  expect_error("solver = 3", "'solver' is the integer 3; expected the table [solver]", "", 1, 10, 1);
  expect_error("boundary = [1]", "expected [[boundary]] entries", "", 1, 12, 3);
}

TEST(DeckErrors, Toml) {
  expect_error("[solver]\ntype = \"cg\"\n type = \"cg\"", "'type' stands twice", "remove one", 3, 2, 4);
  expect_error("[solver]\n[mesh]\n[solver]", "'solver' stands twice", "", 3, 2, 6);
  expect_error("[solver\ntype = 1", "not valid TOML", "toml.io", 1, 8, 1);
  expect_error("[solver]\nseed = 99999999999999999999", "not representable in 64 bits", "", 2, 28, 1);
  for (const char* start : {"\xef\xbb\xa5", "\xc3\xa9", "\xd0\x96", "\xe2\xba\x80", "\xcc\x81"})
    expect_error(std::string("[solver]\n") + start + " = 1", "not valid TOML", "toml.io", 2, 1, 1);
  for (const char* header : {"=", ".a", "#", "\x01", "\xc3\xa9", "\xef\xbb\xa5", "[=]", "(", "\xf0\x9f\x98\x80"})
    expect_error(std::string("[") + header + "]", "bare key starting character", "toml.io", 1, header[0] == '[' ? 3 : 2,
                 1);
  expect_error("[solver]\r\ntolerence = 1\r\n", "unknown key", "", 2, 1, 9);
}

TEST(DeckErrors, ReportShowsLineAndCaret) {
  const auto error = error_of("[solver]\ntolerance = -1  # no\n");
  ASSERT_TRUE(error);
  const std::string report = error->report();
  EXPECT_NE(report.find("--> deck.toml:2:13\n"), std::string::npos) << report;
  EXPECT_NE(report.find("    2 | tolerance = -1  # no\n      |             ^^\n"), std::string::npos) << report;
}

TEST(DeckErrors, ExpressionsPointIntoTheString) {
  const std::string head = "[[boundary]]\ntype = \"neumann\"\n";
  expect_error(head + "value = \"1 + sen(x)\"", "unknown function 'sen'", "did you mean 'sin'?", 3, 14, 3);
  expect_error(head + "value = \"1 + x*tt\"", "unknown variable 'tt'", "'t'", 3, 16, 2);
  expect_error(head + "value = \"q\"", "unknown variable 'q'", "x, y, z, t", 3, 10, 1);
  expect_error(head + "value = \"2*(1+sin(x)\"", "parenthesis is missing", "", 3, 12, 1);
  expect_error(head + "value = \"2x\"", "unexpected 'x'", "multiplication", 3, 11, 1);
  expect_error(head + "value = \"x +\"", "ends too early", "", 3, 13, 1);
  expect_error(head + "value = \"x**2\"", "'**'", "^", 3, 11, 2);
  expect_error(head + "value = \"x = 2\"", "assignment", "==", 3, 12, 1);
  expect_error(head + "value = \"x, 2\"", "2 values, one is expected", "", 3, 10, 4);
  expect_error(head + "value = \"\"", "empty", "", 3, 10, 1);
  expect_error(head + "value = \"1/0\"", "is inf", "", 3, 10, 3);
  expect_error(head + "value = \"atan2(1)\"", "too few arguments", "", 3, 17, 1);
  expect_error(head + "value = \"sin + 1\"", "function 'sin' without arguments", "sin(...)", 3, 10, 3);
  expect_error(head + "value = \"1 + x(2)\"", "'x' is not a function", "x*(...)", 3, 14, 1);
  expect_error(head + "value = \"x ? 1\"", "'?' needs its ':'", "", 3, 15, 1);
  expect_error(head + "value = \"(x ? 1) : 2\"", "is not valid: it cannot be understood (character 12)", "", 3, 21, 1);
  expect_error(head + "vector = [\"x\", 'y+w']", "unknown variable 'w'", "", 3, 19, 1);
  expect_error(head + "value = \"\"\"\n1+w\"\"\"", "unknown variable 'w'", "", 3, 9, 3);
}

TEST(DeckErrors, Overrides) {
  const std::string deck = "[solver]\ntolerance = 1e-3\n[[boundary]]\ntype = \"neumann\"\n";
  auto expect = [&](const std::string& assignment, const std::string& message) {
    expect_error(deck, message, "", 0, 0, 1, {assignment});
    EXPECT_EQ(error_of(deck, {assignment})->where()->file, "--set " + assignment);
  };
  expect("solver.tolerance=-1", "it must be > 0");
  expect("solver.tolerance=fast", "the string \"fast\"; expected a number");
  expect("solver.tolerence=1", "unknown key 'tolerence'");
  expect("solver.type=cgg", "no choice 'cgg'");
  expect("boundary.0.value=sin(w)", "unknown variable 'w'");
  expect("boundary.2.value=1", "'2' is not an item of boundary, which has 1 of them");
  expect("boundary.type=1", "'type' is not an item of boundary");
  expect("solver.tolerance.x=1", "it has no key 'x'");
  expect("solver.tolerance", "is not an override");
  expect("=1", "is not an override");
  expect("solver.tolerance=", "is not an override");
  expect("solver..tolerance=1", "is not an override");
  expect("boundary.0.on=[1", "is not valid TOML");
}

struct TemporaryFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tessera_deck_test_" + std::to_string(::getpid()));
  TemporaryFolder() { std::filesystem::create_directories(path); }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

ExitCode code_of(const std::filesystem::path& file, const std::string& message) {
  try {
    Deck::read(file);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    return error.code();
  }
  return ExitCode::ok;
}

TEST(DeckErrors, Files) {
  const TemporaryFolder folder;
  EXPECT_EQ(code_of(folder.path / "none.toml", "there is no deck"), ExitCode::file_system);
  EXPECT_EQ(code_of(folder.path, "is a folder"), ExitCode::file_system);
  const auto file = folder.path / "a.toml";
  std::ofstream(file) << "# nothing\n";
  EXPECT_EQ(code_of(file, "is empty"), ExitCode::usage);
  std::ofstream(file) << "[mesh]\nfile = \"../m.msh\"\n";
  EXPECT_EQ(code_of(file, ""), ExitCode::ok);
  EXPECT_EQ(Deck::read(file).resolve("../m.msh"), folder.path.parent_path() / "m.msh");
  EXPECT_EQ(Deck::read(file).resolve("/m.msh"), "/m.msh");
  if (::geteuid() != 0) {  // root reads everything
    ::chmod(file.c_str(), 0);
    EXPECT_EQ(code_of(file, "cannot be read"), ExitCode::file_system);
  }
}

}  // namespace
}  // namespace tessera::deck::testing
