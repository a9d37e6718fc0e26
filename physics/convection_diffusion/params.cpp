#include "physics/convection_diffusion/params.hpp"

#include <fmt/format.h>

namespace tessera::physics::convection_diffusion {

namespace {

struct PhysicsParams {
  std::string type;
  std::string discretisation = "supg";
  int order = 1;
  deck::Where where;
};

deck::Section<PhysicsParams> physics_section() {
  return deck::Section<PhysicsParams>("physics", "What to solve: -div(k grad u) + v . grad u + c u = source")
      .key("type", &PhysicsParams::type,
           {.help = "the physics module",
            .choices = {"convection_diffusion"},
            .required = true,
            .example = "\"convection_diffusion\""})
      .key(
          "discretisation", &PhysicsParams::discretisation,
          {.help =
               "supg: finite elements with streamline diffusion; galerkin: without, where diffusion dominates in every "
               "cell; upwind: linear elements with the least diffusion that keeps the solution within its bounds, "
               "first order; "
               "finite_difference: central differences on a box in 2-D with constant k",
           .choices = {"supg", "galerkin", "upwind", "finite_difference"},
           .example = "\"supg\""})
      .key("order", &PhysicsParams::order,
           {.help = "polynomial order of the solution", .min = 1, .max = 4, .example = "1"})
      .position(&PhysicsParams::where);
}

struct MaterialKeys {
  std::vector<std::string> on;
  std::vector<deck::Expression> diffusivity{deck::Expression(1.0)};
  std::vector<deck::Expression> velocity;
  deck::Expression reaction;
  deck::Expression source;
  deck::Where where;
};

deck::Section<MaterialKeys> material_section() {
  return deck::Section<MaterialKeys>("material", "Coefficients, for the whole mesh or for groups of cells",
                                     deck::SectionKind::array)
      .key("on", &MaterialKeys::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("diffusivity", &MaterialKeys::diffusivity,
           {.help = "k: one value, or a symmetric tensor [xx, xy, yy] in 2-D, [xx, xy, xz, yy, yz, zz] in 3-D; "
                    "positive definite",
            .example = "\"0.01\""})
      .key("velocity", &MaterialKeys::velocity,
           {.help = "v, one component an axis; left out: 0. lap u - f u_x - g u_y = s is diffusivity = 1, velocity = "
                    "[\"f\", \"g\"], "
                    "source = \"-(s)\"",
            .example = "[\"1\", \"2\", \"3\"]"})
      .key("reaction", &MaterialKeys::reaction, {.help = "c"})
      .key("source", &MaterialKeys::source, {.help = "right-hand side", .example = "\"1\""})
      .position(&MaterialKeys::where);
}

/// Materials of scalar/, and the velocity of each beside them.
void read_materials(const deck::Deck& deck, Params& params) {
  std::vector<MaterialKeys> materials = material_section().read_all(deck);
  if (materials.empty()) materials.emplace_back();
  for (const MaterialKeys& m : materials) {
    params.velocity.push_back(m.velocity);
    params.materials.push_back({m.on, m.diffusivity, m.reaction, m.source, m.where});
  }
}

/// Bounds hold for the linear elements' values at the vertices.
void check_order(const PhysicsParams& physics) {
  if (physics.discretisation == "upwind" && physics.order != 1)
    throw Error(ExitCode::usage,
                fmt::format("discretisation = \"upwind\" is of order 1, physics.order is {}", physics.order),
                "leave order out, or choose discretisation = \"supg\"", physics.where);
}

/// There is no operator without a matrix; matrices of grids are written down.
void check_assembly(const Params& params, const deck::Deck& deck) {
  const AssemblyParams& assembly = params.assembly;
  if (assembly.strategy == "auto" || (assembly.strategy != "matrix_free" && !params.on_grid())) return;
  throw Error(ExitCode::usage,
              fmt::format("assembly.strategy = \"{}\" is not there for discretisation = \"{}\"", assembly.strategy,
                          params.physics.discretisation),
              params.on_grid() ? "leave assembly.strategy out: nothing is assembled from cells"
                               : "choose strategy = \"auto\", or one that assembles a matrix",
              deck.where("assembly.strategy"));
}

/// Only the grid of finite differences is relaxed.
void check_relaxation(const Params& params, const deck::Deck& deck) {
  if (!params.relaxes() || params.on_grid()) return;
  throw Error(ExitCode::usage,
              fmt::format("solver.type = \"{}\" relaxes the grid of finite differences, discretisation is \"{}\"",
                          params.solver.type, params.physics.discretisation),
              "choose type = \"bicgstab\" or \"gmres\", or discretisation = \"finite_difference\"",
              deck.where("solver.type"));
}

}  // namespace

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription material_description() { return material_section().description(); }

solvers::Offers offers_of(bool on_grid) {
  return {.symmetric = false,
          .why_not_symmetric = "convection makes one that is not",
          .nodes = true,
          .type = on_grid ? "lsor" : "bicgstab"};
}

void read(const deck::Deck& deck, Params& params) {
  const PhysicsParams physics = physics_section().read(deck, true);
  check_order(physics);
  params.physics = {
      .type = physics.type, .order = physics.order, .discretisation = physics.discretisation, .where = physics.where};
  read_materials(deck, params);
  params.boundaries = boundary_section().read_all(deck);
}

void check_choices(const Params& params, const deck::Deck& deck) {
  check_relaxation(params, deck);
  check_assembly(params, deck);
}

}  // namespace tessera::physics::convection_diffusion
