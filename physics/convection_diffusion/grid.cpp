#include "physics/convection_diffusion/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/convection_diffusion/problem.hpp"
#include "physics/scalar/grid_checks.hpp"

namespace tessera::physics::convection_diffusion {

namespace {

using scalar::GridChecks;

scalar::GridWords words() {
  return {.asker = "discretisation = \"finite_difference\"",
          .way_out = "discretisation = \"supg\"",
          .box = "{ min = [0, 0], max = [1, 1], cells = [64, 64], shape = \"quad\" }",
          .all_sides = "all four sides",
          .bare_side = "has none"};
}

void check_mesh(const GridChecks& checks, const mesh::MeshParams& mesh) {
  checks.mesh();
  if (const std::size_t dim = mesh.box->cells.size(); dim != 2)
    checks.refuse(fmt::format("is for 2-D, the mesh has {} dimension{}", dim, dim == 1 ? "" : "s"),
                  "use a box of triangles or quads", mesh.box->where);
}

void check_choices(const GridChecks& checks, const Params& params, const deck::Deck& deck) {
  const scalar::Params& diffusion = params.diffusion;
  if (diffusion.physics.order != 1)
    checks.refuse(fmt::format("is of second order, physics.order is {}", diffusion.physics.order),
                  "leave physics.order out", deck.where("physics.order"));
  if (params.relaxes && diffusion.matrix.format != "auto")
    checks.refuse(fmt::format("with solver.type = \"{}\" stores no matrix, matrix.format is \"{}\"",
                              params.relaxation.method, diffusion.matrix.format),
                  "leave matrix.format out", diffusion.matrix.where);
  if (diffusion.materials.size() != 1)
    checks.refuse(fmt::format("takes one [[material]], the deck has {}", diffusion.materials.size()),
                  "let f, g and the source be expressions of x and y", diffusion.materials[1].where);
}

double checked_reaction(const GridChecks& checks, const Params& params, const scalar::MaterialParams& material) {
  const double c = checks.constant("reaction", material.reaction, material);
  if (c != 0 && params.relaxes)
    checks.refuse(fmt::format("with solver.type = \"{}\" takes no reaction", params.relaxation.method),
                  "choose solver.type = \"gmres\"",
                  material.reaction.where() ? material.reaction.where() : material.where);
  return c;
}

/// factor times an expression at the interior nodes.
Array<double> scaled(double factor, const deck::Expression& expression, const scalar::BoxGrid& grid, int threads) {
  Array<double> values(grid.problem.unknowns());
  scalar::sample(expression, grid, threads, values);
  for (double& value : values) value *= factor;
  return values;
}

double largest(const Array<double>& values) {
  double most = 0;
  for (double value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

Grid make_grid(const deck::Deck& deck, const Params& params) {
  const scalar::Params& diffusion = params.diffusion;
  const GridChecks checks(deck, diffusion, words());
  check_choices(checks, params, deck);
  mesh::validate(diffusion.mesh);
  check_mesh(checks, diffusion.mesh);
  check_velocity(params.velocity, diffusion.materials, 2);
  const scalar::MaterialParams& material = diffusion.materials.front();
  const double k = checks.diffusivity(material);

  Grid grid;
  grid.reaction = checked_reaction(checks, params, material) / k;
  grid.nodes = scalar::make_box_grid(diffusion.mesh);
  const mesh::Mesh outline = scalar::outline(grid.nodes);
  scalar::material_of_cells(diffusion.materials, outline, GroupList::names);
  checks.boundaries(outline);

  const auto& h = grid.nodes.problem.h;
  const int threads = Threads(diffusion.run.threads).count();
  const std::vector<deck::Expression>& velocity = params.velocity.front();
  grid.f = scaled(1 / k, velocity.empty() ? deck::Expression(0.0) : velocity[0], grid.nodes, threads);
  grid.g = scaled(1 / k, velocity.empty() ? deck::Expression(0.0) : velocity[1], grid.nodes, threads);
  grid.source = scaled(-1 / k, material.source, grid.nodes, threads);
  grid.cell_peclet = 0.5 * std::max(h[0] * largest(grid.f), h[1] * largest(grid.g));
  grid.u = scalar::boundary_values(diffusion, grid.nodes, threads);
  return grid;
}

GridSystem make_grid_system(const Grid& grid) {
  const auto& n = grid.nodes.problem.n;
  const auto& h = grid.nodes.problem.h;
  const Index rows = n[0] * n[1], stride = grid.nodes.nodes[0];
  const double west = 1 / (h[0] * h[0]), south = 1 / (h[1] * h[1]);
  GridSystem system{
      {rows, rows, Array<Offset>(Offset{rows} + 1), Array<Index>(5 * Offset{rows} - 2 * n[0] - 2 * n[1]), {}},
      Array<double>(rows)};
  system.A.values = Array<double>(system.A.col_ind.size());
  Offset at = 0;
  system.A.row_ptr[0] = 0;
  for (Index row = 0; row < rows; ++row) {
    const Index i = row % n[0], j = row / n[0];
    const double x = grid.f[row] / (2 * h[0]), y = grid.g[row] / (2 * h[1]);
    const double* u = grid.u.data() + (i + 1) + Offset{stride} * (j + 1);
    double b = -grid.source[row];
    // A neighbour inside is a column, one on the rim goes to the right side.
    const auto neighbour = [&](bool inside, Index column, double value, Offset step) {
      if (inside)
        system.A.col_ind[at] = column, system.A.values[at++] = value;
      else
        b -= value * u[step];
    };
    neighbour(j > 0, row - n[0], -south - y, -Offset{stride});
    neighbour(i > 0, row - 1, -west - x, -1);
    neighbour(true, row, 2 * west + 2 * south + grid.reaction, 0);
    neighbour(i + 1 < n[0], row + 1, -west + x, 1);
    neighbour(j + 1 < n[1], row + n[0], -south + y, stride);
    system.A.row_ptr[row + 1] = at;
    system.b[row] = b;
  }
  return system;
}

}  // namespace tessera::physics::convection_diffusion
