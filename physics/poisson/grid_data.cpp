// Right-hand side of a grid, on the host.
#include <algorithm>
#include <cmath>

#include "assembly/cells/assembler.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/team.hpp"
#include "forms/diffusion.hpp"
#include "mesh/box.hpp"
#include "physics/evaluate.hpp"
#include "physics/poisson/grid.hpp"
#include "solvers/grid/grid_operator.hpp"

namespace tessera::physics::poisson {

namespace {

/// Cells along x whose values are evaluated at once.
constexpr Index evaluation_run = 1024;

/// The integrals of f times the functions of a cell's corners, as weights of the values of f at the quadrature points:
/// those of the finite elements of one cell of the grid.
struct LoadWeights {
  int points = 0, corners = 0;
  std::vector<double> xyz;      ///< [points, 3], from the lowest corner
  std::vector<double> weights;  ///< [points, corners], corners x fastest
};

LoadWeights load_weights(const Grid& grid) {
  mesh::BoxParams cell = grid.box;
  const auto axes = static_cast<std::size_t>(grid.problem.dim);
  cell.cells.assign(axes, 1);
  cell.min.assign(axes, 0);
  cell.max.assign(grid.problem.h.begin(), grid.problem.h.begin() + grid.problem.dim);
  const mesh::Mesh mesh = mesh::make_box(cell);
  const assembly::DofMap dofs = assembly::make_dof_map(mesh, 1, 1);
  const assembly::QuadraturePoints points(mesh, dofs);
  LoadWeights result;
  result.points = static_cast<int>(points.before(1));
  result.corners = dofs.dofs;
  result.xyz.resize(3 * static_cast<std::size_t>(result.points));
  points.of_cells(0, 0, mesh.cells(), result.xyz.data());

  Threads exec(1);
  assembly::Assembler<Threads, forms::Diffusion> assembler(exec, mesh, dofs);
  forms::DiffusionData data;
  data.k.values = {1};
  data.f.per_point = true;
  Array<double> b(dofs.dofs);
  for (int q = 0; q < result.points; ++q) {
    data.f.values.assign(static_cast<std::size_t>(result.points), 0.0);
    data.f.values[q] = 1;
    assembler.set_data(data);
    assembler.refill_vector(b);
    result.weights.insert(result.weights.end(), b.begin(), b.end());
  }
  return result;
}

/// Adds the integrals of a run of cells to the interior nodes at their corners.
void add_cells(const Grid& grid, const LoadWeights& load, const std::array<Index, 3>& first_cell, Index cells,
               const double* f, View<double> b) {
  const auto& n = grid.problem.n;
  for (int corner = 0; corner < load.corners; ++corner) {
    const Index j = first_cell[1] + corner / 2 % 2 - 1, k = first_cell[2] + corner / 4 - 1;  // of the interior nodes
    if (grid.problem.dim > 1 && (j < 0 || j >= n[1])) continue;
    if (grid.problem.dim > 2 && (k < 0 || k >= n[2])) continue;
    double* const line = b.data() + n[0] * (std::max(j, 0) + Offset{n[1]} * std::max(k, 0));
    for (Index cell = 0; cell < cells; ++cell) {
      const Index i = first_cell[0] + cell + corner % 2 - 1;
      if (i < 0 || i >= n[0]) continue;
      double sum = 0;
      for (int q = 0; q < load.points; ++q)
        sum += load.weights[q * load.corners + corner] * f[Offset{cell} * load.points + q];
      line[i] += sum;
    }
  }
}

/// int f phi_i at the interior nodes. Lines of cells of one colour, even or odd along y and z, share no node; the runs
/// of a line do, so that a line is one thread's work.
void integrate(const Grid& grid, View<double> b, int threads) {
  const LoadWeights load = load_weights(grid);
  std::array<Index, 3> cells{1, 1, 1};
  std::copy(grid.box.cells.begin(), grid.box.cells.end(), cells.begin());
  for (int colour = 0; colour < 1 << (grid.problem.dim - 1); ++colour) {
    const Index odd_y = colour % 2, odd_z = colour / 2;
    const Index lines_y = (cells[1] - odd_y + 1) / 2, lines_z = (cells[2] - odd_z + 1) / 2;
    with_evaluators(grid.source, Offset{lines_y} * lines_z, threads, [&](deck::Evaluator& f, Offset line) {
      std::array<Index, 3> at{0, static_cast<Index>(2 * (line % lines_y) + odd_y),
                              static_cast<Index>(2 * (line / lines_y) + odd_z)};
      std::vector<double> points, values;
      const double y = grid.coordinate(1, at[1]), z = grid.coordinate(2, at[2]);
      for (; at[0] < cells[0]; at[0] += evaluation_run) {
        const Index run = std::min(evaluation_run, cells[0] - at[0]);
        values.resize(static_cast<std::size_t>(run) * load.points);
        points.clear();
        for (Index i = 0; i < run; ++i) {
          const double x = grid.coordinate(0, at[0] + i);
          for (int q = 0; q < load.points; ++q)
            points.insert(points.end(), {x + load.xyz[3 * q], y + load.xyz[3 * q + 1], z + load.xyz[3 * q + 2]});
        }
        f.evaluate(points.data(), values.size(), 0, values.data());
        add_cells(grid, load, at, run, values.data(), b);
      }
    });
  }
}

/// b -= A (u - level) over the neighbours on the boundary; only nodes beside it have any.
void fold_boundary(const Grid& grid, View<const double> u, double level, View<double> b, int threads) {
  const auto weights = solvers::grid::stencil_weights(grid.problem);
  const auto& n = grid.problem.n;
  const auto& nodes = grid.nodes;
  const int dim = grid.problem.dim;
  const auto on_rim = [&](int axis, Index node) { return axis < dim && (node == 0 || node == nodes[axis] - 1); };
  const auto fold = [&](Index i, Index j, Index k) {  // interior numbers; nodes are one higher along the axes there are
    double sum = 0;
    for (int dz = dim > 2 ? -1 : 0; dz <= (dim > 2); ++dz)
      for (int dy = dim > 1 ? -1 : 0; dy <= (dim > 1); ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const Index x = i + 1 + dx, y = j + (dim > 1) + dy, z = k + (dim > 2) + dz;
          if (!on_rim(0, x) && !on_rim(1, y) && !on_rim(2, z)) continue;
          sum += weights[std::abs(dx) + 2 * std::abs(dy) + 4 * std::abs(dz)] *
                 (u[x + nodes[0] * (y + Offset{nodes[1]} * z)] - level);
        }
    b[i + n[0] * (j + Offset{n[1]} * k)] -= sum;
  };
  parallel_for(threads, Offset{n[1]} * n[2], [&](Offset line) {
    const Index j = static_cast<Index>(line % n[1]), k = static_cast<Index>(line / n[1]);
    const bool beside = (dim > 1 && (j == 0 || j == n[1] - 1)) || (dim > 2 && (k == 0 || k == n[2] - 1));
    const Offset step = beside ? 1 : std::max(1, n[0] - 1);  // else only the ends of the line are
    for (Offset i = 0; i < n[0]; i += step) fold(static_cast<Index>(i), j, k);
  });
}

}  // namespace

Array<double> right_hand_side(const Grid& grid, View<const double> u, double level, int threads) {
  Array<double> b(grid.problem.unknowns());
  double volume = 1;
  for (int axis = 0; axis < grid.problem.dim; ++axis) volume *= grid.problem.h[axis];
  if (grid.source.is_constant())
    std::fill(b.begin(), b.end(), grid.source.constant() * (grid.galerkin ? volume : 1));  // int phi = volume inside
  else if (!grid.galerkin)
    sample(grid.source, grid, interior(grid), threads, b);
  else {
    b.set_zero();
    integrate(grid, b, threads);
  }
  const double factor = 1 / grid.scale;
  // A 1 is the shift, times int phi where the stencil is one of elements.
  const double lowered =
      level * grid.problem.shift * (grid.problem.stencil == solvers::grid::Stencil::tensor ? volume : 1);
  parallel_for(threads, b.size(), [&](Offset i) { b[i] = b[i] * factor - lowered; });
  fold_boundary(grid, u, level, b, threads);
  return b;
}

}  // namespace tessera::physics::poisson
