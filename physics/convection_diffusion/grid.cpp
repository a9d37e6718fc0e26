#include "physics/convection_diffusion/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mesh/box.hpp"
#include "physics/convection_diffusion/problem.hpp"

namespace tessera::physics::convection_diffusion {

namespace {

class Refusals {
 public:
  Refusals(const deck::Deck& deck, const Params& params) : deck_(deck), all_(params), params_(params.diffusion) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& help, deck::Where where) const {
    if (!where) where = params_.physics.where;
    throw Error(ExitCode::usage, "discretisation = \"finite_difference\" " + what,
                help + ", or choose discretisation = \"supg\"", where);
  }

  void check_mesh() const {
    const mesh::MeshParams& mesh = params_.mesh;
    if (!mesh.box)
      refuse("needs a box mesh, this one is a file",
             "use [mesh] box = { min = [0, 0], max = [1, 1], cells = [64, 64], shape = \"quad\" }",
             deck_.where("mesh.file"));
    if (mesh.box->cells.size() != 2)
      refuse(fmt::format("is for 2-D, the mesh has {} dimension{}", mesh.box->cells.size(),
                         mesh.box->cells.size() == 1 ? "" : "s"),
             "use a box of triangles or quads", mesh.box->where);
    if (mesh.order != 1)
      refuse("needs straight cells, mesh.order is 2", "leave mesh.order out", deck_.where("mesh.order"));
    if (mesh.numbering == "metis")
      refuse("needs the nodes of the box in their order, mesh.numbering is \"metis\"", "leave mesh.numbering out",
             deck_.where("mesh.numbering"));
    for (int cells : mesh.box->cells)
      if (Offset{cells} << mesh.refine < 2)
        refuse("needs an unknown inside: an axis of the box has one cell only", "use at least 2 cells an axis",
               mesh.box->where);
  }

  void check_choices() const {
    if (params_.physics.order != 1)
      refuse(fmt::format("is of second order, physics.order is {}", params_.physics.order), "leave physics.order out",
             deck_.where("physics.order"));
    if (all_.relaxes && params_.matrix.format != "auto")
      refuse(fmt::format("with solver.type = \"{}\" stores no matrix, matrix.format is \"{}\"", all_.relaxation.method,
                         params_.matrix.format),
             "leave matrix.format out", params_.matrix.where);
    if (params_.materials.size() != 1)
      refuse(fmt::format("takes one [[material]], the deck has {}", params_.materials.size()),
             "let f, g and the source be expressions of x and y", params_.materials[1].where);
  }

  double diffusivity() const {
    const scalar::MaterialParams& material = params_.materials.front();
    if (material.diffusivity.size() != 1)
      refuse("needs a scalar diffusivity, this one is a tensor", "use one number", material.where);
    const deck::Expression& k = material.diffusivity.front();
    const deck::Where where = k.where() ? k.where() : material.where;
    if (!k.is_constant())
      refuse(fmt::format("needs a constant diffusivity, this one is {}", k.text()), "use a number", where);
    if (!(k.constant() > 0) || !std::isfinite(k.constant()))
      throw Error(ExitCode::usage, fmt::format("diffusivity [{}] is not positive", k.constant()),
                  "the problem is elliptic only where k is positive", where);
    return k.constant();
  }

  double reaction() const {
    const scalar::MaterialParams& material = params_.materials.front();
    const deck::Expression& c = material.reaction;
    const deck::Where where = c.where() ? c.where() : material.where;
    if (!c.is_constant())
      refuse(fmt::format("needs a constant reaction, this one is {}", c.text()), "use a number", where);
    if (c.constant() != 0 && all_.relaxes)
      refuse(fmt::format("with solver.type = \"{}\" takes no reaction", all_.relaxation.method),
             "choose solver.type = \"gmres\"", where);
    return c.constant();
  }

  void check_boundaries(const mesh::Mesh& box) const {
    std::vector<bool> has(box.groups.size(), false);
    for (const scalar::BoundaryParams& boundary : params_.boundaries) {
      if (boundary.type != "dirichlet")
        refuse(fmt::format("needs Dirichlet values on all four sides, this boundary is {}", boundary.type),
               "use type = \"dirichlet\"", boundary.where);
      for (const std::string& name : boundary.on)
        for (std::size_t side = 0; side < has.size(); ++side)
          if (box.groups[side].name == name) has[side] = true;
    }
    const assembly::DofMap corners = assembly::make_dof_map(box, 1, 1);
    scalar::dirichlet_data(params_.boundaries, box, corners, assembly::dof_points(box, corners),
                           GroupList::names);  // unknown names, contradictions
    for (std::size_t side = 0; side < 4; ++side)
      if (!has[side])
        refuse(fmt::format("needs Dirichlet values on all four sides, '{}' has none", box.groups[side].name),
               "add the side to a [[boundary]] of type = \"dirichlet\"",
               params_.boundaries.empty() ? params_.physics.where : params_.boundaries.front().where);
  }

 private:
  const deck::Deck& deck_;
  const Params& all_;
  const scalar::Params& params_;
};

/// Nodes whose coordinates are kept at a time.
constexpr Index sampling_run = 1 << 16;

/// factor times an expression at the interior nodes.
Array<double> sample(const deck::Expression& expression, double factor, const scalar::BoxGrid& grid, int threads) {
  const auto& n = grid.problem.n;
  Array<double> result(grid.problem.unknowns());
  if (expression.is_constant()) {
    std::fill(result.begin(), result.end(), factor * expression.constant());
    return result;
  }
  const Index rows = std::max(1, sampling_run / n[0]);
  std::vector<double> points;
  for (Index first = 0; first < n[1]; first += rows) {
    points.clear();
    for (Index j = first; j < std::min(n[1], first + rows); ++j)
      for (Index i = 0; i < n[0]; ++i)
        points.insert(points.end(), {grid.coordinate(0, i + 1), grid.coordinate(1, j + 1), 0.0});
    const std::vector<double> values = scalar::evaluate(expression, points, threads);
    for (std::size_t i = 0; i < values.size(); ++i)
      result[Offset{n[0]} * first + static_cast<Offset>(i)] = factor * values[i];
  }
  return result;
}

double largest(const Array<double>& values) {
  double most = 0;
  for (double value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

Grid make_grid(const deck::Deck& deck, const Params& params) {
  const Refusals checks(deck, params);
  checks.check_choices();
  mesh::validate(params.diffusion.mesh);
  checks.check_mesh();
  const scalar::Params& diffusion = params.diffusion;
  check_velocity(params.velocity, diffusion.materials, 2);
  const double k = checks.diffusivity();

  Grid grid;
  grid.reaction = checks.reaction() / k;
  grid.nodes = scalar::make_box_grid(diffusion.mesh);
  const mesh::Mesh outline = scalar::outline(grid.nodes);
  scalar::material_of_cells(diffusion.materials, outline, GroupList::names);
  checks.check_boundaries(outline);

  const auto& h = grid.nodes.problem.h;
  const int threads = Threads(diffusion.run.threads).count();
  const std::vector<deck::Expression>& velocity = params.velocity.front();
  grid.f = sample(velocity.empty() ? deck::Expression(0.0) : velocity[0], 1 / k, grid.nodes, threads);
  grid.g = sample(velocity.empty() ? deck::Expression(0.0) : velocity[1], 1 / k, grid.nodes, threads);
  grid.source = sample(diffusion.materials.front().source, -1 / k, grid.nodes, threads);
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
