// Decks of waves that are refused, and what is said of them.
#include "decks.hpp"

namespace {

using namespace wave_test;

const std::string solid = "[[material]]\ndensity = \"2\"\nvp = \"2\"\nvs = \"1\"\n", soon = time_to(0.1, "cfl = 0.5");
const std::string elastic = box(2, 2) + physics("elastic", 4);

class Refused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(Refused, SaysWhatIsWrongAlsoWhereItIsOnlyChecked) {
  const app_test::Case& wrong = GetParam();
  const std::string deck = write_deck(std::string(wrong.name) + ".toml", wrong.deck);
  for (const char* command : {"run ", "check "})
    expect_says(
        app_test::tessera(command + deck + " --quiet --backend threads --output " + (folder() / "refused").string()),
        wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Wave, Refused,
    ::testing::Values(
        app_test::Case{"triangles",
                       "[mesh]\nbox = { min = [0,0], max = [1,1], cells = [2,2], shape = \"triangle\" }\n" +
                           physics("elastic", 4) + solid + soon,
                       2,
                       {"spectral elements are quads and hexes, and the mesh has a triangle around (", "one of 8",
                        "triangles.toml:"}},
        app_test::Case{"tets",
                       "[mesh]\nbox = { min = [0,0,0], max = [1,1,1], cells = [2,2,2], shape = \"tet\" }\n" +
                           physics("acoustic", 3) + "[[material]]\ndensity = \"1\"\nvp = \"1\"\n" + soon,
                       2,
                       {"and the mesh has a tet around (", "one of 48"}},
        app_test::Case{"source_outside",
                       elastic + solid + soon + "[[source]]\nat = [1.5, 0.5]\nforce = [1, 0]\n",
                       2,
                       {"source 1: (1.5, 0.5) is in no cell of the mesh", "source_outside.toml:"}},
        app_test::Case{"probe_outside",
                       elastic + solid + soon + "[[probe]]\nname = \"a\"\nat = [1.5, 0.5]\nof = \"u_x\"\n",
                       2,
                       {"(1.5, 0.5) is in no cell of the mesh", "the nearest node is"}},
        app_test::Case{"negative_speed",
                       elastic + "[[material]]\ndensity = \"2\"\nvp = \"x - 0.5\"\nvs = \"0.1\"\n" + soon,
                       2,
                       {"the speed of P waves is -0.5 at (0, 0, 0)"}},
        app_test::Case{"material_of_t",
                       elastic + "[[material]]\ndensity = \"2\"\nvp = \"2+t\"\nvs = \"1\"\n" + soon,
                       2,
                       {"a material that depends on t", "media stand still"}},
        app_test::Case{"initial_of_nothing", elastic + solid + soon + "[[initial]]\n", 2, {"says neither 'u' nor 'v'"}},
        app_test::Case{
            "float_of_rk",
            elastic + solid + "[run]\nprecision = \"float\"\n" + time_to(0.1, "cfl = 0.5", "low_storage_rk45"),
            2,
            {"states of scheme = \"low_storage_rk45\" are double", "choose scheme = \"newmark\""}},
        app_test::Case{"negative_density",
                       elastic + "[[material]]\ndensity = \"-2\"\nvp = \"2\"\nvs = \"1\"\n" + soon,
                       2,
                       {"the density is -2", "it must be positive"}},
        app_test::Case{"vp_too_low",
                       elastic + "[[material]]\ndensity = \"2\"\nvp = \"1.1\"\nvs = \"1\"\n" + soon,
                       2,
                       {"the ratio vp / vs is 1.1", "sqrt(4/3)"}},
        app_test::Case{
            "vs_of_a_fluid", box(2, 2) + physics("acoustic", 4) + solid + soon, 2, {"a fluid has no shear waves"}},
        app_test::Case{"no_vs",
                       elastic + "[[material]]\ndensity = \"2\"\nvp = \"2\"\n" + soon,
                       2,
                       {"a material is described by vp", "vp and vs, or lambda and mu"}},
        app_test::Case{
            "no_density", elastic + "[[material]]\nvp = \"2\"\nvs = \"1\"\n" + soon, 2, {"a material without density"}},
        app_test::Case{"stiffness_of_space",
                       elastic + "[[material]]\ndensity = 2\nstiffness = [1, 2, 3]\n" + soon,
                       2,
                       {"stiffness has 3 numbers, in 2 dimensions there are 6", "stiffness_of_space.toml:"}},
        app_test::Case{"stiffness_not_positive",
                       elastic + "[[material]]\ndensity = 2\nstiffness = [1, 2, 0, 1, 0, \"x\"]\n" + soon,
                       2,
                       {"the stiffness at (0, 0, 0) is not positive", "positive eigenvalues"}},
        app_test::Case{"layers_without_eta",
                       elastic + "[[material]]\ndensity = 2\nvpv = 2\nvph = 2\nvsv = 1\n" + soon,
                       2,
                       {"a material is described by vpv, vph, vsv", "vpv vph vsv eta"}},
        app_test::Case{"layers_with_vsh",
                       elastic + "[[material]]\ndensity = 2\nvpv = 2\nvph = 2\nvsv = 1\nvsh = 1\neta = 1\n" + soon,
                       2,
                       {"layers with a vsh on a 2-D mesh"}},
        app_test::Case{"axis_of_nothing",
                       elastic + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\naxis = [1, 0]\n" + soon,
                       2,
                       {"a material with an axis that is the same in all directions"}},
        app_test::Case{
            "no_axis",
            elastic + "[[material]]\ndensity = 2\nvpv = 2\nvph = 2\nvsv = 1\neta = 1\naxis = [\"x\", 0]\n" + soon,
            2,
            {"the length of the axis is 0 at (0, 0, 0)"}},
        app_test::Case{"unstable",
                       elastic + solid + time_to(10, "step = 0.2"),
                       2,
                       {"steps of 0.2 are unstable on this mesh", "newmark", "choose step = "}},
        app_test::Case{
            "energy_of_a_group",
            elastic + solid + soon + "[[quantity]]\nname = \"e\"\nkind = \"kinetic_energy\"\non = \"domain\"\n",
            2,
            {"quantity 'e' is an energy, which is that of the whole mesh, and it names 'domain'"}},
        app_test::Case{
            "energy_of_a_field",
            elastic + solid + soon + "[[quantity]]\nname = \"e\"\nkind = \"potential_energy\"\nof = \"u_x\"\n",
            2,
            {"quantity 'e' is an energy, and of = \"u_x\" has no effect"}},
        app_test::Case{
            "two_steps", elastic + solid + time_to(1, "step = 0.001\ncfl = 0.5"), 2, {"[time] has a step and a cfl"}},
        app_test::Case{"no_time", elastic + solid, 2, {"the deck has no [time]"}},
        app_test::Case{"degree_one", box(2, 2) + physics("elastic", 1) + solid + soon, 2, {"order"}},
        app_test::Case{"absorbing_inside",
                       "[mesh]\nfile = \"" + (source() / "inputs/meshes/layered_ground.geo").string() +
                           "\"\nsize = 800\n" + physics("elastic", 4) + solid + soon +
                           "[[boundary]]\non = [\"curve_3\"]\ntype = \"absorbing\"\n",
                       2,
                       {"has facets inside the mesh"}},
        app_test::Case{"force_of_two_axes",
                       elastic + solid + soon + "[[source]]\nat = [0.5, 0.5]\nforce = [1, 0, 0]\n",
                       2,
                       {"force has 3 numbers, the mesh 2 dimensions"}},
        app_test::Case{"force_on_a_fluid",
                       box(2, 2) + physics("acoustic", 4) + "[[material]]\ndensity = \"2\"\nvp = \"2\"\n" + soon +
                           "[[source]]\nat = [0.5, 0.5]\nforce = [1, 0]\n",
                       2,
                       {"a source with a force in a medium of one number a node"}},
        app_test::Case{"sh_in_space",
                       box(3, 2) + physics("sh", 4) + "[[material]]\ndensity = \"2\"\nvs = \"2\"\n" + soon,
                       2,
                       {"\"sh\" on a 3-D mesh"}},
        app_test::Case{
            "prescribed_of_one",
            elastic + solid + soon + "[[boundary]]\non = [\"left\"]\ntype = \"prescribed\"\nvalue = [\"t\"]\n",
            2,
            {"a prescribed value has 1 component, the field has 2"}}),
    app_test::case_name);

/// c dt / h < 0.147704 / sqrt(2) with c = 2 and h = 1/2.
const double longest = 0.147704 / std::sqrt(2.0) / 4;

TEST(Wave, SaysHowLongStepsMayBe) {
  const Standing wave = standing_shear(2);
  const nlohmann::json summary = run("stable", deck_of(wave, box(2, 2), 4, time_to(0.5, "step = 0.01")));
  EXPECT_NEAR(double(summary["time"]["stable_step"]), longest, 1e-6);
  EXPECT_TRUE(summary["warnings"].empty()) << summary["warnings"];
  const nlohmann::json part = run("part", deck_of(wave, box(2, 2), 4, time_to(0.5, "cfl = 0.5")));
  EXPECT_NEAR(double(part["time"]["dt_max"]), longest / 2, 1e-6);
}

/// Between the estimate and what is certainly unstable a run begins, and says so.
TEST(Wave, WarnsOfStepsThatMayBeTooLong) {
  const std::string time = time_to(5 * 1.0005 * longest, fmt::format("step = {}", 1.0005 * longest));
  const nlohmann::json summary = run("warned", deck_of(standing_shear(2), box(2, 2), 4, time));
  ASSERT_EQ(summary["warnings"].size(), 1U) << summary["warnings"];
  EXPECT_NE(summary["warnings"][0].get<std::string>().find("may be unstable"), std::string::npos);
}

/// What the program says of a deck with one source, by `check` and by `run`.
std::vector<Result> said_of(const std::string& deck) {
  const std::string file = write_deck("source.toml", deck);
  return {app_test::tessera("check " + file + " --quiet"),
          app_test::tessera("run " + file + " --quiet --backend threads --output " + (folder() / "source").string())};
}
std::string source(const std::string& keys) { return "[[source]]\nat = [0.4, 0.6]\n" + keys; }

TEST(Wave, WarnsOfWavesThatTheMeshDoesNotResolve) {
  const std::string fine = "force = [0, 1]\ntime_function = \"ricker\"\nfrequency = 1\n",
                    coarse = "force = [0, 1]\ntime_function = \"ricker\"\nfrequency = 1e3\n";
  for (const Result& result : said_of(elastic + solid + soon + source(coarse))) {
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_TRUE(result.says("nodes stand on the shortest wave of 1e+03 Hz")) << result.text;
    EXPECT_TRUE(result.says("the mesh is too coarse there")) << result.text;
  }
  for (const Result& result : said_of(elastic + solid + soon + source(fine)))
    EXPECT_FALSE(result.says("too coarse")) << result.text;
  const std::string wave = "[[plane_wave]]\nwave = \"p\"\ndirection = [1, 0]\ntime_function = \"ricker\"\n";
  for (const Result& result : said_of(elastic + solid + soon + wave + "frequency = 1e3\n"))
    EXPECT_TRUE(result.says("too coarse")) << result.text;
}

TEST(Wave, WarnsOfSourcesWithoutStrength) {
  const std::string fixed = "[[boundary]]\non = [\"left\", \"right\", \"bottom\", \"top\"]\ntype = \"fixed\"\n",
                    constant = "time_function = \"step\"\n";
  for (const Result& result : said_of(elastic + solid + soon + source("force = [0, 0]\n" + constant)))
    EXPECT_TRUE(result.says("source 1: its force or moment is 0, and moves nothing")) << result.text;
  for (const Result& result : said_of(elastic + solid + soon + source("force = [1e-30, 0]\n" + constant)))
    EXPECT_FALSE(result.says("moves nothing")) << result.text;
  for (const Result& result :
       said_of(elastic + solid + soon + fixed + "[[source]]\nat = [0, 0.5]\nforce = [1, 0]\n" + constant))
    EXPECT_TRUE(result.says("it acts where values are prescribed")) << result.text;
}

/// A side that is free in one entry and absorbs in another one absorbs; a facet that two names hold is one.
TEST(Wave, WarnsOfSidesThatTwoEntriesHold) {
  const std::string half = group("half", "curves", "x > 0.999 && y < 0.501"),
                    twice = "[[boundary]]\non = [\"right\", \"half\"]\ntype = \"free\"\n",
                    push = source("force = [1, 0]\ntime_function = \"step\"\n");
  const auto beside = [](const std::string& type) {
    return "[[boundary]]\non = [\"half\"]\ntype = \"" + type + "\"\n";
  };
  for (const Result& result : said_of(elastic + half + solid + soon + push + twice + beside("absorbing")))
    EXPECT_TRUE(result.says("'right', 'half': at 1 of its 2 facets another entry lets waves out, which holds there"))
        << result.text;
  for (const Result& result : said_of(elastic + half + solid + soon + push + twice + beside("fixed")))
    EXPECT_TRUE(result.says("'right', 'half': at 1 of its 2 facets another entry prescribes values, which hold there"))
        << result.text;
  for (const Result& result : said_of(elastic + half + solid + soon + push + beside("absorbing")))
    EXPECT_FALSE(result.says("another entry")) << result.text;
}

TEST(Wave, SaysOfStepsInCheckWhatARunSaysOfThem) {
  const std::string time = time_to(5 * 1.0005 * longest, fmt::format("step = {}", 1.0005 * longest));
  for (const Result& result : said_of(deck_of(standing_shear(2), box(2, 2), 4, time))) {
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_TRUE(result.says("may be unstable: mesh and material let expect")) << result.text;
  }
  for (const Result& result : said_of(elastic + solid + time_to(1, "cfl = 1e-300"))) {
    EXPECT_EQ(result.code, 2) << result.text;
    EXPECT_TRUE(result.says("too many to count")) << result.text;
  }
}

}  // namespace
