#include "physics/convection_diffusion/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/convection_diffusion/problem.hpp"
#include "physics/grid/checks.hpp"

namespace tessera::physics::convection_diffusion {

namespace {

GridWords words() {
  return {.asker = "discretisation = \"finite_difference\"",
          .way_out = "discretisation = \"supg\"",
          .box = "{ min = [0, 0], max = [1, 1], cells = [64, 64], shape = \"quad\" }",
          .all_sides = "all four sides",
          .bare_side = "has none",
          .neumann = true};
}

void check_mesh(const GridChecks& checks, const mesh::MeshParams& mesh) {
  checks.mesh();
  if (const std::size_t dim = mesh.box->cells.size(); dim != 2)
    checks.refuse(fmt::format("is for 2-D, the mesh has {} dimension{}", dim, dim == 1 ? "" : "s"),
                  "use a box of triangles or quads", mesh.box->where);
}

void check_choices(const GridChecks& checks, const Params& params, const deck::Deck& deck) {
  if (params.physics.order != 1)
    checks.refuse(fmt::format("is of second order, physics.order is {}", params.physics.order),
                  "leave physics.order out", deck.where("physics.order"));
  if (params.relaxes() && params.matrix.format != "auto")
    checks.refuse(fmt::format("with solver.type = \"{}\" stores no matrix, matrix.format is \"{}\"", params.solver.type,
                              params.matrix.format),
                  "leave matrix.format out", params.matrix.where);
  if (params.materials.size() != 1)
    checks.refuse(fmt::format("takes one [[material]], the deck has {}", params.materials.size()),
                  "let f, g and the source be expressions of x and y", params.materials[1].where);
}

double checked_reaction(const GridChecks& checks, const Params& params, const MaterialParams& material) {
  const double c = checks.constant("reaction", material.reaction, material);
  if (c != 0 && params.relaxes())
    checks.refuse(fmt::format("with solver.type = \"{}\" takes no reaction", params.solver.type),
                  "choose solver.type = \"gmres\"",
                  material.reaction.where() ? material.reaction.where() : material.where);
  return c;
}

/// factor times an expression at the unknowns.
Array<double> scaled(double factor, const deck::Expression& expression, const Grid& grid, int threads) {
  Array<double> values(grid.size());
  sample(expression, grid.nodes, grid.unknowns, threads, values);
  for (double& value : values) value *= factor;
  return values;
}

double largest(const Array<double>& values) {
  double most = 0;
  for (double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// Sets `unknowns` and `mirrors`: the nodes of a side without Dirichlet data are unknowns, too. `names`: of the sides.
void choose_unknowns(Grid& grid, const Params& params, const std::vector<mesh::Group>& names) {
  grid.unknowns = interior(grid.nodes);
  grid.mirrors = {0, 0};
  for (int side = 0; side < 4; ++side) {
    if (entry_of(params.boundaries, names[side].name, "dirichlet")) continue;
    const int axis = side / 2;
    ++grid.mirrors[axis];
    ++grid.unknowns.count[axis];
    if (side % 2 == 0) --grid.unknowns.first[axis];
  }
  if (grid.mirrors[0] + grid.mirrors[1] == 4 && grid.reaction == 0)
    throw Error(ExitCode::usage,
                "the problem is singular, u is fixed only up to a constant: no side has Dirichlet values, and there is "
                "no reaction",
                "add a [[boundary]] of type = \"dirichlet\", or a reaction",
                params.boundaries.empty() ? params.physics.where : params.boundaries.front().where);
}

/// Turns the unknowns on a side without Dirichlet data into ordinary ones: see Grid.
void set_side(Grid& grid, int side, const BoundaryParams* neumann, double k, int threads) {
  const int axis = side / 2, along = 1 - axis;
  const double h = grid.nodes.problem.h[axis], outward = side % 2 ? 1 : -1;
  NodeRange line = grid.unknowns;
  line.count[axis] = 1;
  if (side % 2) line.first[axis] += grid.m(axis) - 1;
  std::vector<double> q(static_cast<std::size_t>(line.count[along]), 0.0);
  if (neumann) sample(neumann->value, grid.nodes, line, threads, {q.data(), line.count[along]});
  Array<double>& velocity = axis == 0 ? grid.f : grid.g;
  double mirror = 2 / h;
  while (h / 2 * mirror > 1) mirror = std::nextafter(mirror, 0.0);  // a weight below 0 would belong to the other case
  const Offset first = side % 2 ? grid.m(axis) - 1 : 0;
  for (Index node = 0; node < line.count[along]; ++node) {
    const Offset at = axis == 0 ? first + node * Offset{grid.m(0)} : node + first * Offset{grid.m(0)};
    const double slope = q[static_cast<std::size_t>(node)] / k;
    grid.source[at] += outward * velocity[at] * slope - 2 * slope / h;
    velocity[at] = outward * mirror;
  }
}

/// Nodes of u with its rim that are nodes of the rectangle: calls copy(first in u, first in the nodes, count) for every
/// row.
template <class Copy>
void for_rows_with_rim(const Grid& grid, Copy copy) {
  const auto& nodes = grid.nodes.nodes;
  const Index low = 1 - grid.unknowns.first[0],
              low_row = 1 - grid.unknowns.first[1];  // 1 where the rim is beyond the nodes
  const Offset row = grid.m(0) + Offset{2};
  for (Index j = 0; j < nodes[1]; ++j) copy(low + (j + low_row) * row, Offset{nodes[0]} * j, nodes[0]);
}

/// The middle of the Dirichlet values: see level_of.
double rim_level(const Grid& grid) {
  DirichletData rim;
  const Index m0 = grid.m(0), m1 = grid.m(1);
  const auto take = [&](Index i, Index j) { rim.values.push_back(grid.u[i + (m0 + Offset{2}) * j]); };
  const auto fixed = [&](int axis, bool high) {
    const Index first = grid.unknowns.first[axis];
    return high ? first + grid.m(axis) < grid.nodes.nodes[axis] : first > 0;
  };
  for (const bool high : {false, true}) {
    for (Index j = 1; j <= m1 && fixed(0, high); ++j) take(high ? m0 + 1 : 0, j);
    for (Index i = 1; i <= m0 && fixed(1, high); ++i) take(i, high ? m1 + 1 : 0);
  }
  return level_of(rim);
}

}  // namespace

std::vector<double> at_nodes(const Grid& grid) {
  std::vector<double> values(static_cast<std::size_t>(grid.nodes.node_count()));
  for_rows_with_rim(
      grid, [&](Offset from, Offset to, Index count) { std::copy_n(grid.u.data() + from, count, values.data() + to); });
  return values;
}

Grid make_grid(const deck::Deck& deck, const Params& params) {
  const GridChecks checks(deck, params, words());
  check_choices(checks, params, deck);
  mesh::validate(params.mesh);
  check_mesh(checks, params.mesh);
  check_velocity(params.velocity, params.materials, 2);
  const MaterialParams& material = params.materials.front();
  const double k = checks.diffusivity(material);

  Grid grid;
  grid.reaction = checked_reaction(checks, params, material) / k;
  grid.nodes = make_box_grid(params.mesh);
  const mesh::Mesh box = outline(grid.nodes);
  material_of_cells(places(params.materials), box, GroupList::names);
  checks.boundaries(box);
  choose_unknowns(grid, params, box.groups);

  const auto& h = grid.nodes.problem.h;
  const int threads = Threads(params.run.threads).count();
  const std::vector<deck::Expression>& velocity = params.velocity.front();
  grid.f = scaled(1 / k, velocity.empty() ? deck::Expression(0.0) : velocity[0], grid, threads);
  grid.g = scaled(1 / k, velocity.empty() ? deck::Expression(0.0) : velocity[1], grid, threads);
  grid.source = scaled(-1 / k, material.source, grid, threads);
  grid.cell_peclet = 0.5 * std::max(h[0] * largest(grid.f), h[1] * largest(grid.g));
  for (int side = 0; side < 4; ++side)
    if (const std::string& name = box.groups[side].name; !entry_of(params.boundaries, name, "dirichlet"))
      set_side(grid, side, entry_of(params.boundaries, name, "neumann"), k, threads);
  grid.u = Array<double>((grid.m(0) + Offset{2}) * (grid.m(1) + Offset{2}));
  const Array<double> given = boundary_values(params, grid.nodes, threads);
  grid.u.set_zero();
  for_rows_with_rim(
      grid, [&](Offset to, Offset from, Index count) { std::copy_n(given.data() + from, count, grid.u.data() + to); });
  grid.level = rim_level(grid);
  return grid;
}

LinearSystem make_grid_system(const Grid& grid) {
  const std::array<Index, 2> n{grid.m(0), grid.m(1)};
  const auto& h = grid.nodes.problem.h;
  const Index rows = n[0] * n[1], stride = n[0] + 2;
  const double west = 1 / (h[0] * h[0]), south = 1 / (h[1] * h[1]);
  LinearSystem system{
      {rows, rows, Array<Offset>(Offset{rows} + 1), Array<Index>(5 * Offset{rows} - 2 * n[0] - 2 * n[1]), {}},
      Array<double>(rows)};
  system.A.values = Array<double>(system.A.col_ind.size());
  Offset at = 0;
  system.A.row_ptr[0] = 0;
  for (Index row = 0; row < rows; ++row) {
    const Index i = row % n[0], j = row / n[0];
    const double x = grid.f[row] / (2 * h[0]), y = grid.g[row] / (2 * h[1]);
    const double* u = grid.u.data() + (i + 1) + Offset{stride} * (j + 1);
    double b = -grid.source[row] - grid.reaction * grid.level;
    // A neighbour inside is a column, one on the rim goes to the right side.
    const auto neighbour = [&](bool inside, Index column, double value, Offset step) {
      if (inside)
        system.A.col_ind[at] = column, system.A.values[at++] = value;
      else
        b -= value * (u[step] - grid.level);
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
