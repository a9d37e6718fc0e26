// `tessera export` as a user runs it: what it writes is the system that a run solves.
#include "app/program.hpp"
#include "linalg/market_vector.hpp"
#include "linalg/matrix_market.hpp"
#include "output/vtk_reader.hpp"
#include "solvers/solve.hpp"

namespace {

using namespace app_test;
using namespace tessera;

const std::string body = R"([mesh]
box = { cells = [5, 4, 3], shape = "hex" }
[run]
backend = "threads"
[[boundary]]
on = "left"
type = "dirichlet"
value = "1 + y"
[[boundary]]
on = "top"
type = "robin"
alpha = 2
value = "x"
[solver]
tolerance = 1e-12
)";
const std::string poisson = body + "[physics]\ntype = \"poisson\"\n[[material]]\ndiffusivity = \"1 + x\"\nsource = 3\n";
const std::string convection = body +
                               "[physics]\ntype = \"convection_diffusion\"\n[[material]]\nvelocity = [\"3\", \"y\", "
                               "\"0\"]\nsource = 3\n";
const std::string differences = R"([mesh]
box = { cells = [8, 6], shape = "quad" }
[run]
backend = "threads"
[physics]
type = "convection_diffusion"
discretisation = "finite_difference"
[[material]]
velocity = ["5*y", "2"]
source = "x"
[[boundary]]
on = ["left", "right", "bottom", "top"]
type = "dirichlet"
value = "x*y"
)";

struct System {
  linalg::Crs<Host> A;
  Array<double> b;
};

System exported(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path matrix = folder() / (name + ".mtx");
  const Result result = app_test::tessera("export " + deck + " -o " + matrix.string() + options);
  EXPECT_EQ(result.code, 0) << result.text;
  return {linalg::read_matrix_market(matrix.string()),
          linalg::read_market_vector((folder() / (name + "_b.mtx")).string())};
}

std::vector<double> solved(System& system) {
  Threads exec(1);
  Array<double> x(system.b.size());
  x.set_zero();
  const solvers::Report report =
      solvers::solve(exec, system.A, std::as_const(system.b).view(), x.view(), {.type = "lu", .tolerance = 1e-12});
  EXPECT_TRUE(report.converged) << report.failure;
  return to_vector(x);
}

std::vector<double> u_of_a_run(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / ("out_" + name);
  const Result result = app_test::tessera("run " + deck + " --quiet --output " + out.string() + options);
  EXPECT_EQ(result.code, 0) << result.text;
  for (const output::Field& field : output::read_vtu(out / "solution.vtu").point_fields)
    if (field.name == "u") return field.values;
  ADD_FAILURE() << "no u";
  return {};
}

void expect_near(const std::vector<double>& u, const std::vector<double>& expected) {
  ASSERT_EQ(u.size(), expected.size());
  for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], expected[i], 1e-9) << i;
}

TEST(Export, TheSystemOfAMeshHasTheSolutionOfTheRun) {
  for (const auto& [name, text] : {std::pair{"poisson", poisson}, {"convection", convection}}) {
    const std::string deck = write_deck(std::string("export_") + name + ".toml", text);
    System system = exported(name, deck);
    std::ifstream file(folder() / (name + std::string(".mtx")));
    std::string header;
    std::getline(file, header);
    EXPECT_EQ(header.ends_with(" symmetric"), name == std::string("poisson")) << header;
    expect_near(solved(system), u_of_a_run(name, deck));
  }
}

/// A matrix is written whatever the run would take: the operator is the same.
TEST(Export, OfARunWithoutAMatrix) {
  const std::string deck = write_deck("export_free.toml", poisson);
  const std::string free = " --set assembly.strategy=matrix_free";
  System system = exported("free", deck, free);
  expect_near(solved(system), u_of_a_run("free", deck, free));
}

/// Before elimination constants are in the kernel of everything but the Robin side: rows sum to int alpha phi_i, 2 in
/// all.
TEST(Export, FullHasTheRowsOfTheElements) {
  const System system = exported("full", write_deck("export_full.toml", poisson), " --full");
  double all = 0;
  for (const double value : system.A.values) all += value;
  EXPECT_NEAR(all, 2, 1e-12);
  double load = 0;
  for (const double value : system.b) load += value;
  EXPECT_NEAR(load, 3 + 0.5, 1e-12);
}

TEST(Export, OfDifferencesOnAGrid) {
  const std::string deck = write_deck("export_grid.toml", differences);
  System system = exported("grid", deck);
  ASSERT_EQ(system.A.rows, 7 * 5);
  const std::vector<double> x = solved(system);
  const std::vector<double> u = u_of_a_run("grid", deck, " --set solver.type=lu --set solver.tolerance=1e-12");
  ASSERT_EQ(u.size(), 9u * 7u);
  for (int j = 1; j < 6; ++j)
    for (int i = 1; i < 8; ++i) EXPECT_NEAR(x[static_cast<std::size_t>((j - 1) * 7 + i - 1)], u[j * 9 + i], 1e-9);
}

TEST(Export, RefusesWhatHasNoMatrix) {
  const std::string deck = write_deck("export_none.toml", poisson);
  const std::string to = " -o " + (folder() / "none.mtx").string();
  Result result = app_test::tessera("export " + deck + to + " --set physics.discretisation=finite_difference");
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("works without a matrix")) << result.text;
  result = app_test::tessera("export " + (source() / "inputs/verification/two_point_bvp_p1.toml").string() + to);
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("makes no matrix")) << result.text;
  EXPECT_FALSE(fs::exists(folder() / "none.mtx"));
  EXPECT_EQ(app_test::tessera("export " + deck + " -o K.txt").code, 2);
  EXPECT_EQ(app_test::tessera("export " + deck + " -o /nonexistent/K.mtx").code, 7);
}

}  // namespace
