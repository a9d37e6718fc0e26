// Above order 4 the unknowns are not equispaced, VTK's points are: what is written is the solution there.
#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <cmath>
#include <numbers>

#include "app/program.hpp"

namespace {

using namespace app_test;

TEST(HighOrder, FieldsAreWrittenAtThePointsOfVtk) {
  const std::string deck = write_deck("high_order.toml", R"deck([mesh]
box = { min = [0, 0], max = [1, 1], cells = [2, 2], shape = "quad" }
[run]
backend = "threads"
[physics]
type = "poisson"
[[material]]
source = "2*pi^2*sin(pi*x)*sin(pi*y)"
[[boundary]]
on = ["left", "right", "bottom", "top"]
type = "dirichlet"
[solver]
tolerance = 1e-12
)deck");
  for (const int order : {4, 5, 8}) {
    const fs::path out = folder() / ("order_" + std::to_string(order));
    const Result result = app_test::tessera("run " + deck + " --quiet --set physics.order=" + std::to_string(order) +
                                            " --output " + out.string());
    ASSERT_EQ(result.code, 0) << result.text;
    vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName((out / "solution.vtu").c_str());
    reader->Update();
    vtkUnstructuredGrid* grid = reader->GetOutput();
    vtkDataArray* u = grid->GetPointData()->GetArray("u");
    vtkDataArray* flux = grid->GetPointData()->GetArray("flux");
    ASSERT_EQ(grid->GetNumberOfPoints(), (2 * order + 1) * (2 * order + 1));
    const double pi = std::numbers::pi;
    double worst = 0, worst_flux = 0;
    for (vtkIdType point = 0; point < grid->GetNumberOfPoints(); ++point) {
      double x[3];
      grid->GetPoint(point, x);
      EXPECT_NEAR(2 * order * x[0], std::round(2 * order * x[0]), 1e-12);
      worst = std::max(worst, std::abs(u->GetComponent(point, 0) - std::sin(pi * x[0]) * std::sin(pi * x[1])));
      worst_flux =
          std::max(worst_flux, std::abs(flux->GetComponent(point, 0) + pi * std::cos(pi * x[0]) * std::sin(pi * x[1])));
    }
    EXPECT_LT(worst, order == 4 ? 1e-3 : order == 5 ? 1e-4 : 1e-7) << order;
    EXPECT_LT(worst_flux, order == 4 ? 2e-2 : order == 5 ? 2e-3 : 2e-6) << order;
  }
}

}  // namespace
