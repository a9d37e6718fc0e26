#include "mesh/vtu_reader.hpp"

#include <fmt/format.h>
#include <vtkCell.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDataArray.h>
#include <vtkDataSetAttributes.h>
#include <vtkGenericCell.h>
#include <vtkPoints.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "mesh/completion.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/node_orders.hpp"
#include "mesh/vtk_cell.hpp"
#include "mesh/vtk_grid.hpp"

namespace tessera::mesh {

namespace {

constexpr int most_order = 8;
constexpr std::size_t most_values = 1000;  // of an array that makes groups

/// What a type of VTK's cells is here.
struct VtkType {
  int vtk, gmsh;
  VertexSets beyond_edges = {};  ///< nodes behind those of the edges, in VTK's order
  std::vector<int> places = {};  ///< [nodes] of Gmsh: VTK's place of each; empty: found by the sets
};

const std::vector<VtkType>& vtk_types() {
  static const std::vector<VtkType> types{
      {VTK_VERTEX, 15},
      {VTK_LINE, 1},
      {VTK_TRIANGLE, 2},
      {VTK_QUAD, 3},
      {VTK_PIXEL, 3, {}, {0, 1, 3, 2}},
      {VTK_TETRA, 4},
      {VTK_HEXAHEDRON, 5},
      {VTK_VOXEL, 5, {}, {0, 1, 3, 2, 4, 5, 7, 6}},
      {VTK_WEDGE, 6},
      {VTK_PYRAMID, 7},
      {VTK_QUADRATIC_EDGE, 8},
      {VTK_QUADRATIC_TRIANGLE, 9},
      {VTK_QUADRATIC_QUAD, 16},
      {VTK_BIQUADRATIC_QUAD, 10, {{0, 1, 2, 3}}},
      {VTK_QUADRATIC_TETRA, 11},
      {VTK_QUADRATIC_HEXAHEDRON, 17},
      {VTK_TRIQUADRATIC_HEXAHEDRON,
       12,
       {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}}},
      {VTK_QUADRATIC_WEDGE, 18},
      {VTK_BIQUADRATIC_QUADRATIC_WEDGE, 13, {{0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
      {VTK_QUADRATIC_PYRAMID, 19},
  };
  return types;
}

std::optional<Shape> lagrange_shape(int vtk) {
  switch (vtk) {
    case VTK_LAGRANGE_CURVE: return Shape::interval;
    case VTK_LAGRANGE_TRIANGLE: return Shape::triangle;
    case VTK_LAGRANGE_QUADRILATERAL: return Shape::quad;
    case VTK_LAGRANGE_TETRAHEDRON: return Shape::tet;
    case VTK_LAGRANGE_HEXAHEDRON: return Shape::hex;
    case VTK_LAGRANGE_WEDGE: return Shape::prism;
    default: return {};
  }
}

/// Nodes of a complete Lagrange cell of any order.
int lagrange_nodes(Shape shape, int order) {
  const int line = order + 1, triangle = line * (order + 2) / 2;
  switch (shape) {
    case Shape::point: return 1;
    case Shape::interval: return line;
    case Shape::triangle: return triangle;
    case Shape::quad: return line * line;
    case Shape::tet: return triangle * (order + 3) / 3;
    case Shape::hex: return line * line * line;
    case Shape::prism: return triangle * line;
  }
  return 0;
}

/// How cells of one type and number of points are taken.
struct Kind {
  int gmsh = 0;             ///< type that they become; 0: they have no place here
  int order = 1;            ///< that they have in the file
  std::vector<int> places;  ///< VTK's place of each of Gmsh's nodes
  Completion completion;    ///< of orders above 2
};

/// VTK's basis of a cell at places of another, from parameters [places, 3]: [places, nodes].
std::vector<double> basis_at(vtkCell* cell, const std::vector<double>& parameters) {
  const auto nodes = static_cast<std::size_t>(cell->GetNumberOfPoints());
  std::vector<double> basis(parameters.size() / 3 * nodes);
  for (std::size_t p = 0; p < parameters.size() / 3; ++p)
    cell->InterpolateFunctions(parameters.data() + 3 * p, basis.data() + p * nodes);
  return basis;
}

Completion completion_of(Shape shape, int order, int nodes) {
  const std::span<const double> reference = reference_nodes(shape, 2);
  const int dim = dimension(shape), width = node_count(shape, 2);
  std::vector<double> parameters;
  for (int n = 0; n < width; ++n) {
    double p[3];
    to_vtk_parameters(shape, reference.data() + n * dim, p);
    parameters.insert(parameters.end(), p, p + 3);
  }
  const auto high = make_vtk_cell(shape, order, nodes), second = make_vtk_cell(shape, 2, width);
  const double* places = high->GetParametricCoords();
  const std::vector<int> order2 = vtk_node_order(shape, 2, reference);
  const std::vector<double> vtk_at_old = basis_at(second, {places, places + 3 * nodes});
  Completion completion{shape, nodes, basis_at(high, parameters), std::vector<double>(vtk_at_old.size())};
  for (int n = 0; n < nodes; ++n)
    for (int w = 0; w < width; ++w) completion.at_old[n * width + w] = vtk_at_old[n * width + order2[w]];
  return completion;
}

Kind lagrange_kind(Shape shape, vtkIdType points) {
  Kind kind;
  while (kind.order <= most_order && lagrange_nodes(shape, kind.order) != points) ++kind.order;
  if (kind.order > most_order) return {};
  kind.gmsh = gmsh_type_of(shape, std::min(kind.order, 2));
  if (kind.order <= 2)
    kind.places = vtk_node_order(shape, kind.order, reference_nodes(shape, kind.order));
  else
    kind.completion = completion_of(shape, kind.order, static_cast<int>(points));
  return kind;
}

Kind kind_of(int vtk, vtkIdType points) {
  if (vtk == VTK_POLYGON && (points == 3 || points == 4)) vtk = points == 3 ? VTK_TRIANGLE : VTK_QUAD;
  if (const std::optional<Shape> shape = lagrange_shape(vtk)) return lagrange_kind(*shape, points);
  const auto same = [&](const VtkType& type) { return type.vtk == vtk; };
  const auto found = std::find_if(vtk_types().begin(), vtk_types().end(), same);
  if (found == vtk_types().end() || gmsh_type(found->gmsh)->nodes != points) return {};
  VertexSets beyond = common_edges(found->gmsh);
  beyond.insert(beyond.end(), found->beyond_edges.begin(), found->beyond_edges.end());
  Kind kind{found->gmsh, gmsh_type(found->gmsh)->order, found->places, {}};
  if (kind.places.empty()) kind.places = places_of_nodes(found->gmsh, beyond);
  return kind;
}

class VtuMesher {
 public:
  explicit VtuMesher(const std::filesystem::path& file)
      : name_(file.string()), grid_(read_vtk_grid(file, ExitCode::mesh)), shared_(mesh_.points) {}

  FileMesh run() {
    copy_points();
    find_kinds();
    copy_cells();
    for (int a = 0; a < grid_->GetCellData()->GetNumberOfArrays() && mesh_.elements() > 0; ++a)
      if (vtkDataArray* array = grid_->GetCellData()->GetArray(a)) add_groups(*array);
    if (converted_ > 0)
      mesh_.warnings.push_back(
          fmt::format("{}: {} Lagrange cells of order {} become cells of geometric order 2; their nodes move by {:.2g} "
                      "at most",
                      name_, converted_, order_, farthest_));
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    throw Error(ExitCode::mesh, fmt::format("{}: {}", name_, what), help);
  }

  void copy_points() {
    const vtkIdType count = grid_->GetNumberOfPoints();
    if (count > std::numeric_limits<Index>::max())
      refuse(fmt::format("{} points are more than 32-bit numbers count", count), "use a coarser mesh");
    mesh_.points.resize(3 * static_cast<std::size_t>(count));
    for (vtkIdType p = 0; p < count; ++p) {
      double* x = mesh_.points.data() + 3 * p;
      grid_->GetPoint(p, x);
      for (int axis = 0; axis < 3; ++axis)
        if (!std::isfinite(x[axis]))
          refuse(fmt::format("point {} has the coordinate {}", p, x[axis]), "write the file again");
    }
  }

  /// Kinds of all cells, the dimension, and the order of the cells of that.
  void find_kinds() {
    std::map<int, std::size_t> unknown;  // type -> cells
    for_each_cell([&](vtkIdType, int type, std::span<const vtkIdType> points) {
      const Kind& kind = this->kind(type, static_cast<vtkIdType>(points.size()));
      if (kind.gmsh == 0)
        ++unknown[type];
      else
        dim_ = std::max(dim_, gmsh_type(kind.gmsh)->dim());
    });
    for (const auto& [type, count] : unknown) {
      const auto cell = vtkSmartPointer<vtkCell>::Take(vtkGenericCell::InstantiateCell(type));
      const char* title = cell ? cell->GetClassName() : "unknown";  // VTK's own table of names has gaps
      refuse(
          fmt::format("{} cells of the type {} ({}) are not read, or not with so many points", count, title, type),
          fmt::format(
              "linear, quadratic and complete Lagrange cells of orders 1 to {} are read; in ParaView, Tetrahedralize "
              "makes tetrahedra of others",
              most_order));
    }
    for_each_cell([&](vtkIdType, int type, std::span<const vtkIdType> points) {
      const Kind& kind = this->kind(type, static_cast<vtkIdType>(points.size()));
      if (gmsh_type(kind.gmsh)->dim() != dim_) return;
      if (order_ != 0 && order_ != kind.order)
        refuse(fmt::format("it mixes cells of orders {} and {}", order_, kind.order), "write all cells with one order");
      order_ = kind.order;
    });
    check_degrees();
  }

  /// A cell may have another order along each axis, and the number of its points does not tell.
  void check_degrees() const {
    vtkDataArray* degrees = order_ > 1 ? grid_->GetCellData()->GetHigherOrderDegrees() : nullptr;
    if (!degrees || degrees->GetNumberOfTuples() < grid_->GetNumberOfCells()) return;
    for (vtkIdType c = 0; c < grid_->GetNumberOfCells(); ++c)
      if (const auto shape = lagrange_shape(grid_->GetCellType(c)); shape && dimension(*shape) == dim_)
        for (int axis = 0; axis < std::min(dim_, degrees->GetNumberOfComponents()); ++axis)
          if (degrees->GetComponent(c, axis) != order_)
            refuse("it has cells of another order along each axis", "write cells with one order");
  }

  const Kind& kind(int type, vtkIdType points) {
    const auto [found, added] = kinds_.try_emplace({type, points});
    if (added) found->second = kind_of(type, points);
    return found->second;
  }

  /// Calls visit(cell, type, points) for each cell that is one; lines and vertices of several are taken apart.
  template <class Visit>
  void for_each_cell(Visit visit) {
    vtkUnsignedCharArray* ghosts = grid_->GetCellGhostArray();
    if (ghosts && ghosts->GetNumberOfValues() < grid_->GetNumberOfCells()) ghosts = nullptr;
    vtkCellArray* cells = grid_->GetCells();
    for (vtkIdType c = 0; c < grid_->GetNumberOfCells(); ++c) {
      constexpr int absent = vtkDataSetAttributes::DUPLICATECELL | vtkDataSetAttributes::HIDDENCELL;
      if (ghosts && (ghosts->GetValue(c) & absent)) continue;
      vtkIdType count = 0;
      const vtkIdType* points = nullptr;
      cells->GetCellAtId(c, count, points);
      const int type = grid_->GetCellType(c);
      if (type == VTK_POLY_VERTEX)
        for (vtkIdType p = 0; p < count; ++p) visit(c, VTK_VERTEX, std::span(points + p, 1));
      else if (type == VTK_POLY_LINE)
        for (vtkIdType p = 0; p + 1 < count; ++p) visit(c, VTK_LINE, std::span(points + p, 2));
      else if (type != VTK_EMPTY_CELL)
        visit(c, type, std::span(points, static_cast<std::size_t>(count)));
    }
  }

  void copy_cells() {
    std::vector<Index> cell, nodes;
    for_each_cell([&](vtkIdType c, int type, std::span<const vtkIdType> points) {
      const Kind& kind = this->kind(type, static_cast<vtkIdType>(points.size()));
      const GmshType& made = *gmsh_type(kind.gmsh);
      const auto vertex = [&](int v) { return points[static_cast<std::size_t>(kind.order > 2 ? v : kind.places[v])]; };
      nodes.clear();
      if (made.dim() < dim_) {  // it bears groups only
        for (int v = 0; v < made.vertices(); ++v) nodes.push_back(static_cast<Index>(vertex(v)));
        mesh_.add(gmsh_type_of(made.shape, 1), nodes);
      } else if (kind.order > 2) {
        cell.assign(points.begin(), points.end());
        nodes.resize(static_cast<std::size_t>(made.nodes));
        farthest_ =
            std::max(farthest_, complete_cell(kind.completion, cell.data(), nodes.data(), mesh_.points, shared_));
        ++converted_;
        mesh_.add(kind.gmsh, nodes);
      } else {
        for (int place : kind.places) nodes.push_back(static_cast<Index>(points[static_cast<std::size_t>(place)]));
        mesh_.add(kind.gmsh, nodes);
      }
      cell_of_.push_back(c);
    });
  }

  void add_groups(vtkDataArray& array) {
    const int type = array.GetDataType();
    const std::string name = array.GetName() ? array.GetName() : "";
    if (type == VTK_DOUBLE || type == VTK_FLOAT || array.GetNumberOfComponents() != 1 || name.empty() ||
        name == vtkDataSetAttributes::GhostArrayName() || array.GetNumberOfTuples() < grid_->GetNumberOfCells())
      return;
    std::map<double, std::vector<Index>> elements;
    for (Index e = 0; e < mesh_.elements(); ++e) {
      elements[array.GetComponent(cell_of_[e], 0)].push_back(e);
      if (elements.size() > most_values) {
        mesh_.infos.push_back(fmt::format("{}: the array '{}' has more than {} values and makes no groups", name_,
                                          printable(name), most_values));
        return;
      }
    }
    const bool is_member =
        name.starts_with("in ") && name.size() > 3 && elements.begin()->first >= 0 && elements.rbegin()->first <= 1;
    for (const auto& [value, members] : elements)
      if (name == "group" && value < 0)
        continue;  // so the program writes: in no group
      else if (!is_member)
        mesh_.add_group(fmt::format("{}_{:.0f}", printable(name), value), members);
      else if (value == 1)
        mesh_.add_group(printable(name.substr(3)), members);
  }

  std::string name_;
  vtkSmartPointer<vtkUnstructuredGrid> grid_;
  FileMesh mesh_;
  SharedNodes shared_;
  std::map<std::pair<int, vtkIdType>, Kind> kinds_;  // (VTK's type, points)
  std::vector<vtkIdType> cell_of_;                   // VTK's cell of each element
  int dim_ = 0, order_ = 0;
  std::size_t converted_ = 0;
  double farthest_ = 0;
};

}  // namespace

FileMesh read_vtu_mesh(const std::filesystem::path& file) { return VtuMesher(file).run(); }

}  // namespace tessera::mesh
