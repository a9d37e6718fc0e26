#include "physics/run/read_deck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/communicator.hpp"
#include "mesh/groups.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/at_time.hpp"
#include "physics/launch_section.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/modes.hpp"
#include "physics/run/plan.hpp"
#include "physics/run/results.hpp"
#include "physics/run/traces.hpp"
#include "physics/time_of_flows.hpp"

namespace tessera::physics {

namespace {

deck::SectionDescription solver_section(const Traits& traits) {
  deck::SectionDescription description = solvers::solver_description(traits.solver);
  for (deck::KeyDescription& key : description.keys)
    if (key.name == "type" && !traits.solver_help.empty()) key.info.help = traits.solver_help;
  return description;
}

/// Of the systems of implicit steps, which are solved as well as the next step needs them.
deck::SectionDescription solver_section_of_flow(const Traits& traits) {
  deck::SectionDescription description = solver_section(traits);
  description.help = "Linear systems of implicit schemes";
  for (deck::KeyDescription& key : description.keys) {
    if (key.name == "preconditioner")
      key.info.help = "Preconditioner. auto: block_ilu on threads, block_jacobi on CUDA.";
    if (key.name == "tolerance") key.info.help += " Of a march to a steady state 0.1 where it is left out.";
    if (key.name == "max_iterations") key.default_value = "200";
  }
  return description;
}

std::vector<std::string> schemes_of(const Traits& traits) {
  return traits.schemes.empty() ? first_order_schemes() : traits.schemes;
}

/// What accelerates solves none.
bool has_systems(const Traits& traits) { return traits.systems && traits.fields.front().rate.empty(); }

/// What makes its steps itself, and bounds them.
bool is_flow(const Traits& traits) { return !traits.systems && traits.fields.front().rate.empty(); }

/// The same, where some of its schemes solve systems.
bool is_implicit_flow(const Traits& traits) { return is_flow(traits) && has_implicit(traits.schemes); }

deck::SectionDescription time_description(const Traits& traits) {
  deck::SectionDescription description =
      (is_implicit_flow(traits) ? time_section_of_flow(traits.schemes) : time_section(schemes_of(traits)))
          .description();
  for (deck::KeyDescription& key : description.keys)
    if (key.name == "scheme") key.default_value = fmt::format("\"{}\"", traits.scheme);
  const bool explicit_alone = !has_systems(traits);
  std::vector<std::string> others = {"tolerance", "absolute_tolerance", "stages", "tableau"};
  if (!is_implicit_flow(traits)) others.push_back("theta");
  if (explicit_alone)
    std::erase_if(description.keys, [&](const deck::KeyDescription& key) {
      return std::find(others.begin(), others.end(), key.name) != others.end();
    });
  for (deck::KeyDescription& key : description.keys) {
    if (explicit_alone && key.name == "end") key.info.example = "1e-3";
    if (explicit_alone && key.name == "step") key.info.example.clear();
    if (explicit_alone && key.name == "cfl") key.info.example = "0.5";
    if (is_flow(traits) && key.name == "step")
      key.info.help = "longest step: a step is shorter where the state asks for it, and the last one ends at `end`";
    if (is_flow(traits) && key.name == "cfl") {
      key.info.help =
          "instead of a step: the part of the longest step that keeps the state in its bounds, found anew in each "
          "step; "
          "beside a fixed step it is 0.9";
      if (is_implicit_flow(traits)) key.info.help += "; at most 1, but of implicit schemes, whose steps may be longer";
    }
  }
  if (is_flow(traits)) description.help = "A run through time; required";
  return description;
}

/// A default that is none of the choices, for the module has no u: `of` is then the first of them.
deck::SectionDescription with_first_choice(deck::SectionDescription description) {
  for (deck::KeyDescription& key : description.keys)
    if (key.name == "of" && !key.info.choices.empty()) {
      const auto is_default = [&](const std::string& name) { return key.default_value == "\"" + name + "\""; };
      if (std::none_of(key.info.choices.begin(), key.info.choices.end(), is_default))
        key.default_value = "\"" + key.info.choices.front() + "\"";
    }
  return description;
}

/// Of what accelerates a template has hexes.
deck::SectionDescription mesh_description(const Traits& traits) {
  deck::SectionDescription description = mesh::mesh_section().description();
  if (traits.fields.front().rate.empty()) return description;
  for (deck::KeyDescription& key : description.keys)
    if (const std::size_t at = key.info.example.find("tet"); key.name == "box" && at != std::string::npos)
      key.info.example.replace(at, 3, "hex");
  return description;
}

/// For models that only assemble matrices; those that have more to say of it do so before.
void check_strategy(const CommonParams& params, const Traits& traits, bool nonlinear, const deck::Deck& deck) {
  if (traits.matrix_free || params.assembly.strategy != "matrix_free") return;
  if (nonlinear)
    throw Error(ExitCode::usage,
                "assembly.strategy = \"matrix_free\" has no tangents, which coefficients of u and velocities need",
                "choose strategy = \"auto\", or one that assembles a matrix", deck.where("assembly.strategy"));
  throw Error(
      ExitCode::usage,
      fmt::format("assembly.strategy = \"matrix_free\" is not there for physics.type = \"{}\"", params.physics.type),
      "choose strategy = \"auto\", or one that assembles a matrix", deck.where("assembly.strategy"));
}

/// What Newton's method cannot do, or is not there for.
/// The source that belongs to u would be one of two.
void check_exact_source(const CommonParams& params) {
  if (!params.exact || !params.exact->source || params.sources.empty()) return;
  throw Error(ExitCode::usage,
              "[exact] source = true derives the source of which u is the solution; a [[source]] adds to it",
              "leave one of the two out", params.sources.front().where);
}

void check_nonlinear(const CommonParams& params, bool nonlinear) {
  if (!nonlinear && params.newton.where)
    throw Error(ExitCode::usage, "no coefficient depends on u: the problem is linear, and [newton] has no effect",
                "leave [newton] out", params.newton.where);
  if (params.time && params.newton.load_steps > 1)
    throw Error(ExitCode::usage, "newton.load_steps has no effect with [time]: a step starts where the last one ended",
                "leave load_steps out, or choose shorter steps", params.newton.where);
  if (nonlinear && params.physics.order > most_assembled_order)
    throw Error(ExitCode::usage,
                fmt::format("coefficients of u and velocities need a tangent: of order {} it is not assembled, at "
                            "most {} is",
                            params.physics.order, most_assembled_order),
                "choose a lower order", params.physics.where);
}

}  // namespace

deck::Schema schema_of(const Traits& traits) {
  deck::Schema schema{deck_section().description(), mesh_description(traits), mesh::group_section().description(),
                      run_description(traits.precisions)};
  schema.insert(schema.end(), traits.sections.begin(), traits.sections.end());
  if (traits.nonlinear) schema.push_back(newton_section().description());
  if (traits.transient)
    schema.insert(schema.end(),
                  {time_description(traits), checkpoint_section().description(),
                   traits.own_start ? with_first_choice(probe_section(traits.fields.front()).description())
                                    : probe_section(traits.fields.front()).description()});
  if (traits.sources) schema.push_back(source_section(traits.fields.front()).description());
  if (!traits.own_start) schema.push_back(initial_description(traits.fields.front()));
  if (has_systems(traits))
    schema.insert(schema.end(),
                  {traits.matrix_free ? assembly_section().description() : assembly_description_with_matrix(),
                   matrix_section(traits.fields.front().block(3)).description(), solver_section(traits)});
  if (is_implicit_flow(traits)) schema.push_back(solver_section_of_flow(traits));
  if (!traits.own_start) schema.push_back(exact_description(traits.fields.front(), traits.derives_source));
  schema.insert(schema.end(),
                {output_section(traits.transient).description(),
                 traits.own_start ? with_first_choice(quantity_section(traits.fields, traits.quantities).description())
                                  : quantity_section(traits.fields, traits.quantities).description(),
                 line_section(traits.fields).description()});
  return schema;
}

std::vector<deck::Expression> expressions_of(Model& model) {
  std::vector<deck::Expression> all = model.expressions();
  const CommonParams& params = model.params();
  for (const std::vector<InitialParams>* entries : {&params.initial, &params.initial_rates})
    for (const InitialParams& initial : *entries) all.insert(all.end(), initial.u.begin(), initial.u.end());
  if (const std::optional<ExactParams>& exact = model.params().exact) {
    all.insert(all.end(), exact->u.begin(), exact->u.end());
    all.insert(all.end(), exact->gradient.begin(), exact->gradient.end());
  }
  return all;
}

void read_deck(const Context& context, Model& model) {
  const deck::Deck& deck = context.deck;
  CommonParams& params = model.params();
  const Traits known = model.traits();
  params.title = deck_section().read(deck).title;
  params.mesh = mesh::mesh_section().read(deck, true);
  params.run = read_run(deck, known.precisions);
  if (known.nonlinear) params.newton = newton_section().read(deck);
  if (known.transient) {
    params.time = is_implicit_flow(known) ? read_time_of_flow(deck, known.schemes, known.scheme)
                                          : read_time(deck, schemes_of(known), known.scheme);
    params.checkpoint = checkpoint_section().read(deck);
  }
  model.read(deck);
  const Traits traits = model.traits();
  params.assembly = assembly_section().read(deck);
  params.matrix = matrix_section(traits.fields.front().block(3)).read(deck);
  params.solver = solvers::read_solver(deck, has_systems(traits) ? params.run.precision : "double", traits.solver);
  if (!traits.own_start) {
    params.initial = read_initial(deck, traits.fields.front());
    params.initial_rates = read_initial_rates(deck, traits.fields.front());
    params.exact = read_exact(deck, traits.fields.front(), traits.derives_source);
  }
  params.output = output_section(known.transient).read(deck);
  if (params.output.formats.empty()) params.output.write = false;
  params.quantities = quantity_section(traits.fields, traits.quantities).read_all(deck);
  params.lines = read_lines(deck, traits.fields);
  if (known.transient) params.probes = read_probes(deck, traits.fields.front());
  if (known.sources) params.sources = read_sources(deck, traits.fields.front(), params.time ? &*params.time : nullptr);
  check_exact_source(params);
  check_series(params);
  model.check(deck);
  check_strategy(params, traits, model.is_nonlinear(), deck);
  check_nonlinear(params, model.is_nonlinear());
  check_modes(params, model.is_nonlinear());
  if (!solvers::is_relaxation(params.solver)) check_choices(params, deck);
  check_fields(params.output, traits.fields);
  check_formats(params.output, deck);
  check_traces(params, deck);
  if (!model.is_nonlinear() && !params.time)
    check_initial(params);  // where Newton's method starts, whatever solves its systems
  if (!context.checkpoint) check_initial_files(params);
  const std::vector<deck::Expression> expressions = expressions_of(model);
  if (!params.time) warn_of_time(expressions);
  check_axes(expressions, mesh::known_dimension(params.mesh));
  if (!context.backend.empty()) params.run.backend = context.backend;
  if (context.threads > 0) params.run.threads = context.threads;
  if (context.ranks && params.run.backend != "threads") take_cuda_device(context.ranks->rank_on_machine());
  // A backend that is not there, or does not have the solver, is said before the mesh is read.
  solvers::check(params.solver, resolve_backend(params.run.backend));
}

}  // namespace tessera::physics
