// Solvers that fail: exit code 4, and the results are written and say that they are none.
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkStringArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "app/program.hpp"

namespace {

using namespace app_test;

std::string title_of(const fs::path& vtu) {
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(vtu.c_str());
  reader->Update();
  auto* title = vtkStringArray::SafeDownCast(reader->GetOutput()->GetFieldData()->GetAbstractArray("title"));
  return title ? title->GetValue(0) : std::string();
}

/// A square of 32 x 32 cells; `more` ends the deck.
std::string deck(const std::string& name, const std::string& more) {
  return write_deck(name + ".toml", R"(title = "A square"
[mesh]
box = { min = [0, 0], max = [1, 1], cells = [32, 32], shape = "triangle" }
[run]
backend = "threads"
[physics]
type = "poisson"
[[boundary]]
on = ["left", "right"]
type = "dirichlet"
value = "x"
)" + more);
}

struct Failure {
  const char* name;
  const char* more;
  std::string message;
};

class NotConverged : public ::testing::TestWithParam<Failure> {};

TEST_P(NotConverged, WritesItsResultsAndMarksThem) {
  const auto& [name, more, message] = GetParam();
  const fs::path out = folder() / name;
  const Result result = app_test::tessera("run " + deck(name, more) + " --output " + out.string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_TRUE(result.says("error: solver cg did not converge: " + message)) << result.text;
  EXPECT_TRUE(result.says("help: the results are written and marked")) << result.text;
  const auto summary = summary_in(out);
  EXPECT_EQ(summary["status"], "not_converged");
  EXPECT_EQ(result.says("solver.type = \"minres\" solves"), name == std::string("indefinite")) << result.text;
  EXPECT_EQ(summary["exit_code"], 4);
  EXPECT_FALSE(summary["solver"]["converged"].get<bool>());
  EXPECT_NE(summary["error"].get<std::string>().find(message), std::string::npos);
  EXPECT_EQ(title_of(out / "solution.vtu"), "A square (NOT CONVERGED)");
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, NotConverged,
    ::testing::Values(Failure{"iterations", "[solver]\nmax_iterations = 2\n", "the residual is 0."},
                      Failure{"indefinite", "[[material]]\nreaction = -100\n", "the matrix is not positive definite"},
                      Failure{"overflow", "[[material]]\nsource = 1e308\n",
                              "the square of the right-hand side leaves the range of double"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Converged, IsNotMarked) {
  const fs::path out = folder() / "converged";
  EXPECT_EQ(app_test::tessera("run " + deck("converged", "") + " --quiet --output " + out.string()).code, 0);
  EXPECT_EQ(summary_in(out)["status"], "ok");
  EXPECT_EQ(title_of(out / "solution.vtu"), "A square");
}

}  // namespace
