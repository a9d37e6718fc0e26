// The two-point problem as a user runs it: decks of the source's problems, and what is refused.
#include <cmath>

#include "app/program.hpp"

namespace {

using namespace app_test;

const std::string mesh = "[mesh]\nbox = { min = [0], max = [1], cells = [1024], shape = \"interval\" }\n";
const std::string threads = "[run]\nbackend = \"threads\"\n";
const std::string physics = "[physics]\ntype = \"two_point_bvp\"\n";
const std::string f = "f = \"pi^2/4*cos(pi/2*x)\"\n";
const std::string exact = "[exact]\nu = \"cos(pi/2*x)\"\n";

std::string out(const std::string& name) { return (folder() / ("two_point_" + name)).string(); }

Result run(const std::string& name, const std::string& deck, const std::string& options = "") {
  return app_test::tessera("run " + write_deck("two_point_" + name + ".toml", deck) + " --output " + out(name) +
                           options);
}

double relative_error(const std::string& problem, const std::string& options) {
  const std::string deck = (source() / "inputs/verification" / ("two_point_bvp_" + problem + ".toml")).string();
  const Result result = app_test::tessera(
      "run " + deck + " --quiet --backend threads --set physics.output_every=1024 --output " + out(problem) + options);
  EXPECT_EQ(result.code, 0) << result.text;
  return summary_in(out(problem))["errors"]["u"]["relative"];
}

const std::string sequential = " --set 'solver.type=\"sequential\"'";
const std::string single = " --set 'run.precision=\"float\"'";
const std::string mixed = " --set 'run.precision=\"mixed\"'";

// Table I of Stpiczynski & Potiopa at n = 2^20; single precision within a factor of 4.
TEST(TwoPointBvp, ReproducesTheErrorsOfTheSourceForP1) {
  EXPECT_NEAR(relative_error("p1", sequential), 1.930917e-13, 1e-16);
  EXPECT_NEAR(relative_error("p1", ""), 1.877603e-13, 1e-15);
  EXPECT_NEAR(std::log2(relative_error("p1", single + sequential) / 1.732620e-4), 0, 2);
  EXPECT_NEAR(std::log2(relative_error("p1", single) / 6.381482e-7), 0, 2);
  EXPECT_NEAR(std::log2(relative_error("p1", mixed) / 2.569113e-7), 0, 2);
}

// Table II.
TEST(TwoPointBvp, ReproducesTheErrorsOfTheSourceForP2) {
  EXPECT_NEAR(relative_error("p2", sequential), 1.314334e-11, 1e-15);
  EXPECT_NEAR(relative_error("p2", ""), 1.312754e-11, 1e-13);
  EXPECT_NEAR(std::log2(relative_error("p2", single + sequential) / 2.618970e-3), 0, 2);
  EXPECT_LT(relative_error("p2", single), 2e-5);
  EXPECT_LT(relative_error("p2", mixed), 5e-6);
}

TEST(TwoPointBvp, TheScanIsAtLeastAsAccurate) {
  for (const char* type : {"scan", "square_blocked"}) {
    const std::string solver = std::string(" --set 'solver.type=\"") + type + "\"'";
    EXPECT_NEAR(relative_error("p1", solver), 1.877e-13, 2e-15) << type;
    EXPECT_LT(relative_error("p1", solver + mixed), 5e-7) << type;
  }
}

TEST(TwoPointBvp, WritesFieldsAndASummary) {
  ASSERT_EQ(run("whole", "title = \"Rod\"\n" + mesh + threads + physics + f + exact +
                             "[[quantity]]\nname = \"flux\"\nkind = \"flux\"\non = [\"right\", \"right\"]\n"
                             "[[quantity]]\nname = \"mean\"\nkind = \"average\"\n"
                             "[[quantity]]\nname = \"ends\"\nkind = \"integral\"\non = [\"left\", \"right\"]\n")
                .code,
            0);
  const auto summary = summary_in(out("whole"));
  EXPECT_EQ(summary["status"], "ok");
  EXPECT_EQ(summary["solver"]["type"], "scan");
  EXPECT_EQ(summary["mesh"]["cells"], 1024);
  EXPECT_LT(summary["solver"]["backward_error"].get<double>(), 1e-15);
  EXPECT_NEAR(summary["quantities"]["flux"].get<double>(), std::acos(-1.0) / 2, 1e-5);
  EXPECT_NEAR(summary["quantities"]["mean"].get<double>(), 2 / std::acos(-1.0), 1e-6);
  EXPECT_NEAR(summary["quantities"]["ends"].get<double>(), 1, 1e-6);
  EXPECT_TRUE(fs::exists(fs::path(out("whole")) / "solution.vtu"));
  EXPECT_TRUE(fs::exists(fs::path(out("whole")) / "solution.pvd"));
}

TEST(TwoPointBvp, ItsTemplateRunsAndChecks) {
  const Result deck = app_test::tessera("template two_point_bvp");
  ASSERT_EQ(deck.code, 0);
  const std::string file = write_deck("two_point_template.toml", deck.text);
  EXPECT_EQ(app_test::tessera("run " + file + " --quiet --output " + out("template")).code, 0);
  const Result check = app_test::tessera("check " + file);
  EXPECT_EQ(check.code, 0);
  EXPECT_TRUE(check.says("1024 cells")) << check.text;
  EXPECT_TRUE(app_test::tessera("list two_point_solvers").says("square_blocked"));
}

TEST(TwoPointBvp, TakesValuesFromAFile) {
  write_deck("values.txt", "# f = 1, and the last node's value, which is not used\n1 1, 1\n1\t1e0\n");
  const std::string deck = "[mesh]\nbox = { min = [0], max = [1], cells = [4], shape = \"interval\" }\n" + threads +
                           physics +
                           "f_file = \"values.txt\"\n[[quantity]]\nname = \"left\"\nkind = \"value\"\nat = 0\n";
  ASSERT_EQ(run("file", deck).code, 0);
  EXPECT_NEAR(summary_in(out("file"))["quantities"]["left"].get<double>(), 0.5, 1e-15);
}

TEST(TwoPointBvp, WritesFewerNodesThanItHas) {
  ASSERT_EQ(run("every", mesh + threads + physics + "output_every = 100\n" + f).code, 0);
  std::ifstream file(out("every") + "/solution.vtu", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("NumberOfPoints=\"12\""), std::string::npos) << "nodes 0, 100 ... 1000, and the last";
}

class BadTwoPoint : public ::testing::TestWithParam<Case> {};

TEST_P(BadTwoPoint, SaysWhatWhereAndWhatToDo) {
  const Case& wrong = GetParam();
  write_deck("nan.txt", "1 2\n3 nan\n");
  write_deck("three.txt", "1 2 3\n");
  expect_says(run(wrong.name, wrong.deck), wrong);
}

std::string boxed(const std::string& box) { return "[mesh]\nbox = " + box + "\n"; }
const std::string whole = mesh + threads + physics + f;
const std::string four = boxed("{ min = [0], max = [1], cells = [4], shape = \"interval\" }") + threads + physics;

INSTANTIATE_TEST_SUITE_P(
    Input, BadTwoPoint,
    ::testing::Values(
        Case{"triangles",
             boxed("{ min = [0, 0], max = [1, 1], cells = [4, 4], shape = \"triangle\" }") + physics + f,
             2,
             {"of shape 'triangle'", "_triangles.toml:2", "shape = \"interval\""}},
        Case{"mesh_file", "[mesh]\nfile = \"a.msh\"\n" + physics + f, 2, {"the mesh is a file", "_mesh_file.toml:2"}},
        Case{"no_cells",
             boxed("{ min = [0], max = [1], cells = [0], shape = \"interval\" }") + physics + f,
             2,
             {">= 1"}},
        Case{"no_f", mesh + physics, 2, {"no right-hand side", "f_file"}},
        Case{"two_f", whole + "f_file = \"three.txt\"\n", 2, {"both f and f_file"}},
        Case{"not_finite",
             mesh + threads + physics + "f = \"1/(x-0.5)\"\n",
             2,
             {"1/(x-0.5)", "0.5", "_not_finite.toml:7"}},
        Case{"file_nan", four + "f_file = \"nan.txt\"\n", 2, {"value 4 of f", "nan.txt:2:3"}},
        Case{"file_short", four + "f_file = \"three.txt\"\n", 2, {"holds 3 numbers", "4 cells", "_file_short.toml:7"}},
        Case{"file_missing", four + "f_file = \"none.txt\"\n", 7, {"none.txt"}},
        Case{"reaction", whole + "[[material]]\nreaction = 1\n", 2, {"[[material]]"}},
        Case{"diffusivity", whole + "diffusivity = 2\n", 2, {"unknown key 'diffusivity'"}},
        Case{"solver",
             whole + "[solver]\ntype = \"divide_and_conker\"\n",
             2,
             {"'divide_and_conker'", "divide_and_conquer"}},
        Case{"precision", mesh + "[run]\nprecision = \"half\"\n" + physics + f, 2, {"'half'", "double, float, mixed"}},
        Case{"mixed",
             mesh + threads + "precision = \"mixed\"\n" + physics + f + "[solver]\ntype = \"sequential\"\n",
             2,
             {"no mixed precision", "_mixed.toml:9"}},
        Case{"overflow",
             mesh + threads + "precision = \"float\"\n" + physics + "f = 1e300\n",
             4,
             {"range of float", "double"}},
        Case{"gradient", whole + exact + "gradient = [\"0\"]\n", 2, {"takes no exact.gradient"}},
        Case{"field", whole + "[output]\nfields = [\"v\"]\n", 2, {"unknown output field 'v'"}},
        Case{"outside", whole + "[[quantity]]\nname = \"v\"\nkind = \"value\"\nat = [2]\n", 2, {"is in no cell"}},
        Case{"group",
             whole + "[[quantity]]\nname = \"v\"\nkind = \"flux\"\non = \"rigth\"\n",
             3,
             {"did you mean 'right'", "there are: left (point), right (point), domain (curve)\n"}}),
    case_name);

}  // namespace
