#include "physics/convection_diffusion/params.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/groups.hpp"

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

struct MaterialParams {
  std::vector<std::string> on;
  std::vector<deck::Expression> diffusivity{deck::Expression(1.0)};
  std::vector<deck::Expression> velocity;
  deck::Expression reaction;
  deck::Expression source;
  deck::Where where;
};

deck::Section<MaterialParams> material_section() {
  return deck::Section<MaterialParams>("material", "Coefficients, for the whole mesh or for groups of cells",
                                       deck::SectionKind::array)
      .key("on", &MaterialParams::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("diffusivity", &MaterialParams::diffusivity,
           {.help = "k: one value, or a symmetric tensor [xx, xy, yy] in 2-D, [xx, xy, xz, yy, yz, zz] in 3-D; "
                    "positive definite",
            .example = "\"0.01\""})
      .key("velocity", &MaterialParams::velocity,
           {.help = "v, one component an axis; left out: 0. lap u - f u_x - g u_y = s is diffusivity = 1, velocity = "
                    "[\"f\", \"g\"], "
                    "source = \"-(s)\"",
            .example = "[\"1\", \"2\", \"3\"]"})
      .key("reaction", &MaterialParams::reaction, {.help = "c"})
      .key("source", &MaterialParams::source, {.help = "right-hand side", .example = "\"1\""})
      .position(&MaterialParams::where);
}

/// Every strategy that assembles a matrix.
deck::SectionDescription assembly_description() {
  deck::SectionDescription result = assembly_section().description();
  for (deck::KeyDescription& key : result.keys)
    if (key.name == "strategy") std::erase(key.info.choices, "matrix_free");
  return result;
}

/// Solvers of matrices that are not symmetric, and relaxations of the grid of finite differences.
solvers::Offers offers_of(bool on_grid) {
  return {.symmetric = false,
          .why_not_symmetric = "convection makes one that is not",
          .nodes = true,
          .type = on_grid ? "lsor" : "bicgstab"};
}

deck::SectionDescription solver_description() {
  deck::SectionDescription result = solvers::solver_description(offers_of(false));
  for (deck::KeyDescription& key : result.keys)
    if (key.name == "type")
      key.info.help =
          "bicgstab: little memory; gmres: never breaks down, keeps `restart` vectors; lu: direct, on threads; "
          "lsor, lmsor, msor, sor: red-black relaxation of finite_difference, whose default is lsor";
  return result;
}

void read_solver(const deck::Deck& deck, Params& params) {
  solvers::SolverParams& solver = params.diffusion.solver;
  solver = solvers::read_solver(deck, params.diffusion.run.precision, offers_of(params.on_grid()));
  if (params.relaxes() && !params.on_grid())
    throw Error(ExitCode::usage,
                fmt::format("solver.type = \"{}\" relaxes the grid of finite differences, discretisation is \"{}\"",
                            solver.type, params.discretisation),
                "choose type = \"bicgstab\" or \"gmres\", or discretisation = \"finite_difference\"",
                deck.where("solver.type"));
}

void read_materials(const deck::Deck& deck, Params& params) {
  std::vector<MaterialParams> materials = material_section().read_all(deck);
  if (materials.empty()) materials.emplace_back();
  for (const MaterialParams& m : materials) {
    params.velocity.push_back(m.velocity);
    params.diffusion.materials.push_back({m.on, m.diffusivity, m.reaction, m.source, m.where});
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
void check_assembly(const AssemblyParams& assembly, const Params& params, const deck::Deck& deck) {
  if (assembly.strategy == "auto" || (assembly.strategy != "matrix_free" && !params.on_grid())) return;
  throw Error(ExitCode::usage,
              fmt::format("assembly.strategy = \"{}\" is not there for discretisation = \"{}\"", assembly.strategy,
                          params.discretisation),
              params.on_grid() ? "leave assembly.strategy out: nothing is assembled from cells"
                               : "choose strategy = \"auto\", or one that assembles a matrix",
              deck.where("assembly.strategy"));
}

}  // namespace

deck::Schema schema() {
  return {deck_section().description(),
          mesh::mesh_section().description(),
          mesh::group_section().description(),
          run_section(all_precisions).description(),
          physics_section().description(),
          material_section().description(),
          scalar::boundary_section().description(),
          scalar::initial_section().description(),
          assembly_description(),
          matrix_section().description(),
          solver_description(),
          exact_section().description(),
          output_section().description(),
          quantity_section().description(),
          line_section().description()};
}

Params read(const deck::Deck& deck) {
  deck::check(deck, schema());
  Params params;
  scalar::Params& diffusion = params.diffusion;
  diffusion.title = deck_section().read(deck).title;
  diffusion.mesh = mesh::mesh_section().read(deck, true);
  diffusion.run = run_section(all_precisions).read(deck);
  const PhysicsParams physics = physics_section().read(deck, true);
  check_order(physics);
  params.discretisation = physics.discretisation;
  diffusion.physics.type = physics.type;
  diffusion.physics.order = physics.order;
  diffusion.physics.where = physics.where;
  read_materials(deck, params);
  diffusion.boundaries = scalar::boundary_section().read_all(deck);
  diffusion.assembly = assembly_section().read(deck);
  diffusion.matrix = matrix_section().read(deck);
  read_solver(deck, params);
  diffusion.initial = scalar::initial_section().read_all(deck);
  diffusion.has_exact = deck.has("exact");
  if (diffusion.has_exact) diffusion.exact = exact_section().read(deck);
  diffusion.output = output_section().read(deck);
  diffusion.quantities = quantity_section().read_all(deck);
  diffusion.lines = read_lines(deck);
  check_assembly(diffusion.assembly, params, deck);
  if (!params.relaxes()) scalar::check_choices(diffusion, deck);
  check_fields(diffusion.output);
  scalar::check_boundaries(diffusion.boundaries);
  scalar::check_initial(diffusion);
  std::vector<deck::Expression> expressions = scalar::expressions_of(diffusion);
  for (const auto& velocity : params.velocity) expressions.insert(expressions.end(), velocity.begin(), velocity.end());
  warn_of_time(expressions);
  check_axes(expressions, mesh::known_dimension(diffusion.mesh));
  return params;
}

}  // namespace tessera::physics::convection_diffusion
