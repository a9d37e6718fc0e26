#include "physics/poisson/params.hpp"

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
                    "positive definite; may depend on u, ux, uy, uz",
            .example = "\"1\"",
            .knows = deck::Knows::gradient})
      .key("reaction", &MaterialParams::reaction,
           {.help = "c; may depend on u, ux, uy, uz", .knows = deck::Knows::gradient})
      .key("source", &MaterialParams::source,
           {.help = "f; may depend on u, ux, uy, uz", .example = "\"1\"", .knows = deck::Knows::gradient})
      .position(&MaterialParams::where);
}

}  // namespace

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription material_description() { return material_section().description(); }

void read(const deck::Deck& deck, Params& params) {
  params.physics = physics_section().read(deck, true);
  params.materials = material_section().read_all(deck);
  if (params.materials.empty()) params.materials.emplace_back();
  params.boundaries = boundary_section(deck::Knows::solution).read_all(deck);
}

}  // namespace tessera::physics::poisson
