#include "physics/heat/params.hpp"

#include "physics/entry.hpp"

namespace tessera::physics::heat {

namespace {

using deck::Expression;

struct PhysicsKeys {
  std::string type;
  int order = 1;
  std::string mass = "consistent";
  deck::Where where;
};

deck::Section<PhysicsKeys> physics_section() {
  return deck::Section<PhysicsKeys>(
             "physics", "What to solve: density * heat_capacity * du/dt = div(conductivity grad u) + source")
      .key("type", &PhysicsKeys::type,
           {.help = "the physics module", .choices = {"heat"}, .required = true, .example = "\"heat\""})
      .key("order", &PhysicsKeys::order,
           {.help = "polynomial order of the solution", .min = 1, .max = 4, .example = "1"})
      .key(
          "mass", &PhysicsKeys::mass,
          {.help = "with [time]: consistent, of the same order as the elements; lumped: a diagonal, which keeps linear "
                   "elements within their bounds; on triangles, tets and prisms of order 1, on intervals, quads and "
                   "hexes of any",
           .choices = {"consistent", "lumped"}})
      .position(&PhysicsKeys::where);
}

struct MaterialKeys {
  std::vector<std::string> on;
  Expression density{1.0}, heat_capacity{1.0};
  std::vector<Expression> conductivity{Expression(1.0)};
  Expression source;
  deck::Where where;
};

deck::Section<MaterialKeys> material_section() {
  return deck::Section<MaterialKeys>("material", "Coefficients, for the whole mesh or for groups of cells",
                                     deck::SectionKind::array)
      .key("on", &MaterialKeys::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("density", &MaterialKeys::density, {.help = "rho, with [time]", .unit = "kg/m^3", .example = "\"7850\""})
      .key("heat_capacity", &MaterialKeys::heat_capacity,
           {.help = "c, with [time]", .unit = "J/(kg K)", .example = "\"460\""})
      .key("conductivity", &MaterialKeys::conductivity,
           {.help = "k: one value, or a symmetric tensor [xx, xy, yy] in 2-D, [xx, xy, xz, yy, yz, zz] in 3-D; "
                    "positive definite",
            .unit = "W/(m K)",
            .example = "\"50\""})
      .key("source", &MaterialKeys::source, {.help = "heat that arises", .unit = "W/m^3", .example = "\"0\""})
      .position(&MaterialKeys::where);
}

}  // namespace

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription material_description() { return material_section().description(); }

void read(const deck::Deck& deck, Params& params) {
  const PhysicsKeys physics = physics_section().read(deck, true);
  params.physics = {.type = physics.type, .order = physics.order, .where = physics.where};
  params.lumped = physics.mass == "lumped";
  std::vector<MaterialKeys> materials = material_section().read_all(deck);
  if (materials.empty()) materials.emplace_back();
  for (const MaterialKeys& m : materials) {
    params.materials.push_back({m.on, m.conductivity, {}, m.source, m.where});
    params.capacity.push_back(m.density * m.heat_capacity);
  }
  params.boundaries = scalar::boundary_section().read_all(deck);
}

}  // namespace tessera::physics::heat
