// [[source]]: sources at points and in groups with functions of time, run as a user does.
#include <cmath>

#include "app/ranks.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

std::string source_at(const std::string& at, const std::string& more) {
  return "[[source]]\nat = " + at + "\n" + more + "\n";
}
std::string value_of(const std::string& name, const std::string& at, const std::string& of = "u") {
  return fmt::format("[[quantity]]\nname = \"{}\"\nkind = \"value\"\nof = \"{}\"\nat = {}\n", name, of, at);
}
std::string integral_of(const std::string& of) {
  return fmt::format("[[quantity]]\nname = \"all_{0}\"\nkind = \"integral\"\nof = \"{0}\"\n", of);
}
double quantity_in(const nlohmann::json& summary, const char* name) { return summary["quantities"][name]; }

void expect_balanced(const nlohmann::json& summary, const std::string& of) {
  EXPECT_LE(double(summary["balance"]["relative_remainder"]), 1e-9) << of << "\n" << summary["balance"].dump(1);
}

/// -u'' = 3 delta(x - a), u(0) = u(1) = 0: elements have it exactly at their nodes, wherever the point is in a cell.
TEST(Source, AtAPointOfALineIsExactAtNodes) {
  for (const double a : {0.4, 0.37, 0.999})
    for (const std::string& physics : {poisson_of(1), heat_of(1), poisson_of(2)}) {
      const nlohmann::json summary = run_nonlinear(
          "line", box_of("interval", 1, 5) + physics + dirichlet_on("[\"left\"]", "0") +
                      dirichlet_on("[\"right\"]", "0") + source_at(fmt::format("[{}]", a), "amplitude = 3") +
                      value_of("before", "[0.2]") + value_of("behind", "[0.8]") + to_rounding);
      EXPECT_NEAR(quantity_in(summary, "before"), 3 * std::min(0.2 * (1 - a), a * 0.8), 1e-12) << a;
      EXPECT_NEAR(quantity_in(summary, "behind"), 3 * std::min(0.8 * (1 - a), a * 0.2), 1e-12) << a;
      EXPECT_NEAR(double(summary["balance"]["source"]), 3, 1e-12);
      EXPECT_NEAR(double(summary["balance"]["groups"]["left"]), 3 * (1 - a), 1e-11);
      EXPECT_NEAR(double(summary["balance"]["groups"]["right"]), 3 * a, 1e-11);
      expect_balanced(summary, physics);
    }
}

/// A source at a node of a prescribed value is taken by it at once.
TEST(Source, WhereTheValueIsPrescribedFlowsOutThere) {
  const nlohmann::json summary =
      run_nonlinear("at_boundary", box_of("triangle", 2, 3) + poisson_of(1) + dirichlet_on("[\"left\"]", "1") +
                                       source_at("[0, 0.2]", "amplitude = 2") + to_rounding);
  EXPECT_NEAR(double(summary["balance"]["groups"]["left"]), 2, 1e-12);
  expect_balanced(summary, "at the boundary");
}

TEST(Source, IsTakenWithoutAMatrixAndWhereCoefficientsDependOnU) {
  const std::string deck = box_of("triangle", 2, 6) + dirichlet_on("[\"left\"]", "1") +
                           source_at("[0.61, 0.33]", "amplitude = 2") + value_of("u", "[0.5, 0.5]") + to_rounding +
                           "type = \"cg\"\n";
  const nlohmann::json matrix = run_nonlinear("matrix", deck + poisson_of(2)),
                       without =
                           run_nonlinear("without", deck + poisson_of(2) + "[assembly]\nstrategy = \"matrix_free\"\n");
  EXPECT_NEAR(quantity_in(matrix, "u"), quantity_in(without, "u"), 1e-11);
  EXPECT_GT(quantity_in(matrix, "u"), 1.1);
  // Kirchhoff: with k = u, u^2 / 2 solves the linear problem.
  const std::string line = box_of("interval", 1, 4) + poisson_of(1) + dirichlet_on("[\"left\"]", "1") +
                           source_at("[0.5]", "amplitude = 2") + "[newton]\ntolerance = 1e-12\n" + to_rounding +
                           "[[material]]\ndiffusivity = \"u\"\n" + value_of("u", "[1]");
  const nlohmann::json of_u = run_nonlinear("of_u", line);
  EXPECT_NEAR(quantity_in(of_u, "u"), std::sqrt(2 * (0.5 + 2 * 0.5)), 1e-9);
  expect_balanced(of_u, "k = u");
}

/// From t = 0 on a line without ends: u = sqrt(t / pi) exp(-x^2 / 4 t) - |x| / 2 erfc(|x| / (2 sqrt(t))). The point is
/// in the middle of a cell.
TEST(Source, AtAPointConvergesToTheKernelOfHeat) {
  const auto kernel = [](double x, double t) {
    return std::sqrt(t / M_PI) * std::exp(-x * x / (4 * t)) - 0.5 * x * std::erfc(x / (2 * std::sqrt(t)));
  };
  std::vector<double> errors;
  for (const int cells : {25, 75}) {
    const nlohmann::json summary = run_nonlinear(
        "kernel",
        fmt::format("[mesh]\nbox = {{ min = [-5], max = [5], cells = [{}], shape = \"interval\" }}\n", cells) +
            heat_of(1) + time_to(0.5, 1.0 / (4 * cells), "sdirk2") + source_at("[0]", "amplitude = 1") + to_rounding +
            value_of("u", "[1]") + integral_of("u"));
    errors.push_back(std::abs(quantity_in(summary, "u") - kernel(1, 0.5)));
    EXPECT_NEAR(quantity_in(summary, "all_u"), 0.5, 1e-11);
    expect_balanced(summary, "kernel");
  }
  EXPECT_GT(std::log(errors[0] / errors[1]) / std::log(3), 1.8) << errors[0] << " " << errors[1];
  EXPECT_LT(errors[1], 1e-3);
}

/// What a pulse gives is what is stored: implicit and explicit schemes, and coefficients that depend on u.
TEST(Source, OfAPulseIsStored) {
  const double width = 0.05, whole = 7 * width * std::sqrt(M_PI);
  const std::string pulse = source_at("[0.41, 0.77]", fmt::format("time_function = \"gaussian\"\nwidth = {}\ndelay = "
                                                                  "0.25\namplitude = 7",
                                                                  width));
  for (const auto& [scheme, step, more] :
       {std::tuple{"bdf2", 0.001, ""},
        {"crank_nicolson", 0.005, ""},
        {"sdirk2", 0.005, ""},
        {"rkc", 0.005, ""},
        {"rk4", 0.001, ""},
        {"bdf2", 0.002, "[[material]]\nconductivity = \"1 + u^2\"\n"},
        {"rkc", 0.005, "[[material]]\ndensity = \"1 + x\"\nconductivity = \"1 + t\"\n"}}) {
    const std::string name = fmt::format("pulse {} {}", scheme, more);
    const bool of_u = std::string(more).find("u^2") != std::string::npos;
    const std::string deck = box_of("triangle", 2, 5) + heat_of(1, "mass = \"lumped\"\n") + time_to(0.5, step, scheme) +
                             more + pulse + to_rounding + (of_u ? "[newton]\ntolerance = 1e-12\n" : "") +
                             integral_of("u");
    if (std::string(more).find("density") == std::string::npos) {
      EXPECT_NEAR(quantity_in(run_nonlinear("pulse", deck), "all_u"), whole, 2e-4 * whole) << name;
    }
    const nlohmann::json summary = run_nonlinear("pulse_falls", deck, "--set time.end=0.3");
    EXPECT_NEAR(double(summary["balance"]["source"]), 7 * std::exp(-1), 1e-11) << name;
    expect_balanced(summary, name);
  }
  // In the middle of the pulse, where it is strong.
  const nlohmann::json middle =
      run_nonlinear("pulse_middle", box_of("triangle", 2, 5) + heat_of(2) + time_to(0.25, 0.005, "bdf2") + pulse +
                                        to_rounding + dirichlet_on("[\"left\"]", "0"));
  EXPECT_NEAR(double(middle["balance"]["source"]), 7, 1e-11);
  expect_balanced(middle, "in the middle");
}

/// A source in a group is that of a material with the same product; a table and an expression are one.
TEST(Source, InAGroupIsThatOfAMaterial) {
  std::ofstream table(folder() / "strength.csv");
  table << "t, g\n0, 0\n0.05, 2\n0.1, 1\n";
  table.close();
  const std::string deck = box_of("quad", 2, 4) + heat_of(2) + time_to(0.1, 0.01, "bdf2") +
                           dirichlet_on("[\"left\"]", "0") + to_rounding + value_of("u", "[0.7, 0.2]");
  const auto run = [&](const std::string& name, const std::string& more) { return run_nonlinear(name, deck + more); };
  const nlohmann::json material =
                           run("in_material", "[[material]]\nsource = \"(1 + x*y)*(t < 0.05 ? 40*t : 3 - 20*t)\"\n"),
                       group = run("in_group",
                                   "[[source]]\non = \"domain\"\nvalue = \"1 + x*y\"\nfile = \"strength.csv\"\n");
  EXPECT_NEAR(quantity_in(group, "u"), quantity_in(material, "u"), 1e-12);
  EXPECT_NEAR(double(group["balance"]["source"]), double(material["balance"]["source"]), 1e-12);
  expect_balanced(group, "a group");
  const nlohmann::json
      both = run(
          "in_both",
          "[[material]]\nsource = \"x\"\n[[source]]\non = [\"domain\"]\ntime_function = \"sin(t)\"\namplitude = -2\n" +
              source_at("[0.5, 0.5]", "time_function = \"cos(t)\"")),
      at_end = run("at_end",
                   "[[material]]\nsource = \"x - 2*sin(t)\"\n" + source_at("[0.5, 0.5]", "time_function = \"cos(t)\""));
  EXPECT_NEAR(double(both["balance"]["source"]), 0.5 - 2 * std::sin(0.1) + std::cos(0.1), 1e-11);
  EXPECT_NEAR(quantity_in(both, "u"), quantity_in(at_end, "u"), 1e-12);
}

/// About an axis a point is a ring: its amplitude is all that the ring gives, and groups have their volume.
TEST(Source, AboutAnAxisIsAWholeRing) {
  const std::string deck =
      "[mesh]\nbox = { min = [0, 0], max = [2, 1], cells = [5, 4], shape = \"quad\" }\naxis = \"y\"\n" + poisson_of(2) +
      dirichlet_on("[\"right\"]", "0") + to_rounding;
  const nlohmann::json ring = run_nonlinear("ring", deck + source_at("[1.1, 0.3]", "amplitude = 5")),
                       volume = run_nonlinear("volume", deck + "[[source]]\non = \"domain\"\namplitude = 2\n"),
                       on_axis = run_nonlinear("on_axis", deck + source_at("[0, 0.5]", "amplitude = 5"));
  for (const nlohmann::json* point : {&ring, &on_axis}) {
    EXPECT_NEAR(double((*point)["balance"]["source"]), 5, 1e-11);
    EXPECT_NEAR(double((*point)["balance"]["groups"]["right"]), 5, 1e-9);
    expect_balanced(*point, "a ring");
  }
  EXPECT_NEAR(double(volume["balance"]["source"]), 2 * 4 * M_PI, 1e-11);
  expect_balanced(volume, "a volume");
}

/// Out of a part of the cells through facets inside of the body flows what its sources give.
TEST(Source, FlowsOutOfThePartThatHasIt) {
  write_deck("parts.geo",
             "Point(1) = {0,0,0,0.2}; Point(2) = {1,0,0,0.2}; Point(3) = {2,0,0,0.2};\n"
             "Point(4) = {2,1,0,0.2}; Point(5) = {1,1,0,0.2}; Point(6) = {0,1,0,0.2};\n"
             "Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,5}; Line(5) = {5,6}; Line(6) = {6,1};\n"
             "Line(7) = {2,5};\nCurve Loop(1) = {1,7,5,6}; Curve Loop(2) = {2,3,4,-7};\n"
             "Plane Surface(1) = {1}; Plane Surface(2) = {2};\nPhysical Surface(\"a\") = {1}; Physical "
             "Surface(\"b\") = {2};\nPhysical Curve(\"right\") = {3}; Physical Curve(\"cut\") = {7};\n");
  const nlohmann::json summary = run_nonlinear(
      "part", "[mesh]\nfile = \"parts.geo\"\nsize = 0.2\n" + poisson_of(2) + dirichlet_on("[\"right\"]", "0") +
                  source_at("[0.83, 0.3]", "amplitude = 4") + source_at("[1.17, 0.3]", "amplitude = 1") +
                  "[[source]]\non = \"a\"\nvalue = \"x\"\n" + to_rounding +
                  "[[quantity]]\nname = \"a\"\nkind = \"flux\"\non = \"cut\"\nfrom = \"a\"\n"
                  "[[quantity]]\nname = \"b\"\nkind = \"flux\"\non = \"cut\"\nfrom = \"b\"\n");
  EXPECT_NEAR(quantity_in(summary, "a"), 4.5, 1e-10);
  EXPECT_NEAR(quantity_in(summary, "b"), -4.5, 1e-10);
  EXPECT_NEAR(double(summary["balance"]["source"]), 5.5, 1e-11);
  expect_balanced(summary, "parts");
}

std::string two_fields(const std::string& more) {
  return box_of("triangle", 2, 4) +
         "[physics]\ntype = \"reaction_diffusion\"\nreaction = \"mechanism\"\n[reaction]\ntable = \"" +
         write_deck("sources.txt", "A -> B, 2\n") +
         "\"\ntolerance = 1e-10\n[[material]]\ndiffusion = [1, 0.1]\n[[initial]]\nA = 0\nB = 0\n" + to_rounding +
         integral_of("A") + integral_of("B") + more;
}

/// A' = g - 2 A, B' = 2 A of the integrals, in one field of several.
/// Where it lies is looked for once of a run; then only its strength changes.
TEST(Source, IsPreparedOnceOfARun) {
  const std::string deck = box_of("quad", 2, 4) + heat_of(1) + time_to(0.5, 0.1, "bdf2") +
                           "[[source]]\non = \"domain\"\ntime_function = \"sin(t)\"\n" + to_rounding +
                           "[output]\nevery = 1\n" + integral_of("u");
  const nlohmann::json summary = run_nonlinear("once", deck);
  int calls = 0;
  for (const auto& phase : summary["phases"])
    if (std::string(phase["name"]).ends_with("sources")) calls += int(phase["calls"]);
  EXPECT_EQ(calls, 1) << summary["phases"];
  expect_balanced(summary, "once");
}

/// With a source of the deck the exact solution would be that of another problem.
TEST(Source, IsNoneBesideThatOfTheExactSolution) {
  const std::string deck = "[mesh]\nbox = { cells = [3, 3], shape = \"quad\" }\n" + poisson_of(1) +
                           dirichlet_on(all_sides(2), "x*y") +
                           "[[source]]\nat = [0.5, 0.5]\namplitude = 1\n[exact]\nu = \"x*y\"\nsource = true\n";
  expect_refused({"source_and_exact", deck, {"[exact] source = true", "a [[source]] adds to it"}});
}

TEST(Source, IsOfOneOfSeveralFields) {
  const auto run = [&](const std::string& scheme, double step, const std::string& mass) {
    return run_nonlinear(
        "fields", two_fields(time_to(0.5, step, scheme) + source_at("[0.2, 0.7]", "field = \"A\"\namplitude = 3")),
        "--set physics.mass='\"" + mass + "\"'");
  };
  for (const nlohmann::json& summary : {run("sdirk2", 0.005, "consistent"), run("rkc", 0.005, "lumped")}) {
    const double A = 1.5 * (1 - std::exp(-1.0));
    EXPECT_NEAR(quantity_in(summary, "all_A"), A, 1e-5);
    EXPECT_NEAR(quantity_in(summary, "all_A") + quantity_in(summary, "all_B"), 1.5, 1e-10);
  }
  const nlohmann::json of_b = run_nonlinear(
      "field_b", two_fields(time_to(0.5, 0.01, "sdirk2") +
                            source_at("[0.2, 0.7]", "field = \"B\"\ntime_function = \"t\"\namplitude = 8")));
  EXPECT_NEAR(quantity_in(of_b, "all_A"), 0, 1e-12);
  EXPECT_NEAR(quantity_in(of_b, "all_B"), 1, 1e-10);
}

/// The point is on an edge of cells that several ranks see, and is counted once.
TEST(Source, IsCountedOnceOnSeveralRanks) {
  SKIP_WITHOUT_MPI();
  const std::string sources = source_at("[0.5, 0.5]", "time_function = \"sin(20*t)\"\namplitude = 2") +
                              source_at("[0.25, 0.4]", "amplitude = 1") +
                              "[[source]]\non = \"domain\"\nvalue = \"x\"\ntime_function = \"exp(-t)\"\n";
  const std::string of_u = box_of("triangle", 2, 8) + sources + dirichlet_on("[\"left\"]", "0") + integral_of("u") +
                           "[solver]\ntolerance = 1e-14\n";
  const std::string body = box_of("triangle", 2, 8) + sources + dirichlet_on("[\"left\"]", "0") + integral_of("u") +
                           "[solver]\ntype = \"cg\"\ntolerance = 1e-14\n";
  const std::string constant = box_of("triangle", 2, 8) + source_at("[0.5, 0.5]", "amplitude = 2") +
                               "[[source]]\non = \"domain\"\nvalue = \"x\"\n" + dirichlet_on("[\"left\"]", "0") +
                               integral_of("u") + "[solver]\ntype = \"cg\"\ntolerance = 1e-14\n";
  const std::vector<std::pair<std::string, std::string>> decks = {
      {"source_bdf2", body + heat_of(2) + time_to(0.05, 0.005, "bdf2")},
      {"source_rkc", body + heat_of(1, "mass = \"lumped\"\n") + time_to(0.05, 0.005, "rkc")},
      {"source_of_u", of_u + heat_of(1) + time_to(0.05, 0.005, "bdf2") +
                          "[[material]]\nconductivity = \"1 + u^2\"\n[newton]\ntolerance = 1e-12\n"},
      {"source_periodic", body + heat_of(2) + time_to(0.05, 0.005, "bdf2") +
                              "[[boundary]]\ntype = \"periodic\"\non = [\"bottom\", \"top\"]\n"},
      {"source_steady", constant + poisson_of(2)},
      {"source_steady_without_matrix", constant + poisson_of(2) + "[assembly]\nstrategy = \"matrix_free\"\n"},
      {"source_bricks", constant + poisson_of(2)}};
  for (const auto& [name, text] : decks) {
    const bool bricks = name == "source_bricks";
    const nlohmann::json one = run_on(1, name, text);
    if (!bricks) expect_balanced(one, name);
    for (const int ranks : name == "source_bdf2" || name == "source_steady" ? std::vector{2, 4} : std::vector{4}) {
      const nlohmann::json many = run_on(ranks, name, text, bricks ? "--set mesh.partition='\"bricks\"'" : "");
      ASSERT_FALSE(one.is_discarded() || many.is_discarded()) << name;
      expect_near(many["quantities"], one["quantities"], name);
      for (const char* key : {"source", "groups"}) expect_near(many["balance"][key], one["balance"][key], name);
      if (bricks) continue;
      const std::string last =
          one.contains("time") ? fmt::format("solution_{:06}.vtu", int(one["time"]["steps"])) : "solution.vtu";
      const Result compared = app_test::tessera("compare " + (out_of(name, 1) / last).string() + " " +
                                                (out_of(name, ranks) / last).string() + " --rtol 1e-11 --atol 1e-11");
      EXPECT_EQ(compared.code, 0) << name << " on " << ranks << "\n" << compared.text;
    }
  }
}

/// Bitwise, by implicit and explicit schemes, chosen steps, Newton's method and fields that react.
TEST(Source, GoesOnWhereTheRunIsRestarted) {
  const std::string sources = source_at("[0.37, 0.61]", "time_function = \"ricker\"\nfrequency = 20\namplitude = 3") +
                              "[[source]]\non = \"domain\"\nvalue = \"x\"\ntime_function = \"sin(30*t)\"\n";
  const std::string body = box_of("triangle", 2, 5) + sources + heat_of(1, "mass = \"lumped\"\n") +
                           "[checkpoint]\nevery = 7\n[output]\nevery = 10\n" + dirichlet_on("[\"left\"]", "t");
  std::string of_fields = two_fields(time_to(0.1, 0.005, "sdirk2") + "[checkpoint]\nevery = 7\n[output]\nevery = 10\n" +
                                     source_at("[0.37, 0.61]", "field = \"B\"\ntime_function = \"sin(9*t)\""));
  for (const auto& [name, deck] :
       {std::pair<std::string, std::string>{"bdf2", body + time_to(0.1, 0.005, "bdf2")},
        {"sdirk2", body + "[[material]]\nconductivity = \"1 + t\"\n" + time_to(0.1, 0.005, "sdirk2")},
        {"rk4", body + time_to(0.1, 0.001, "rk4")},
        {"of_u", body + "[[material]]\nconductivity = \"1 + u^2\"\n" + time_to(0.1, 0.005, "bdf2")},
        {"fields", of_fields}}) {
    const std::string path = write_deck("source_restart_" + name + ".toml", deck);
    const fs::path whole = folder() / ("source_whole_" + name), half = folder() / ("source_half_" + name);
    const std::string run = "run " + path + " --quiet --backend threads --output ";
    ASSERT_EQ(app_test::tessera(run + whole.string()).code, 0) << name;
    ASSERT_EQ(app_test::tessera(run + half.string() + " --set time.end=0.05").code, 0) << name;
    const Result result = app_test::tessera("restart " + half.string() + " --quiet --set time.end=0.1");
    ASSERT_EQ(result.code, 0) << name << "\n" << result.text;
    const std::string last = fmt::format("solution_{:06}.vtu", int(summary_in(whole)["time"]["steps"]));
    const Result compared =
        app_test::tessera("compare " + (whole / last).string() + " " + (half / last).string() + " --rtol 0 --atol 0");
    EXPECT_EQ(compared.code, 0) << name << "\n" << compared.text;
  }
}

/// An exported system has the sources in its right-hand side.
TEST(Source, IsInTheSystemThatIsExported) {
  const std::string deck =
      write_deck("export_source.toml", box_of("interval", 1, 4) + poisson_of(1) + dirichlet_on("[\"left\"]", "0") +
                                           source_at("[0.6]", "amplitude = 10"));
  const fs::path out = folder() / "source.mtx";
  const Result result = app_test::tessera("export " + deck + " -o " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  std::ifstream file(folder() / "source_b.mtx");
  double sum = 0, value = 0;
  std::string line;
  while (std::getline(file, line) && line.starts_with("%")) {
  }
  while (file >> value) sum += value;
  EXPECT_NEAR(sum, 10, 1e-12);
}

class SourceRefuses : public ::testing::TestWithParam<Wrong> {};
TEST_P(SourceRefuses, WithAWayOut) { expect_refused(GetParam()); }

std::vector<Wrong> wrong_decks() {
  const std::string steady = box_of("triangle", 2, 3) + heat_of(1) + dirichlet_on("[\"left\"]", "0");
  const std::string body = steady + time_to(1, 0.1, "bdf2");
  return {
      {"source_outside", body + source_at("[2, 0.4]", ""), {"(2, 0.4) is in no cell", "(1, 0.4), 1 away"}},
      {"source_dimension", body + source_at("[0, 0, 0]", ""), {"3 numbers", "2 dimensions"}},
      {"source_no_place", body + "[[source]]\namplitude = 1\n", {"no place", "on = "}},
      {"source_two_places", body + source_at("[0, 0]", "on = \"domain\""), {"two places"}},
      {"source_value_at_point", body + source_at("[0, 0]", "value = 2"), {"`value`", "amplitude"}},
      {"source_value_of_t", body + "[[source]]\non = \"domain\"\nvalue = \"t\"\n", {"depends on t", "time_function"}},
      {"source_value_of_z", body + "[[source]]\non = \"domain\"\nvalue = \"z\"\n", {"z"}},
      {"source_value_infinite", body + "[[source]]\non = \"domain\"\nvalue = \"1/(x - x)\"\n", {"1/(x - x)"}},
      {"source_unknown_function", body + source_at("[0, 0]", "time_function = \"riker\""), {"riker", "ricker"}},
      {"source_needs_frequency", body + source_at("[0, 0]", "time_function = \"ricker\""), {"frequency"}},
      {"source_of_place", body + source_at("[0, 0]", "time_function = \"x*t\""), {"place"}},
      {"source_steady", steady + source_at("[0, 0]", "time_function = \"sin(t)\""), {"function of time", "[time]"}},
      {"source_table_ends",
       body + source_at("[0, 0]", "file = \"" + write_deck("ends_early.csv", "0, 1\n0.5, 2\n") + "\""),
       {"0 to 0.5", "outside"}},
      {"source_no_field", two_fields(time_to(1, 0.1, "sdirk2") + source_at("[0, 0]", "")), {"names no field", "A, B"}},
      {"source_unknown_field", two_fields(time_to(1, 0.1, "sdirk2") + source_at("[0, 0]", "field = \"C\"")), {"C"}},
      {"source_on_grid",
       "[mesh]\nbox = { max = [1, 1], cells = [8, 8], shape = \"quad\" }\n" + poisson_of(1) +
           dirichlet_on(all_sides(2), "0") + "[solver]\ntype = \"fft\"\n" + source_at("[0.5, 0.5]", ""),
       {"method of grids", "cg"}},
      {"start_on_grid",
       box_of("quad", 2, 8) +
           "[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"finite_difference\"\n[[material]]\nvelocity "
           "= [1, "
           "0]\n" +
           dirichlet_on(all_sides(2), "0") + "[solver]\ntype = \"lsor\"\n[[initial]]\nfile = \"ends_early.csv\"\n",
       {"method of grids", "expression"}},
  };
}
INSTANTIATE_TEST_SUITE_P(Decks, SourceRefuses, ::testing::ValuesIn(wrong_decks()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SourceInAGroup, ThatIsNotThereIsRefused) {
  const Result result = app_test::tessera("check " + write_deck("no_group.toml", box_of("triangle", 2, 3) + heat_of(1) +
                                                                                     time_to(1, 0.1, "bdf2") +
                                                                                     "[[source]]\non = \"chip\"\n"));
  EXPECT_NE(result.code, 0);
  for (const char* word : {"chip", "domain", "no_group.toml:"})
    EXPECT_TRUE(result.says(word)) << word << "\n" << result.text;
}

}  // namespace
