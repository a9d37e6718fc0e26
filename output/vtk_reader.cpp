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

#include "base/archive.hpp"
#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/input_file.hpp"
#include "mesh/vtk_grid.hpp"

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

template <class Archive>
static void describe(Archive& archive, Field& f) {
  archive(f.name, f.components, f.values, f.integer);
}
template <class Archive>
static void describe(Archive& archive, VtuFile& f) {
  archive(f.points, f.types, f.offsets, f.connectivity, f.point_fields, f.cell_fields, f.field_data);
}

VtuFile read_vtu(const std::filesystem::path& path) {
  require_regular_file(path, "file", "check the path");
  std::error_code ignored;
  const auto bytes = static_cast<double>(std::filesystem::file_size(path, ignored));
  VtuFile file;
  try {
    run_in_child({.program = "VTK",
                  .what = "reading " + path.string(),
                  .work =
                      [&](ChildSink& sink) {
                        VtuFile read = read_here(path);
                        ArchiveWriter<ChildSink> archive(sink);
                        archive(read);
                      },
                  .result =
                      [&](ChildSource& source) {
                        ArchiveReader<ChildSource> archive(source);
                        archive(file);
                      },
                  .cpu_seconds = 30 + 1e-6 * bytes,
                  .cpu_help = "expected a whole .vtu file",
                  .crash_help = "the file is damaged, or VTK has a fault: check that ParaView opens it"});
  } catch (const Error& error) {
    if (error.code() != ExitCode::mesh) throw;
    throw Error(ExitCode::file_system, error.what(), error.help());  // whatever the child died of
  }
  return file;
}

}  // namespace tessera::output
