// Several fields that diffuse and react, run as a user does.
#include <algorithm>
#include <cmath>

#include "app/transient.hpp"
#include "physics/reaction_diffusion/reaction_table.hpp"

namespace {

using namespace app_test;

std::string physics_of(const std::string& reaction, int order, const std::string& more = "") {
  return fmt::format("[physics]\ntype = \"reaction_diffusion\"\nreaction = \"{}\"\norder = {}\n{}", reaction, order,
                     more);
}
std::string quantity(const std::string& kind, const std::string& of, const std::string& more = "") {
  return fmt::format("[[quantity]]\nname = \"{}_{}\"\nkind = \"{}\"\nof = \"{}\"\n{}", of, kind, kind, of, more);
}
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
         to_rounding;
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
                     points("p") + points("q") + points("r") + to_rounding + time);
  };
  const auto heat = [&](const std::string& time, const std::string& k, const std::string& u, const std::string& more) {
    return run_nonlinear("one", mesh + "[physics]\ntype = \"heat\"\norder = 2\n[[material]]\nconductivity = \"" + k +
                                    "\"\n[[initial]]\nu = \"" + u + "\"\n" + more + points("u") + to_rounding + time);
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
    const auto alone = tessera::physics::reaction_diffusion::make_reaction_step(
        exec, {.name = "brusselator", .parameters = {{"b", 2.5}}}, 1, options);
    std::vector<double> u{1.2, 2.1};
    ASSERT_TRUE(alone->advance(0, 3, {u.data(), 2}).failure.empty());
    for (const char* splitting : {"strang", "lie"}) {
      const nlohmann::json summary = run_nonlinear(
          "nodes",
          box_of("quad", 2, 2) + physics_of("brusselator", 1) +
              fmt::format("[reaction]\nb = 2.5\nmethod = \"{}\"\ntolerance = 1e-9\nabsolute_tolerance = 1e-12\n"
                          "splitting = \"{}\"\n",
                          method, splitting) +
              "[[material]]\ndiffusion = 0\n[[initial]]\nX = 1.2\nY = 2.1\n" + quantity("max", "X") +
              quantity("min", "X") + quantity("max", "Y") + to_rounding + time_to(3, 0.5, "sdirk2"));
      EXPECT_NEAR(double(summary["quantities"]["X_max"]), u[0], 2e-6) << method << " " << splitting;
      EXPECT_NEAR(double(summary["quantities"]["X_min"]), u[0], 2e-6) << method << " " << splitting;
      EXPECT_NEAR(double(summary["quantities"]["Y_max"]), u[1], 2e-6) << method << " " << splitting;
      EXPECT_EQ(summary["time"]["reactions"]["method"], method);
      EXPECT_EQ(summary["time"]["splitting"], splitting);
      EXPECT_FALSE(summary.contains("balance"));
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
         to_rounding;
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

/// What a deck writes down is what the program has by name.
TEST(ReactionDiffusion, TakesRatesAsExpressions) {
  std::string by_name = patterns(16) + time_to(20, 2, "sdirk2"), written = by_name;
  const auto replace = [&](const std::string& old, const std::string& by) {
    ASSERT_NE(written.find(old), std::string::npos) << old;
    written.replace(written.find(old), old.size(), by);
  };
  replace("\"gray_scott\"", "\"expressions\"\nfields = [\"u\", \"v\"]");
  replace("F = 0.037\nk = 0.06\n", "rates = [\"0.037*(1 - u) - u*v^2\", \"u*v*v - 0.097*v\"]\n");
  for (const char* method : {"rosenbrock", "cash_karp", "rkc", "exponential"}) {
    const std::string options = fmt::format("--set reaction.method='\"{}\"' --set reaction.tolerance=1e-8", method);
    const std::string asked = quantity("l2", "u") + quantity("l2", "v") + quantity("max", "v");
    const nlohmann::json a = run_nonlinear("by_name", by_name + asked, options),
                         b = run_nonlinear("written", written + asked, options);
    for (const char* name : {"u_l2", "v_l2", "v_max"})
      EXPECT_NEAR(double(a["quantities"][name]), double(b["quantities"][name]), 1e-9) << method << " " << name;
    EXPECT_EQ(a["time"]["reactions"]["steps"], b["time"]["reactions"]["steps"]) << method;
  }
}

/// A smooth solution whose rates depend on x, y, t and on each other; no flow through the sides.
std::string manufactured(const std::string& shape, int dim, int cells, int order) {
  const std::string form = dim == 1 ? "cos(pi*x)" : "cos(pi*x)*cos(pi*y)";
  const std::string u = "(2 + exp(-t)*" + form + ")", v = "(3 + sin(2*t)*" + form + ")";
  const std::string laplace = fmt::format("({}*pi^2*{})", dim, form);
  const auto rate = [&](const std::string& in_time, const std::string& D, const std::string& amplitude,
                        const std::string& reaction, const std::string& at_exact) {
    return fmt::format("{} + {}*{}*{} + {} - {}", in_time, D, amplitude, laplace, reaction, at_exact);
  };
  return box_of(shape, dim, cells) + physics_of("expressions", order, "fields = [\"u\", \"v\"]\n") +
         "[reaction]\nrates = [\n\"" + rate("-exp(-t)*" + form, "0.1", "exp(-t)", "u*v", u + "*" + v) + "\",\n\"" +
         rate("2*cos(2*t)*" + form, "0.05", "sin(2*t)", "(u - v^2)", "(" + u + " - " + v + "^2)") + "\"]\n" + tight +
         "[[material]]\ndiffusion = [0.1, 0.05]\n[[initial]]\nu = \"" + u + "\"\nv = \"" + v + "\"\n[exact]\nu = \"" +
         u + "\"\nv = \"" + v + "\"\n" + to_rounding;
}

TEST(ReactionDiffusion, HasTheOrderOfItsElements) {
  struct Elements {
    const char* shape;
    int dim, order, coarse, fine;
  };
  for (const Elements& e :
       {Elements{"interval", 1, 1, 16, 32}, Elements{"triangle", 2, 1, 8, 16}, Elements{"quad", 2, 2, 4, 8}}) {
    const auto error = [&](int cells) {
      return error_of(
          run_nonlinear("space", manufactured(e.shape, e.dim, cells, e.order) + time_to(0.1, 0.0025, "sdirk2")));
    };
    const double coarse = error(e.coarse), fine = error(e.fine);
    EXPECT_GT(std::log2(coarse / fine), e.order + 1 - 0.3) << e.shape << ": " << coarse << " " << fine;
  }
}

TEST(ReactionDiffusion, HasTheOrderOfItsSplittingWithRatesThatDependOnTime) {
  for (const auto& [splitting, order] : {std::pair{"strang", 2.0}, {"lie", 1.0}}) {
    const auto error = [&](double step) {
      return error_of(run_nonlinear("time", manufactured("interval", 1, 12, 4) + time_to(0.4, step, "sdirk2"),
                                    fmt::format("--set reaction.splitting='\"{}\"'", splitting)));
    };
    const double coarse = error(0.02), fine = error(0.01);
    EXPECT_GT(std::log2(coarse / fine), order - 0.1) << splitting << ": " << coarse << " " << fine;
  }
}

/// u' = u'' + u (1 - u) has a wave that goes at 5 / sqrt(6): M. Ablowitz & A. Zeppetella, Bull. Math. Biol. 41 (1979)
/// 835-840.
TEST(ReactionDiffusion, CarriesFishersWave) {
  const std::string u = "(1 + exp((x - 5*t/sqrt(6))/sqrt(6)))^(-2)";
  const auto error = [&](int cells, double step) {
    return error_of(
        run_nonlinear(
            "fisher",
            fmt::format("[mesh]\nbox = {{ min = [-20], max = [30], cells = [{}], shape = \"interval\" }}\n", cells) +
                physics_of("expressions", 2, "fields = [\"u\"]\n") + "[reaction]\nrates = \"u*(1 - u)\"\n" + tight +
                "[[material]]\ndiffusion = 1\n" + dirichlet_on("[\"left\", \"right\"]", u) + "[[initial]]\nu = \"" + u +
                "\"\n[exact]\nu = \"" + u + "\"\n" + to_rounding + time_to(4, step, "sdirk2")),
        "u");
  };
  const double coarse = error(100, 0.1), fine = error(200, 0.05);
  EXPECT_LT(fine, 2e-3);
  EXPECT_GT(std::log2(coarse / fine), 1.9) << coarse << " " << fine;
}

/// Robertson's reactions from a table, with Arrhenius' law of an energy of 0, are those of the program.
TEST(ReactionDiffusion, ReadsMechanisms) {
  const std::string table = table_of("robertson.txt",
                                     "# Robertson\nA -> B, 0.04, 0, 0\n\n2 B -> B + C, 3e7  # fast\n"
                                     "B + C -> A + C, 1e4\n");
  const auto deck = [&](const std::string& physics, const std::string& reaction) {
    return box_of("quad", 2, 4) + physics + "[reaction]\nabsolute_tolerance = 1e-14\n" + reaction +
           "[[material]]\ndiffusion = [1e-2, 2e-2, 1e-2]\n[[initial]]\nA = \"1 + x\"\nB = 0\nC = \"y\"\n" +
           quantity("l2", "A") + quantity("l2", "B") + quantity("integral", "C") + to_rounding +
           time_to(0.4, 0.1, "sdirk2");
  };
  const nlohmann::json named = run_nonlinear("named", deck(physics_of("robertson", 1), "")),
                       read = run_nonlinear(
                           "read", deck(physics_of("mechanism", 1), "table = \"" + table + "\"\ntemperature = 300\n"));
  for (const char* name : {"A_l2", "B_l2", "C_integral"})
    EXPECT_NEAR(double(named["quantities"][name]), double(read["quantities"][name]),
                1e-9 * double(named["quantities"][name]))
        << name;
  EXPECT_GT(double(named["quantities"]["B_l2"]), 1e-6);
}

/// A run that stopped and went on is one that did not stop, bit for bit: the nodes remember their steps.
TEST(ReactionDiffusion, GoesOnBitwise) {
  for (const char* scheme : {"sdirk2", "crank_nicolson", "rkc"}) {
    const std::string deck =
        write_deck(fmt::format("go_on_{}.toml", scheme),
                   patterns(64) + time_to(60, 2, scheme) +
                       "[checkpoint]\nevery = 7\n[output]\nevery = 10\n[[probe]]\nname = \"middle\"\nat = [1.2, 1.3]\n"
                       "of = \"v\"\n");
    const fs::path whole = folder() / fmt::format("whole_{}", scheme),
                   parts = folder() / fmt::format("parts_{}", scheme);
    const std::string run = "run " + deck + " --quiet --backend threads --output ";
    ASSERT_EQ(app_test::tessera(run + whole.string()).code, 0) << app_test::tessera(run + whole.string()).text;
    ASSERT_EQ(app_test::tessera(run + parts.string() + " --set time.end=30").code, 0);
    const Result restarted = app_test::tessera("restart " + parts.string() + " --quiet --set time.end=60");
    ASSERT_EQ(restarted.code, 0) << restarted.text;
    for (const char* file : {"solution_000020.vtu", "solution_000030.vtu", "probes.csv"}) {
      EXPECT_EQ(bytes_of(whole / file), bytes_of(parts / file)) << scheme << " " << file;
      EXPECT_FALSE(bytes_of(whole / file).empty()) << scheme << " " << file;
    }
  }
}

/// Each field is one in files and tables, and quantities, lines and probes are of any.
TEST(ReactionDiffusion, WritesItsFieldsByTheirNames) {
  const std::string deck = write_deck(
      "names.toml",
      box_of("quad", 2, 4) + physics_of("fitzhugh_nagumo", 1, "fields = [\"potential\", \"recovery\"]\n") +
          "[[material]]\ndiffusion = [1e-2, 0]\n[[initial]]\npotential = \"x\"\nrecovery = \"y\"\n" +
          "[output]\nformats = [\"csv\"]\n[[line]]\nfrom = [0, 0.5]\nto = [1, 0.5]\npoints = 3\nof = [\"recovery\"]\n"
          "[[line]]\nfrom = [0, 0.5]\nto = [1, 0.5]\npoints = 3\n" +
          "[[probe]]\nname = \"p\"\nat = [0.5, 0.5]\nof = \"recovery\"\n" +
          quantity("value", "recovery", "at = [1, 1]\n") + time_to(0.2, 0.1, "sdirk2"));
  const fs::path out = folder() / "names";
  const Result result = app_test::tessera("run " + deck + " --quiet --backend threads --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  const auto first_line = [&](const char* file) {
    std::ifstream stream(out / file);
    std::string line;
    std::getline(stream, line);
    return line;
  };
  EXPECT_NE(first_line("solution_000002.csv").find("potential,recovery"), std::string::npos)
      << first_line("solution_000002.csv");
  EXPECT_EQ(first_line("line_1.csv"), "s,x,y,z,recovery");
  EXPECT_EQ(first_line("line_2.csv"), "s,x,y,z,potential,recovery");
  EXPECT_TRUE(summary_in(out)["quantities"].contains("recovery_value"));
  const Result unknown = app_test::tessera("run " + deck + " --set line.0.of='[\"w\"]' --set output.fields='[\"v\"]'");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(unknown.says("potential")) << unknown.text;
}

/// Where a node cannot go on the run says which, and keeps the states before.
TEST(ReactionDiffusion, SaysWhereReactionsFail) {
  for (const char* scheme : {"sdirk2", "rkc"}) {
    const std::string deck =
        write_deck("blow_up.toml", box_of("interval", 1, 4) +
                                       physics_of("expressions", 1, "fields = [\"u\"]\nmass = \"lumped\"\n") +
                                       "[reaction]\nrates = \"x*u^2\"\nmethod = \"cash_karp\"\n[[material]]\ndiffusion "
                                       "= 1e-6\n[[initial]]\nu = 1\n" +
                                       time_to(2, 0.1, scheme));
    const fs::path out = folder() / fmt::format("blow_up_{}", scheme);
    const Result result = app_test::tessera("run " + deck + " --quiet --backend threads --output " + out.string());
    EXPECT_EQ(result.code, 4) << result.text;
    EXPECT_TRUE(result.says("that node is at (1, 0, 0)")) << result.text;
    EXPECT_TRUE(result.says("help: ")) << result.text;
    const nlohmann::json summary = summary_in(out);
    EXPECT_EQ(summary["status"], "not_converged");
    EXPECT_LT(double(summary["time"]["t"]), 1.05);
    EXPECT_GT(double(summary["time"]["t"]), 0.85);
  }
}

}  // namespace
