// Every scheme and every module that goes through time, a hundred steps on several ranks: the state of one rank, and
// the same bits again.
#include "app/ranks.hpp"
#include "app/transient.hpp"
#include "solvers/time/scheme.hpp"

namespace {

using namespace app_test;

/// A run of a hundred steps, or of a hundred and more where they are chosen.
struct Row {
  std::string name, deck;
  bool chooses =
      false;  ///< the lengths of its steps, which rounding changes: only at the end are times those of others
};
void PrintTo(const Row& row, std::ostream* stream) { *stream << row.name; }

constexpr int steps_of_a_row = 100;

std::string probe_of(const std::string& of) {
  return "[[probe]]\nname = \"p\"\nat = [0.41, 0.63]\nof = \"" + of + "\"\n";
}
std::string fixed(double step) { return fmt::format("[time]\nend = {}\nstep = {}\n", steps_of_a_row * step, step); }
/// Heat with everything that changes in time, lumped as explicit schemes need it.
std::string heat(const std::string& time) {
  return box_of("triangle", 2, 10) + heat_of(1, "mass = \"lumped\"\n") +
         "[[material]]\nheat_capacity = \"1 + x\"\nconductivity = \"1 + 0.5*sin(50*t)*y\"\nsource = \"cos(30*t)\"\n" +
         dirichlet_on("[\"left\"]", "sin(40*t)*(1 + y*(1 - y))") +
         "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = \"cos(20*t)\"\n"
         "[[boundary]]\ntype = \"periodic\"\non = [\"bottom\", \"top\"]\n[[initial]]\nu = \"x*y*(1 - y)\"\n"
         "[solver]\ntolerance = 1e-14\n" +
         probe_of("u") + time;
}

std::string acoustic(const std::string& time) {
  return box_of("quad", 2, 5) +
         "[physics]\ntype = \"wave\"\nmedium = \"acoustic\"\norder = 4\n[[material]]\ndensity = \"1 + x\"\nvp = \"2 - "
         "y\"\n[[initial]]\np = \"exp(-40*((x - 0.4)^2 + (y - 0.6)^2))\"\n" +
         probe_of("p") + time;
}

std::string elastic(const std::string& time) {
  return box_of("quad", 2, 5) +
         "[physics]\ntype = \"wave\"\nmedium = \"elastic\"\norder = 4\n[[material]]\ndensity = \"1 + x\"\nvp = 2\nvs "
         "= \"1 + 0.2*y\"\n[[boundary]]\non = [\"left\"]\ntype = \"absorbing\"\n[[initial]]\nu = [\"exp(-40*((x - "
         "0.4)^2 + (y - 0.6)^2))\", \"0\"]\n" +
         probe_of("u_x") + time;
}

std::string gas(const std::string& more, const std::string& time) {
  return box_of("triangle", 2, 12) + "[physics]\ntype = \"euler\"\n" + more +
         "[[boundary]]\non = [\"rest\"]\ntype = \"slip_wall\"\n[[initial]]\ndensity = \"1 + 0.2*sin(2*x + y)\"\n"
         "velocity = [\"0.1*sin(pi*x)\", \"0\"]\npressure = \"1 + 0.3*exp(-20*((x - 0.4)^2 + (y - 0.6)^2))\"\n" +
         probe_of("energy") + time;
}

std::string advection(const std::string& time) {
  return box_of("triangle", 2, 12) +
         "[physics]\ntype = \"advection\"\n[flux]\nvelocity = [\"2*pi*(0.5 - y)\", \"2*pi*(x - 0.5)\"]\n"
         "[[boundary]]\non = [\"rest\"]\ntype = \"inflow\"\nvalue = 0\n[[initial]]\nu = \"exp(-60*((x - 0.5)^2 + (y - "
         "0.7)^2))\"\n" +
         probe_of("u") + time;
}

std::string reactions(const std::string& reaction, const std::string& time) {
  return box_of("triangle", 2, 10) + "[physics]\ntype = \"reaction_diffusion\"\nmass = \"lumped\"\n" + reaction +
         "absolute_tolerance = 1e-12\n[[material]]\ndiffusion = [2e-2, 1e-2]\n"
         "[[boundary]]\ntype = \"periodic\"\non = [\"left\", \"right\"]\n"
         "[[boundary]]\ntype = \"dirichlet\"\non = [\"bottom\"]\nfield = \"u\"\nvalue = \"1 + t\"\n"
         "[[initial]]\nu = \"1 - 0.5*sin(pi*y)*sin(2*pi*x)^2\"\nv = \"0.25*sin(pi*y)\"\n[solver]\ntolerance = 1e-14\n" +
         probe_of("v") + time;
}

/// What a scheme of the table needs beside its name.
Row of_scheme(const tessera::solvers::Scheme& scheme) {
  const std::string name = fmt::format("scheme = \"{}\"\n", scheme.name);
  if (scheme.kind == tessera::solvers::SchemeKind::second_order) return {scheme.name, acoustic(fixed(0.002) + name)};
  const std::string own = name == "scheme = \"tableau\"\n" ? "tableau = { a = [1], b = [0.5, 0.5] }\n"
                          : name == "scheme = \"theta\"\n" ? "theta = 0.6\n"
                                                           : "";
  return {scheme.name, heat(fixed(0.0004) + name + own)};
}

/// Steps that their errors choose.
Row that_chooses(const tessera::solvers::Scheme& scheme) {
  const std::string own = scheme.order == 0 ? "tableau = { a = [0.5, 0, 0.75, 0.2222222222222222, 0.3333333333333333, "
                                              "0.4444444444444444], b = [0.2222222222222222, 0.3333333333333333, "
                                              "0.4444444444444444, 0], b_embedded = [0.2916666666666667, 0.25, "
                                              "0.3333333333333333, 0.125] }\n"
                                            : "";
  // Stability, which bounds explicit steps, lets them be longer here than errors do those of the others.
  const double end = scheme.kind == tessera::solvers::SchemeKind::explicit_ ? 0.6 : 0.15;
  return {std::string(scheme.name) + "_chosen",
          heat(fmt::format("[time]\nend = {}\ntolerance = 1e-5\nscheme = \"{}\"\n{}", end, scheme.name, own)), true};
}

std::vector<Row> of_schemes() {
  std::vector<Row> result;
  for (const tessera::solvers::Scheme& scheme : tessera::solvers::schemes()) {
    result.push_back(of_scheme(scheme));
    if (scheme.estimates_error) result.push_back(that_chooses(scheme));
  }
  return result;
}

/// Modules beside heat, and heat where coefficients depend on it.
std::vector<Row> of_modules() {
  const std::string by_name = "reaction = \"gray_scott\"\n[reaction]\n",
                    written =
                        "reaction = \"expressions\"\nfields = [\"u\", \"v\"]\n[reaction]\nrates = "
                        "[\"0.04*(1 - u) - u*v^2 + 0.01*x\", \"u*v^2 - 0.1*v\"]\n";
  return {
      {"heat_of_u", box_of("triangle", 2, 5) + heat_of(1) +
                        "[[material]]\nconductivity = \"1 + u^2\"\ndensity = \"2 + u\"\nvelocity = [1, 0.5]\n" +
                        dirichlet_on("[\"left\"]", "sin(9*t)*(1 + y)") +
                        "[[initial]]\nu = \"x*y\"\n[newton]\ntolerance = 1e-12\n[solver]\ntolerance = 1e-14\n" +
                        probe_of("u") + fixed(0.001)},
      {"heat_consistent", box_of("quad", 2, 8) + heat_of(2) + dirichlet_on("[\"left\"]", "sin(9*t)*(1 + y)") +
                              "[[initial]]\nu = \"x*y\"\n[solver]\ntolerance = 1e-14\n" + probe_of("u") + fixed(0.001)},
      {"reactions_sdirk2", reactions(by_name, fixed(0.05) + "scheme = \"sdirk2\"\n")},
      {"reactions_written", reactions(written, fixed(0.05) + "scheme = \"crank_nicolson\"\n")},
      {"reactions_rkc", reactions(by_name, fixed(0.05) + "scheme = \"rkc\"\n")},
      {"reactions_lie", reactions(by_name + "splitting = \"lie\"\nmethod = \"exponential\"\n", fixed(0.05))},
      {"wave_elastic", elastic(fixed(0.002))},
      {"wave_rk45", acoustic(fixed(0.002) + "scheme = \"low_storage_rk45\"\n")},
      {"advection", advection(fixed(0.001))},
      {"euler", gas("", fixed(0.001))},
      {"euler_monolithic", gas("limiter = \"monolithic\"\n", fixed(0.001))},
  };
}

class RanksThroughTime : public ::testing::TestWithParam<Row> {};

TEST_P(RanksThroughTime, AreOneAndRepeatBitwise) {
  SKIP_WITHOUT_MPI();
  const Row& row = GetParam();
  const std::string deck = write_deck("through_" + row.name + ".toml", row.deck);
  const auto start = [&](int ranks, const std::string& again = "") {
    const fs::path out = out_of("through_" + row.name + again, ranks);
    const std::string arguments =
        "run " + deck + " --quiet --backend threads --set output.every=0 --output " + out.string();
    const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
    EXPECT_EQ(result.code, 0) << ranks << "\n" << result.text;
    return out;
  };
  const fs::path one = start(1);
  const nlohmann::json summary = summary_in(one);
  ASSERT_FALSE(summary.is_discarded());
  const int steps = summary["time"]["steps"];
  EXPECT_GE(steps, steps_of_a_row);
  const std::string last = fmt::format("solution_{:06}.vtu", steps);
  for (const int ranks : {2, 4}) {
    const fs::path many = start(ranks);
    const nlohmann::json of_many = summary_in(many);
    ASSERT_FALSE(of_many.is_discarded());
    ASSERT_EQ(of_many["time"]["steps"], steps) << ranks;
    for (const std::string& file : row.chooses ? std::vector{last} : std::vector<std::string>{last, "probes.csv"}) {
      const Result compared = app_test::tessera("compare " + (one / file).string() + " " + (many / file).string() +
                                                " --rtol 1e-11 --atol 1e-11");
      EXPECT_EQ(compared.code, 0) << file << " on " << ranks << "\n" << compared.text;
    }
  }
  const fs::path first = out_of("through_" + row.name, 4), second = start(4, "_again");
  for (const char* file : {last.c_str(), "probes.csv"})
    EXPECT_EQ(bytes_of(first / file), bytes_of(second / file)) << file;
}

INSTANTIATE_TEST_SUITE_P(Schemes, RanksThroughTime, ::testing::ValuesIn(of_schemes()),
                         [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Modules, RanksThroughTime, ::testing::ValuesIn(of_modules()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
