#include "output/vtk_reader.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>

#include "base/error.hpp"
#include "mesh/vtk_grid.hpp"
#include "output/read_in_child.hpp"

namespace tessera::output {
namespace {

std::vector<Field> numeric_arrays(vtkFieldData* data) {
  std::vector<Field> fields;
  for (int a = 0; a < data->GetNumberOfArrays(); ++a) {
    vtkDataArray* array = data->GetArray(a);  // null for strings
    if (!array) continue;
    Field field;
    field.name = array->GetName() ? array->GetName() : fmt::format("array {}", a);
    field.components = array->GetNumberOfComponents();
    field.integer = array->GetDataType() != VTK_DOUBLE && array->GetDataType() != VTK_FLOAT;
    field.values.reserve(static_cast<std::size_t>(array->GetNumberOfValues()));
    for (vtkIdType t = 0; t < array->GetNumberOfTuples(); ++t)
      for (int c = 0; c < field.components; ++c) field.values.push_back(array->GetComponent(t, c));
    fields.push_back(std::move(field));
  }
  return fields;
}

VtuFile read_here(const std::filesystem::path& path) {
  const vtkSmartPointer<vtkUnstructuredGrid> grid = mesh::read_vtk_grid(path, ExitCode::file_system);
  VtuFile file;
  file.points.resize(3 * static_cast<std::size_t>(grid->GetNumberOfPoints()));
  for (vtkIdType p = 0; p < grid->GetNumberOfPoints(); ++p) grid->GetPoint(p, file.points.data() + 3 * p);
  file.offsets.push_back(0);
  vtkNew<vtkIdList> nodes;
  for (vtkIdType c = 0; c < grid->GetNumberOfCells(); ++c) {
    file.types.push_back(grid->GetCellType(c));
    grid->GetCellPoints(c, nodes);
    for (vtkIdType n = 0; n < nodes->GetNumberOfIds(); ++n) file.connectivity.push_back(nodes->GetId(n));
    file.offsets.push_back(static_cast<Offset>(file.connectivity.size()));
  }
  file.point_fields = numeric_arrays(grid->GetPointData());
  file.cell_fields = numeric_arrays(grid->GetCellData());
  file.field_data = numeric_arrays(grid->GetFieldData());
  return file;
}

}  // namespace

VtuFile read_vtu(const std::filesystem::path& path) {
  return read_in_child<VtuFile>(path, "VTK", "a whole .vtu file",
                                "the file is damaged, or VTK has a fault: check that ParaView opens it",
                                [&] { return read_here(path); });
}

}  // namespace tessera::output
