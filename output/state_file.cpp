#include "output/state_file.hpp"

#include <fmt/format.h>
#include <vtkCell.h>
#include <vtkCellType.h>
#include <vtkGenericCell.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/log.hpp"
#include "mesh/vtk_cell.hpp"
#include "output/series.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::output {

namespace fs = std::filesystem;
using mesh::Shape;

namespace {

/// The number of the state at this time, or of the nearest one; they ascend.
std::size_t state_at(const std::vector<double>& times, std::optional<double> time, const fs::path& path) {
  if (times.empty())
    throw Error(ExitCode::file_system, fmt::format("{} has no states", path.string()), "name a series that has some");
  if (!time) return times.size() - 1;
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  const double margin = 1e-9 * std::max({*last - *first, std::abs(*first), std::abs(*last)});
  if (!(*time >= *first - margin && *time <= *last + margin))
    throw Error(ExitCode::usage,
                fmt::format("t = {:g} is outside of {}, whose {} state{} from {:g} to {:g}", *time, path.string(),
                            times.size(), times.size() == 1 ? " is" : "s are", *first, *last),
                "choose a time between these, or leave `time` out: the last state is then taken");
  const auto nearest = std::min_element(times.begin(), times.end(),
                                        [&](double a, double b) { return std::abs(a - *time) < std::abs(b - *time); });
  if (std::abs(*nearest - *time) > margin)
    warn(
        fmt::format("{} has no state at t = {:g}: the nearest one is taken, t = {:g}", path.string(), *time, *nearest));
  return static_cast<std::size_t>(nearest - times.begin());
}

/// Adds the grid of another piece; fields that not both have are left out.
void append(const VtuFile& piece, VtuFile& to) {
  const auto points = static_cast<Offset>(to.points.size() / 3);
  const auto entries = static_cast<Offset>(to.connectivity.size());
  to.points.insert(to.points.end(), piece.points.begin(), piece.points.end());
  to.types.insert(to.types.end(), piece.types.begin(), piece.types.end());
  for (const Offset point : piece.connectivity) to.connectivity.push_back(points + point);
  for (std::size_t c = 1; c < piece.offsets.size(); ++c) to.offsets.push_back(entries + piece.offsets[c]);
  const auto join = [](const std::vector<Field>& from, std::vector<Field>& fields) {
    std::erase_if(fields, [&](Field& field) {
      const auto same = std::find_if(from.begin(), from.end(), [&](const Field& other) {
        return other.name == field.name && other.components == field.components;
      });
      if (same == from.end()) return true;
      field.values.insert(field.values.end(), same->values.begin(), same->values.end());
      return false;
    });
  };
  join(piece.point_fields, to.point_fields);
  join(piece.cell_fields, to.cell_fields);
}

VtuFile read_pieces(const std::vector<fs::path>& pieces, const fs::path& path);

VtuFile read_grid(const fs::path& path) {
  if (path.extension() != ".pvtu") return read_vtu(path);
  require_regular_file(path, "file", "check the path");
  const std::vector<fs::path> pieces = pieces_of(path);
  for (const fs::path& piece : pieces)  // one that names itself would never end
    if (piece.extension() != ".vtu")
      throw Error(ExitCode::file_system,
                  fmt::format("cannot read {}: its piece {} is no .vtu file", path.string(), piece.string()),
                  "expected pieces that hold grids: ParaView and this program write .vtu files of them");
  return read_pieces(pieces, path);
}

VtuFile read_pieces(const std::vector<fs::path>& pieces, const fs::path& path) {
  if (pieces.empty())
    throw Error(ExitCode::file_system, fmt::format("cannot read {}: it names no pieces", path.string()),
                "expected a whole .pvtu file");
  VtuFile all = read_grid(pieces.front());
  for (std::size_t i = 1; i < pieces.size(); ++i) append(read_grid(pieces[i]), all);
  return all;
}

StateFile read_collection(const fs::path& path, std::optional<double> time) {
  require_regular_file(path, "file", "check the path");
  const std::vector<PvdEntry> entries = read_pvd(path);
  std::vector<double> times;
  for (const PvdEntry& entry : entries) times.push_back(entry.time);
  const double chosen = times[state_at(times, time, path)];
  std::vector<fs::path> pieces;  // other programs list the files of ranks
  for (const PvdEntry& entry : entries)
    if (entry.time == chosen) pieces.push_back(entry.file);
  return {read_pieces(pieces, path), chosen};
}

StateFile read_steps(const fs::path& path, std::optional<double> time) {
  VtkhdfFile file = read_vtkhdf(path);
  if (file.times.empty()) {
    if (time)
      throw Error(ExitCode::usage, fmt::format("{} holds one state without a time", path.string()),
                  "leave `time` out: it chooses a state of a series");
    return {std::move(file.state), {}};
  }
  const std::size_t number = state_at(file.times, time, path);
  if (number + 1 < file.times.size()) file = read_vtkhdf(path, number);
  return {std::move(file.state), file.times[number]};
}

/// What one of VTK's types with so many points is here; order 0: nothing.
struct Kind {
  Shape shape = Shape::point;
  int order = 0;
  std::vector<int> places = {};  ///< VTK's place of each node
};

const std::map<int, std::pair<Shape, int>>& types_of_one_order() {
  static const std::map<int, std::pair<Shape, int>> types{{VTK_LINE, {Shape::interval, 1}},
                                                          {VTK_TRIANGLE, {Shape::triangle, 1}},
                                                          {VTK_QUAD, {Shape::quad, 1}},
                                                          {VTK_PIXEL, {Shape::quad, 1}},
                                                          {VTK_TETRA, {Shape::tet, 1}},
                                                          {VTK_HEXAHEDRON, {Shape::hex, 1}},
                                                          {VTK_VOXEL, {Shape::hex, 1}},
                                                          {VTK_WEDGE, {Shape::prism, 1}},
                                                          {VTK_QUADRATIC_EDGE, {Shape::interval, 2}},
                                                          {VTK_QUADRATIC_TRIANGLE, {Shape::triangle, 2}},
                                                          {VTK_BIQUADRATIC_QUAD, {Shape::quad, 2}},
                                                          {VTK_QUADRATIC_TETRA, {Shape::tet, 2}},
                                                          {VTK_TRIQUADRATIC_HEXAHEDRON, {Shape::hex, 2}},
                                                          {VTK_BIQUADRATIC_QUADRATIC_WEDGE, {Shape::prism, 2}}};
  return types;
}

const std::map<int, Shape>& types_of_any_order() {
  static const std::map<int, Shape> types{
      {VTK_LAGRANGE_CURVE, Shape::interval},     {VTK_LAGRANGE_TRIANGLE, Shape::triangle},
      {VTK_LAGRANGE_QUADRILATERAL, Shape::quad}, {VTK_LAGRANGE_TETRAHEDRON, Shape::tet},
      {VTK_LAGRANGE_HEXAHEDRON, Shape::hex},     {VTK_LAGRANGE_WEDGE, Shape::prism}};
  return types;
}

constexpr int most_order = 8;

Kind kind_of(int type, std::size_t points, const std::function<std::vector<double>(Shape, int)>& node_points) {
  const auto count = [&](Shape shape, int order) {
    return node_points(shape, order).size() / static_cast<std::size_t>(mesh::dimension(shape));
  };
  if (const auto found = types_of_one_order().find(type); found != types_of_one_order().end()) {
    const auto [shape, order] = found->second;
    if (count(shape, order) != points) return {};
    const auto cell = vtkSmartPointer<vtkCell>::Take(vtkGenericCell::InstantiateCell(type));
    return {shape, order, mesh::vtk_node_order(*cell, shape, node_points(shape, order))};
  }
  const auto found = types_of_any_order().find(type);
  if (found == types_of_any_order().end()) return {};
  const bool tensor = found->second == Shape::interval || found->second == Shape::quad || found->second == Shape::hex;
  for (int order = 1; order <= (tensor ? most_order : most_order / 2); ++order)
    if (count(found->second, order) == points)
      return {found->second, order, mesh::vtk_node_order(found->second, order, node_points(found->second, order))};
  return {};
}

}  // namespace

bool is_state_file(const fs::path& path) {
  const std::string extension = path.extension();
  return extension == ".vtu" || extension == ".pvtu" || extension == ".pvd" || extension == ".vtkhdf";
}

StateFile read_state(const fs::path& path, std::optional<double> time) {
  if (path.extension() == ".pvd") return read_collection(path, time);
  if (path.extension() == ".vtkhdf") return read_steps(path, time);
  if (time)
    throw Error(ExitCode::usage, fmt::format("{} holds one state", path.string()),
                "leave `time` out: it chooses a state of a series, .pvd or .vtkhdf");
  return {read_grid(path), {}};
}

std::vector<StateCells> cells_of(const VtuFile& grid,
                                 const std::function<std::vector<double>(Shape, int)>& node_points) {
  std::map<std::pair<int, Offset>, Kind> kinds;
  int dim = 0;
  for (std::size_t c = 0; c < grid.types.size(); ++c) {
    const Offset points = grid.offsets[c + 1] - grid.offsets[c];
    const auto [found, added] = kinds.try_emplace({grid.types[c], points});
    if (grid.types[c] == VTK_VERTEX || grid.types[c] == VTK_POLY_VERTEX || grid.types[c] == VTK_EMPTY_CELL) continue;
    if (added) found->second = kind_of(grid.types[c], static_cast<std::size_t>(points), node_points);
    if (found->second.order == 0)
      throw Error(ExitCode::usage,
                  fmt::format("its cell {} is of VTK's type {} with {} points, in which no values are interpolated", c,
                              grid.types[c], points),
                  fmt::format("linear cells, complete ones of order 2 and Lagrange cells of orders up to {} are taken; "
                              "in ParaView, Tetrahedralize makes tetrahedra of others",
                              most_order));
    dim = std::max(dim, mesh::dimension(found->second.shape));
  }
  if (dim == 0) throw Error(ExitCode::usage, "it has no cells", "name a file with a grid and values at its points");
  std::vector<StateCells> result;
  for (std::size_t c = 0; c < grid.types.size(); ++c) {
    const Kind& kind = kinds.at({grid.types[c], grid.offsets[c + 1] - grid.offsets[c]});
    if (kind.order == 0 || mesh::dimension(kind.shape) < dim) continue;
    if (!result.empty() && result.front().order != kind.order)
      throw Error(ExitCode::usage, fmt::format("it mixes cells of orders {} and {}", result.front().order, kind.order),
                  "write all cells with one order");
    auto of_shape =
        std::find_if(result.begin(), result.end(), [&](const StateCells& s) { return s.shape == kind.shape; });
    if (of_shape == result.end()) of_shape = result.insert(result.end(), {kind.shape, kind.order, {}});
    for (const int place : kind.places)
      of_shape->nodes.push_back(
          static_cast<Index>(grid.connectivity[static_cast<std::size_t>(grid.offsets[c] + place)]));
  }
  return result;
}

}  // namespace tessera::output
