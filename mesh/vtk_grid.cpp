#include "mesh/vtk_grid.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkErrorCode.h>
#include <vtkNew.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/input_file.hpp"
#include "mesh/mapped_file.hpp"
#include "mesh/vtk_claims.hpp"
#include "mesh/vtk_messages.hpp"

namespace tessera::mesh {

namespace {

/// Why a missing or cut off file cannot be read; VTK only says that it cannot. Empty where nothing is wrong so far.
std::string wrong_text(std::string_view text) {
  const std::size_t start = text.find("<VTKFile");
  if (start == std::string_view::npos) return "it is not a VTK XML file";
  const std::string_view tail = text.substr(text.size() - std::min<std::size_t>(text.size(), 64));
  if (tail.find("</VTKFile>") == std::string_view::npos) return "it is cut off";
  const std::string_view tag = text.substr(start, text.find('>', start) - start), attribute = " type=\"";
  if (const std::size_t at = tag.find(attribute); at != std::string_view::npos) {
    const std::string_view rest = tag.substr(at + attribute.size(), 40), type = rest.substr(0, rest.find('"'));
    if (type != "UnstructuredGrid")
      return fmt::format("it holds {}, not an UnstructuredGrid", printable(std::string(type)));
  }
  return absurd_claim(text);
}

template <class Number>
bool fit(const Number* starts, vtkIdType cells, const Number* points, vtkIdType entries, vtkIdType count) {
  if (starts[0] != 0 || starts[cells] > entries) return false;
  for (vtkIdType c = 0; c < cells; ++c)
    if (starts[c] > starts[c + 1]) return false;
  return std::all_of(points, points + entries, [&](Number point) { return point >= 0 && point < count; });
}

/// Whether cells lie within their arrays and name points that are there, which VTK does not ask.
bool cells_fit(vtkUnstructuredGrid* grid) {
  vtkCellArray* cells = grid->GetCells();
  const vtkIdType count = grid->GetNumberOfCells(), points = grid->GetNumberOfPoints();
  if (count == 0 || !cells) return count == 0;
  if (cells->GetNumberOfCells() != count || grid->GetCellTypesArray()->GetNumberOfValues() < count) return false;
  const vtkIdType entries = cells->GetNumberOfConnectivityIds();
  if (cells->IsStorage64Bit())
    return fit(cells->GetOffsetsArray64()->GetPointer(0), count, cells->GetConnectivityArray64()->GetPointer(0),
               entries, points);
  return fit(cells->GetOffsetsArray32()->GetPointer(0), count, cells->GetConnectivityArray32()->GetPointer(0), entries,
             points);
}

}  // namespace

vtkSmartPointer<vtkUnstructuredGrid> read_vtk_grid(const std::filesystem::path& path, ExitCode code) {
  const auto refuse = [&](const std::string& why) {
    throw Error(code, fmt::format("cannot read {}: {}", path.string(), why), "expected a whole .vtu file");
  };
  require_regular_file(path, "file", "check the path");
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) == 0) refuse("it is empty");
  if (const std::string why = wrong_text(MappedFile(path).text()); !why.empty()) refuse(why);

  VtkMessages messages;
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  try {
    reader->Update();
  } catch (const std::bad_alloc&) {
    refuse("it asks for more memory than there is");
  } catch (const std::length_error&) {
    refuse("it asks for more memory than there is");
  }
  const std::string why = messages.first();
  if (reader->GetErrorCode() != vtkErrorCode::NoError || !why.empty()) refuse(why.empty() ? "VTK refuses it" : why);
  if (!cells_fit(reader->GetOutput())) refuse("its cells name points that are not there");
  return reader->GetOutput();
}

}  // namespace tessera::mesh
