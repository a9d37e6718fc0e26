#include "physics/poisson/params.hpp"

#include "mesh/groups.hpp"

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

deck::Schema schema() {
  return {deck_section().description(),        mesh::mesh_section().description(),
          mesh::group_section().description(), run_section(all_precisions).description(),
          physics_section().description(),     material_section().description(),
          boundary_section().description(),    initial_section().description(),
          assembly_section().description(),    matrix_section().description(),
          solvers::solver_description(),       exact_section().description(),
          output_section().description(),      quantity_section().description(),
          line_section().description()};
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
  params.solver = solvers::read_solver(deck, params.run.precision);
  params.initial = initial_section().read_all(deck);
  params.has_exact = deck.has("exact");
  if (params.has_exact) params.exact = exact_section().read(deck);
  params.output = output_section().read(deck);
  params.quantities = quantity_section().read_all(deck);
  check_choices(params, deck);
  params.lines = read_lines(deck);
  check_fields(params.output);
  check_boundaries(params.boundaries);
  check_initial(params);
  const std::vector<deck::Expression> expressions = expressions_of(params);
  warn_of_time(expressions);
  check_axes(expressions, mesh::known_dimension(params.mesh));
  return params;
}

}  // namespace tessera::physics::poisson
