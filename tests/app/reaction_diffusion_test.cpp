// Several fields that diffuse and react, run as a user does.
#include <algorithm>
#include <cmath>

#include "app/nonlinear.hpp"
#include "solvers/odes/reaction_table.hpp"

namespace {

using namespace app_test;

std::string physics_of(const std::string& reaction, int order, const std::string& more = "") {
  return fmt::format("[physics]\ntype = \"reaction_diffusion\"\nreaction = \"{}\"\norder = {}\n{}", reaction, order,
                     more);
}
std::string time_to(double end, double step, const std::string& scheme) {
  return fmt::format("[time]\nend = {}\nstep = {}\nscheme = \"{}\"\n", end, step, scheme);
}
std::string quantity(const std::string& kind, const std::string& of, const std::string& more = "") {
  return fmt::format("[[quantity]]\nname = \"{}_{}\"\nkind = \"{}\"\nof = \"{}\"\n{}", of, kind, kind, of, more);
}
const std::string exactly = "[solver]\ntolerance = 1e-13\n";
const std::string tight = "tolerance = 1e-10\nabsolute_tolerance = 1e-14\n";

/// A table of reactions beside the decks.
std::string table_of(const std::string& name, const std::string& lines) { return write_deck(name, lines); }

/// A decays into B, and both diffuse, not equally fast: the parts of a step do not commute. With u = cos(pi x) as the
/// form of all fields, amplitudes follow two linear equations.
std::string decay(const std::string& splitting) {
  const double k = 2, fast = M_PI * M_PI, slow = 0.1 * M_PI * M_PI;
  const double rate = k + fast, factor = k / (slow - rate);
  return box_of("interval", 1, 6) + physics_of("mechanism", 4) + "[reaction]\ntable = \"" +
         table_of("decay.txt", "# a reaction, its rate constant\nA -> B, 2\n") + "\"\nsplitting = \"" + splitting +
         "\"\n" + tight + "[[material]]\ndiffusion = [1, 0.1]\n[[initial]]\nA = \"cos(pi*x)\"\nB = 0\n" +
         fmt::format(
             "[exact]\nA = \"exp(-{0:.17g}*t)*cos(pi*x)\"\n"
             "B = \"{1:.17g}*(exp(-{0:.17g}*t) - exp(-{2:.17g}*t))*cos(pi*x)\"\n",
             rate, factor, slow) +
         exactly;
}

double error_of(const nlohmann::json& summary, const char* field = "all") { return summary["errors"][field]["l2"]; }

struct Split {
  const char* splitting;
  const char* scheme;
  const char* more;
  double order;
};
void PrintTo(const Split& split, std::ostream* stream) { *stream << split.splitting << " " << split.scheme; }

class Splittings : public ::testing::TestWithParam<Split> {};

TEST_P(Splittings, HaveTheirOrderInTime) {
  const Split& split = GetParam();
  std::vector<double> errors;
  for (const double step : {0.02, 0.01, 0.005})
    errors.push_back(error_of(run_nonlinear(fmt::format("split_{}_{}", split.splitting, split.scheme),
                                            decay(split.splitting) + time_to(0.2, step, split.scheme), split.more)));
  for (std::size_t i = 0; i + 1 < errors.size(); ++i)
    EXPECT_GT(std::log2(errors[i] / errors[i + 1]), split.order - 0.1) << errors[i] << " " << errors[i + 1];
  if (split.order == 1) {
    EXPECT_LT(std::log2(errors[1] / errors[2]), 1.3) << "a first-order method is none of second";
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Splittings,
                         ::testing::Values(Split{"strang", "sdirk2", "", 2}, Split{"strang", "crank_nicolson", "", 2},
                                           Split{"strang", "rkc", "--set physics.mass='\"lumped\"'", 2},
                                           Split{"lie", "sdirk2", "", 1}, Split{"lie", "crank_nicolson", "", 1},
                                           Split{"strang", "backward_euler", "", 1}),
                         [](const auto& info) {
                           return fmt::format("{}_{}", info.param.splitting, info.param.scheme);
                         });

/// Without reactions each field is one of heat, with its own diffusion and its own conditions.
TEST(ReactionDiffusion, WithoutReactionsIsHeat) {
  const std::string mesh = box_of("triangle", 2, 8);
  const auto points = [](const std::string& of) {
    return quantity("l2", of) + quantity("max", of) + quantity("average", of) +
           quantity("value", of, "at = [0.3, 0.6]\n");
  };
  const std::string initial = "cos(3*x)*(1 + y)";
  const auto fields = [&](const std::string& time, const std::string& mass) {
    return run_nonlinear(
        "three", mesh + physics_of("robertson", 2, "fields = [\"p\", \"q\", \"r\"]\n" + mass) +
                     "[reaction]\nk1 = 0\nk2 = 0\nk3 = 0\n[[material]]\ndiffusion = [1, \"2 + x\", 0.5]\n" +
                     "[[initial]]\np = \"" + initial + "\"\nq = \"" + initial + "\"\nr = 1\n" +
                     "[[boundary]]\ntype = \"dirichlet\"\non = [\"left\"]\nvalue = \"1 + y\"\nfield = \"q\"\n" +
                     "[[boundary]]\ntype = \"robin\"\non = [\"right\"]\nvalue = \"t\"\nalpha = 2\nfield = \"r\"\n" +
                     points("p") + points("q") + points("r") + exactly + time);
  };
  const auto heat = [&](const std::string& time, const std::string& k, const std::string& u, const std::string& more) {
    return run_nonlinear("one", mesh + "[physics]\ntype = \"heat\"\norder = 2\n[[material]]\nconductivity = \"" + k +
                                    "\"\n[[initial]]\nu = \"" + u + "\"\n" + more + points("u") + exactly + time);
  };
  for (const char* scheme : {"sdirk2", "backward_euler"}) {
    const std::string time = time_to(0.1, 0.01, scheme);
    const nlohmann::json all = fields(time, "");
    const std::vector<std::pair<std::string, nlohmann::json>> alone = {
        {"p", heat(time, "1", initial, "")},
        {"q", heat(time, "2 + x", initial, dirichlet_on("[\"left\"]", "1 + y"))},
        {"r", heat(time, "0.5", "1", "[[boundary]]\ntype = \"robin\"\non = [\"right\"]\nvalue = \"t\"\nalpha = 2\n")}};
    for (const auto& [name, one] : alone)
      for (const char* kind : {"l2", "max", "average", "value"})
        EXPECT_NEAR(double(all["quantities"][name + "_" + kind]), double(one["quantities"][fmt::format("u_{}", kind)]),
                    1e-12)
            << scheme << " " << name << " " << kind;
  }
}

/// Where nothing diffuses every node is a system of its own.
TEST(ReactionDiffusion, WithoutDiffusionIsManyOrdinaryEquations) {
  tessera::Threads exec(1);
  for (const char* method : {"rosenbrock", "cash_karp", "rkc", "exponential"}) {
    tessera::solvers::OdeOptions options;
    options.method = method;
    options.tolerance = {1e-9, 1e-12};
    const auto alone =
        tessera::solvers::make_reaction_step(exec, {.name = "brusselator", .parameters = {{"b", 2.5}}}, 1, options);
    std::vector<double> u{1.2, 2.1};
    ASSERT_TRUE(alone->advance(0, 3, {u.data(), 2}).failure.empty());
    for (const char* splitting : {"strang", "lie"}) {
      const nlohmann::json summary = run_nonlinear(
          "nodes",
          box_of("quad", 2, 2) + physics_of("brusselator", 1) +
              fmt::format("[reaction]\nb = 2.5\nmethod = \"{}\"\ntolerance = 1e-9\nabsolute_tolerance = 1e-12\n"
                          "splitting = \"{}\"\n",
                          method, splitting) +
              "[[material]]\ndiffusion = 0\n[[initial]]\nx = 1.2\ny = 2.1\n" + quantity("max", "x") +
              quantity("min", "x") + quantity("max", "y") + exactly + time_to(3, 0.5, "sdirk2"));
      EXPECT_NEAR(double(summary["quantities"]["x_max"]), u[0], 2e-6) << method << " " << splitting;
      EXPECT_NEAR(double(summary["quantities"]["x_min"]), u[0], 2e-6) << method << " " << splitting;
      EXPECT_NEAR(double(summary["quantities"]["y_max"]), u[1], 2e-6) << method << " " << splitting;
      EXPECT_EQ(summary["time"]["reactions"]["method"], method);
      EXPECT_EQ(summary["time"]["splitting"], splitting);
      EXPECT_GT(int(summary["time"]["reactions"]["steps"]), 9 * 6);  // nodes and steps
    }
  }
}

/// Patterns of Gray and Scott on a torus. Backward Euler with a lumped mass on squares keeps its bounds, and so do the
/// reactions: 0 <= v, 0 <= u <= 1.
std::string patterns(int cells) {
  return fmt::format("[mesh]\nbox = {{ max = [2.5, 2.5], cells = [{0}, {0}], shape = \"quad\" }}\n", cells) +
         physics_of("gray_scott", 1, "mass = \"lumped\"\n") +
         "[reaction]\nF = 0.037\nk = 0.06\nabsolute_tolerance = 1e-12\n[[material]]\ndiffusion = [\"2e-4\", \"1e-4\"]\n"
         "[[boundary]]\ntype = \"periodic\"\non = [\"left\", \"right\"]\n"
         "[[boundary]]\ntype = \"periodic\"\non = [\"bottom\", \"top\"]\n"
         "[[initial]]\nu = \"hypot(x - 1.2, y - 1.3) < 0.3 ? 0.5 : 1\"\nv = \"hypot(x - 1.2, y - 1.3) < 0.3 ? 0.25 : "
         "0\"\n" +
         exactly;
}

TEST(ReactionDiffusion, KeepsTheBoundsOfGrayAndScott) {
  std::string asked;
  for (const char* of : {"u", "v"})
    for (const char* kind : {"min", "max", "average", "integral", "l2"}) asked += quantity(kind, of);
  const nlohmann::json summary =
      run_nonlinear("bounds", patterns(64) + asked + time_to(300, 5, "backward_euler") + "[output]\nevery = 20\n");
  const nlohmann::json& values = summary["quantities"];
  EXPECT_GE(double(values["v_min"]), -1e-9);
  EXPECT_GE(double(values["u_min"]), 0);
  EXPECT_LE(double(values["u_max"]), 1 + 1e-9);
  EXPECT_GT(double(values["v_max"]), 0.2) << "the pattern lives";
  EXPECT_LT(double(values["u_min"]), 0.6);
  EXPECT_NEAR(double(values["v_integral"]), 2.5 * 2.5 * double(values["v_average"]), 1e-12);
  EXPECT_EQ(summary["time"]["matrices"], 1);
}

}  // namespace
