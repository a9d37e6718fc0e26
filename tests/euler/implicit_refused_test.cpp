// What implicit steps of gases do not go with, and what is said of it.
#include "decks.hpp"

namespace {

using namespace euler_decks;

class GasImplicitRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(GasImplicitRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

const std::string tube = gas_box(1, 4, "interval") + initial("1", "[\"0\"]", "1") + walls;

INSTANTIATE_TEST_SUITE_P(
    Euler, GasImplicitRefused,
    ::testing::Values(
        app_test::Case{"theta_below",
                       tube + euler + time_to(1, "step = 0.1\ntheta = 0.3", "theta"),
                       2,
                       {"time.theta", "0.5", "theta_below.toml:"}},
        app_test::Case{"theta_of_another",
                       tube + euler + time_to(1, "step = 0.1\ntheta = 1", "backward_euler"),
                       2,
                       {"time.theta belongs to scheme = \"theta\"", "theta_of_another.toml:"}},
        app_test::Case{
            "steady_trapezoidal",
            tube + euler + time_to(9, "cfl = 2", "crank_nicolson") + "[steady]\n",
            2,
            {"[steady] takes steps that damp", "choose scheme = \"backward_euler\"", "steady_trapezoidal.toml:"}},
        app_test::Case{"long_explicit",
                       tube + euler + time_to(1, "cfl = 2"),
                       2,
                       {"time.cfl is 2, and steps of ssp_rk3 keep the state in its bounds up to 1", "backward_euler",
                        "long_explicit.toml:"}},
        app_test::Case{
            "newton_of_explicit",
            tube + euler + time_to(1) + "[newton]\ntolerance = 1e-4\n",
            2,
            {"[newton] is of implicit schemes, and time.scheme = \"ssp_rk3\" is explicit", "newton_of_explicit.toml:"}},
        app_test::Case{"solver_of_explicit",
                       tube + euler + time_to(1) + "[solver]\ntolerance = 1e-4\n",
                       2,
                       {"[solver] is of implicit schemes", "leave [solver] out", "solver_of_explicit.toml:"}},
        app_test::Case{"newton_of_steady",
                       tube + euler + time_to(9, "cfl = 2", "backward_euler") + "[steady]\n[newton]\n",
                       2,
                       {"a step of [steady] is one correction", "newton_of_steady.toml:"}},
        app_test::Case{"steady_without_cfl",
                       tube + euler + time_to(9, "", "backward_euler") + "[steady]\n",
                       2,
                       {"[time] has no cfl, which the steps of [steady] need", "write cfl = 5"}},
        app_test::Case{
            "mixed_of_explicit",
            tube + euler + time_to(1) + "[run]\nprecision = \"mixed\"\n",
            2,
            {"run.precision = \"mixed\" is of the systems of implicit steps", "time.scheme = \"ssp_rk3\" is explicit",
             "choose precision = \"float\"", "mixed_of_explicit.toml:"}},
        app_test::Case{"float_of_fct",
                       tube + euler + "limiter = \"fct\"\n" + time_to(1) + "[run]\nprecision = \"float\"\n",
                       2,
                       {"run.precision = \"float\": the passes of limiter = \"fct\" are there in double alone",
                        "choose limiter = \"convex\"", "float_of_fct.toml:"}},
        app_test::Case{
            "float_of_roe",
            tube + euler + "limiter = \"none\"\nviscosity = \"roe\"\n" + time_to(1) + "[run]\nprecision = \"float\"\n",
            2,
            {"the passes of viscosity = \"roe\" are there in double alone", "float_of_roe.toml:"}},
        app_test::Case{"float_of_covolume",
                       tube + euler + "[gas]\ncovolume = 0.1\n" + time_to(1) + "[run]\nprecision = \"float\"\n",
                       2,
                       {"limits are those of perfect gases of gamma up to 2", "float_of_covolume.toml:"}},
        app_test::Case{
            "float_of_steady",
            tube + euler + "limiter = \"monolithic\"\n" + time_to(9) + "[steady]\n[run]\nprecision = \"float\"\n",
            2,
            {"the rate of change of [steady] does not fall below what rounds in float", "float_of_steady.toml:"}},
        app_test::Case{"factor_in_float",
                       tube + euler + time_to(1, "step = 0.1", "theta") +
                           "[run]\nprecision = \"float\"\n[solver]\ntype = \"lu\"\n",
                       2,
                       {"run.precision = \"float\" is for iterative solvers", "factor_in_float.toml:"}},
        app_test::Case{"fine_in_float",
                       tube + euler + time_to(1, "step = 0.1", "theta") +
                           "[run]\nprecision = \"float\"\n[solver]\ntolerance = 1e-9\n",
                       2,
                       {"solver.tolerance = 1e-09 is finer than single precision resolves", "precision = \"mixed\"",
                        "fine_in_float.toml:"}},
        app_test::Case{"begins_above",
                       tube + euler + time_to(9, "cfl = 50", "backward_euler") + "[steady]\nmost_cfl = 20\n",
                       2,
                       {"time.cfl is 50, with which the steps of [steady] begin, and steady.most_cfl", "20",
                        "begins_above.toml:"}},
        app_test::Case{"growth_of_explicit",
                       tube + euler + time_to(9) + "[steady]\nmost_cfl = 50\n",
                       2,
                       {"steady.most_cfl is of implicit schemes", "growth_of_explicit.toml:"}},
        app_test::Case{"symmetric_solver",
                       tube + euler + time_to(1, "step = 0.1", "theta") + "[solver]\ntype = \"cg\"\n",
                       2,
                       {"cg", "symmetric_solver.toml:"}}),
    [](const ::testing::TestParamInfo<app_test::Case>& info) { return std::string(info.param.name); });

}  // namespace
