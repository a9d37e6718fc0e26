#include "output/vtk_writer.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkIdTypeArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>
#include <vtkZLibDataCompressor.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/memory.hpp"
#include "mesh/vtk_cell.hpp"
#include "mesh/vtk_messages.hpp"
#include "output/files.hpp"
#include "output/floats.hpp"

namespace tessera::output {
namespace {

void check_sizes(const VtkData& data, std::size_t points, std::size_t cells) {
  auto check = [](const Field& field, const char* of, std::size_t count) {
    if (field.components < 1 || field.values.size() != count * static_cast<std::size_t>(field.components))
      throw Error(ExitCode::internal, fmt::format("output field '{}' has {} values, expected {} {} x {} components",
                                                  field.name, field.values.size(), count, of, field.components));
  };
  for (const Field& field : data.point_fields) check(field, "points", points);
  for (const Field& field : data.cell_fields) check(field, "cells", cells);
  for (const OutputCells& block : data.blocks) {
    if (block.nodes < 1 || block.conn.size() % static_cast<std::size_t>(block.nodes) != 0)
      throw Error(ExitCode::internal, fmt::format("output cells of shape {} do not have {} nodes each",
                                                  mesh::name(block.shape), block.nodes));
    for (const Index node : block.conn)
      if (node < 0 || static_cast<std::size_t>(node) >= points)
        throw Error(ExitCode::internal, fmt::format("an output cell names point {} of {}", node, points));
  }
}

template <class VtkArray, class T>
vtkSmartPointer<VtkArray> named_array(const std::string& name, int components, const std::vector<T>& values) {
  auto array = vtkSmartPointer<VtkArray>::New();
  array->SetName(name.c_str());
  array->SetNumberOfComponents(components);
  array->SetNumberOfTuples(static_cast<vtkIdType>(values.size()) / components);
  using Value = typename VtkArray::ValueType;
  Value* to = array->GetPointer(0);
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<Value>(values[i]);
  return array;
}

void add_fields(const std::vector<Field>& fields, Precision precision, vtkFieldData* to) {
  for (const Field& field : fields) {
    if (field.integer)
      to->AddArray(named_array<vtkIntArray>(field.name, field.components, field.values));
    else if (precision == Precision::of_float)
      to->AddArray(named_array<vtkFloatArray>(field.name, field.components, float_values(field)));
    else
      to->AddArray(named_array<vtkDoubleArray>(field.name, field.components, field.values));
  }
}

std::size_t cell_count(const VtkData& data) {
  std::size_t cells = 0;
  for (const OutputCells& block : data.blocks)
    cells += block.conn.size() / static_cast<std::size_t>(std::max(block.nodes, 1));
  return cells;
}

void set_cells(const VtkData& data, std::size_t cells, vtkUnstructuredGrid* grid) {
  std::size_t entries = 0;
  for (const OutputCells& block : data.blocks) entries += block.conn.size();
  vtkNew<vtkUnsignedCharArray> types;
  vtkNew<vtkIdTypeArray> offsets, connectivity;
  types->SetNumberOfValues(static_cast<vtkIdType>(cells));
  offsets->SetNumberOfValues(static_cast<vtkIdType>(cells) + 1);
  connectivity->SetNumberOfValues(static_cast<vtkIdType>(entries));
  vtkIdType cell = 0, entry = 0;
  offsets->SetValue(0, 0);
  for (const OutputCells& block : data.blocks) {
    const auto type = static_cast<unsigned char>(mesh::vtk_cell_type(block.shape, block.order));
    for (std::size_t i = 0; i < block.conn.size(); ++i) {
      connectivity->SetValue(entry++, block.conn[i]);
      if ((i + 1) % static_cast<std::size_t>(block.nodes) != 0) continue;
      types->SetValue(cell, type);
      offsets->SetValue(++cell, entry);
    }
  }
  vtkNew<vtkCellArray> array;
  array->SetData(offsets, connectivity);
  grid->SetCells(types, array);
}

vtkSmartPointer<vtkUnstructuredGrid> make_grid(const VtkData& data, Precision precision) {
  const std::size_t cells = cell_count(data);
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  vtkNew<vtkPoints> points;
  points->SetData(named_array<vtkDoubleArray>("Points", 3, data.points));
  grid->SetPoints(points);
  set_cells(data, cells, grid);
  add_fields(data.point_fields, precision, grid->GetPointData());
  add_fields(data.cell_fields, precision, grid->GetCellData());
  if (data.time) grid->GetFieldData()->AddArray(named_array<vtkDoubleArray>("TimeValue", 1, std::vector{*data.time}));
  if (!data.title.empty()) {
    vtkNew<vtkStringArray> title;
    title->SetName("title");
    title->InsertNextValue(data.title);
    grid->GetFieldData()->AddArray(title);
  }
  return grid;
}

/// VTK does not notice every failed write; a whole file ends with its closing tag.
bool ends_whole(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file && errno == ENOMEM) throw std::bad_alloc();
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  if (!file || size < 32) return false;
  file.seekg(size - 32);
  std::string tail(32, '\0');
  file.read(tail.data(), 32);
  return file && tail.find("</VTKFile>") != std::string::npos;
}

/// Asks for what VTK is about to take, and gives it back: here a want of memory is an exception like others, and the
/// run can still write its summary.
void ask_for_memory(const VtkData& data) {
  std::size_t values = data.points.size();
  for (const OutputCells& block : data.blocks) values += block.conn.size() + block.conn.size() / block.nodes;
  for (const std::vector<Field>* fields : {&data.point_fields, &data.cell_fields})
    for (const Field& field : *fields) values += field.values.size();
  std::make_unique_for_overwrite<double[]>(values);
}

/// VTK's own, whose caller does not notice that zlib got no memory. Files name VTK's class, for this one has no name.
class Compressor : public vtkZLibDataCompressor {
 public:
  static Compressor* New() { VTK_STANDARD_NEW_BODY(Compressor); }

 protected:
  std::size_t CompressBuffer(const unsigned char* data, std::size_t size, unsigned char* compressed,
                             std::size_t space) override {
    const std::size_t count = vtkZLibDataCompressor::CompressBuffer(data, size, compressed, space);
    if (count == 0) end_without_memory();
    return count;
  }
};

}  // namespace

std::vector<float> float_values(const Field& field) {
  std::vector<float> values;
  to_floats(field, 1, values);
  return values;
}

std::string escape_xml(const std::string& text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  return result;
}

void write_vtu(const VtkData& data, const std::filesystem::path& path, Precision precision) {
  check_sizes(data, data.points.size() / 3, cell_count(data));
  ask_for_memory(data);
  const NoUnwinding here;
  const CrashesAreWantOfMemory there;
  mesh::VtkMessages messages;
  auto grid = make_grid(data, precision);
  atomic_write(path, [&](const std::filesystem::path& temporary) {
    vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetFileName(temporary.c_str());
    writer->SetInputData(grid);
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
    // zlib rather than lz4: every reader of .vtu files knows it. Level 1: noise in the low bits gains nothing by more.
    vtkNew<Compressor> compressor;
    compressor->SetCompressionLevel(1);
    writer->SetCompressor(compressor);
    errno = 0;
    const int written = writer->Write();
    const int reason = errno;
    const unsigned long code = writer->GetErrorCode();
    if (written == 1 && code == vtkErrorCode::NoError && ends_whole(temporary)) return;
    if (reason == ENOMEM) throw std::bad_alloc();
    std::string why = reason != 0 ? std::strerror(reason) : messages.first();
    if (why.empty())
      why = code != vtkErrorCode::NoError ? fmt::format("VTK reports error {}", code) : "the file came out cut off";
    throw Error(ExitCode::file_system, fmt::format("cannot write {}: {}", path.string(), why),
                "check the folder, its permissions and the space left (df -h), or choose another folder with --output");
  });
}

void write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries, Role role) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  "
      "<Collection>\n";
  for (const PvdEntry& entry : entries) {
    std::filesystem::path file = entry.file;
    const std::filesystem::path below =
        std::filesystem::absolute(file).lexically_relative(std::filesystem::absolute(path).parent_path());
    if (!below.empty() && *below.begin() != "..") file = below;
    text += fmt::format("    <DataSet timestep=\"{:.17g}\" part=\"0\" file=\"{}\"/>\n", entry.time,
                        escape_xml(file.string()));
  }
  atomic_write(path, text + "  </Collection>\n</VTKFile>\n", role);
}

}  // namespace tessera::output
