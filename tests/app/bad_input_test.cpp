// Wrong decks and places, run as a user would: the exit code, what happened, where, and what to do.
#include "app/program.hpp"

namespace {

using namespace app_test;

const std::string square = R"([mesh]
box = { min = [0, 0], max = [1, 1], cells = [4, 4], shape = "triangle" }
[run]
backend = "threads"
threads = 1
)";
const std::string poisson = "[physics]\ntype = \"poisson\"\n";
const std::string sides = "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"dirichlet\"\nvalue = \"x\"\n";
const std::string whole = square + poisson + sides;
const std::string quantity = "[[quantity]]\nname = \"v\"\n";

Result run_deck(const std::string& name, const std::string& deck, const std::string& options = "") {
  return app_test::tessera("run " + write_deck(name + ".toml", deck) + " --output " +
                           (folder() / ("out_" + name)).string() + options);
}

class BadInput : public ::testing::TestWithParam<Case> {};

TEST_P(BadInput, SaysWhatWhereAndWhatToDo) {
  const Case& wrong = GetParam();
  expect_says(run_deck(wrong.name, wrong.deck), wrong);
}

std::vector<Case> wrong_keys() {
  return {
      {"unknown_key",
       square + poisson + "oder = 2\n" + sides,
       2,
       {"unknown key 'oder'", "unknown_key.toml:8:1", "did you mean 'order'"}},
      {"wrong_type", square + poisson + "order = \"two\"\n" + sides, 2, {"expected an integer", "wrong_type.toml:8:9"}},
      {"out_of_range",
       square + poisson + "order = 9\n" + sides,
       2,
       {"order is 9", ">= 1 and <= 8", "out_of_range.toml:8:9"}},
      {"order_of_shape",
       square + poisson + "order = 7\n" + sides,
       2,
       {"no Lagrange element of order 7 on a triangle", "orders 1 to 4", "order_of_shape.toml:8:9"}},
      {"expression",
       whole + "[[material]]\nsource = \"sin(x) + * 2\"\n",
       2,
       {"unexpected '*' (character 10)", "expression.toml:13:20"}},
      {"variable",
       whole + "[[material]]\nsource = \"sin(q)\"\n",
       2,
       {"unknown variable 'q'", "variables are x, y, z, t"}},
      {"precision",
       square + "precision = \"half\"\n" + poisson + sides,
       2,
       {"'half'", "precision.toml:6:13", "valid names: double, float, mixed"}},
      {"preconditioner",
       whole + "[solver]\npreconditioner = \"auot\"\n",
       2,
       {"unknown preconditioner 'auot'", "did you mean 'auto'", "preconditioner.toml:13:18"}},
      {"no_mesh", poisson + sides, 2, {"no [mesh]"}},
      {"list_of_physics",
       square + "[[physics]]\ntype = \"poisson\"\n" + sides,
       2,
       {"[[physics]] is a list", "one bracket", "toml:6:1"}},
      {"number_for_a_type",
       square + "[physics]\ntype = 3\n" + sides,
       2,
       {"physics.type is the integer 3", "valid names: poisson", "toml:7:8"}},
      {"size_of_a_box",
       "[mesh]\nsize = 0.1\n" + square.substr(7) + poisson + sides,
       2,
       {"mesh.size is for geometries", "leave size out", "toml:1:2"}},
      {"field_twice", whole + "[output]\nfields = [\"u\", \"u\"]\n", 2, {"'u' stands twice", "toml:12:2"}},
      {"no_physics", square + sides, 2, {"which physics", "type = \"poisson\""}},
      {"field", whole + "[output]\nfields = [\"flix\"]\n", 2, {"unknown output field 'flix'", "did you mean 'flux'"}},
      {"pyramid",
       "[mesh]\nbox = { min = [0,0,0], max = [1,1,1], cells = [2,2,2], shape = \"pyramid\" }\n" + poisson + sides,
       2,
       {"'pyramid'", "valid names: interval, triangle, quad, tet, hex, prism"}},
  };
}

std::vector<Case> wrong_problems() {
  const std::string top = "[[boundary]]\non = \"top\"\ntype = \"robin\"\nalpha = ";
  const std::string material = "[[material]]\ndiffusivity = ";
  const std::string domain = "[[material]]\non = \"domain\"\n";
  return {
      {"group_of_material",
       whole + "[[material]]\non = \"domian\"\n",
       3,
       {"'domian'", "did you mean 'domain'", "left (curve, 4 facets)"}},
      {"group_of_boundary",
       whole + "[[boundary]]\non = \"lid\"\ntype = \"dirichlet\"\n",
       3,
       {"'lid'", "there are: left", "toml:12:1"}},
      {"group_of_quantity",
       whole + quantity + "kind = \"flux\"\non = \"rihgt\"\n",
       3,
       {"'rihgt'", "did you mean 'right'"}},
      {"singular",
       square + poisson,
       2,
       {"singular", "no [[boundary]]", "add a dirichlet boundary", "singular.toml:6:2"}},
      {"singular_neumann",
       square + poisson + "[[boundary]]\non = \"top\"\ntype = \"neumann\"\nvalue = 1\n",
       2,
       {"singular", "no boundary of the deck", "add a dirichlet boundary", "singular_neumann.toml:8:1"}},
      {"two_dirichlet",
       whole + "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\nvalue = 7\n",
       2,
       {"contradict", "'left'", "boundary 1 (", "two_dirichlet.toml:8)", "boundary 2 (", "toml:12:1"}},
      {"two_robin", whole + top + "1\n" + top + "2\n", 2, {"two robin boundaries", "'top'"}},
      {"two_materials",
       whole + domain + domain,
       2,
       {"group 'domain' has two materials", "material 1 (", "two_materials.toml:12)", "material 2 (",
        "two_materials.toml:14)", "one entry only"}},
      {"two_materials_everywhere",
       whole + "[[material]]\nsource = 1\n[[material]]\nsource = 2\n",
       2,
       {"material 1 (", "everywhere.toml:12)", "material 2 (", "have no `on`", "toml:14:1"}},
      {"material_on_a_side",
       whole + "[[material]]\non = \"left\"\n",
       3,
       {"'left' is not a surface group", "there are: left", "toml:12:1"}},
      {"negative_k", whole + material + "-1\n", 2, {"diffusivity [-1] is not positive", "toml:12:1"}},
      {"negative_k_somewhere", whole + material + "\"x - 0.5\"\n", 2, {"is not positive", " at (0."}},
      {"indefinite_k", whole + material + "[1, 2, 1]\n", 2, {"[1, 2, 1] is not positive definite"}},
      {"tensor_components", whole + material + "[1, 2]\n", 2, {"diffusivity has 2 values", "takes 1 or 3"}},
      {"negative_alpha", whole + top + "-1\n", 2, {"robin alpha is negative (-1)", "toml:12:1"}},
      {"gradient",
       whole + "[exact]\nu = \"x\"\ngradient = [\"1\"]\n",
       2,
       {"exact.gradient has 1 component", "2 dimensions"}},
      {"log_of_zero",
       square + poisson + "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\nvalue = \"log(x)\"\n",
       2,
       {"'log(x)' is -inf at (x, y, z) = (0, 0, 0)", "toml:11:"}},
      {"point_outside",
       whole + quantity + "kind = \"value\"\nat = [3, 0.5]\n",
       2,
       {"'v': the point (3, 0.5) is in no cell", "the mesh lies in [0, 1]"}},
      {"boundary_of_no_group",
       whole + "[[boundary]]\non = []\ntype = \"dirichlet\"\n",
       2,
       {"it holds nowhere", "name the groups", "toml:12:1"}},
      {"point_and_group",
       whole + quantity + "kind = \"value\"\nat = [0.5, 0.5]\non = \"left\"\n",
       2,
       {"'v' of kind \"value\" takes no group", "leave `on` out"}},
      {"point_of_four", whole + quantity + "kind = \"value\"\nat = [0, 0, 0, 0]\n", 2, {"`at` has 4 numbers"}},
      {"quantity_without_a_name", whole + "[[quantity]]\nname = \"\"\nkind = \"max\"\n", 2, {"an empty name"}},
      {"direct_without_a_matrix",
       whole + "[solver]\ntype = \"direct\"\n[assembly]\nstrategy = \"matrix_free\"\n",
       2,
       {"solver.type = \"direct\" needs the entries", "choose solver.type = \"cg\""}},
      {"value_without_at", whole + quantity + "kind = \"value\"\n", 2, {"'v'", "needs at = [x, y]"}},
      {"flux_without_on", whole + quantity + "kind = \"flux\"\n", 2, {"'v'", "needs on ="}},
      {"two_quantities",
       whole + quantity + "kind = \"max\"\n" + quantity + "kind = \"min\"\n",
       2,
       {"two quantities are called 'v'"}},
      {"too_many_cells",
       "[mesh]\nbox = { min = [0,0,0], max = [1,1,1], cells = [2000,2000,2000], shape = \"tet\" }\n" + poisson + sides,
       3,
       {"48000000000 cells", "8012006001 nodes", "32-bit"}},
      {"no_mesh_file",
       "[mesh]\nfile = \"nothing.msh\"\n" + poisson + sides,
       7,
       {"nothing.msh does not exist", "toml:2:8"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Keys, BadInput, ::testing::ValuesIn(wrong_keys()), case_name);
INSTANTIATE_TEST_SUITE_P(Problems, BadInput, ::testing::ValuesIn(wrong_problems()), case_name);

TEST(BadInputRun, AFileInPlaceOfTheOutputDirectory) {
  write_deck("out_in_the_way", "a file");
  const Result result = run_deck("in_the_way", whole);
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("out_in_the_way")) << result.text;
}

TEST(BadInputRun, TimeInAStationaryProblemIsWarnedOf) {
  const Result result = run_deck("time", whole + "[[material]]\nsource = \"1 + t\"\n");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("time.toml:13: the expression '1 + t' depends on t")) << result.text;
  EXPECT_EQ(summary_in(folder() / "out_time")["warnings"].size(), 1u);
}

TEST(BadInputRun, AFolderInPlaceOfAResult) {
  fs::create_directories(folder() / "out_taken/solution.vtu");
  const Result result = run_deck("taken", whole);
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("out_taken/solution.vtu: Is a directory")) << result.text;
  EXPECT_TRUE(result.says("choose another folder with --output")) << result.text;
}

/// Without devices to see, a machine with GPUs is one without.
TEST(BadInputRun, CudaWithoutAGpu) {
  const std::string deck = write_deck("cuda.toml", whole);
  const Result result = shell("CUDA_VISIBLE_DEVICES= " + program() + " run " + deck + " --backend cuda --output " +
                              (folder() / "out_cuda").string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("backend cuda was asked for, but ")) << result.text;
  EXPECT_TRUE(result.says("--backend threads")) << result.text;
}

TEST(BadInputRun, TooLittleMemory) {
  const std::string deck = write_deck("large.toml",
                                      "[mesh]\nbox = { min = [0,0,0], max = [1,1,1], cells = [600,600,600], shape = "
                                      "\"tet\" }\n[run]\nbackend = \"threads\"\nthreads = 1\n" +
                                          poisson + sides);
  const Result result =
      shell("ulimit -v 4000000; exec " + program() + " run " + deck + " --output " + (folder() / "out_large").string());
  EXPECT_EQ(result.code, 5) << result.text;
  EXPECT_TRUE(result.says("error: out of host memory")) << result.text;
  // Refused before anything is made where memory is known to be less, else when an allocation fails.
  EXPECT_TRUE(result.says("use fewer cells per axis") || result.says("`tessera check DECK`")) << result.text;
}

}  // namespace
