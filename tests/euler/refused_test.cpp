// Decks of gases that are refused, and what is said of them.
#include "decks.hpp"

namespace {

using namespace euler_decks;

const std::string tube = gas_box(1, 10, "interval") + euler, square = gas_box(2, 4, "triangle") + euler;
const std::string still = initial("1", "[\"0\"]", "1"), soon = time_to(0.01);

class GasRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(GasRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Euler, GasRefused,
    ::testing::Values(
        app_test::Case{"no_boundary",
                       square + initial("1", "[\"0\", \"0\"]", "1") +
                           "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"slip_wall\"\n" + soon,
                       2,
                       {"no [[boundary]] for 'bottom', 'top'", "on = [\"rest\"]"}},
        app_test::Case{"two_boundaries",
                       tube + still + walls +
                           "[[boundary]]\non = [\"left\"]\ntype = \"outflow\"\n[[boundary]]\non = [\"left\"]\ntype = "
                           "\"slip_wall\"\n" +
                           soon,
                       2,
                       {"'left' has facets of another [[boundary]], too", "two_boundaries.toml:"}},
        app_test::Case{"negative_density",
                       tube + initial("x - 0.55", "[\"0\"]", "1") + walls + soon,
                       2,
                       {"[[initial]] has a density that is not positive at (0, 0, 0): density -0.55, pressure 1",
                        "negative_density.toml:"}},
        app_test::Case{"negative_pressure",
                       tube + "[[initial]]\ndensity = 1\nmomentum = [\"2*(x > 0.55)\"]\nenergy = 1\n" + walls + soon,
                       2,
                       {"[[initial]] has a pressure that is not positive at (0.6, 0, 0): density 1, pressure -0.4"}},
        app_test::Case{"fast",
                       tube + initial("1", "[\"1e9\"]", "1") + walls + soon,
                       2,
                       {"[[initial]] has numbers beyond rounding", "density 1, pressure 1", "fast.toml:"}},
        app_test::Case{
            "beyond", tube + initial("1", "[\"1e200\"]", "1") + walls + soon, 2, {"numbers beyond rounding"}},
        app_test::Case{"hot", tube + initial("1", "[0]", "1e305") + walls + soon, 2, {"numbers beyond rounding"}},
        app_test::Case{"fast_inflow",
                       tube + still + "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" +
                           state("1", "[1e160]", "1") + "[[boundary]]\non = [\"right\"]\ntype = \"outflow\"\n" + soon,
                       2,
                       {"[[boundary]] on 'left' at t = 0 has numbers beyond rounding"}},
        app_test::Case{"negative_inflow",
                       tube + still + "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" + state("1", "[3]", "0") +
                           "[[boundary]]\non = [\"right\"]\ntype = \"outflow\"\n" + soon,
                       2,
                       {"[[boundary]] on 'left' at t = 0 has a pressure that is not positive at (0, 0, 0)"}},
        app_test::Case{
            "gamma_one", tube + "[gas]\ngamma = 1\n" + still + walls + soon, 2, {"gas.gamma", "gamma_one.toml:"}},
        app_test::Case{
            "gamma_huge", tube + "[gas]\ngamma = 1e30\n" + still + walls + soon, 2, {"gas.gamma", "gamma_huge.toml:"}},
        app_test::Case{"too_dense",
                       tube + "[gas]\ncovolume = 0.5\n" + initial("2 + x", "[\"0\"]", "1") + walls + soon,
                       2,
                       {"a density above 1 / covolume"}},
        app_test::Case{"order_two",
                       gas_box(1, 10, "interval") + "[physics]\ntype = \"euler\"\norder = 2\n" + still + walls + soon,
                       2,
                       {"physics.order", "order_two.toml:"}},
        app_test::Case{"mass_of_fct",
                       gas_box(1, 10, "interval") +
                           "[physics]\ntype = \"euler\"\nlimiter = \"fct\"\nmass = \"lumped\"\n" + still + walls + soon,
                       2,
                       {"physics.mass is of limiter = \"convex\"", "limiter = \"fct\"", "mass_of_fct.toml:"}},
        app_test::Case{"bounds_of_none",
                       gas_box(1, 10, "interval") +
                           "[physics]\ntype = \"euler\"\nlimiter = \"none\"\nrelaxed_bounds = false\n" + still + walls +
                           soon,
                       2,
                       {"physics.relaxed_bounds is of limiter = \"convex\"", "choose limiter = \"convex\""}},
        app_test::Case{"relaxation_of_fct",
                       gas_box(1, 10, "interval") + "[physics]\ntype = \"euler\"\nlimiter = \"fct\"\nrelaxation = 2\n" +
                           still + walls + soon,
                       2,
                       {"physics.relaxation is of limiter = \"convex\"", "relaxation_of_fct.toml:"}},
        app_test::Case{"relaxation_of_none",
                       gas_box(1, 10, "interval") +
                           "[physics]\ntype = \"euler\"\nrelaxed_bounds = false\nrelaxation = 2\n" + still + walls +
                           soon,
                       2,
                       {"physics.relaxation says how far bounds are relaxed, and relaxed_bounds = false",
                        "leave one of them out", "relaxation_of_none.toml:"}},
        app_test::Case{"no_initial", tube + walls + soon, 2, {"the deck has no [[initial]]"}},
        app_test::Case{"half_a_state",
                       tube + "[[initial]]\ndensity = 1\npressure = 1\n" + walls + soon,
                       2,
                       {"[[initial]] is not one state"}},
        app_test::Case{"components",
                       square + initial("1", "[\"0\"]", "1") + walls + soon,
                       2,
                       {"velocity has 1 component, the mesh 2 dimensions"}},
        app_test::Case{"wall_with_a_state",
                       tube + still + "[[boundary]]\non = [\"rest\"]\ntype = \"slip_wall\"\npressure = 1\n" + soon,
                       2,
                       {"the boundary of type \"slip_wall\" has a state"}},
        app_test::Case{"no_time", tube + still + walls, 2, {"the deck has no [time]: gases flow"}},
        app_test::Case{"force_on_nothing",
                       tube + still + walls + soon + "[[quantity]]\nname = \"f\"\nkind = \"force_x\"\n",
                       2,
                       {"quantity 'f' is a force on nothing"}},
        app_test::Case{"force_of",
                       tube + still + walls + soon +
                           "[[quantity]]\nname = \"f\"\nkind = \"force_x\"\non = [\"left\"]\nof = \"pressure\"\n",
                       2,
                       {"quantity 'f' is a force, and of = \"pressure\" has no effect"}},
        app_test::Case{"force_z_2d",
                       square + initial("1", "[\"0\", \"0\"]", "1") + walls + soon +
                           "[[quantity]]\nname = \"f\"\nkind = \"force_z\"\non = [\"left\"]\n",
                       2,
                       {"quantity 'f' is force_z, and the mesh has 2 dimensions"}},
        app_test::Case{"no_step", tube + still + walls + "[time]\nend = 1\n", 2, {"write cfl = 0.5", "no_step.toml:"}},
        app_test::Case{
            "limited_roe",
            gas_box(1, 10, "interval") + "[physics]\ntype = \"euler\"\nviscosity = \"roe\"\n" + still + walls + soon,
            2,
            {"limiter = \"convex\" begins with a low order that keeps the gas a gas",
             "choose limiter = \"none\", or viscosity = \"guaranteed\"", "limited_roe.toml:"}},
        app_test::Case{"steady_at_once",
                       tube + still + walls + "[time]\nend = 10\ncfl = 0.5\n[steady]\ntolerance = 1\n",
                       2,
                       {"steady.tolerance = 1 is met by the first step", "such as 1e-6", "steady_at_once.toml:"}},
        app_test::Case{"constant_of_nothing",
                       tube + "[gas]\nconstant = 287\n" + still + walls + soon,
                       2,
                       {"gas.constant is of total temperatures, and no boundary is a reservoir"}},
        app_test::Case{"dense_roe",
                       gas_box(1, 10, "interval") +
                           "[physics]\ntype = \"euler\"\nlimiter = \"none\"\nviscosity = \"roe\"\n[gas]\ncovolume = "
                           "0.1\n" +
                           still + walls + soon,
                       2,
                       {"viscosity = \"roe\" takes the mean of perfect gases", "dense_roe.toml:"}},
        app_test::Case{"fix_of_scalar",
                       gas_box(1, 10, "interval") +
                           "[physics]\ntype = \"euler\"\nlimiter = \"none\"\nviscosity = \"scalar\"\nentropy_fix = "
                           "false\n" +
                           still + walls + soon,
                       2,
                       {"physics.entropy_fix is of viscosity = \"roe\"", "viscosity = \"scalar\""}},
        app_test::Case{"limiter_of_none",
                       gas_box(1, 10, "interval") + "[physics]\ntype = \"euler\"\nlimiter = \"none\"\n" + still +
                           walls + soon + "[output]\nfields = [\"limiter\"]\n",
                       2,
                       {"the field 'limiter' is of limiter = \"convex\" or \"monolithic\"", "limiter_of_none.toml:"}},
        app_test::Case{"stages_of_none",
                       gas_box(1, 10, "interval") + "[physics]\ntype = \"euler\"\nlimiter = \"none\"\n" + still +
                           walls + time_to(0.01, "cfl = 0.5", "erk33"),
                       2,
                       {"time.scheme = \"erk33\" has stages whose high order is limited", "limiter = \"none\"",
                        "stages_of_none.toml:"}},
        app_test::Case{
            "implicit", tube + still + walls + time_to(0.01, "step = 0.001", "bdf2"), 2, {"time.scheme", "ssp_rk3"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
