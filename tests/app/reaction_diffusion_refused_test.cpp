// Decks of reaction_diffusion that cannot be meant.
#include "app/nonlinear.hpp"

namespace {

using namespace app_test;

std::string deck_of(const std::string& physics, const std::string& rest) {
  return box_of("quad", 2, 2) + "[physics]\ntype = \"reaction_diffusion\"\n" + physics + rest;
}
const std::string time = "[time]\nend = 1\nstep = 0.1\n", fields = "[[initial]]\nu = 1\nv = 0\n";
const std::string named = "reaction = \"gray_scott\"\n", material = "[[material]]\ndiffusion = [1, 2]\n";
const std::string written = "reaction = \"expressions\"\nfields = [\"u\", \"v\"]\n";

class ReactionDiffusionRefuses : public ::testing::TestWithParam<Case> {};

TEST_P(ReactionDiffusionRefuses, WithTheWayOut) {
  const Case& wrong = GetParam();
  const std::string deck = write_deck(std::string(wrong.name) + ".toml", wrong.deck);
  for (const char* command : {"run ", "check "}) {
    const Result result = app_test::tessera(command + deck + " --backend threads --quiet" +
                                            (command[0] == 'r' ? " --output " + (folder() / "refused").string() : ""));
    expect_says(result, wrong);
  }
}

std::vector<Case> cases() {
  const std::string table = write_deck("bad_table.txt", "A -> B, 1\nB => C, 2\n"),
                    half = write_deck("half_table.txt", "A -> B, 1\n0.5 B -> A, 2\n"),
                    hot = write_deck("hot_table.txt", "A -> B, 1, 0, 5e4\n");
  return {
      {"no_reaction", deck_of("", material + time), 2, {"reaction"}},
      {"unknown_reaction", deck_of("reaction = \"gray_scot\"\n", material + time), 2, {"gray_scott", ".toml:5"}},
      {"unknown_parameter", deck_of(named, "[reaction]\nf = 1\n" + material + time), 2, {"'f'", "F"}},
      {"parameter_of_another", deck_of(named, "[reaction]\nepsilon = 1\n" + material + time), 2, {"epsilon"}},
      {"negative_parameter", deck_of(named, "[reaction]\nF = -1\n" + material + time + fields), 2, {"'F'", "-1"}},
      {"too_many_fields",
       deck_of(named + "fields = [\"a\", \"b\", \"c\"]\n", material + time),
       2,
       {"3 names", "2 spec"}},
      {"field_twice", deck_of(named + "fields = [\"a\", \"a\"]\n", material + time), 2, {"'a'", "twice"}},
      {"field_is_key", deck_of(named + "fields = [\"a\", \"on\"]\n", material + time), 2, {"'on'"}},
      {"field_is_x", deck_of("reaction = \"expressions\"\nfields = [\"x\"]\n", material + time), 2, {"'x'"}},
      {"species_is_y", deck_of(named + "fields = [\"a\", \"y\"]\n", material + time), 2, {"'y'", "a coordinate"}},
      {"field_is_a_function",
       deck_of("reaction = \"expressions\"\nfields = [\"exp\"]\n", material + time),
       2,
       {"'exp'", "something else"}},
      {"no_fields", deck_of("reaction = \"expressions\"\n", material + time), 2, {"fields = "}},
      {"few_rates", deck_of(written, "[reaction]\nrates = \"u\"\n" + material + time), 2, {"1 expr", "2 fields"}},
      {"rate_of_w", deck_of(written, "[reaction]\nrates = [\"u + w\", \"v\"]\n" + material + time), 2, {"'w'", "u, v"}},
      {"rate_in_z",
       deck_of(written, "[reaction]\nrates = [\"u + z\", \"v\"]\n" + material + time + fields),
       2,
       {"uses z", "2-D"}},
      {"rate_broken", deck_of(written, "[reaction]\nrates = [\"u + (\", \"v\"]\n" + material + time), 2, {"u + ("}},
      {"rates_beside_a_name",
       deck_of(named, "[reaction]\nrates = [\"u\", \"v\"]\n" + material + time),
       2,
       {"reaction.rates", "expressions"}},
      {"no_table", deck_of("reaction = \"mechanism\"\n", material + time), 2, {"table = "}},
      {"table_that_is_none",
       deck_of("reaction = \"mechanism\"\n", "[reaction]\ntable = \"none.txt\"\n" + material + time),
       7,
       {"none.txt"}},
      {"table_with_a_mistake",
       deck_of("reaction = \"mechanism\"\n", "[reaction]\ntable = \"" + table + "\"\n" + material + time),
       2,
       {"bad_table.txt:2", "B => C"}},
      {"table_with_half_a_reactant",
       deck_of("reaction = \"mechanism\"\n", "[reaction]\ntable = \"" + half + "\"\n" + material + time),
       2,
       {"half_table.txt:2", "takes 0.5 of 'B'"}},
      {"table_without_temperature",
       deck_of("reaction = \"mechanism\"\n", "[reaction]\ntable = \"" + hot + "\"\n" + material + time),
       2,
       {"temperature", "hot_table.txt:1"}},
      {"no_material", deck_of(named, time), 2, {"[[material]]", "diffusion"}},
      {"three_diffusions", deck_of(named, "[[material]]\ndiffusion = [1, 2, 3]\n" + time), 2, {"3 expr", "u, v"}},
      {"negative_diffusion",
       deck_of(named, "[[material]]\ndiffusion = [1, -1]\n" + time + fields),
       2,
       {"-1", "positive"}},
      {"no_time", deck_of(named, material), 2, {"[time]", "end"}},
      {"bdf2", deck_of(named, material + time + "scheme = \"bdf2\"\n"), 2, {"bdf2", "sdirk2"}},
      {"tolerance_of_steps",
       deck_of(named + "mass = \"lumped\"\n", material + time + "tolerance = 1e-3\nscheme = \"cash_karp\"\n"),
       2,
       {"time.tolerance", "reaction.tolerance"}},
      {"explicit_with_a_mass", deck_of(named, material + time + "scheme = \"rkc\"\n"), 2, {"consistent", "lumped"}},
      {"unknown_method", deck_of(named, "[reaction]\nmethod = \"rodas\"\n" + material + time), 2, {"rosenbrock"}},
      {"unknown_splitting", deck_of(named, "[reaction]\nsplitting = \"godunov\"\n" + material + time), 2, {"strang"}},
      {"initial_of_one", deck_of(named, material + time + "[[initial]]\nu = 1\n"), 2, {"v"}},
      {"initial_of_another", deck_of(named, material + time + "[[initial]]\nu = 1\nv = 0\nw = 1\n"), 2, {"'w'"}},
      {"exact_of_another", deck_of(named, material + time + "[exact]\nu = 1\nw = 1\n"), 2, {"'w'"}},
      {"boundary_of_another",
       deck_of(named, material + time + "[[boundary]]\non = \"left\"\ntype = \"neumann\"\nfield = \"w\"\n"),
       2,
       {"'w'"}},
      {"periodic_of_one",
       deck_of(named,
               material + time + "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\nfield = \"u\"\n"),
       2,
       {"periodic", "field out"}},
      {"flow_without_diffusion",
       deck_of(named, "[[material]]\ndiffusion = [1, 0]\n" + time +
                          "[[boundary]]\non = \"left\"\ntype = \"neumann\"\nvalue = 1\n"),
       2,
       {"'v'", "does not diffuse"}},
      {"quantity_of_another",
       deck_of(named, material + time + "[[quantity]]\nname = \"q\"\nkind = \"max\"\nof = \"w\"\n"),
       2,
       {"'w'"}},
      {"matrix_free", deck_of(named, material + time + "[assembly]\nstrategy = \"matrix_free\"\n"), 2, {"matrix_free"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Decks, ReactionDiffusionRefuses, ::testing::ValuesIn(cases()), case_name);

TEST(ReactionDiffusion, HasNoMatrixToExport) {
  const std::string deck = write_deck("export_reactions.toml", deck_of(named, material + time + fields));
  const Result result = app_test::tessera("export " + deck + " -o " + (folder() / "K.mtx").string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("none to export")) << result.text;
}

TEST(ReactionDiffusion, ListsItsReactions) {
  const Result result = app_test::tessera("list reactions");
  EXPECT_EQ(result.code, 0);
  for (const char* part :
       {"gray_scott", "species u, v", "F = 0.04", "Pearson", "robertson", "k2 = 3e+07", "expressions", "mechanism"})
    EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
}

TEST(ReactionDiffusion, ListsItsSplittingsAmongTheSchemes) {
  const Result result = app_test::tessera("list schemes");
  EXPECT_EQ(result.code, 0);
  for (const char* part : {"strang ", "lie ", "splitting", "half of the reactions", "reaction.splitting"})
    EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
}

}  // namespace
