#include "physics/euler/surfaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "assembly/edge/boundary_normals.hpp"
#include "base/input_file.hpp"
#include "output/csv.hpp"
#include "physics/groups.hpp"
#include "physics/run/in_common.hpp"

namespace tessera::physics::euler {

namespace {

deck::Section<SurfaceParams> surface_section(const std::vector<FieldInfo>& fields) {
  std::vector<std::string> names;
  for (const FieldInfo& field : fields) names.push_back(field.name);
  return deck::Section<SurfaceParams>("surface", "Values at the nodes of sides, written as a table: <name>.csv",
                                      deck::SectionKind::array)
      .key("name", &SurfaceParams::name, {.help = "its name and that of its file; left out: surface_1, surface_2, ..."})
      .key("on", &SurfaceParams::on, {.help = "names of groups of facets", .required = true})
      .key("of", &SurfaceParams::of, {.help = "field(s); left out: pressure", .choices = names})
      .position(&SurfaceParams::where);
}

[[noreturn]] void refuse(const SurfaceParams& surface, const std::string& what, const std::string& help) {
  throw Error(ExitCode::usage, fmt::format("surface '{}' {}", surface.name, what), help, surface.where);
}

/// [rows, width] by the first three numbers.
std::vector<double> sorted(const std::vector<double>& rows, std::size_t width) {
  std::vector<std::size_t> order(rows.size() / width);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(&rows[a * width], &rows[a * width] + 3, &rows[b * width], &rows[b * width] + 3);
  });
  std::vector<double> result;
  for (const std::size_t row : order) result.insert(result.end(), &rows[row * width], &rows[row * width] + width);
  return result;
}

}  // namespace

deck::SectionDescription surface_description(const std::vector<FieldInfo>& fields) {
  return surface_section(fields).description();
}

std::vector<SurfaceParams> read_surfaces(const deck::Deck& deck, const std::vector<FieldInfo>& fields) {
  std::vector<SurfaceParams> surfaces = surface_section(fields).read_all(deck);
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    SurfaceParams& surface = surfaces[i];
    if (surface.name.empty()) surface.name = fmt::format("surface_{}", i + 1);
    const bool plain = surface.name.front() != '.' && surface.name.size() <= 100 &&
                       surface.name.find('/') == std::string::npos && printable(surface.name) == surface.name;
    if (!plain) refuse(surface, "has a name that is not that of a file", "use letters, digits and _");
    if (surface.name == "solution" || surface.name == "probes" || surface.name == "quantities")
      refuse(surface, "has the name of another table of the program", "choose another name");
    if (surface.on.empty())
      refuse(surface, "names no group", "on = [\"...\"]; `tessera mesh DECK --list` shows what there is");
    for (std::size_t other = 0; other < i; ++other)
      if (surfaces[other].name == surface.name) refuse(surface, "has the name of another one", "give each its own");
    if (surface.of.empty()) surface.of = {"pressure"};
  }
  return surfaces;
}

void check_surfaces(const std::vector<SurfaceParams>& surfaces, const std::vector<LineParams>& lines) {
  for (const SurfaceParams& surface : surfaces)
    for (const LineParams& line : lines)
      if (line.name == surface.name) refuse(surface, "has the name of a line", "give each table its own");
}

void write_surface(const SurfaceParams& surface, const std::vector<FieldInfo>& fields, const NodalSolution& s,
                   const std::function<std::vector<double>(const std::string&)>& field,
                   const std::filesystem::path& directory) {
  std::vector<output::Column> columns = {{"x", {}}, {"y", {}}, {"z", {}}};
  std::vector<double> rows;
  in_common::each(s.share, [&] {
    std::vector<Index> nodes;
    const mesh::Group group = united_groups(s.mesh, surface.on, s.mesh.dim - 1, surface.where);
    for (const assembly::FacetNormal& facet : assembly::nodal_facet_normals(s.mesh, s.space.dofs, group))
      if (facet.dof < s.own_dofs() && (nodes.empty() || nodes.back() != facet.dof)) nodes.push_back(facet.dof);
    std::vector<std::vector<double>> values;
    std::vector<std::array<std::size_t, 2>> sizes;  // components, and numbers a node
    for (const std::string& name : surface.of)
      for (const FieldInfo& info : fields) {
        if (info.name != name) continue;
        values.push_back(field(name));
        sizes.push_back({static_cast<std::size_t>(info.count(s.mesh.dim)), static_cast<std::size_t>(info.stride())});
        for (int c = 0; c < info.count(s.mesh.dim); ++c) columns.push_back({info.component(c), {}});
      }
    for (const Index node : nodes) {
      const double* const x = &s.dof_points[3 * static_cast<std::size_t>(node)];
      rows.insert(rows.end(), x, x + 3);
      for (std::size_t f = 0; f < values.size(); ++f)
        for (std::size_t c = 0; c < sizes[f][0]; ++c)
          rows.push_back(values[f][static_cast<std::size_t>(node) * sizes[f][1] + c]);
    }
  });
  const std::vector<double> all = in_common::gather_rows(s.share, rows);
  in_common::root(s.share, [&] {
    const std::size_t width = columns.size();
    const std::vector<double> table = sorted(all, width);
    for (std::size_t i = 0; i < table.size(); ++i) columns[i % width].values.push_back(table[i]);
    output::write_csv(columns, directory / (surface.name + ".csv"));
  });
}

}  // namespace tessera::physics::euler
