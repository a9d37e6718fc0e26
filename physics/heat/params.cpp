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
             "physics",
             "What to solve: density * heat_capacity * (du/dt + velocity . grad u) = div(conductivity grad u) + source")
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
  std::vector<Expression> velocity;
  Expression source;
  deck::Where where;
};

deck::Section<MaterialKeys> material_section() {
  return deck::Section<MaterialKeys>("material", "Coefficients, for the whole mesh or for groups of cells",
                                     deck::SectionKind::array)
      .key("on", &MaterialKeys::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("density", &MaterialKeys::density,
           {.help = "rho, with [time] or velocity; may depend on u",
            .unit = "kg/m^3",
            .example = "\"7850\"",
            .knows = deck::Knows::solution})
      .key("heat_capacity", &MaterialKeys::heat_capacity,
           {.help = "c, with [time] or velocity; may depend on u",
            .unit = "J/(kg K)",
            .example = "\"460\"",
            .knows = deck::Knows::solution})
      .key("conductivity", &MaterialKeys::conductivity,
           {.help = "k: one value, or a symmetric tensor [xx, xy, yy] in 2-D, [xx, xy, xz, yy, yz, zz] in 3-D; "
                    "positive definite; may depend on u, ux, uy, uz",
            .unit = "W/(m K)",
            .example = "\"50\"",
            .knows = deck::Knows::gradient})
      .key("velocity", &MaterialKeys::velocity,
           {.help = "of what moves and carries its heat, one component an axis; without upwinding: cells are to be "
                    "shorter than 2 conductivity / (density heat_capacity |velocity|)",
            .unit = "m/s"})
      .key("source", &MaterialKeys::source,
           {.help = "heat that arises; may depend on u, ux, uy, uz",
            .unit = "W/m^3",
            .example = "\"0\"",
            .knows = deck::Knows::gradient})
      .position(&MaterialKeys::where);
}

/// Of a black body, W/(m^2 K^4).
constexpr double stefan_boltzmann = 5.670374419e-8;

struct BoundaryKeys {
  std::vector<std::string> on;
  std::string type;
  Expression value, alpha;
  Expression emissivity{1.0}, ambient;
  double absolute_zero = 0;
  deck::Where where;
  Expression conductance = {};
  std::optional<double> gap = {};
};

deck::KeyInfo conductance_info() {
  deck::KeyInfo info = scalar::conductance_info();
  info.unit = "W/(m^2 K)";
  return info;
}

deck::Section<BoundaryKeys> boundary_section() {
  return deck::Section<BoundaryKeys>("boundary", "Boundary conditions; a boundary without one lets no heat through",
                                     deck::SectionKind::array)
      .key("on", &BoundaryKeys::on,
           {.help = "physical group name(s)", .required = true, .example = "[\"left\", \"right\"]"})
      .key("type", &BoundaryKeys::type,
           {.help = "dirichlet: u = value; neumann: k du/dn = value; robin: k du/dn + alpha u = value; radiation: "
                    "k du/dn = emissivity sigma (ambient^4 - u^4); periodic: u is the same on the two sides of `on`" +
                    scalar::contact_help,
            .choices = {"dirichlet", "neumann", "robin", "radiation", "periodic", "contact"},
            .required = true,
            .example = "\"dirichlet\""})
      .key("value", &BoundaryKeys::value,
           {.help = "right-hand side of the condition; of neumann and robin it may depend on u",
            .example = "\"0\"",
            .knows = deck::Knows::solution})
      .key("alpha", &BoundaryKeys::alpha,
           {.help = "coefficient of a robin condition, of convection that of heat transfer; it may depend on u",
            .unit = "W/(m^2 K)",
            .knows = deck::Knows::solution})
      .key("emissivity", &BoundaryKeys::emissivity,
           {.help = "of a boundary that radiates, beside that of a black body; it may depend on u",
            .knows = deck::Knows::solution})
      .key("ambient", &BoundaryKeys::ambient, {.help = "temperature of what a boundary radiates to", .unit = "as u"})
      .key("absolute_zero", &BoundaryKeys::absolute_zero,
           {.help = "temperature of absolute zero, in the unit of u: -273.15 where u is in degrees Celsius"})
      .key("conductance", &BoundaryKeys::conductance, conductance_info())
      .key("gap", &BoundaryKeys::gap, scalar::gap_info())
      .position(&BoundaryKeys::where);
}

void check_radiation(const BoundaryKeys& keys) {
  const auto is_left_out = [](const Expression& e, double value) { return e.is_constant() && e.constant() == value; };
  if (keys.type != "radiation") {
    if (is_left_out(keys.emissivity, 1) && is_left_out(keys.ambient, 0) && keys.absolute_zero == 0) return;
    throw Error(ExitCode::usage,
                "emissivity, ambient and absolute_zero belong to a boundary that radiates, this one is " + keys.type,
                "use type = \"radiation\", or leave them out", keys.where);
  }
  if (!is_left_out(keys.value, 0) || !is_left_out(keys.alpha, 0))
    throw Error(
        ExitCode::usage, "value and alpha do not belong to a boundary that radiates",
        "give emissivity and ambient; heat that is carried away beside it is a robin boundary of its own, on the "
        "same groups",
        keys.where);
  if (keys.emissivity.is_constant() && !(keys.emissivity.constant() >= 0 && keys.emissivity.constant() <= 1))
    throw Error(ExitCode::usage, "emissivity = " + keys.emissivity.text() + "; it is to be from 0 to 1",
                "0 radiates nothing, 1 as a black body", keys.where);
  if (keys.ambient.is_constant() && !(keys.ambient.constant() >= keys.absolute_zero))
    throw Error(
        ExitCode::usage,
        "ambient = " + keys.ambient.text() + " is below absolute zero, " + Expression(keys.absolute_zero).text(),
        "temperatures are in Kelvin, or give absolute_zero = -273.15 for degrees Celsius", keys.where);
}

/// Above absolute zero, to the fourth power.
Expression fourth_power(const Expression& temperature, double absolute_zero) {
  const Expression above = absolute_zero == 0 ? temperature : temperature + Expression(-absolute_zero);
  const Expression square = above * above;
  return square * square;
}

scalar::BoundaryParams boundary_of(const BoundaryKeys& keys) {
  check_radiation(keys);
  if (keys.type != "radiation")
    return {keys.on, keys.type, keys.value, keys.alpha, keys.where, keys.conductance, keys.gap};
  const Expression u("u", {}, deck::Knows::solution);
  const Expression flow =
      keys.emissivity * Expression(stefan_boltzmann) *
      (fourth_power(keys.ambient, keys.absolute_zero) + Expression(-1.0) * fourth_power(u, keys.absolute_zero));
  return {keys.on, "neumann", flow, {}, keys.where};
}

}  // namespace

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription material_description() { return material_section().description(); }
deck::SectionDescription boundary_description() { return boundary_section().description(); }

void read(const deck::Deck& deck, Params& params) {
  const PhysicsKeys physics = physics_section().read(deck, true);
  params.physics = {.type = physics.type, .order = physics.order, .where = physics.where};
  params.lumped = physics.mass == "lumped";
  std::vector<MaterialKeys> materials = material_section().read_all(deck);
  if (materials.empty()) materials.emplace_back();
  for (const MaterialKeys& m : materials) {
    params.materials.push_back({m.on, m.conductivity, {}, m.source, m.where, "conductivity"});
    params.capacity.push_back(m.density * m.heat_capacity);
    params.velocity.push_back(m.velocity);
  }
  for (const BoundaryKeys& boundary : boundary_section().read_all(deck))
    params.boundaries.push_back(boundary_of(boundary));
}

}  // namespace tessera::physics::heat
