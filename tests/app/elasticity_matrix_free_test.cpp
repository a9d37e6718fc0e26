// Linear elasticity without a matrix, as a user runs it: results of assembled matrices, exact ones, what is refused.
#include <fmt/format.h>

#include "app/program.hpp"

namespace {

using namespace app_test;

struct Body {
  const char* name;
  const char* mesh;
  const char* material;
  const char* held;  ///< value of the displacement on the left
  const char* load;  ///< of the traction on the right
  bool tensor;       ///< quads or hexes
};
void PrintTo(const Body& body, std::ostream* stream) { *stream << body.name; }

std::string deck_of(const Body& body, int order) {
  return fmt::format(
      "[mesh]\n{}\n[physics]\ntype = \"elasticity\"\norder = {}\n[[material]]\n{}\n[[boundary]]\non = \"left\"\n"
      "type = \"displacement\"\nvalue = {}\n[[boundary]]\non = \"right\"\ntype = \"traction\"\nvalue = {}\n"
      "[[boundary]]\non = \"right\"\ntype = \"spring\"\nstiffness = \"7\"\n{}"
      "[solver]\ntype = \"cg\"\npreconditioner = \"jacobi\"\ntolerance = 1e-12\n",
      body.mesh, order, body.material, body.held, body.load,
      std::string(body.name) == "bar" ? "" : "normal_stiffness = \"20*(1 + y)\"\n");
}

nlohmann::json run(const std::string& deck, const std::string& name, const std::string& options, int code = 0) {
  const fs::path out = folder() / name;
  const Result result =
      app_test::tessera("run " + deck + " --backend threads --quiet " + options + " --output " + out.string());
  EXPECT_EQ(result.code, code) << name << "\n" << result.text;
  return summary_in(out);
}

void expect_same_fields(const std::string& a, const std::string& b, double tolerance = 1e-8) {
  const auto file = [](const std::string& name) { return (folder() / name / "solution.vtu").string(); };
  const Result result =
      app_test::tessera(fmt::format("compare --rtol {0} --atol {0} {1} {2}", tolerance, file(a), file(b)));
  EXPECT_EQ(result.code, 0) << result.text;
}

constexpr const char* uniform = "young = \"100\"\npoisson = \"0.3\"\n";
constexpr const char* varying =
    "young = \"100*(1 + x)\"\npoisson = \"0.3 - 0.1*x\"\nexpansion = \"1e-3\"\ntemperature = \"10\"";
constexpr const char* orthotropic =
    "young = [\"100\", \"50\", \"20\"]\npoisson = [\"0.2\", \"0.1\", \"0.15\"]\nshear = [\"30\", \"20\", \"10\"]\n"
    "body_force = [\"1\", \"-2\", \"x\"]";

class ElasticityMatrixFree : public ::testing::TestWithParam<Body> {};

TEST_P(ElasticityMatrixFree, GivesTheFieldsOfAMatrix) {
  const Body& body = GetParam();
  for (int order = 1; order <= 3; ++order) {
    const std::string name = body.name + std::to_string(order), deck = write_deck(name + ".toml", deck_of(body, order));
    const auto matrix = run(deck, name + "_matrix", "--set assembly.strategy=nonzeros");
    const auto free = run(deck, name + "_free", "--set assembly.strategy=matrix_free");
    const auto chosen = run(deck, name + "_auto", "");
    EXPECT_EQ(matrix["assembly"]["strategy"], "nonzeros");
    EXPECT_EQ(free["assembly"]["strategy"], "matrix_free");
    EXPECT_EQ(chosen["assembly"]["strategy"] == "matrix_free", body.tensor && order >= 2) << name;
    expect_same_fields(name + "_matrix", name + "_free");
    expect_same_fields(name + "_matrix", name + "_auto");
    EXPECT_NEAR(matrix["solver"]["iterations"].get<int>(), free["solver"]["iterations"].get<int>(), 2) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, ElasticityMatrixFree,
    ::testing::Values(Body{"bar", "box = { min = [0], max = [2], cells = [4], shape = \"interval\" }",
                           "young = \"100\"\nbody_force = [\"1 + x\"]", "[\"0.1\"]", "[\"3\"]", false},
                      Body{"triangles", "box = { min = [0, 0], max = [2, 1], cells = [4, 2], shape = \"triangle\" }",
                           varying, "[\"0\", \"0.01*y\"]", "[\"1\", \"y\"]", false},
                      Body{"quads", "box = { min = [0, 0], max = [2, 1], cells = [4, 3], shape = \"quad\" }", varying,
                           "[\"0\", \"0.01*y\"]", "[\"1\", \"y\"]", true},
                      Body{"revolution",
                           "box = { min = [1, 0], max = [2, 1], cells = [3, 3], shape = \"quad\" }\naxis = \"y\"",
                           varying, "[\"0.1\", \"0.01*y\"]", "[\"1\", \"y\"]", true},
                      Body{"tets", "box = { min = [0, 0, 0], max = [2, 1, 1], cells = [2, 1, 1], shape = \"tet\" }",
                           uniform, "[\"0\", \"0.01*y\", \"0\"]", "[\"1\", \"y\", \"z\"]", false},
                      Body{"hexes", "box = { min = [0, 0, 0], max = [2, 1, 1], cells = [3, 2, 2], shape = \"hex\" }",
                           orthotropic, "[\"0\", \"0.01*y\", \"0\"]", "[\"1\", \"y\", \"z\"]", true},
                      Body{"heated_hexes",
                           "box = { min = [0, 0, 0], max = [1, 1, 1], cells = [2, 2, 2], shape = \"hex\" }", varying,
                           "[\"0\", \"0\", \"z\"]", "[\"1\", \"y\", \"z\"]", true}),
    [](const auto& info) { return info.param.name; });

TEST(ElasticityMatrixFreeSolvers, EveryPreconditionerAndPrecisionGivesTheSame) {
  const Body body{"block",
                  "box = { min = [0, 0, 0], max = [2, 1, 1], cells = [4, 3, 3], shape = \"hex\" }",
                  orthotropic,
                  "[\"0\", \"0.01*y\", \"0\"]",
                  "[\"1\", \"y\", \"z\"]",
                  true};
  const std::string deck = write_deck("block.toml", deck_of(body, 2));
  const auto of = [&](const std::string& name, const std::string& strategy, const std::string& preconditioner,
                      const std::string& more = "") {
    return run(deck, name,
               "--set assembly.strategy=" + strategy + " --set solver.preconditioner=" + preconditioner + more);
  };
  of("block_jacobi_point", "matrix_free", "jacobi");
  for (const char* preconditioner : {"none", "block_jacobi", "chebyshev"}) {
    const std::string name = std::string("block_") + preconditioner;
    const auto free = of(name + "_free", "matrix_free", preconditioner);
    const auto matrix = of(name + "_matrix", "nonzeros", preconditioner);
    EXPECT_NEAR(free["solver"]["iterations"].get<int>(), matrix["solver"]["iterations"].get<int>(), 2) << name;
    expect_same_fields("block_jacobi_point", name + "_free");
  }
  for (const char* preconditioner : {"jacobi", "block_jacobi", "chebyshev"}) {
    const std::string name = std::string("block_mixed_") + preconditioner;
    of(name, "matrix_free", preconditioner, " --set run.precision=mixed");
    expect_same_fields("block_jacobi_point", name);
  }
  of("block_float", "matrix_free", "block_jacobi", " --set run.precision=float --set solver.tolerance=1e-3");
  expect_same_fields("block_jacobi_point", "block_float", 2e-2);
}

/// E = 2 and nu = 0, so that sigma = 2 eps.
TEST(ElasticityMatrixFreeOrders, FiveToEightAreExactForPolynomials) {
  for (const bool solid : {false, true})
    for (int order = 5; order <= 8; ++order) {
      // u = (s^k, 0, 0), s = (x + y) / 2: div sigma = (3, 1, 0) k (k - 1) s^(k-2) / 4
      const std::string k = std::to_string(order), s = "((x + y)/2)", first = s + "^" + k;
      const std::string second = fmt::format("{}*{}/4*{}^{}", order, order - 1, s, order - 2);
      const std::string rest = solid ? ", \"0\"" : "";
      const std::string deck = write_deck(
          fmt::format("exact_{}_{}.toml", solid, order),
          fmt::format("[mesh]\nbox = {{ min = [{0}], max = [{1}], cells = [{2}], shape = \"{3}\" }}\n"
                      "[physics]\ntype = \"elasticity\"\norder = {4}\n"
                      "[[material]]\nyoung = \"2\"\npoisson = \"0\"\nbody_force = [\"-3*{5}\", \"-{5}\"{6}]\n"
                      "[[boundary]]\non = [\"left\", \"right\", \"bottom\", \"top\"{7}]\ntype = \"displacement\"\n"
                      "value = [\"{8}\", \"0\"{6}]\n[exact]\nu = [\"{8}\", \"0\"{6}]\n"
                      "[solver]\ntype = \"cg\"\npreconditioner = \"block_jacobi\"\ntolerance = 1e-13\n",
                      solid ? "0, 0, 0" : "0, 0", solid ? "1, 1, 1" : "1, 1", solid ? "1, 2, 1" : "2, 3",
                      solid ? "hex" : "quad", order, second, rest, solid ? ", \"front\", \"back\"" : "", first));
      const auto summary = run(deck, fmt::format("exact_{}_{}", solid, order), "");
      EXPECT_EQ(summary["assembly"]["strategy"], "matrix_free");
      EXPECT_LT(summary["errors"]["u"]["max"].get<double>(), 1e-12) << summary["errors"];
      EXPECT_LT(summary["balance"]["relative_remainder"].get<double>(), 1e-12);
    }
}

class ElasticityMatrixFreeRefuses : public ::testing::TestWithParam<Case> {};

TEST_P(ElasticityMatrixFreeRefuses, InRunAndCheck) {
  const Case& wrong = GetParam();
  const std::string deck = write_deck(std::string("refused_") + wrong.name + ".toml", wrong.deck);
  for (const char* command : {"run ", "check "}) {
    SCOPED_TRACE(command);
    const std::string out = command == std::string("run ") ? " --output " + (folder() / wrong.name).string() : "";
    expect_says(app_test::tessera(command + deck + " --backend threads" + out), wrong);
  }
}

std::string square(const char* shape, int order, const char* more) {
  return fmt::format(
      "[mesh]\nbox = {{ cells = [3, 3], shape = \"{}\" }}\n[physics]\ntype = \"elasticity\"\n"
      "order = {}\n[[material]]\n{}[[boundary]]\non = \"left\"\ntype = \"displacement\"\n"
      "value = [\"0\", \"0\"]\n{}",
      shape, order, uniform, more);
}

INSTANTIATE_TEST_SUITE_P(
    Decks, ElasticityMatrixFreeRefuses,
    ::testing::Values(
        Case{"direct",
             square("quad", 2, "[assembly]\nstrategy = \"matrix_free\"\n[solver]\ntype = \"direct\"\n"),
             2,
             {"needs the entries of a matrix", "choose solver.type = \"cg\""}},
        Case{"ssor",
             square("quad", 2,
                    "[assembly]\nstrategy = \"matrix_free\"\n[solver]\ntype = \"cg\"\npreconditioner = \"ssor\"\n"),
             2,
             {"needs the entries of a matrix", "block_jacobi"}},
        Case{"format",
             square("quad", 2,
                    "[assembly]\nstrategy = \"matrix_free\"\n[matrix]\nformat = \"block_crs\"\n[solver]\ntype = "
                    "\"cg\"\n"),
             2,
             {"there is no matrix", "leave matrix.format out"}},
        Case{"matrix_of_order_5",
             square("quad", 5, "[assembly]\nstrategy = \"nonzeros\"\n[solver]\ntype = \"cg\"\n"),
             2,
             {"a matrix of order 5 is not assembled", "matrix_free"}},
        Case{"triangles_of_order_5", square("triangle", 5, "[solver]\ntype = \"cg\"\n"), 2, {"order 5"}}),
    case_name);

}  // namespace
