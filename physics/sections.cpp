#include "physics/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/cells/strategy.hpp"
#include "base/counted.hpp"
#include "base/log.hpp"
#include "linalg/formats.hpp"
#include "output/vtkhdf.hpp"

namespace tessera::physics {

namespace {

std::vector<std::string> names(const std::vector<NamedHelp>& table) {
  std::vector<std::string> result;
  for (const NamedHelp& entry : table) result.push_back(entry.name);
  return result;
}

/// [exact] of a number; that of several components is read into ExactParams itself.
struct ExactNumber {
  deck::Expression u;
  std::vector<deck::Expression> gradient;
  bool source = false;
  deck::Where where;
};

template <class Exact>
deck::Section<Exact> exact_section(const std::string& name, const std::string& help) {
  return deck::Section<Exact>("exact", "A known solution: errors are computed and reported")
      .key(name, &Exact::u, {.help = help, .required = true})
      .key("gradient", &Exact::gradient,
           {.help = "its gradient, one expression an axis, for the H1 error; left out: derived from " + name})
      .position(&Exact::where);
}

deck::Section<ExactNumber> exact_number(const FieldInfo& field, bool source) {
  auto section = exact_section<ExactNumber>(field.name, "exact solution");
  if (source)
    section.key("source", &ExactNumber::source,
                {.help = "true: the source of each [[material]] is derived, so that " + field.name +
                         " solves the equation; they have none of their own"});
  return section;
}
deck::Section<ExactParams> exact_components(const FieldInfo& field) {
  if (field.own_names) {
    deck::Section<ExactParams> section("exact", "A known solution: errors are computed and reported");
    for (std::size_t c = 0; c < field.components.size(); ++c)
      section.entry(field.components[c], &ExactParams::u, c, {.help = "exact solution", .required = true});
    return section
        .key("gradient", &ExactParams::gradient,
             {.help = "the gradients, one expression an axis, field by field, for the H1 error; left out: derived"})
        .position(&ExactParams::where);
  }
  return exact_section<ExactParams>(field.name, "exact solution, one expression a component");
}

bool is_number(const FieldInfo& field) { return !field.vector && field.components.empty(); }

/// "u", or "u_x", "u_y", "u_z": the names of the numbers that fields consist of.
std::vector<std::string> numbers(const std::vector<FieldInfo>& fields) {
  std::vector<std::string> result;
  for (const FieldInfo& field : fields)
    for (int c = 0; field.measured && c < field.count(3); ++c) result.push_back(field.component(c));
  return result;
}

/// What `of` says in the template; empty where its default will do.
std::string of_template(const std::vector<FieldInfo>& fields) {
  const std::vector<std::string> all = numbers(fields);
  const bool has_default = std::find(all.begin(), all.end(), QuantityParams().of) != all.end();
  return all.empty() || has_default ? "" : "\"" + all.front() + "\"";
}

}  // namespace

const std::vector<NamedHelp>& strategy_table() {
  static const std::vector<NamedHelp> table = [] {
    std::vector<NamedHelp> rows{{"auto", "the best one for the problem and backend; the summary says which and why"}};
    for (const assembly::StrategyEntry& entry : assembly::strategy_table()) rows.push_back({entry.name, entry.help});
    rows.push_back(
        {"matrix_free", "no matrix: sum factorisation on quads and hexes, element matrices kept on other cells"});
    return rows;
  }();
  return table;
}

const std::vector<NamedHelp>& format_table() {
  static const std::vector<NamedHelp> table = [] {
    std::vector<NamedHelp> rows;
    for (const linalg::FormatInfo& entry : linalg::format_table()) rows.push_back({entry.name, entry.help});
    return rows;
  }();
  return table;
}

const std::vector<QuantityKind>& quantity_table() {
  static const std::vector<QuantityKind> table = {
      {"max", "largest value at the dofs of the group"},
      {"min", "smallest value at the dofs of the group"},
      {"average", "integral over the group divided by its measure"},
      {"integral", "integral over the group (cells or facets)"},
      {"flux",
       "flow out through a facet group, the integral of -k grad u . n, from the weak form: it balances the sources",
       true},
      {"flux_gradient", "the same integral from the gradient of u, which is less accurate and does not balance", true},
      {"reaction", "force that acts on the body through a group, along the axis of `of`: `of` = \"u_x\"", true},
      {"kinetic_energy", "of waves: the integral of rho v^2 / 2, of pressures that of p_rate^2 / (2 kappa)", true},
      {"potential_energy", "of waves: the integral of sigma : epsilon / 2, of pressures that of grad(p)^2 / (2 rho)",
       true},
      {"force_x", "of gases: the force of the pressure on sides, along x", true},
      {"force_y", "the same along y", true},
      {"force_z", "the same along z", true},
      {"drag_coefficient",
       "of gases: the force of the pressure above that of [reference] on sides, along the flow, over q S", true},
      {"lift_coefficient", "the same across the flow, in the plane of x and y", true},
      {"moment_coefficient", "the moment of that force about reference.centre, nose up, over q S length", true},
      {"value", "value at the point `at`"},
      {"l2", "square root of the integral of the square"},
  };
  return table;
}

deck::Section<DeckParams> deck_section() {
  return deck::Section<DeckParams>("", "The deck itself")
      .key("title", &DeckParams::title, {.help = "shown in logs, summary and output", .example = "\"A first run\""});
}

deck::Section<RunParams> run_section(const std::vector<std::string>& precisions) {
  return deck::Section<RunParams>("run", "Where and how to compute")
      .key("backend", &RunParams::backend,
           {.help = "auto takes cuda where a device answers", .choices = {"auto", "threads", "cuda"}})
      .key("threads", &RunParams::threads, {.help = "number of threads, 0: all", .min = 0, .max = 4096})
      .key("precision", &RunParams::precision,
           {.help = "floating-point numbers of matrices and vectors, and of the passes of explicit steps",
            .choices = precisions});
}

deck::Section<AssemblyParams> assembly_section() {
  return deck::Section<AssemblyParams>("assembly", "How element contributions are added up")
      .key("strategy", &AssemblyParams::strategy,
           {.help = "see `tessera list strategies`", .choices = names(strategy_table())})
      .key("partition_size", &AssemblyParams::partition_size,
           {.help = "cells of a partition of colour_blocks and shared, 0: tuned for the element",
            .min = 0,
            .max = 65536});
}

deck::Section<MatrixParams> matrix_section(int components) {
  return deck::Section<MatrixParams>("matrix", "How the matrix is stored")
      .key("format", &MatrixParams::format,
           {.help = "see `tessera list formats`", .choices = linalg::format_names(components)})
      .position(&MatrixParams::where);
}

deck::SectionDescription assembly_description_with_matrix() {
  deck::SectionDescription result = assembly_section().description();
  for (deck::KeyDescription& key : result.keys)
    if (key.name == "strategy") std::erase(key.info.choices, "matrix_free");
  return result;
}

deck::Section<NewtonParams> newton_section() {
  return deck::Section<NewtonParams>("newton", "How a problem is solved whose coefficients depend on the solution")
      .key(
          "tangent", &NewtonParams::tangent,
          {.help = "newton: the derivative of the residual; picard: its coefficients at the last iterate, with what of "
                   "sources and flows falls as u grows: slower, and often less in need of a good start",
           .choices = {"newton", "picard"}})
      .key("tolerance", &NewtonParams::tolerance,
           {.help = "largest correction of the last iteration, relative to how far the solution ranges (at least a "
                    "thousandth of its size)",
            .min = 0,
            .max = 1,
            .open_min = true})
      .key("max_iterations", &NewtonParams::max_iterations, {.help = "iterations of each load step", .min = 1})
      .key("line_search", &NewtonParams::line_search,
           {.help = "backtracking: a correction is shortened until the residual falls; none: as long as coefficients "
                    "can be evaluated, it is taken whole",
            .choices = {"backtracking", "none"}})
      .key("load_steps", &NewtonParams::load_steps,
           {.help = "sources, flows through boundaries and prescribed values grow in so many steps, each of which "
                    "starts where the last one ended",
            .min = 1,
            .max = 10000})
      .key("linear_tolerance", &NewtonParams::linear_tolerance,
           {.help = "of the linear systems. adaptive: loose far from the solution, solver.tolerance near it; fixed: "
                    "solver.tolerance always",
            .choices = {"adaptive", "fixed"}})
      .position(&NewtonParams::where);
}

deck::SectionDescription exact_description(const FieldInfo& field, bool source) {
  return is_number(field) ? exact_number(field, source).description() : exact_components(field).description();
}

std::optional<ExactParams> read_exact(const deck::Deck& deck, const FieldInfo& field, bool source) {
  if (!deck.has("exact")) return std::nullopt;
  if (!is_number(field)) return exact_components(field).read(deck);
  const ExactNumber read = exact_number(field, source).read(deck);
  return ExactParams{{read.u}, read.gradient, read.source, read.where};
}

void check_exact(const std::optional<ExactParams>& exact, int dim, const FieldInfo& field) {
  if (!exact) return;
  const int components = field.count(dim);
  if (static_cast<int>(exact->u.size()) != components)
    throw Error(
        ExitCode::usage,
        fmt::format("exact.{} has {}, the field has {}", field.name, counted(exact->u.size(), "component"), components),
        "give one expression a component", exact->where);
  if (exact->gradient.empty() || static_cast<int>(exact->gradient.size()) == components * dim) return;
  if (is_number(field))
    throw Error(ExitCode::usage,
                fmt::format("exact.gradient has {}, the mesh has {}", counted(exact->gradient.size(), "component"),
                            counted(dim, "dimension")),
                "give one expression an axis", exact->where);
  throw Error(ExitCode::usage,
              fmt::format("exact.gradient has {}, {} on a mesh of {} dimensions have {}",
                          counted(exact->gradient.size(), "expression"), counted(components, "component"), dim,
                          components * dim),
              "give one expression an axis, component by component", exact->where);
}

bool OutputParams::has_format(const std::string& format) const {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

bool OutputParams::writes_whole() const { return has_format("vtu") || has_format("csv") || has_format("vtkhdf"); }

deck::Section<OutputParams> output_section(bool transient, bool of_mesh) {
  deck::Section<OutputParams> section("output", "Files");
  section.key("directory", &OutputParams::directory, {.help = "relative to the working directory"})
      .key("fields", &OutputParams::fields, {.help = "fields to write; left out: the module's own choice"});
  if (of_mesh)
    section.key("on", &OutputParams::on,
                {.help = "groups of cells, or of facets, that files show: a surface alone, say; fields of cells are "
                         "then those of the cell behind a facet; left out: the whole mesh"});
  section
      .key("formats", &OutputParams::formats,
           {.help = "vtu: for ParaView; vtkhdf: one HDF5 file of all states, in the format VTKHDF 2.0; csv: a "
                    "table with a row a node (x, y, z and the fields); pvtu: of several ranks each writes a piece, "
                    "solution.pvtu names them; hdf5: the tables of [[probe]] as HDF5, too, at the end of a run",
            .choices = {"vtu", "vtkhdf", "csv", "pvtu", "hdf5"}})
      .key("compression", &OutputParams::compression,
           {.help = "of vtkhdf and hdf5, by deflate: 1 is quick, 9 slow, 0 leaves numbers as they are",
            .min = 0,
            .max = 9})
      .key("precision", &OutputParams::precision,
           {.help = "numbers of fields in vtu, pvtu and vtkhdf: float halves them, with seven digits, up to 3.4e38; "
                    "coordinates and checkpoints stay in double",
            .choices = {"double", "float"}})
      .key("write", &OutputParams::write,
           {.help = "false: no fields, only summary.json and the tables of [[line]]; for timing and for large meshes"})
      .position(&OutputParams::where);
  if (!transient) return section;
  return section.count_or_table(
      "every", &OutputParams::every, &OutputParams::every_time,
      deck::Section<EveryTime>("every", "An interval of time")
          .key("time", &EveryTime::time,
               {.help = "time between two files",
                .unit = "time",
                .min = 0,
                .open_min = true,
                .required = true,
                .example = "0.1"}),
      {.help = "with [time]: steps between two files of the series, or { time = ... }; 0: the first and the last state",
       .min = 0,
       .example = "10"});
}

deck::Section<QuantityParams> quantity_section(const std::vector<FieldInfo>& fields,
                                               const std::vector<std::string>& own) {
  std::vector<std::string> kinds;
  for (const QuantityKind& kind : quantity_table())
    if (!kind.own || std::find(own.begin(), own.end(), kind.name) != own.end()) kinds.push_back(kind.name);
  return deck::Section<QuantityParams>("quantity", "Numbers for reading and for regression", deck::SectionKind::array)
      .key("name", &QuantityParams::name, {.help = "its name in the summary", .required = true, .example = "\"u_max\""})
      .key("kind", &QuantityParams::kind,
           {.help = "see `tessera list quantities`", .choices = kinds, .required = true, .example = "\"max\""})
      .key("of", &QuantityParams::of, {.help = "field", .choices = numbers(fields), .example = of_template(fields)})
      .key("on", &QuantityParams::on, {.help = "physical group(s); left out: the whole mesh"})
      .key("from", &QuantityParams::from,
           {.help = "group of the cells that a flux leaves; needed for facets inside the domain"})
      .key("at", &QuantityParams::at,
           {.help = "point, for kind = \"value\": one number an axis, further ones 0", .unit = "length"})
      .position(&QuantityParams::where);
}

void warn_of_time(const std::vector<deck::Expression>& expressions) {
  for (const deck::Expression& e : expressions) {
    if (!e.depends_on_time()) continue;
    std::string place;
    if (e.where()) place = e.where()->file + (e.where()->line > 0 ? fmt::format(":{}: ", e.where()->line) : ": ");
    warn(fmt::format("{}the expression '{}' depends on t, but the problem is stationary: t is 0", place, e.text()));
  }
}

void check_axes(const std::vector<deck::Expression>& expressions, int dim) {
  if (dim == 0) return;
  for (const deck::Expression& e : expressions) e.require_axes(dim);
}

void check_fields(const OutputParams& output, const std::vector<FieldInfo>& all) {
  std::vector<std::string> fields;
  for (const FieldInfo& field : all) fields.push_back(field.name);
  for (auto field = output.fields.begin(); field != output.fields.end(); ++field) {
    if (std::find(fields.begin(), fields.end(), *field) == fields.end())
      throw Error(ExitCode::usage, fmt::format("unknown output field '{}'", *field), suggest(*field, fields),
                  output.where);
    if (std::find(output.fields.begin(), field, *field) != field)
      throw Error(ExitCode::usage, fmt::format("the output field '{}' stands twice", *field), "name each field once",
                  output.where);
  }
}

void check_formats(const OutputParams& output, const deck::Deck& deck) {
  if (deck.has("output.compression") && !output.has_format("vtkhdf") && !output.has_format("hdf5"))
    warn("output.compression has no effect: it is of the formats vtkhdf and hdf5, and output.formats has neither");
  if (output.precision == "float" && !output.has_format("vtu") && !output.has_format("pvtu") &&
      !output.has_format("vtkhdf"))
    warn("output.precision has no effect: it is of the formats vtu, pvtu and vtkhdf, and output.formats has none");
  if (!output.has_format("vtkhdf")) return;
  const deck::Where where = deck.where("output.formats");
  if (output::hdf5_version().empty())
    throw Error(ExitCode::usage, "output.formats has \"vtkhdf\", but this tessera was built without HDF5",
                "install HDF5 (Debian: libhdf5-dev) and build again, or choose formats = [\"vtu\"]", where);
  if (output.has_format("pvtu"))
    throw Error(ExitCode::usage, "output.formats has \"vtkhdf\", one file of the whole, and \"pvtu\", pieces of ranks",
                "choose one of them", where);
}

void check_choices(const CommonParams& params, const deck::Deck& deck) {
  const std::string& format = params.matrix.format;
  if (solvers::needs_entries(params.solver) && format != "auto" && format != "crs" &&
      !format.starts_with("block_"))  // block rows give a copy
    throw Error(ExitCode::usage,
                fmt::format("{} needs the entries of the matrix in CRS, matrix.format is \"{}\"",
                            solvers::reader_of_entries(params.solver), format),
                "leave matrix.format out, or choose another solver or preconditioner", deck.where("matrix.format"));
  if (params.assembly.partition_size == 0) return;
  std::vector<std::string> partitioned;
  for (const assembly::StrategyEntry& entry : assembly::strategy_table())
    if (entry.partitioned) partitioned.push_back(entry.name);
  if (std::find(partitioned.begin(), partitioned.end(), params.assembly.strategy) == partitioned.end())
    throw Error(
        ExitCode::usage,
        fmt::format("assembly.partition_size is read by {}; assembly.strategy is \"{}\"", fmt::join(partitioned, ", "),
                    params.assembly.strategy),
        fmt::format("leave partition_size out, or choose strategy = \"{}\"", fmt::join(partitioned, "\" or \"")),
        deck.where("assembly.partition_size"));
}

}  // namespace tessera::physics
