#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "mesh/mesh.hpp"
#include "output/results.hpp"

namespace tessera::output {

/// Values on points or cells: [points or cells, components], row-major. Vectors have 3 components.
struct Field {
  std::string name;
  int components = 1;
  std::vector<double> values;
  bool integer = false;  ///< written as 32-bit integers (materials, groups, blocks)
};

/// How files hold the values of fields that are no integers. Coordinates are doubles in all of them.
enum class Precision { of_double, of_float };

/// The values of a field in 32 bits, infinite beyond their range.
std::vector<float> float_values(const Field& field);

/// Cells of one shape and order. conn: [cells, nodes], row-major, in VTK's node order (see `vtk_cells`).
struct OutputCells {
  mesh::Shape shape = mesh::Shape::tet;
  int order = 1;
  int nodes = 4;
  std::vector<Index> conn;
};

/// What a .vtu file holds. Cell fields count the cells of the blocks one after another.
struct VtkData {
  std::string title;
  std::optional<double> time;
  std::vector<double> points;  ///< [points, 3]
  std::vector<OutputCells> blocks;
  std::vector<Field> point_fields;
  std::vector<Field> cell_fields;
};

/// Cells for VtkData from our own connectivity [cells, nodes]: permuted by mesh::vtk_node_order.
OutputCells vtk_cells(mesh::Shape shape, int order, std::span<const double> node_points, std::span<const Index> conn);

/// The mesh's cells with their vertices only (orders above 1 drawn straight), in the order of its blocks.
std::vector<OutputCells> vtk_linear_cells(const mesh::Mesh& mesh);

/// Reference vertices of a shape, Gmsh's: [vertices, dim].
inline std::span<const double> reference_vertices(mesh::Shape shape) { return mesh::reference_nodes(shape, 1); }

/// Writes a .vtu file (appended raw binary, zlib), as `atomic_write` does.
/// Throws Error(file_system) where the file cannot be written whole, Error(internal) where the sizes in `data`
/// disagree.
void write_vtu(const VtkData& data, const std::filesystem::path& path, Precision precision = Precision::of_double);

/// Text as an attribute of an XML file holds it.
std::string escape_xml(const std::string& text);

/// One file of a time series; `file` is written relative to the .pvd file's folder where it lies below it.
struct PvdEntry {
  double time = 0;
  std::filesystem::path file;
};
void write_pvd(const std::filesystem::path& path, const std::vector<PvdEntry>& entries, Role role = Role::result);

}  // namespace tessera::output
