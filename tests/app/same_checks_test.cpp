// What `run` refuses before it solves `check` refuses too: with the same exit code, the same words and the same place.
// In process: starting the program a hundred times would take most of the time.
#include "app/program.hpp"

#include "../../app/program.hpp"

namespace {

using namespace app_test;

std::string box(const std::string& cells, const std::string& shape) {
  return "[mesh]\nbox = { cells = [" + cells + "], shape = \"" + shape + "\" }\n[run]\nbackend = \"threads\"\n";
}
const std::string poisson = "[physics]\ntype = \"poisson\"\n";
const std::string sides = "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"dirichlet\"\nvalue = \"x\"\n";
const std::string top = "[[boundary]]\non = \"top\"\ntype = ";
const std::string square = box("4, 4", "triangle") + poisson + sides;
const std::string line = box("8", "interval") + poisson + "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\n";
const std::string grid = box("4, 4", "quad") + poisson +
                         "[[boundary]]\non = [\"left\", \"right\", \"bottom\", \"top\"]\n" +
                         "type = \"dirichlet\"\nvalue = ";
const std::string convection = box("4, 4", "quad") + "[physics]\ntype = \"convection_diffusion\"\n" + sides;
const std::string differences =
    box("4, 4", "quad") +
    "[physics]\ntype = \"convection_diffusion\"\ndiscretisation = \"finite_difference\"\n[[boundary]]\non = [\"left\", "
    "\"right\", \"bottom\", \"top\"]\ntype = \"dirichlet\"\nvalue = \"x\"\n";
const std::string two_point = box("8", "interval") + "[physics]\ntype = \"two_point_bvp\"\nf = ";
const std::string projection = box("2, 2", "quad") + "[physics]\ntype = \"l2_projection\"\nf = ";
const std::string solver = "[solver]\n";
const std::string material = "[[material]]\n";
const std::string point = "[[quantity]]\nname = \"v\"\nkind = \"value\"\nat = ";

/// The program with these arguments, without starting it anew.
Result in_process(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"tessera"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Result result;
  result.code = tessera::app::run_program(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  result.text = ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
  return result;
}

/// The error with its place and its help, without what was printed before it.
std::string error_of(const Result& result) {
  const std::size_t at = result.text.find("error: ");
  return at == std::string::npos ? "no error: " + result.text : result.text.substr(at);
}

class SameChecks : public ::testing::TestWithParam<Case> {};

TEST_P(SameChecks, OfCheckAndRun) {
  const Case& wrong = GetParam();
  const std::string deck = write_deck(std::string("same_") + wrong.name + ".toml", wrong.deck);
  const std::string output = (folder() / "same_checks").string();
  Result run, check;
  if (wrong.deck.find("l2_projection") != std::string::npos) {  // a plugin needs the symbols of the program
    const fs::path plugin = fs::path(program()).parent_path() / "plugins/l2_projection.so";
    const std::string options = deck + " --output " + output + " --plugin " + plugin.string();
    run = app_test::tessera("run " + options);
    check = app_test::tessera("check " + options);
  } else {
    run = in_process({"run", deck, "--backend", "threads", "--output", output});
    check = in_process({"check", deck, "--backend", "threads", "--output", output});
  }
  expect_says(check, wrong);
  EXPECT_EQ(run.code, check.code);
  EXPECT_EQ(error_of(run), error_of(check));
}

std::vector<Case> solvers() {
  return {
      {"tolerance_of_1", square + solver + "tolerance = 1\n", 2, {"solver.tolerance is 1", "toml:12:13"}},
      {"relaxation_of_2",
       square + solver + "preconditioner = \"ssor\"\nrelaxation = 2\n",
       2,
       {"solver.relaxation is 2", "both excluded", "toml:13:14"}},
      {"gmres_with_chebyshev",
       square + solver + "type = \"gmres\"\npreconditioner = \"chebyshev\"\n",
       2,
       {"chebyshev takes the matrix for symmetric", "toml:13:18"}},
      {"radix_of_3", grid + "0\n" + solver + "type = \"bcr\"\nradix = 3\n", 2, {"solver.radix is 3", "choose 2 or 4"}},
      {"block_jacobi_of_one_unknown",
       square + solver + "preconditioner = \"block_jacobi\"\n",
       2,
       {"\"block_jacobi\" is for several unknowns a node", "valid names: none, jacobi", "toml:12:18"}},
      {"float_and_fine",
       square + "[solver]\ntolerance = 1e-12\n[[quantity]]\nname = \"a\"\nkind = \"max\"\n",
       2,
       {"solver.tolerance = 1e-12 is finer than single precision resolves", "toml:12:13"}},
      {"float_and_direct", square + solver + "type = \"direct\"\n", 2, {"direct factors in double", "toml:12:8"}},
      {"restart_of_cg",
       square + solver + "restart = 40\n",
       2,
       {"solver.restart is read by gmres; solver.type is \"cg\"", "choose type = \"gmres\"", "toml:12:11"}},
      {"variant_of_minres",
       square + solver + "type = \"minres\"\nvariant = \"single_reduction\"\n",
       2,
       {"solver.variant is read by cg; solver.type is \"minres\"", "toml:13:11"}},
      {"radix_of_cg", square + solver + "radix = 4\n", 2, {"solver.radix is read by bcr; solver.type is \"cg\""}},
      {"radix_of_fft", grid + "0\n" + solver + "type = \"fft\"\nradix = 2\n", 2, {"solver.radix is read by bcr"}},
      {"degree_of_auto",
       square + solver + "degree = 3\n",
       2,
       {"solver.degree is read by the preconditioner chebyshev; solver.preconditioner is \"auto\"",
        "choose preconditioner = \"chebyshev\"", "toml:12:10"}},
      {"relaxation_of_jacobi",
       square + solver + "preconditioner = \"jacobi\"\nrelaxation = 1.5\n",
       2,
       {"the preconditioners ssor, multicolour_ssor", "preconditioner = \"ssor\" or \"multicolour_ssor\""}},
      {"relaxation_of_direct",
       square + solver + "type = \"direct\"\nrelaxation = 1.5\n",
       2,
       {"solver.type = \"direct\" takes no preconditioner", "leave relaxation out"}},
      {"preconditioner_of_direct",
       square + solver + "type = \"direct\"\npreconditioner = \"ssor\"\n",
       2,
       {"solver.preconditioner is read by cg, minres, bicgstab, gmres, eigen; solver.type is \"direct\"",
        "toml:13:18"}},
      {"iterations_of_fft",
       grid + "0\n" + solver + "type = \"fft\"\nmax_iterations = 5\n",
       2,
       {"solver.max_iterations is read by cg", "solver.type is \"fft\""}},
      {"direct_in_ell",
       square + solver + "type = \"direct\"\n[matrix]\nformat = \"ell\"\n",
       2,
       {"solver.type = \"direct\" needs the entries of the matrix in CRS", "toml:14:10"}},
      {"partition_of_colour",
       square + "[assembly]\nstrategy = \"colour\"\npartition_size = 64\n",
       2,
       {"assembly.partition_size is read by colour_blocks, shared", "toml:13:18"}},
      {"matrix_free_and_ssor",
       square + solver + "preconditioner = \"ssor\"\n[assembly]\nstrategy = \"matrix_free\"\n",
       2,
       {"the preconditioner \"ssor\" needs the entries"}},
      {"order_5_assembled",
       box("4, 4", "quad") + poisson + "order = 5\n" + sides + "[assembly]\nstrategy = \"colour\"\n",
       2,
       {"a matrix of order 5 is not assembled"}},
      {"restart_of_bicgstab",
       convection + solver + "restart = 10\n",
       2,
       {"solver.restart is read by gmres; solver.type is \"bicgstab\""}},
      {"tolerance_of_bicgstab", convection + solver + "tolerance = 1.0\n", 2, {"solver.tolerance is 1"}},
      {"lu_in_ell",
       convection + solver + "type = \"lu\"\n[matrix]\nformat = \"ell\"\n",
       2,
       {"solver.type = \"lu\" needs the entries of the matrix in CRS"}},
      {"omega_of_lsor", differences + solver + "omega = 1.5\n", 2, {"'lsor' takes omega from the coefficients"}},
      {"float_gmres", differences + solver + "type = \"gmres\"\ntolerance = 1e-10\n", 2, {"single precision"}},
      {"rows_of_scan", two_point + "1\n" + solver + "rows = 4\n", 2, {"solver.rows is read by divide_and_conquer"}},
      {"block_of_columns",
       two_point + "1\n" + solver + "type = \"divide_and_conquer\"\nblock = 4\n",
       2,
       {"solver.block is read by square_blocked; solver.type is \"divide_and_conquer\""}},
      {"krylov_of_two_points",
       two_point + "1\n" + solver + "type = \"cg\"\n",
       2,
       {"solver.type = \"cg\" needs a matrix or operator, which this problem does not have",
        "auto, scan, sequential, divide_and_conquer, square_blocked", "toml:9:8"}},
      {"scan_of_poisson",
       square + solver + "type = \"scan\"\n",
       2,
       {"solver.type = \"scan\" needs -u'' = f at the nodes of an interval", "valid names: cg, minres"}},
      {"grid_of_a_projection",
       projection + "1\n" + solver + "type = \"fft\"\n",
       2,
       {"solver.type = \"fft\" needs a uniform grid with constant coefficients"}},
      {"mixed_sequential", two_point + "1\n" + solver + "type = \"sequential\"\n", 2, {"has no mixed precision"}},
      {"degree_of_a_projection", projection + "1\n" + solver + "degree = 3\n", 2, {"solver.degree is read by"}},
      {"tolerance_of_a_projection", projection + "1\n" + solver + "tolerance = 1\n", 2, {"solver.tolerance is 1"}},
  };
}

/// Decks of solvers() that name their wrong precision.
std::vector<Case> with_precisions(std::vector<Case> cases) {
  for (Case& wrong : cases) {
    const std::string name = wrong.name;
    const std::string precision = name.starts_with("float_and_direct") ? "mixed"
                                  : name.starts_with("float_")         ? "float"
                                  : name.starts_with("mixed_")         ? "mixed"
                                                                       : "";
    const std::string run = "backend = \"threads\"\n";
    if (!precision.empty()) wrong.deck.replace(wrong.deck.find(run), run.size(), "precision = \"" + precision + "\"\n");
  }
  return cases;
}

std::vector<Case> data() {
  const std::string every_side = "[[boundary]]\non = [\"left\", \"right\", \"top\"]\ntype = \"dirichlet\"\n";
  return {
      {"negative_alpha", square + top + "\"robin\"\nalpha = \"x - 0.5\"\n", 2, {"robin alpha is negative (-0."}},
      {"source_not_finite", square + material + "source = \"sqrt(x - 0.5)\"\n", 2, {"'sqrt(x - 0.5)' is -nan at"}},
      {"neumann_not_finite", square + top + "\"neumann\"\nvalue = \"log(x - 1)\"\n", 2, {"'log(x - 1)' is"}},
      {"exact_not_finite", square + "[exact]\nu = \"log(x - 0.5)\"\n", 2, {"'log(x - 0.5)' is", "toml:12:"}},
      {"gradient_not_finite",
       square + "[exact]\nu = \"x\"\ngradient = [\"sqrt(y - 0.5)\", \"0\"]\n",
       2,
       {"'sqrt(y - 0.5)' is"}},
      {"grid_source_not_finite",
       grid + "0\n" + material + "source = \"log(x - 0.5)\"\n[solver]\ntype = \"fft\"\n" + "[output]\nwrite = false\n",
       2,
       {"'log(x - 0.5)' is"}},
      {"grid_boundary_not_finite", grid + "\"log(x)\"\n[solver]\ntype = \"bcr\"\n", 2, {"'log(x)' is -inf at"}},
      {"grid_exact_not_finite",
       grid + "0\n[solver]\ntype = \"bcr\"\n[exact]\nu = \"1/(x - 0.5)\"\n",
       2,
       {"'1/(x - 0.5)' is"}},
      {"velocity_not_finite",
       convection + material + "velocity = [\"sqrt(x - 0.5)\", \"0\"]\n",
       2,
       {"'sqrt(x - 0.5)' is"}},
      {"convection_robin_not_finite", convection + top + "\"robin\"\nalpha = \"log(x - 2)\"\n", 2, {"'log(x - 2)' is"}},
      {"differences_exact_not_finite", differences + "[exact]\nu = \"log(x)\"\n", 2, {"'log(x)' is -inf at"}},
      {"two_point_not_finite", two_point + "\"sqrt(x - 0.5)\"\n", 2, {"'sqrt(x - 0.5)' is"}},
      {"two_point_exact_not_finite", two_point + "1\n[exact]\nu = \"log(x)\"\n", 2, {"'log(x)' is -inf"}},
      {"projection_not_finite", projection + "\"log(x - 0.5)\"\n", 2, {"'log(x - 0.5)' is"}},
      {"z_in_the_plane",
       square + material + "source = \"x + 2*z\"\n",
       2,
       {"'x + 2*z' uses z, but the mesh has 2 dimensions", "in 2-D knows x and y", "toml:12:17"}},
      {"y_on_a_line", line + "value = \"y\"\n", 2, {"'y' uses y, but the mesh has 1 dimension", "toml:10:10"}},
      {"z_of_a_velocity", convection + material + "velocity = [\"1\", \"z\"]\n", 2, {"'z' uses z", "toml:12:19"}},
      {"y_of_two_points", two_point + "\"y\"\n", 2, {"'y' uses y, but the mesh has 1 dimension", "toml:7:6"}},
      {"z_of_exact", square + "[exact]\nu = \"x\"\ngradient = [\"1\", \"0*z\"]\n", 2, {"'0*z' uses z", "toml:13:21"}},
      {"point_above_the_plane",
       square + point + "[0.5, 0.5, 0.25]\n",
       2,
       {"`at` has z = 0.25, but the mesh has 2 dimensions", "further ones must be 0"}},
      {"point_beside_the_line", two_point + "1\n" + point + "[0.5, 1]\n", 2, {"`at` has y = 1"}},
      {"neumann_under_dirichlet",
       square + every_side + "value = \"x\"\n" + top + "\"neumann\"\nvalue = 3\n",
       2,
       {"the neumann boundary on 'top' has no effect on 4 of its 4 facets: boundary 2 (",
        ":11), on 'left', 'right', 'top'", "toml:15:1"}},
      {"robin_under_dirichlet",
       convection + every_side + "value = \"x\"\n" + top + "\"robin\"\nalpha = 1\n",
       2,
       {"the robin boundary on 'top' has no effect on 4 of its 4 facets"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Solvers, SameChecks, ::testing::ValuesIn(with_precisions(solvers())), case_name);
INSTANTIATE_TEST_SUITE_P(Data, SameChecks, ::testing::ValuesIn(data()), case_name);

TEST(Checks, AThirdNumberOfZeroIsAPointOfThePlane) {
  const Result result = app_test::tessera("check " + write_deck("flat_point.toml", square + point + "[0.5, 0.5, 0]\n"));
  EXPECT_EQ(result.code, 0) << result.text;
}

/// A deck cannot lose a key by --set, and comparing methods is what it is for.
TEST(Checks, AMethodOfTheCommandLineLeavesTheDecksKeysWithAWarning) {
  const std::string deck =
      write_deck("restart.toml", square + solver + "type = \"gmres\"\nrestart = 20\npreconditioner = \"jacobi\"\n");
  const std::string output = " --output " + (folder() / "restart").string();
  Result result = app_test::tessera("run " + deck + " --set solver.type=direct" + output);
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.says("solver.restart is read by gmres; solver.type is \"direct\"; it is ignored")) << result.text;
  EXPECT_EQ(summary_in(folder() / "restart")["warnings"].size(), 2u);
  result = app_test::tessera("run " + deck + " --set solver.type=cg --set solver.restart=5" + output);
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("--set solver.restart=5")) << result.text;
}

/// `none` beside a solver without preconditioners says what is so.
TEST(Checks, NoPreconditionerOfADirectSolverIsFine) {
  const std::string deck = write_deck("none.toml", square + solver + "type = \"direct\"\npreconditioner = \"none\"\n");
  EXPECT_EQ(app_test::tessera("check " + deck).code, 0);
}

/// What is seen of the folder of the results without making it.
TEST(Checks, AFolderThatCannotBeIsRefusedByCheckAsByRun) {
  const std::string nameless = write_deck("nameless_folder.toml", square + "[output]\ndirectory = \"\"\n");
  const std::string file = write_deck("no_folder.toml", square);
  for (const auto& [options, code, says] : {
           std::tuple{nameless, 2, std::string("output.directory is empty")},
           std::tuple{nameless + " --output " + file, 7, "cannot make the folder " + file},
           std::tuple{file + " --output " + file + "/below", 7, "cannot make the folder " + file + "/below"},
           std::tuple{file + " --output " + std::string(300, 'x'), 7, std::string("File name too long")},
       }) {
    const Result check = app_test::tessera("check " + options), run = app_test::tessera("run " + options);
    EXPECT_EQ(check.code, code) << check.text;
    EXPECT_EQ(run.code, code) << run.text;
    EXPECT_TRUE(check.says(says)) << check.text;
    EXPECT_EQ(error_of(check).substr(0, error_of(run).size()), error_of(run));  // then what else there is to say
  }
  EXPECT_TRUE(app_test::tessera("check " + nameless).says("nameless_folder.toml:12:13"));
  EXPECT_EQ(app_test::tessera("check " + nameless + " --output " + (folder() / "not/yet").string()).code, 0);
  EXPECT_FALSE(fs::exists(folder() / "not")) << "check makes nothing";
}

/// A warning, since --set cannot take a key out of a deck.
TEST(Checks, CompressionOfFormatsThatHaveNoneIsWarnedOf) {
  const std::string deck = write_deck("compression.toml", square + "[output]\ncompression = 9\n");
  for (const char* command : {"check ", "run "}) {
    const Result result = app_test::tessera(command + deck + " --output " + (folder() / "compression").string());
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_TRUE(result.says("output.compression has no effect")) << result.text;
  }
}

TEST(Checks, PrecisionOfFormatsThatHaveNoneIsWarnedOf) {
  const std::string deck =
      write_deck("precision.toml", square + "[output]\nprecision = \"float\"\nformats = [\"csv\"]\n");
  for (const char* command : {"check ", "run "}) {
    const Result result = app_test::tessera(command + deck + " --output " + (folder() / "precision").string());
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_TRUE(result.says("output.precision has no effect")) << result.text;
  }
}

/// ssor reads relaxation in every module that offers it.
TEST(Checks, ConvectionTakesTheRelaxationOfItsPreconditioner) {
  const std::string deck =
      write_deck("ssor.toml", convection + solver + "preconditioner = \"ssor\"\nrelaxation = 1.2\n");
  const Result result = app_test::tessera("run " + deck + " --output " + (folder() / "ssor").string());
  EXPECT_EQ(result.code, 0) << result.text;
}

/// Facets alone have conditions: sides that meet in a corner or an edge do not contradict each other.
TEST(Checks, SidesThatMeetInAnEdgeAreFine) {
  const std::string deck =
      write_deck("edge.toml", box("2, 2, 2", "tet") + poisson + sides + top + "\"neumann\"\nvalue = 1\n");
  EXPECT_EQ(app_test::tessera("check " + deck).code, 0);
}

TEST(Checks, TheHelpOfAKeySaysWhatReadsIt) {
  const Result result = app_test::tessera("schema poisson");
  EXPECT_TRUE(result.says("Of gmres.")) << result.text;
  EXPECT_TRUE(result.says("Of the preconditioners ssor, multicolour_ssor.")) << result.text;
}

}  // namespace
