#include "physics/grid/box_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/box.hpp"
#include "physics/evaluate.hpp"
#include "physics/rest.hpp"
#include "physics/scalar/problem.hpp"

namespace tessera::physics::grid {

namespace {

/// Nodes along x whose values are evaluated at once.
constexpr Index evaluation_run = 1024;

/// Runs of nodes along x: [runs of a line] x [n1] x [n2].
struct Runs {
  std::array<Index, 3> n;
  Offset per_line;

  explicit Runs(std::array<Index, 3> sizes) : n(sizes), per_line((sizes[0] + evaluation_run - 1) / evaluation_run) {}
  Offset count() const { return per_line * n[1] * n[2]; }
  Index first(Offset run) const { return static_cast<Index>(run % per_line) * evaluation_run; }
  Index size(Offset run) const { return std::min(evaluation_run, n[0] - first(run)); }
  Index j(Offset run) const { return static_cast<Index>(run / per_line % n[1]); }
  Index k(Offset run) const { return static_cast<Index>(run / per_line / n[1]); }
};

/// Nodes of a side, 2 axis + (0: low, 1: high), and where they lie.
void nodes_of_side(const BoxGrid& grid, int side, std::vector<Offset>& numbers, std::vector<double>& points) {
  std::array<Index, 3> low{0, 0, 0}, high = grid.nodes;
  const int axis = side / 2;
  low[axis] = side % 2 ? grid.nodes[axis] - 1 : 0;
  high[axis] = low[axis] + 1;
  for (Index k = low[2]; k < high[2]; ++k)
    for (Index j = low[1]; j < high[1]; ++j)
      for (Index i = low[0]; i < high[0]; ++i) {
        numbers.push_back(i + grid.nodes[0] * (j + Offset{grid.nodes[1]} * k));
        points.insert(points.end(), {grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k)});
      }
}

}  // namespace

double BoxGrid::coordinate(int axis, Offset i) const {
  if (axis >= problem.dim) return 0;
  const double last = static_cast<double>(nodes[axis] - 1), at = static_cast<double>(i);
  return (box.min[axis] * (last - at) + box.max[axis] * at) / last;  // hits the far end exactly
}

mesh::Mesh outline(const BoxGrid& grid) {
  mesh::BoxParams box = grid.box;
  std::fill(box.cells.begin(), box.cells.end(), 1);
  return mesh::make_box(box);
}

BoxGrid make_box_grid(const mesh::MeshParams& mesh) {
  BoxGrid grid;
  grid.box = *mesh.box;
  grid.problem.dim = static_cast<int>(grid.box.cells.size());
  double nodes = 1;
  for (int axis = 0; axis < grid.problem.dim; ++axis) {
    nodes *= std::ldexp(grid.box.cells[axis], mesh.refine) + 1;
    if (nodes > std::numeric_limits<Index>::max())
      throw Error(ExitCode::mesh, "the grid has more nodes than 32-bit numbers count", "use fewer cells or refinements",
                  grid.box.where);
    grid.box.cells[axis] <<= mesh.refine;
    grid.nodes[axis] = grid.box.cells[axis] + 1;
    grid.problem.n[axis] = grid.box.cells[axis] - 1;
    grid.problem.h[axis] = (grid.box.max[axis] - grid.box.min[axis]) / grid.box.cells[axis];
  }
  return grid;
}

void name_rest(Params& params) {
  const RestOf entries{
      .materials = places(params.materials), .boundaries = places(params.boundaries), .quantities = params.quantities};
  check_rest(entries);
  if (!params.mesh.box) return;
  const RestOfBox rest = rest_of_box(entries, *params.mesh.box);
  for (BoundaryParams& entry : params.boundaries) RestOfBox::replace(entry.on, rest.sides);
  for (MaterialParams& entry : params.materials) RestOfBox::replace(entry.on, rest.cells);
  for (QuantityParams& entry : params.quantities)
    RestOfBox::replace(entry.on, rest.cells.empty() ? rest.sides : rest.cells);
}

const BoundaryParams* entry_of(const std::vector<BoundaryParams>& boundaries, const std::string& side,
                               const char* type) {
  const BoundaryParams* found = nullptr;
  for (const BoundaryParams& boundary : boundaries)
    if (boundary.type == type && std::find(boundary.on.begin(), boundary.on.end(), side) != boundary.on.end())
      found = &boundary;
  return found;
}

Array<double> boundary_values(const Params& params, const BoxGrid& grid, int threads) {
  const mesh::Mesh box = outline(grid);
  Array<double> u(grid.node_count());
  u.set_zero();
  for (const BoundaryParams& boundary : params.boundaries)
    for (int side = 0; boundary.type == "dirichlet" && side < 2 * grid.problem.dim; ++side) {
      if (std::find(boundary.on.begin(), boundary.on.end(), box.groups[side].name) == boundary.on.end()) continue;
      std::vector<Offset> numbers;
      std::vector<double> points;
      nodes_of_side(grid, side, numbers, points);
      const std::vector<double> values = evaluate(boundary.value, points, threads);
      for (std::size_t node = 0; node < numbers.size(); ++node) u[numbers[node]] = values[node];
    }
  return u;
}

NodeRange interior(const BoxGrid& grid) {
  NodeRange nodes{{0, 0, 0}, grid.problem.n};
  for (int axis = 0; axis < grid.problem.dim; ++axis) nodes.first[axis] = 1;
  return nodes;
}

void sample(const deck::Expression& expression, const BoxGrid& grid, const NodeRange& nodes, int threads,
            View<double> values) {
  if (expression.is_constant()) {
    std::fill_n(values.data(), values.size(), expression.constant());
    return;
  }
  const Runs runs(nodes.count);
  with_evaluators(expression, runs.count(), threads, [&](deck::Evaluator& f, Offset run) {
    const Index first = runs.first(run), size = runs.size(run), j = runs.j(run), k = runs.k(run);
    std::vector<double> points(3 * static_cast<std::size_t>(size));
    const double y = grid.coordinate(1, j + nodes.first[1]), z = grid.coordinate(2, k + nodes.first[2]);
    for (Index i = 0; i < size; ++i) {
      points[3 * i] = grid.coordinate(0, first + i + nodes.first[0]);
      points[3 * i + 1] = y;
      points[3 * i + 2] = z;
    }
    f.evaluate(points.data(), static_cast<std::size_t>(size), 0,
               values.data() + first + runs.n[0] * (j + Offset{runs.n[1]} * k));
  });
}

double level_of(const BoxGrid& grid, View<const double> u) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  const auto& n = grid.nodes;
  const int dim = grid.problem.dim;
  for (Index k = 0; k < n[2]; ++k)
    for (Index j = 0; j < n[1]; ++j) {
      const bool side = (dim > 1 && (j == 0 || j == n[1] - 1)) || (dim > 2 && (k == 0 || k == n[2] - 1));
      const double* const line = u.data() + n[0] * (j + Offset{n[1]} * k);
      for (Index i = 0; i < n[0]; i += side ? 1 : n[0] - 1) {
        least = std::min(least, line[i]);
        most = std::max(most, line[i]);
      }
    }
  return least == most ? least : 0.5 * least + 0.5 * most;
}

void insert_interior(const BoxGrid& grid, View<const double> interior, double level, View<double> u) {
  const auto& n = grid.problem.n;
  const Offset skip_y = grid.problem.dim > 1, skip_z = grid.problem.dim > 2;
  for (Index k = 0; k < n[2]; ++k)
    for (Index j = 0; j < n[1]; ++j) {
      const double* const from = interior.data() + n[0] * (j + Offset{n[1]} * k);
      double* const to = u.data() + 1 + grid.nodes[0] * (j + skip_y + Offset{grid.nodes[1]} * (k + skip_z));
      for (Index i = 0; i < n[0]; ++i) to[i] = from[i] + level;
    }
}

std::vector<double> initial_values(const Params& params, const BoxGrid& grid, const NodeRange& unknowns) {
  if (params.initial.empty()) return {};
  const mesh::Mesh box = outline(grid);
  for (const InitialParams& initial : params.initial)  // the box has one group of cells, so every entry is everywhere
    for (const std::string& name : initial.on) find_group(box, name, box.dim, initial.where, GroupList::names);
  std::vector<double> u(static_cast<std::size_t>(unknowns.count[0]) * unknowns.count[1] * unknowns.count[2]);
  sample(params.initial.back().u.front(), grid, unknowns, Threads(params.run.threads).count(),
         {u.data(), static_cast<Offset>(u.size())});
  return u;
}

}  // namespace tessera::physics::grid
