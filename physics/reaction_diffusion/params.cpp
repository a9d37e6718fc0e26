#include "physics/reaction_diffusion/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/counted.hpp"
#include "deck/expression/operations.hpp"
#include "deck/read_string.hpp"
#include "physics/entry.hpp"
#include "physics/reaction_diffusion/mechanism_file.hpp"
#include "physics/reaction_diffusion/splittings.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics::reaction_diffusion {

namespace {

using deck::Expression;

struct PhysicsKeys {
  std::string type;
  int order = 1;
  std::string mass = "consistent";
  std::string reaction;
  std::vector<std::string> fields;
  deck::Where where;
};

deck::Section<PhysicsKeys> physics_section() {
  return deck::Section<PhysicsKeys>(
             "physics", "What to solve: du/dt = div(D grad u) + R(u), several fields that diffuse and react")
      .key("type", &PhysicsKeys::type,
           {.help = "the physics module",
            .choices = {"reaction_diffusion"},
            .required = true,
            .example = "\"reaction_diffusion\""})
      .key("order", &PhysicsKeys::order,
           {.help = "polynomial order of the solution", .min = 1, .max = 4, .example = "1"})
      .key(
          "mass", &PhysicsKeys::mass,
          {.help = "consistent: of the same order as the elements; lumped: a diagonal, which explicit schemes need; on "
                   "triangles, tets and prisms of order 1, on intervals, quads and hexes of any",
           .choices = {"consistent", "lumped"}})
      .key("reaction", &PhysicsKeys::reaction,
           {.help = "R: see `tessera list reactions`, whose parameters are keys of [reaction]; expressions: rates of "
                    "your own; mechanism: a table of chemical reactions",
            .choices = reaction_names(),
            .required = true,
            .example = "\"gray_scott\""})
      .key("fields", &PhysicsKeys::fields,
           {.help = "their names, in the order of the reaction's species; left out: those of the species"})
      .position(&PhysicsKeys::where);
}

struct ReactionKeys {
  std::vector<std::optional<double>> parameters;
  std::vector<deck::PlacedString> rates;
  std::string table;
  std::optional<double> temperature;
  std::string method = "auto", splitting = "strang";
  double tolerance = 1e-6, absolute_tolerance = 1e-9;
  deck::Where where;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names{"auto"};
  for (const solvers::OdeMethod& method : solvers::ode_methods()) names.push_back(method.name);
  return names;
}

deck::KeyInfo splitting_key() {
  deck::KeyInfo info;
  for (const SplittingEntry& entry : splittings()) {
    info.help += fmt::format("{}{}: {}", info.choices.empty() ? "" : "; ", entry.name, entry.help);
    info.choices.push_back(entry.name);
  }
  return info;
}

deck::Section<ReactionKeys> reaction_section(const Setup& setup) {
  deck::Section<ReactionKeys> section("reaction",
                                      "What happens at each node, and how it is put together with diffusion");
  for (std::size_t i = 0; i < setup.parameters.size(); ++i) {
    const ReactionParameter& parameter = setup.parameters[i];
    section.entry(parameter.name, &ReactionKeys::parameters, i,
                  {.help = fmt::format("of {}: {}", setup.reaction, parameter.help)},
                  fmt::format("{}", parameter.value));
  }
  return section
      .key("rates", &ReactionKeys::rates,
           {.help = "of reaction = \"expressions\": du/dt of each field, in the names of the fields, x, y, z and t"})
      .key("table", &ReactionKeys::table,
           {.help = "of reaction = \"mechanism\": a file with a reaction a line, \"2 B + C -> A + C, 3e7\""})
      .key("temperature", &ReactionKeys::temperature,
           {.help = "of a mechanism with Arrhenius' law", .unit = "K", .min = 0, .open_min = true})
      .key("method", &ReactionKeys::method,
           {.help = "of the nodes, each with steps of its own; auto: rosenbrock", .choices = method_names()})
      .key("tolerance", &ReactionKeys::tolerance,
           {.help = "of the error of a step of a node, beside the values there", .min = 0, .max = 1})
      .key("absolute_tolerance", &ReactionKeys::absolute_tolerance,
           {.help = "and where they are small", .unit = "of the fields", .min = 0, .open_min = true})
      .key("splitting", &ReactionKeys::splitting, splitting_key())
      .position(&ReactionKeys::where);
}

struct MaterialKeys {
  std::vector<std::string> on;
  std::vector<Expression> diffusion;
  deck::Where where;
};

deck::Section<MaterialKeys> material_section(const Setup& setup) {
  std::string example;
  for (std::size_t i = 0; i < setup.fields.size(); ++i) example += fmt::format("{}\"1e-3\"", i > 0 ? ", " : "");
  return deck::Section<MaterialKeys>("material", "Coefficients, for the whole mesh or for groups of cells",
                                     deck::SectionKind::array)
      .key("on", &MaterialKeys::on,
           {.help = "physical group name(s); left out: everywhere that no other material names"})
      .key("diffusion", &MaterialKeys::diffusion,
           {.help = "D of each field, or one for all of them: positive, or 0 everywhere for a field that does not "
                    "diffuse",
            .unit = "length^2/time",
            .required = true,
            .example = "[" + example + "]"})
      .position(&MaterialKeys::where);
}

struct BoundaryKeys {
  std::vector<std::string> on;
  std::string type;
  std::string field;
  Expression value, alpha;
  deck::Where where;
};

deck::Section<BoundaryKeys> boundary_section(const Setup& setup) {
  return deck::Section<BoundaryKeys>("boundary", "Boundary conditions; a boundary without one has D du/dn = 0",
                                     deck::SectionKind::array)
      .key("on", &BoundaryKeys::on, {.help = "physical group name(s)", .required = true, .example = "[\"left\"]"})
      .key("type", &BoundaryKeys::type,
           {.help = "dirichlet: u = value; neumann: D du/dn = value; robin: D du/dn + alpha u = value; periodic: all "
                    "fields are the same on the two sides of `on`",
            .choices = {"dirichlet", "neumann", "robin", "periodic"},
            .required = true,
            .example = "\"neumann\""})
      .key("field", &BoundaryKeys::field, {.help = "whose condition it is; left out: of all", .choices = setup.fields})
      .key("value", &BoundaryKeys::value, {.help = "right-hand side of the condition", .example = "\"0\""})
      .key("alpha", &BoundaryKeys::alpha, {.help = "coefficient of a robin condition"})
      .position(&BoundaryKeys::where);
}

/// [physics] and [reaction] as far as they are needed to know the keys of the others.
struct Names {
  std::vector<std::string> fields;
};
struct Table {
  std::string file;
  std::optional<double> temperature;
};

/// The name is that of keys, of columns and of fields in files.
void check_name(const std::string& name, const std::vector<std::string>& all, bool in_expressions,
                const deck::Where& where) {
  const auto refuse = [&](const std::string& why, const std::string& help) {
    throw Error(ExitCode::usage, fmt::format("a field cannot be called '{}': {}", name, why), help, where);
  };
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  const auto is_shown = [](unsigned char c) { return std::isgraph(c) && c != '"' && c != ',' && c != '\''; };
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front())) ||
      !std::all_of(name.begin(), name.end(), is_shown))
    refuse("a name begins with a letter and has no blanks, quotes or commas", "give it another name");
  for (const char* key : {"on", "gradient", "all"})
    if (name == key) refuse("that word is a key beside the fields", "give it another name");
  for (const char* coordinate : {"x", "y", "z", "t"})
    if (name == coordinate)
      refuse("that is a coordinate, in expressions and tables", "give it another name, \"X\" for one");
  if (std::count(all.begin(), all.end(), name) > 1) refuse("it stands twice", "name each field once");
  if (!in_expressions) return;
  if (!std::all_of(name.begin(), name.end(), is_plain))
    refuse("expressions could not name it", "use letters, digits and _");
  namespace expressions = deck::expressions;
  const auto is_it = [&](const auto& known) { return known.name == name; };
  if (std::ranges::any_of(expressions::constants(), is_it) || std::ranges::any_of(expressions::functions(), is_it))
    refuse("in expressions that is something else", "give it another name, such as \"u\"");
}

Setup setup_of(const std::string& reaction, const deck::Where& where) {
  Setup setup{.reaction = reaction, .fields = {}, .parameters = {}, .mechanism = {}};
  if (reaction == "expressions" || reaction == "mechanism") return setup;
  const ReactionEntry& entry = find_reaction(reaction, where);
  setup.fields = entry.species;
  setup.parameters = entry.parameters;
  return setup;
}

/// The table of a mechanism, whose species are the fields.
void read_table(const deck::Deck& deck, const std::vector<std::string>& asked, Setup& setup) {
  const Table table = deck::Section<Table>("reaction", "")
                          .key("table", &Table::file, {})
                          .key("temperature", &Table::temperature, {})
                          .read_declared(deck);
  const deck::Where where = deck.where("reaction.table");
  if (table.file.empty())
    throw Error(ExitCode::usage, "reaction = \"mechanism\" has no table of reactions",
                "write [reaction] table = \"reactions.txt\", a file with lines such as \"A -> B, 0.04\"",
                deck.where("physics.reaction"));
  setup.mechanism = read_mechanism(deck.resolve(table.file), table.temperature, where);
  std::vector<std::string>& species = setup.mechanism.species;
  if (!asked.empty()) {
    for (const std::string& name : species)
      if (std::find(asked.begin(), asked.end(), name) == asked.end())
        throw Error(ExitCode::usage, fmt::format("physics.fields has no '{}', which reacts in {}", name, table.file),
                    fmt::format("the species are {}", fmt::join(species, ", ")), deck.where("physics.fields"));
    species = asked;  // in the deck's order, and such as only diffuse
  }
  MechanismTables<Host> checked(setup.mechanism);
  setup.fields = species;
}

void refuse_key(const deck::Deck& deck, const Setup& setup, const char* key, const char* reaction) {
  const std::string name = fmt::format("reaction.{}", key);
  if (setup.reaction == reaction || !deck.has(name)) return;
  throw Error(ExitCode::usage,
              fmt::format("{} belongs to physics.reaction = \"{}\", this one is {}", name, reaction, setup.reaction),
              fmt::format("leave {} out, or choose reaction = \"{}\"", key, reaction), deck.where(name));
}

void read_reaction(const deck::Deck& deck, Params& params) {
  const Setup& setup = params.setup;
  refuse_key(deck, setup, "rates", "expressions");
  refuse_key(deck, setup, "table", "mechanism");
  refuse_key(deck, setup, "temperature", "mechanism");
  const ReactionKeys keys = reaction_section(setup).read(deck);
  for (std::size_t i = 0; i < setup.parameters.size(); ++i) {
    const bool given = i < keys.parameters.size() && keys.parameters[i];
    params.parameters.push_back(given ? *keys.parameters[i] : setup.parameters[i].value);
  }
  params.splitting = splitting(keys.splitting);
  params.odes.method = keys.method == "auto" ? "rosenbrock" : keys.method;
  params.odes.tolerance = {keys.tolerance, keys.absolute_tolerance};
  params.reaction_where = keys.where ? keys.where : params.physics.where;
  params.odes.where = deck.has("reaction.method") ? deck.where("reaction.method") : params.reaction_where;
  if (setup.has_rates() && keys.rates.size() != setup.fields.size())
    throw Error(ExitCode::usage,
                fmt::format("reaction.rates has {}, there are {}", counted(keys.rates.size(), "expression"),
                            counted(setup.fields.size(), "field")),
                fmt::format("give one a field, in the order of physics.fields: {}", fmt::join(setup.fields, ", ")),
                deck.has("reaction.rates") ? deck.where("reaction.rates") : params.reaction_where);
  if (setup.has_rates()) params.rates = Rates(keys.rates, setup.fields);
}

void read_materials(const deck::Deck& deck, Params& params) {
  const std::vector<MaterialKeys> materials = material_section(params.setup).read_all(deck);
  if (materials.empty())
    throw Error(ExitCode::usage, "no [[material]] says how the fields diffuse",
                fmt::format("add [[material]] with diffusion = [...], one expression for each of {}",
                            fmt::join(params.setup.fields, ", ")),
                params.physics.where);
  for (const MaterialKeys& material : materials) {
    const std::vector<Expression>& D = material.diffusion;
    if (D.size() != 1 && D.size() != params.setup.fields.size())
      throw Error(ExitCode::usage,
                  fmt::format("diffusion has {}, there are {}", counted(D.size(), "expression"),
                              counted(params.setup.fields.size(), "field")),
                  fmt::format("give one for each of {}, or one for all", fmt::join(params.setup.fields, ", ")),
                  material.where);
    for (std::size_t c = 0; c < params.of_field.size(); ++c)
      params.of_field[c].materials.push_back(
          {material.on, {D.size() == 1 ? D.front() : D[c]}, Expression(), Expression(), material.where});
  }
}

void read_boundaries(const deck::Deck& deck, Params& params) {
  for (const BoundaryKeys& keys : boundary_section(params.setup).read_all(deck)) {
    const scalar::BoundaryParams boundary{keys.on, keys.type, keys.value, keys.alpha, keys.where};
    if (keys.type == "periodic") {
      if (!keys.field.empty())
        throw Error(ExitCode::usage,
                    fmt::format("a periodic boundary of '{}' alone: sides are one for all fields", keys.field),
                    "leave field out", keys.where);
      params.periodic.push_back(boundary);
      continue;
    }
    for (std::size_t c = 0; c < params.of_field.size(); ++c)
      if (keys.field.empty() || keys.field == params.setup.fields[c]) params.of_field[c].boundaries.push_back(boundary);
  }
}

}  // namespace

std::vector<std::string> reaction_names() {
  std::vector<std::string> names;
  for (const ReactionEntry& entry : reactions())
    if (!entry.species.empty()) names.push_back(entry.name);
  names.insert(names.end(), {"expressions", "mechanism"});
  return names;
}

Setup default_setup() { return setup_of("gray_scott", {}); }

Setup read_setup(const deck::Deck& deck) {
  const std::string reaction =
      deck::read_string(deck, "physics.reaction", fmt::format("valid names: {}", fmt::join(reaction_names(), ", ")));
  if (reaction.empty()) return default_setup();  // which the required key then refuses
  const std::vector<std::string> known = reaction_names();
  if (std::find(known.begin(), known.end(), reaction) == known.end())
    throw Error(ExitCode::usage, fmt::format("unknown reaction '{}'", reaction),
                suggest(reaction, known) + " (`tessera list reactions` shows all)", deck.where("physics.reaction"));
  const std::vector<std::string> asked =
      deck::Section<Names>("physics", "").key("fields", &Names::fields, {}).read_declared(deck).fields;
  const deck::Where where = deck.has("physics.fields") ? deck.where("physics.fields") : deck.where("physics.reaction");
  for (const std::string& name : asked) check_name(name, asked, reaction == "expressions", where);
  Setup setup = setup_of(reaction, where);
  if (reaction == "mechanism") {
    read_table(deck, asked, setup);
    for (const std::string& name : setup.fields) check_name(name, setup.fields, false, where);
  } else if (reaction == "expressions") {
    if (asked.empty())
      throw Error(ExitCode::usage, "reaction = \"expressions\" does not say of which fields",
                  "write fields = [\"u\", \"v\"] beside it, and [reaction] rates = [\"...\", \"...\"]", where);
    setup.fields = asked;
  } else if (!asked.empty()) {
    if (asked.size() != setup.fields.size())
      throw Error(ExitCode::usage,
                  fmt::format("physics.fields has {}, {} has {} species", counted(asked.size(), "name"), reaction,
                              setup.fields.size()),
                  fmt::format("name as many, or leave fields out: they are then {}", fmt::join(setup.fields, ", ")),
                  where);
    setup.fields = asked;
  }
  return setup;
}

deck::Schema sections(const Setup& setup) {
  return {physics_section().description(), reaction_section(setup).description(), material_section(setup).description(),
          boundary_section(setup).description()};
}

void read(const deck::Deck& deck, Params& params) {
  const PhysicsKeys physics = physics_section().read(deck, true);
  params.physics = {.type = physics.type, .order = physics.order, .where = physics.where};
  params.lumped = physics.mass == "lumped";
  params.of_field.assign(params.setup.fields.size(), {});
  read_reaction(deck, params);
  read_materials(deck, params);
  read_boundaries(deck, params);
}

bool is_still(const scalar::Params& field) {
  return std::all_of(field.materials.begin(), field.materials.end(),
                     [](const scalar::MaterialParams& m) { return is_zero(m.diffusivity.front()); });
}

namespace {

void check_time(const Params& params) {
  if (!params.time)
    throw Error(ExitCode::usage, "reaction_diffusion goes through time, and the deck has no [time]",
                "add [time] with end and step", params.physics.where);
  const TimeParams& time = *params.time;
  if (time.scheme == "bdf2")
    throw Error(ExitCode::usage,
                "time.scheme = \"bdf2\" goes on from two states, between which reactions have changed the fields",
                "choose a scheme of one step: sdirk2, crank_nicolson, backward_euler, or rkc with physics.mass = "
                "\"lumped\"",
                time.where);
  if (time.tolerance)
    throw Error(
        ExitCode::usage,
        "time.tolerance is of steps that estimate their error, which a step of reactions and diffusion does not",
        "give a step; the nodes choose their own, by reaction.tolerance", time.where);
  check_explicit(params, params.lumped, "sdirk2");
}

}  // namespace

void check(const Params& params) {
  check_time(params);
  scalar::check_boundaries(params.periodic);
  for (std::size_t c = 0; c < params.of_field.size(); ++c) {
    const scalar::Params& field = params.of_field[c];
    scalar::check_boundaries(field.boundaries);
    if (is_still(field) && !field.boundaries.empty())
      throw Error(ExitCode::usage,
                  fmt::format("'{}' does not diffuse, so nothing comes in through a boundary", params.setup.fields[c]),
                  "give it a diffusion, or name the field that the condition is of", field.boundaries.front().where);
  }
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all;
  for (const scalar::Params& field : params.of_field) {
    const std::vector<deck::Expression> own = scalar::expressions_of(field);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace tessera::physics::reaction_diffusion
