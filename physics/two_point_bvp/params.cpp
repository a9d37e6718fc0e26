#include "physics/two_point_bvp/params.hpp"

#include <fmt/format.h>

#include "mesh/box.hpp"
#include "physics/launch_section.hpp"
#include "physics/run/traces.hpp"

namespace tessera::physics::two_point_bvp {

namespace {

constexpr const char* interval_box = "box = { min = [0], max = [1], cells = [1024], shape = \"interval\" }";

/// There is no operator: the methods know the matrix.
solvers::Offers offers() { return {.operators = false, .two_point = true, .type = "scan", .automatic = true}; }

deck::Section<Equation> physics_section() {
  return deck::Section<Equation>("physics", "What to solve: -u'' = f on (a, b), u'(a) = 0, u(b) = 0")
      .key("type", &Equation::type,
           {.help = "the physics module",
            .choices = {"two_point_bvp"},
            .required = true,
            .example = "\"two_point_bvp\""})
      .key("f", &Equation::f,
           {.help = "right-hand side, an expression of x; or give f_file", .example = "\"pi^2/4*cos(pi/2*x)\""})
      .key("f_file", &Equation::f_file,
           {.help = "a text file with f at the nodes from a on, relative to the deck: one number a cell of the mesh "
                    "(or one a node; the "
                    "last, at b, is not used); # starts a comment"})
      .key("output_every", &Equation::output_every,
           {.help = "write every so many nodes to the files; 0: all, or 2, 4, 8 ... where that keeps them below 2^20",
            .min = 0})
      .position(&Equation::where);
}

deck::Section<QuantityParams> own_quantity_section() { return quantity_section(fields(), {"flux", "flux_gradient"}); }

/// [mesh] with an example that this module can run.
deck::SectionDescription mesh_description() {
  deck::SectionDescription description = mesh::mesh_section().description();
  for (deck::KeyDescription& key : description.keys)
    if (key.name == "box") key.info.example = std::string(interval_box).substr(6);
  return description;
}

void check_physics(const Equation& physics) {
  if (physics.f.has_value() == !physics.f_file.empty())
    throw Error(ExitCode::usage, physics.f ? "the deck gives both f and f_file" : "the deck gives no right-hand side",
                "[physics] needs exactly one of: f = \"an expression of x\", f_file = \"values.txt\"", physics.where);
}

/// The grid of [mesh]; the mesh itself is never made: a node takes 8 bytes here and more than 100 there.
Grid read_grid(const deck::Deck& deck) {
  const mesh::MeshParams params = mesh::mesh_section().read(deck, true);
  if (mesh::has_axis(params))
    throw Error(
        ExitCode::usage,
        fmt::format("two_point_bvp solves -u'' = f on an interval, which has no mesh.axis = \"{}\"", params.axis),
        "leave mesh.axis out, or use physics.type = \"poisson\" on a mesh in 2-D", deck.where("mesh.axis"));
  mesh::validate(params);
  const auto refuse = [&](const std::string& what, const char* key) {
    throw Error(ExitCode::usage, "two_point_bvp works on a uniform grid of an interval; " + what,
                std::string(interval_box) + " is one", deck.where(key));
  };
  if (!params.box) refuse("the mesh is a file", "mesh.file");
  if (params.box->shape != "interval")
    refuse(fmt::format("the cells of the box are of shape '{}'", params.box->shape), "mesh.box");
  if (params.order != 1) refuse("the mesh has geometric order 2", "mesh.order");
  if (params.numbering == "metis") refuse("numbering = \"metis\" leaves its order", "mesh.numbering");
  return {params.box->min[0], params.box->max[0], static_cast<Offset>(params.box->cells[0]) << params.refine};
}

void check_with_grid(const Params& params) {
  mesh::BoxParams box;  // its groups and ends are those of the grid
  box.min = {params.grid.min};
  box.max = {params.grid.max};
  box.cells = {1};
  box.shape = "interval";
  check_quantities(params.quantities, mesh::make_box(box), GroupList::names);
  check_lines(params.lines, mesh::make_box(box));
  if (params.exact && !params.exact->gradient.empty())
    throw Error(ExitCode::usage, "two_point_bvp compares u at the nodes and takes no exact.gradient",
                "leave gradient out", params.exact->where);
}

}  // namespace

std::vector<FieldInfo> fields() { return {{.name = "u", .measured = true}, {.name = "flux", .vector = true}}; }

deck::Schema schema() {
  return {deck_section().description(),
          mesh_description(),
          run_description(all_precisions),
          physics_section().description(),
          solvers::solver_description(offers()),
          exact_description(),
          output_section(false, false).description(),
          own_quantity_section().description(),
          line_section(fields()).description()};
}

Params read(const deck::Deck& deck) {
  deck::check(deck, schema());
  Params params;
  params.title = deck_section().read(deck).title;
  params.grid = read_grid(deck);
  params.run = read_run(deck, all_precisions);
  params.equation = physics_section().read(deck, true);
  params.physics.where = params.equation.where;
  params.solver = solvers::read_solver(deck, params.run.precision, offers());
  params.exact = read_exact(deck);
  params.output = output_section(false, false).read(deck);
  if (params.output.formats.empty()) params.output.write = false;
  params.quantities = own_quantity_section().read_all(deck);
  params.lines = read_lines(deck, fields());
  check_physics(params.equation);
  std::vector<deck::Expression> expressions;
  if (params.exact) expressions.push_back(params.exact->u.front());
  if (params.equation.f) expressions.push_back(*params.equation.f);
  warn_of_time(expressions);
  check_axes(expressions, 1);
  check_fields(params.output, fields());
  check_formats(params.output, deck);
  check_traces(params, deck);
  check_with_grid(params);
  return params;
}

}  // namespace tessera::physics::two_point_bvp
