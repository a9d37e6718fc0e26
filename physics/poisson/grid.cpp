#include "physics/poisson/grid.hpp"

#include <fmt/format.h>

#include "physics/grid/checks.hpp"
#include "physics/scalar/problem.hpp"
#include "physics/scalar/system.hpp"

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

GridWords words(const Params& params) {
  return {.asker = asker(params),
          .way_out = way_out(params),
          .box = "{ min = [...], max = [...], cells = [...], shape = \"...\" }",
          .all_sides = "all sides",
          .bare_side = "has no condition: k du/dn = 0 holds there"};
}

void check_mesh(const GridChecks& checks, const Params& params) {
  checks.mesh();
  if (!finite_difference(params) && params.mesh.box->shape == "prism")
    checks.refuse("needs cells whose matrix is a grid's stencil, those of prisms are not",
                  "use shape = \"tet\" or \"hex\"", params.mesh.box->where);
}

void check_choices(const GridChecks& checks, const Params& params, const deck::Deck& deck) {
  if (params.physics.order != 1)
    checks.refuse(fmt::format("is for order 1, physics.order is {}", params.physics.order), "use order = 1",
                  deck.where("physics.order"));
  if (params.assembly.strategy != "auto")
    checks.refuse(fmt::format("assembles no matrix, assembly.strategy is \"{}\"", params.assembly.strategy),
                  "leave assembly.strategy out", deck.where("assembly.strategy"));
  if (params.matrix.format != "auto")
    checks.refuse(fmt::format("stores no matrix, matrix.format is \"{}\"", params.matrix.format),
                  "leave matrix.format out", params.matrix.where);
  if (solvers::is_grid_solver(params.solver)) return;
  if (solvers::needs_entries(params.solver))
    checks.refuse(fmt::format("stores no matrix, and {} needs its entries", solvers::reader_of_entries(params.solver)),
                  "use solver.type = \"bcr\" or \"fft\", or \"cg\" with preconditioner = \"jacobi\"",
                  params.solver.where);
}

double checked_reaction(const GridChecks& checks, const Params& params, const MaterialParams& material) {
  const double c = checks.constant("reaction", material.reaction, material);
  if (c < 0)
    throw Error(ExitCode::usage,
                fmt::format("{} needs a reaction that is not negative, this one is {}: the matrix may be singular",
                            asker(params), c),
                "use reaction >= 0; for others solver.type = \"minres\", \"gmres\" or \"direct\" with discretisation "
                "= \"galerkin\"",
                material.where);
  const std::string& shape = params.mesh.box->shape;
  if (c > 0 && !finite_difference(params) && (shape == "triangle" || shape == "tet"))
    checks.refuse(
        fmt::format("takes no reaction on cells of shape '{}': their mass matrix is no product of those of the axes",
                    shape),
        fmt::format("use shape = \"{}\" or discretisation = \"finite_difference\"", shape == "tet" ? "hex" : "quad"),
        material.where);
  return c;
}

}  // namespace

bool needs_grid(const Params& params) { return finite_difference(params) || solvers::is_grid_solver(params.solver); }

Grid make_grid(const deck::Deck& deck, const Params& params) {
  const GridChecks checks(deck, params, words(params));
  check_choices(checks, params, deck);
  mesh::validate(params.mesh);
  check_mesh(checks, params);

  Grid grid{make_box_grid(params.mesh), 1, !finite_difference(params), {}};
  solvers::grid::GridProblem& problem = grid.problem;
  double volume = 1;
  for (int axis = 0; axis < problem.dim; ++axis) volume *= problem.h[axis];

  const mesh::Mesh box = outline(grid);
  const std::vector<Index> material_of = material_of_cells(places(params.materials), box, GroupList::names);
  const MaterialParams& material = params.materials[material_of.front()];
  const double k = checks.diffusivity(material), c = checked_reaction(checks, params, material);
  checks.boundaries(box);
  if (material.source.is_constant()) checks.constant("source", material.source, material);
  grid.source = material.source;
  // P1 on triangles and tets is the star times k and the volume of a cell of the grid; linear elements on intervals,
  // quads and hexes are products of those of the axes.
  const bool simplices = grid.box.shape == "triangle" || grid.box.shape == "tet";
  problem.stencil = grid.galerkin && !simplices ? solvers::grid::Stencil::tensor : solvers::grid::Stencil::star;
  problem.shift = c / k;
  grid.scale = grid.galerkin && simplices ? k * volume : k;
  return grid;
}

}  // namespace tessera::physics::poisson
