#include "physics/poisson/params.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::physics::poisson {

namespace {

deck::Section<PhysicsParams> physics_section() {
  return deck::Section<PhysicsParams>("physics", "What to solve: -div(k grad u) + c u = f")
      .key("type", &PhysicsParams::type,
           {.help = "the physics module", .choices = {"poisson"}, .required = true, .example = "\"poisson\""})
      .key("order", &PhysicsParams::order,
           {.help = "polynomial order of the solution; up to 4 on triangles, tets and prisms, up to 8 on intervals, "
                    "quads and hexes",
            .min = 1,
            .max = 8,
            .example = "1"})
      .key("discretisation", &PhysicsParams::discretisation,
           {.help = "galerkin: finite elements; finite_difference: 3-, 5- and 7-point differences on the nodes of a "
                    "box, without a matrix",
            .choices = {"galerkin", "finite_difference"}})
      .position(&PhysicsParams::where);
}

deck::Section<MaterialParams> material_section() {
  return deck::Section<MaterialParams>("material", "Coefficients, for the whole mesh or for groups of cells",
                                       deck::SectionKind::array)
      .key("on", &MaterialParams::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("diffusivity", &MaterialParams::diffusivity,
           {.help = "k: one value, or a symmetric tensor [xx, xy, yy] in 2-D, [xx, xy, xz, yy, yz, zz] in 3-D; "
                    "positive definite",
            .example = "\"1\""})
      .key("reaction", &MaterialParams::reaction, {.help = "c"})
      .key("source", &MaterialParams::source, {.help = "f", .example = "\"1\""})
      .position(&MaterialParams::where);
}

}  // namespace

deck::Section<BoundaryParams> boundary_section() {
  return deck::Section<BoundaryParams>("boundary", "Boundary conditions; a boundary without one has k du/dn = 0",
                                       deck::SectionKind::array)
      .key("on", &BoundaryParams::on,
           {.help = "physical group name(s)", .required = true, .example = "[\"left\", \"right\"]"})
      .key("type", &BoundaryParams::type,
           {.help = "dirichlet: u = value; neumann: k du/dn = value; robin: k du/dn + alpha u = value",
            .choices = {"dirichlet", "neumann", "robin"},
            .required = true,
            .example = "\"dirichlet\""})
      .key("value", &BoundaryParams::value, {.help = "right-hand side of the condition", .example = "\"0\""})
      .key("alpha", &BoundaryParams::alpha, {.help = "coefficient of a robin condition"})
      .position(&BoundaryParams::where);
}

void check_fields(const OutputParams& output) {
  const std::vector<std::string> fields{"u", "flux"};
  for (const std::string& field : output.fields)
    if (std::find(fields.begin(), fields.end(), field) == fields.end())
      throw Error(ExitCode::usage, fmt::format("unknown output field '{}'", field), suggest(field, fields),
                  output.where);
}

void check_alpha(const std::vector<BoundaryParams>& boundaries) {
  for (const BoundaryParams& boundary : boundaries)
    if (boundary.type != "robin" && !(boundary.alpha.is_constant() && boundary.alpha.constant() == 0))
      throw Error(ExitCode::usage, fmt::format("alpha belongs to a robin boundary, this one is {}", boundary.type),
                  "use type = \"robin\", or leave alpha out", boundary.where);
}

deck::Schema schema() {
  return {
      deck_section().description(),     mesh::mesh_section().description(), run_section(all_precisions).description(),
      physics_section().description(),  material_section().description(),   boundary_section().description(),
      assembly_section().description(), matrix_section().description(),     solvers::solver_section().description(),
      exact_section().description(),    output_section().description(),     quantity_section().description()};
}

Params read(const deck::Deck& deck) {
  deck::check(deck, schema());
  Params params;
  params.title = deck_section().read(deck).title;
  params.mesh = mesh::mesh_section().read(deck, true);
  params.run = run_section(all_precisions).read(deck);
  params.physics = physics_section().read(deck, true);
  params.materials = material_section().read_all(deck);
  params.boundaries = boundary_section().read_all(deck);
  params.assembly = assembly_section().read(deck);
  params.matrix = matrix_section().read(deck);
  params.solver = solvers::solver_section().read(deck);
  params.has_exact = deck.has("exact");
  if (params.has_exact) params.exact = exact_section().read(deck);
  params.output = output_section().read(deck);
  params.quantities = quantity_section().read_all(deck);
  check_fields(params.output);
  check_alpha(params.boundaries);
  return params;
}

}  // namespace tessera::physics::poisson
