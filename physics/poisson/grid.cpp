#include "physics/poisson/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics/scalar/problem.hpp"

namespace tessera::physics::poisson {

namespace {

bool finite_difference(const Params& params) { return params.physics.discretisation == "finite_difference"; }

/// What asks for a grid, as the deck says it.
std::string asker(const Params& params) {
  return solvers::is_grid_solver(params.solver) ? fmt::format("solver.type = \"{}\"", params.solver.type)
                                                : std::string("discretisation = \"finite_difference\"");
}

/// What to do instead.
std::string way_out(const Params& params) {
  std::string way = solvers::is_grid_solver(params.solver) ? "solver.type = \"cg\"" : "";
  if (finite_difference(params))
    way += way.empty() ? "discretisation = \"galerkin\"" : " with discretisation = \"galerkin\"";
  return way;
}

class Refusals {
 public:
  Refusals(const deck::Deck& deck, const Params& params) : deck_(deck), params_(params) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& help, deck::Where where) const {
    if (!where) where = params_.physics.where;
    throw Error(ExitCode::usage, fmt::format("{} {}", asker(params_), what),
                fmt::format("{}, or choose {}", help, way_out(params_)), where);
  }

  void check_mesh() const {
    const mesh::MeshParams& mesh = params_.mesh;
    if (!mesh.box)
      refuse("needs a box mesh, this one is a file",
             "use [mesh] box = { min = [...], max = [...], cells = [...], shape = \"...\" }", deck_.where("mesh.file"));
    if (mesh.order != 1)
      refuse("needs straight cells, mesh.order is 2", "leave mesh.order out", deck_.where("mesh.order"));
    if (mesh.numbering == "metis")
      refuse("needs the nodes of the box in their order, mesh.numbering is \"metis\"", "leave mesh.numbering out",
             deck_.where("mesh.numbering"));
    if (!finite_difference(params_) && mesh.box->shape == "prism")
      refuse("needs cells whose matrix is a grid's stencil, those of prisms are not", "use shape = \"tet\" or \"hex\"",
             mesh.box->where);
    for (int cells : mesh.box->cells)
      if (Offset{cells} << mesh.refine < 2)
        refuse("needs an unknown inside: an axis of the box has one cell only", "use at least 2 cells an axis",
               mesh.box->where);
  }

  void check_choices() const {
    if (params_.physics.order != 1)
      refuse(fmt::format("is for order 1, physics.order is {}", params_.physics.order), "use order = 1",
             deck_.where("physics.order"));
    if (params_.assembly.strategy != "auto")
      refuse(fmt::format("assembles no matrix, assembly.strategy is \"{}\"", params_.assembly.strategy),
             "leave assembly.strategy out", deck_.where("assembly.strategy"));
    if (params_.matrix.format != "auto")
      refuse(fmt::format("stores no matrix, matrix.format is \"{}\"", params_.matrix.format), "leave matrix.format out",
             params_.matrix.where);
    if (solvers::is_grid_solver(params_.solver)) return;
    const bool sweeps = params_.solver.preconditioner == "ssor" || params_.solver.preconditioner == "multicolour_ssor";
    if (solvers::is_direct(params_.solver) || sweeps)
      refuse(fmt::format("stores no matrix, and {} needs its entries",
                         sweeps ? fmt::format("the preconditioner \"{}\"", params_.solver.preconditioner)
                                : fmt::format("solver.type = \"{}\"", params_.solver.type)),
             "use solver.type = \"bcr\" or \"fft\", or \"cg\" with preconditioner = \"jacobi\"", params_.solver.where);
  }

  double constant(const char* name, const deck::Expression& expression, const MaterialParams& material) const {
    const deck::Where where = expression.where() ? expression.where() : material.where;
    if (!expression.is_constant())
      refuse(fmt::format("needs a constant {}, this one is {}", name, expression.text()), "use a number", where);
    if (!std::isfinite(expression.constant())) refuse(fmt::format("needs a finite {}", name), "use a number", where);
    return expression.constant();
  }

  double diffusivity(const MaterialParams& material) const {
    if (material.diffusivity.size() != 1)
      refuse("needs a scalar diffusivity, this one is a tensor",
             "use one number, and stretch the box for different ones along the axes", material.where);
    const double k = constant("diffusivity", material.diffusivity.front(), material);
    if (!(k > 0))
      throw Error(ExitCode::usage, fmt::format("diffusivity [{}] is not positive", k),
                  "the problem is elliptic only where k is positive", material.where);
    return k;
  }

  double reaction(const MaterialParams& material) const {
    const double c = constant("reaction", material.reaction, material);
    if (c < 0)
      throw Error(ExitCode::usage,
                  fmt::format("{} needs a reaction that is not negative, this one is {}: the matrix may be singular",
                              asker(params_), c),
                  "use reaction >= 0; for others solver.type = \"minres\", \"gmres\" or \"direct\" with discretisation "
                  "= \"galerkin\"",
                  material.where);
    const std::string& shape = params_.mesh.box->shape;
    if (c > 0 && !finite_difference(params_) && (shape == "triangle" || shape == "tet"))
      refuse(
          fmt::format("takes no reaction on cells of shape '{}': their mass matrix is no product of those of the axes",
                      shape),
          fmt::format("use shape = \"{}\" or discretisation = \"finite_difference\"", shape == "tet" ? "hex" : "quad"),
          material.where);
    return c;
  }

  void check_boundaries(const mesh::Mesh& box) const {
    std::vector<bool> given(static_cast<std::size_t>(2 * box.dim), false);
    for (const BoundaryParams& boundary : params_.boundaries) {
      if (boundary.type != "dirichlet")
        refuse(fmt::format("needs Dirichlet values on all sides, this boundary is {}", boundary.type),
               "use type = \"dirichlet\"", boundary.where);
      for (const std::string& name : boundary.on)
        for (std::size_t side = 0; side < given.size(); ++side)
          if (box.groups[side].name == name) given[side] = true;
    }
    const assembly::DofMap corners = assembly::make_dof_map(box, 1, 1);
    dirichlet_data(params_.boundaries, box, corners, assembly::dof_points(box, corners),
                   GroupList::names);  // unknown names, contradictions
    for (std::size_t side = 0; side < given.size(); ++side)
      if (!given[side])
        refuse(fmt::format("needs Dirichlet values on all sides, '{}' has no condition: k du/dn = 0 holds there",
                           box.groups[side].name),
               "add the side to a [[boundary]] of type = \"dirichlet\"",
               params_.boundaries.empty() ? params_.physics.where : params_.boundaries.front().where);
  }

 private:
  const deck::Deck& deck_;
  const Params& params_;
};

}  // namespace

bool needs_grid(const Params& params) { return finite_difference(params) || solvers::is_grid_solver(params.solver); }

Grid make_grid(const deck::Deck& deck, const Params& params) {
  const Refusals checks(deck, params);
  checks.check_choices();
  mesh::validate(params.mesh);
  checks.check_mesh();

  Grid grid{make_box_grid(params.mesh), 1, !finite_difference(params), {}};
  solvers::grid::GridProblem& problem = grid.problem;
  double volume = 1;
  for (int axis = 0; axis < problem.dim; ++axis) volume *= problem.h[axis];

  const mesh::Mesh box = outline(grid);
  const std::vector<Index> material_of = material_of_cells(params.materials, box, GroupList::names);
  const MaterialParams& material = params.materials[material_of.front()];
  const double k = checks.diffusivity(material), c = checks.reaction(material);
  checks.check_boundaries(box);
  if (material.source.is_constant()) checks.constant("source", material.source, material);
  grid.source = material.source;
  // P1 on triangles and tets is the star times k and the volume of a cell of the grid; linear elements on intervals, quads and
  // hexes are products of those of the axes.
  const bool simplices = grid.box.shape == "triangle" || grid.box.shape == "tet";
  problem.stencil = grid.galerkin && !simplices ? solvers::grid::Stencil::tensor : solvers::grid::Stencil::star;
  problem.shift = c / k;
  grid.scale = grid.galerkin && simplices ? k * volume : k;
  return grid;
}

}  // namespace tessera::physics::poisson
