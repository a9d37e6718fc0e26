#include "physics/common.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/cells/strategy.hpp"
#include "base/log.hpp"
#include "linalg/formats.hpp"
#include "mesh/geometry.hpp"
#include "mesh/quality.hpp"
#include "mesh/sides.hpp"
#include "output/csv.hpp"

namespace tessera::physics {

namespace {

std::vector<std::string> names(const std::vector<NamedHelp>& table) {
  std::vector<std::string> result;
  for (const NamedHelp& entry : table) result.push_back(entry.name);
  return result;
}

const char* entity_name(int dim) {
  constexpr const char* names[] = {"point", "curve", "surface", "volume"};
  return names[dim];
}

/// A quantity at a point, which lies in the mesh.
void check_point(const QuantityParams& quantity, const mesh::Mesh& mesh) {
  if (static_cast<int>(quantity.at.size()) < mesh.dim)
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' of kind \"value\" needs at = [{}]", quantity.name,
                            mesh.dim == 3   ? "x, y, z"
                            : mesh.dim == 2 ? "x, y"
                                            : "x"),
                fmt::format("the mesh has {} dimensions, `at` has {} numbers", mesh.dim, quantity.at.size()),
                quantity.where);
  if (quantity.at.size() > 3)
    throw Error(ExitCode::usage, fmt::format("quantity '{}': `at` has {} numbers", quantity.name, quantity.at.size()),
                "a point has x, y and z at most", quantity.where);
  if (!quantity.on.empty())
    throw Error(ExitCode::usage, fmt::format("quantity '{}' of kind \"value\" takes no group", quantity.name),
                "leave `on` out, or use another kind", quantity.where);
  for (std::size_t axis = static_cast<std::size_t>(mesh.dim); axis < quantity.at.size(); ++axis)
    if (quantity.at[axis] != 0)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}': `at` has {} = {}, but the mesh has {} dimension{}", quantity.name,
                              "xyz"[axis], quantity.at[axis], mesh.dim, mesh.dim == 1 ? "" : "s"),
                  fmt::format("give {} number{}; further ones must be 0", mesh.dim, mesh.dim == 1 ? "" : "s"),
                  quantity.where);
  std::array<double, 3> at{};
  std::copy(quantity.at.begin(), quantity.at.end(), at.begin());
  if (mesh::find_cell(mesh, at)) return;
  const mesh::BoundingBox box = mesh::bounding_box(mesh);
  throw Error(ExitCode::usage,
              fmt::format("quantity '{}': the point ({}) is in no cell of the mesh", quantity.name,
                          fmt::join(quantity.at, ", ")),
              fmt::format("the mesh lies in [{}, {}] x [{}, {}] x [{}, {}]", box.min[0], box.max[0], box.min[1],
                          box.max[1], box.min[2], box.max[2]),
              quantity.where);
}

/// The groups of a quantity that integrates over them, which are of one dimension: cells, or facets.
void check_measured(const QuantityParams& quantity, const mesh::Mesh& mesh, GroupList list) {
  const mesh::Group* first = nullptr;
  for (const std::string& name : quantity.on) {
    const mesh::Group& group = find_group(mesh, name, -1, quantity.where, list);
    if (group.dim < mesh.dim - 1)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' integrates over '{}', which is neither of cells nor of facets",
                              quantity.name, name),
                  "use max, min or value there", quantity.where);
    if (first && group.dim != first->dim)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' integrates over '{}' ({}) and '{}' ({}), whose measures cannot be added",
                              quantity.name, first->name, entity_name(first->dim), name, entity_name(group.dim)),
                  "ask for them in two quantities", quantity.where);
    if (!first) first = &group;
  }
}

/// The groups of cells that a cell is in, as a message names them.
std::string groups_of_cell(const mesh::Mesh& mesh, Index cell) {
  std::vector<std::string> names;
  for (const mesh::Group& group : mesh.groups)
    if (group.dim == mesh.dim && std::binary_search(group.entities.begin(), group.entities.end(), cell))
      names.push_back(fmt::format("'{}'", group.name));
  return names.empty() ? "no group" : fmt::format("{}", fmt::join(names, ", "));
}

/// A flux through facets. Through those inside the domain it has two directions, of which `from` says one.
void check_flux(const QuantityParams& quantity, const mesh::Mesh& mesh, GroupList list) {
  if (quantity.on.empty())
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' of kind \"{}\" needs on = \"a facet group\"", quantity.name, quantity.kind),
                "there are: " + describe_groups(mesh, list), quantity.where);
  const mesh::Group group = united_groups(mesh, quantity.on, mesh.dim - 1, quantity.where, list);
  const mesh::Group* from =
      quantity.from.empty() ? nullptr : &find_group(mesh, quantity.from, mesh.dim, quantity.where, list);
  const std::vector<mesh::SidePair> sides = mesh::sides_of(mesh, group.entities);
  const auto inside = [&](Index cell) {
    return cell >= 0 && std::binary_search(from->entities.begin(), from->entities.end(), cell);
  };
  for (const mesh::SidePair& pair : sides) {
    const auto [cell, other] = std::pair(pair.first.cell, pair.second.cell);
    const std::string beside = other < 0 ? fmt::format("the cells beside it are in {}", groups_of_cell(mesh, cell))
                                         : fmt::format("the cells on its sides are in {} and in {}",
                                                       groups_of_cell(mesh, cell), groups_of_cell(mesh, other));
    if (!from && other >= 0)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}': '{}' has facets inside the domain, through which the flux has two "
                              "directions",
                              quantity.name, group.name),
                  fmt::format("say the side that it leaves with from = \"a group of cells\"; {}", beside),
                  quantity.where);
    if (from && inside(cell) == inside(other))
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}': '{}' has facets {} '{}'", quantity.name, group.name,
                              inside(cell) ? "inside" : "that do not bound", quantity.from),
                  fmt::format("`from` names the cells on one side of the facets; {}", beside), quantity.where);
  }
}

/// A quantity of groups, or of the whole mesh.
void check_groups(const QuantityParams& quantity, const mesh::Mesh& mesh, GroupList list) {
  if (!quantity.at.empty())
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' of kind \"{}\" takes no point", quantity.name, quantity.kind),
                "use kind = \"value\", or leave `at` out", quantity.where);
  if (is_flux(quantity)) return check_flux(quantity, mesh, list);
  if (is_integral(quantity)) return check_measured(quantity, mesh, list);
  for (const std::string& name : quantity.on) find_group(mesh, name, -1, quantity.where, list);
}

}  // namespace

bool is_flux(const QuantityParams& quantity) { return quantity.kind == "flux" || quantity.kind == "flux_gradient"; }

bool is_integral(const QuantityParams& quantity) {
  return quantity.kind == "integral" || quantity.kind == "average" || quantity.kind == "l2";
}

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

const std::vector<NamedHelp>& quantity_table() {
  static const std::vector<NamedHelp> table = {
      {"max", "largest value at the dofs of the group"},
      {"min", "smallest value at the dofs of the group"},
      {"average", "integral over the group divided by its measure"},
      {"integral", "integral over the group (cells or facets)"},
      {"flux",
       "flow out through a facet group, the integral of -k grad u . n, from the weak form: it balances the sources"},
      {"flux_gradient", "the same integral from the gradient of u, which is less accurate and does not balance"},
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
           {.help = "floating-point numbers of matrix and vectors", .choices = precisions});
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

deck::Section<ExactParams> exact_section() {
  return deck::Section<ExactParams>("exact", "A known solution: errors are computed and reported")
      .key("u", &ExactParams::u, {.help = "exact solution", .required = true})
      .key("gradient", &ExactParams::gradient,
           {.help = "its gradient, one expression an axis; needed for the H1 error"})
      .position(&ExactParams::where);
}

deck::Section<OutputParams> output_section() {
  return deck::Section<OutputParams>("output", "Files")
      .key("directory", &OutputParams::directory, {.help = "relative to the working directory"})
      .key("fields", &OutputParams::fields, {.help = "fields to write; left out: the module's own choice"})
      .key("formats", &OutputParams::formats,
           {.help = "vtu: for ParaView; csv: a table with a row a node (x, y, z and the fields)",
            .choices = {"vtu", "csv"}})
      .key("write", &OutputParams::write,
           {.help = "false: no fields, only summary.json and the tables of [[line]]; for timing and for large meshes"})
      .position(&OutputParams::where);
}

deck::Section<QuantityParams> quantity_section() {
  return deck::Section<QuantityParams>("quantity", "Numbers for reading and for regression", deck::SectionKind::array)
      .key("name", &QuantityParams::name, {.help = "its name in the summary", .required = true, .example = "\"u_max\""})
      .key("kind", &QuantityParams::kind,
           {.help = "see `tessera list quantities`",
            .choices = names(quantity_table()),
            .required = true,
            .example = "\"max\""})
      .key("of", &QuantityParams::of, {.help = "field", .choices = {"u"}})
      .key("on", &QuantityParams::on, {.help = "physical group(s); left out: the whole mesh"})
      .key("from", &QuantityParams::from,
           {.help = "group of the cells that a flux leaves; needed for facets inside the domain"})
      .key("at", &QuantityParams::at,
           {.help = "point, for kind = \"value\": one number an axis, further ones 0", .unit = "length"})
      .position(&QuantityParams::where);
}

std::string describe_groups(const mesh::Mesh& mesh, GroupList list) {
  constexpr std::size_t most_entities = 12;
  std::vector<std::string> parts;
  const auto add = [&](const mesh::Group& group) {
    if (list == GroupList::names) {
      parts.push_back(fmt::format("{} ({})", group.name, entity_name(group.dim)));
      return;
    }
    const std::size_t count =
        group.dim >= mesh.dim - 1 ? group.entities.size() : group.vertices.size() / (group.dim + 1);
    parts.push_back(fmt::format("{} ({}, {} {})", group.name, entity_name(group.dim), count,
                                group.dim == mesh.dim       ? "cells"
                                : group.dim == mesh.dim - 1 ? "facets"
                                                            : "entities"));
  };
  for (const mesh::Group& group : mesh.groups) add(group);
  // Where the file has no group of cells, or none of what bounds them, its entities do.
  std::size_t left_out = 0;
  for (int dim : {mesh.dim, mesh.dim - 1}) {
    if (std::any_of(mesh.groups.begin(), mesh.groups.end(), [&](const auto& group) { return group.dim == dim; }))
      continue;
    std::size_t shown = 0;
    for (const mesh::Group& entity : mesh.entities) {
      if (entity.dim != dim || entity.name == "rest") continue;
      if (shown++ < most_entities)
        add(entity);
      else
        ++left_out;
    }
  }
  if (parts.empty()) return "the mesh has no groups; a [[group]] of the deck makes some";
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     left_out > 0 ? fmt::format(", and {} more: `tessera mesh DECK --list`", left_out) : "");
}

const mesh::Group& find_group(const mesh::Mesh& mesh, const std::string& name, int dim, const deck::Where& where,
                              GroupList list) {
  const mesh::Group* found = nullptr;
  std::vector<std::string> others;
  for (const auto* groups : {&mesh.groups, &mesh.entities}) {
    for (const mesh::Group& group : *groups) {
      others.push_back(group.name);
      if (group.name == name && (dim < 0 || group.dim == dim) && (!found || group.dim > found->dim)) found = &group;
    }
    if (found) return *found;
  }
  const bool other_dim = std::find(others.begin(), others.end(), name) != others.end();
  const std::string kind = dim < 0 ? "group" : fmt::format("{} group", entity_name(dim));
  const std::vector<std::string> near = nearest_names(name, others);
  throw Error(
      ExitCode::mesh,
      other_dim ? fmt::format("group '{}' is not a {}", name, kind) : fmt::format("no {} '{}' in the mesh", kind, name),
      (near.empty() || other_dim ? std::string() : fmt::format("did you mean '{}'? ", near.front())) +
          "there are: " + describe_groups(mesh, list),
      where);
}

mesh::Group united_groups(const mesh::Mesh& mesh, const std::vector<std::string>& names, int dim,
                          const deck::Where& where, GroupList list) {
  mesh::Group result;
  std::vector<std::string> seen;
  for (const std::string& name : names) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    const mesh::Group& group = find_group(mesh, name, dim, where, list);
    if (seen.size() > 1 && group.dim != result.dim)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' ({}) and '{}' ({}) have different dimensions", seen.front(),
                              entity_name(result.dim), name, entity_name(group.dim)),
                  "name groups of one dimension", where);
    result.dim = group.dim;
    result.entities.insert(result.entities.end(), group.entities.begin(), group.entities.end());
    result.vertices.insert(result.vertices.end(), group.vertices.begin(), group.vertices.end());
  }
  std::sort(result.entities.begin(), result.entities.end());
  result.entities.erase(std::unique(result.entities.begin(), result.entities.end()), result.entities.end());
  result.name = fmt::format("{}", fmt::join(seen, ", "));
  return result;
}

void check_quantities(const std::vector<QuantityParams>& quantities, const mesh::Mesh& mesh, GroupList list) {
  std::vector<std::string> seen;
  for (const QuantityParams& quantity : quantities) {
    if (std::find(seen.begin(), seen.end(), quantity.name) != seen.end())
      throw Error(ExitCode::usage, fmt::format("two quantities are called '{}'", quantity.name),
                  "give each its own name", quantity.where);
    seen.push_back(quantity.name);
    if (quantity.name.empty())
      throw Error(ExitCode::usage, "a quantity has an empty name", "give it one: the summary lists quantities by name",
                  quantity.where);
    if (!quantity.from.empty() && !is_flux(quantity))
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' of kind \"{}\" takes no `from`", quantity.name, quantity.kind),
                  "leave it out: it says which side of a group of facets a flux leaves", quantity.where);
    if (quantity.kind == "value")
      check_point(quantity, mesh);
    else
      check_groups(quantity, mesh, list);
  }
}

void warn_of_time(const std::vector<deck::Expression>& expressions) {
  for (const deck::Expression& e : expressions)
    if (e.depends_on_time())
      warn(fmt::format("{}the expression '{}' depends on t, but the problem is stationary: t is 0",
                       e.where() ? fmt::format("{}:{}: ", e.where()->file, e.where()->line) : "", e.text()));
}

void check_axes(const std::vector<deck::Expression>& expressions, int dim) {
  if (dim == 0) return;
  for (const deck::Expression& e : expressions) e.require_axes(dim);
}

void check_fields(const OutputParams& output) {
  const std::vector<std::string> fields{"u", "flux"};
  for (auto field = output.fields.begin(); field != output.fields.end(); ++field) {
    if (std::find(fields.begin(), fields.end(), *field) == fields.end())
      throw Error(ExitCode::usage, fmt::format("unknown output field '{}'", *field), suggest(*field, fields),
                  output.where);
    if (std::find(output.fields.begin(), field, *field) != field)
      throw Error(ExitCode::usage, fmt::format("the output field '{}' stands twice", *field), "name each field once",
                  output.where);
  }
}

void summarise_mesh(const mesh::Mesh& mesh, const assembly::DofMap& dofs, Offset nnz, output::Summary& summary) {
  summary.set("mesh.nodes", mesh.nodes());
  summary.set("mesh.cells", mesh.cells());
  summary.set("mesh.facets", mesh.facets.size());
  if (mesh.measure.weighs()) summary.set("mesh.axis", mesh.measure.axis());
  for (const mesh::Group& group : mesh.groups)
    summary.set_in("mesh.groups", group.name,
                   static_cast<Offset>(group.dim >= mesh.dim - 1 ? group.entities.size()
                                                                 : group.vertices.size() / (group.dim + 1)));
  const mesh::QualityReport quality = mesh::quality(mesh);
  summary.set("mesh.quality.min", quality.min);
  summary.set("mesh.quality.mean", quality.mean);
  summary.set("space.order", dofs.order);
  summary.set("space.dofs", dofs.dofs);
  if (nnz > 0) summary.set("space.nnz", nnz);
}

void summarise_backend(const Threads& exec, output::Summary& summary) {
  summary.set("backend.type", Threads::name);
  summary.set("backend.threads", exec.count());
  summary.set("backend.precision", "double");
  summary.set("backend.deterministic", true);
}

void summarise_backend(const Cuda& exec, output::Summary& summary) {
  summary.set("backend.type", Cuda::name);
  summary.set("backend.device", exec.device_name());
  summary.set("backend.precision", "double");
  summary.set("backend.deterministic", true);
}

void write_solution_files(const OutputParams& params, const output::VtkData& data,
                          const std::filesystem::path& directory) {
  const auto& formats = params.formats;
  auto asked = [&](const char* format) { return std::find(formats.begin(), formats.end(), format) != formats.end(); };
  if (asked("vtu")) {
    output::write_vtu(data, directory / "solution.vtu");
    output::write_pvd(directory / "solution.pvd", {{0.0, directory / "solution.vtu"}});
  }
  if (asked("csv")) output::write_csv(data, directory / "solution.csv");
}

}  // namespace tessera::physics
