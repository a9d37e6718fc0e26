// What a correct deck gives.
#include "deck/read_string.hpp"
#include "schema_fixture.hpp"

namespace tessera::deck::testing {
namespace {

const char* const text = R"(title = "t"
[mesh]
box = { min = -1, cells = [2, 3], shape = "hex" }
size = 2
[solver]
type = "gmres"
seed = 9000000000
verbose = true
[[boundary]]
on = "left"
type = "dirichlet"
value = 3
[[boundary]]
type = "neumann"
on = ["a", "b"]
value = "x + t"
vector = [1, "y", 2.5]
alpha = "2*3"
)";

TEST(DeckRead, ValuesOfEveryType) {
  const Deck deck = Deck::parse(text, "deck.toml");
  check(deck, schema());
  EXPECT_EQ(top_section().read(deck).title, "t");
  const Mesh mesh = mesh_section().read(deck);
  ASSERT_TRUE(mesh.box);
  EXPECT_EQ(mesh.box->min, std::vector<double>{-1});
  EXPECT_EQ(mesh.box->cells, (std::vector<int>{2, 3}));
  EXPECT_EQ(mesh.size, 2.0);
  EXPECT_EQ(mesh.order, 1);
  const Solver solver = solver_section().read(deck);
  EXPECT_EQ(solver.type, "gmres");
  EXPECT_EQ(solver.seed, 9000000000);
  EXPECT_TRUE(solver.verbose);
  EXPECT_EQ(solver.tolerance, 1e-8);
  EXPECT_EQ(solver.where->line, 5);

  const auto boundary = boundary_section().read_all(deck);
  ASSERT_EQ(boundary.size(), 2u);
  EXPECT_EQ(boundary[0].on, std::vector<std::string>{"left"});
  EXPECT_EQ(boundary[0].value.constant(), 3);
  EXPECT_FALSE(boundary[0].alpha);
  EXPECT_EQ(boundary[1].on, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(boundary[1].value.depends_on_time());
  ASSERT_EQ(boundary[1].vector.size(), 3u);
  EXPECT_EQ(boundary[1].vector[1].text(), "y");
  EXPECT_EQ(boundary[1].vector[2].constant(), 2.5);
  EXPECT_EQ(boundary[1].alpha->constant(), 6);
  EXPECT_EQ(boundary[1].where->line, 13);
}

TEST(DeckRead, PathsAndPlaces) {
  const Deck deck = Deck::parse(text, "deck.toml");
  EXPECT_TRUE(deck.has("mesh.box.cells"));
  EXPECT_TRUE(deck.has("boundary[1].value"));
  EXPECT_FALSE(deck.has("boundary[2].value"));
  EXPECT_FALSE(deck.has("exact"));
  EXPECT_EQ(deck.where("boundary[1].value")->line, 16);
  EXPECT_EQ(deck.where("boundary[1].value")->column, 9);
  EXPECT_EQ(deck.where("mesh")->line, 2);
  EXPECT_FALSE(deck.where("nothing"));
  EXPECT_EQ(deck.file(), "deck.toml");
}

TEST(DeckRead, Overrides) {
  const Deck deck = Deck::parse(
      text, "deck.toml",
      {"solver.tolerance = 1e-4", "solver.type=bicgstab", "boundary.0.value=sin(pi*x)", "boundary[1].on=[\"c\"]",
       "boundary.2.type=\"neumann\"", "boundary.2.value=7", "mesh.file=../a mesh.msh", "mesh.box={cells=[5]}"});
  check(deck, schema());
  EXPECT_EQ(solver_section().read(deck).tolerance, 1e-4);
  EXPECT_EQ(solver_section().read(deck).type, "bicgstab");
  const auto boundary = boundary_section().read_all(deck);
  ASSERT_EQ(boundary.size(), 3u);
  EXPECT_EQ(boundary[0].value.text(), "sin(pi*x)");
  EXPECT_EQ(boundary[1].on, std::vector<std::string>{"c"});
  EXPECT_EQ(boundary[2].value.constant(), 7);
  EXPECT_EQ(mesh_section().read(deck).file, "../a mesh.msh");
  EXPECT_EQ(mesh_section().read(deck).box->cells, std::vector<int>{5});
  EXPECT_EQ(deck.where("solver.type")->file, "--set solver.type=bicgstab");
}

TEST(DeckRead, OverridesMakeSectionsAndLists) {
  const Deck deck = Deck::parse("", "deck.toml", {"boundary.0.type=neumann", "boundary.0.vector.0=x", "solver.seed=3"});
  check(deck, schema());
  ASSERT_EQ(boundary_section().read_all(deck).size(), 1u);
  EXPECT_EQ(boundary_section().read_all(deck)[0].vector[0].text(), "x");
  EXPECT_EQ(solver_section().read(deck).seed, 3);
}

TEST(DeckRead, OneStringBeforeItsSection) {
  const Deck deck = Deck::parse("title = 3\n[solver]\ntype = \"new\"\nunknown = 1", "deck.toml");
  EXPECT_EQ(read_string(deck, "solver.type", ""), "new");
  EXPECT_EQ(read_string(deck, "physics.type", ""), "");
  try {
    read_string(deck, "title", "write a name");
    FAIL() << "a number was taken for a string";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "title is the integer 3; expected a string");
    EXPECT_EQ(error.help(), "write a name");
    ASSERT_TRUE(error.where());
    EXPECT_EQ(error.where()->line, 1);
  }
}

TEST(DeckRead, DefaultsWithoutADeck) {
  const Deck deck = Deck::parse("");
  check(deck, schema());
  EXPECT_EQ(solver_section().read(deck).max_iterations, 1000);
  EXPECT_TRUE(boundary_section().read_all(deck).empty());
}

}  // namespace
}  // namespace tessera::deck::testing
