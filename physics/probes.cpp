// [[probe]]: values at points through time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/counted.hpp"
#include "mesh/geometry.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

namespace {

[[noreturn]] void refuse(const ProbeParams& probe, const std::string& what, const std::string& help) {
  throw Error(ExitCode::usage, fmt::format("probe '{}': {}", probe.name, what), help, probe.where);
}

std::array<double, 3> nearest_node(const mesh::Mesh& mesh, const std::array<double, 3>& x) {
  std::array<double, 3> nearest{};
  double least = std::numeric_limits<double>::infinity();
  for (Index node = 0; node < mesh.nodes(); ++node) {
    const double* const at = mesh.point(node);
    const double distance = std::hypot(at[0] - x[0], at[1] - x[1], at[2] - x[2]);
    if (distance >= least) continue;
    least = distance;
    nearest = {at[0], at[1], at[2]};
  }
  return nearest;
}

}  // namespace

std::array<double, 3> ProbeParams::point() const {
  std::array<double, 3> x{};
  std::copy_n(at.begin(), std::min<std::size_t>(at.size(), 3), x.begin());
  return x;
}

deck::Section<ProbeParams> probe_section(const FieldInfo& field) {
  std::vector<std::string> names;
  for (int c = 0; c < field.count(3); ++c) names.push_back(field.component(c));
  if (!field.rate.empty())
    for (int c = 0; c < field.count(3); ++c) names.push_back(field.rate_field().component(c));
  names.insert(names.end(), field.probed.begin(), field.probed.end());
  return deck::Section<ProbeParams>("probe", "Values at points through time, as the table probes.csv",
                                    deck::SectionKind::array)
      .key("name", &ProbeParams::name, {.help = "of its column", .required = true, .example = "\"u_middle\""})
      .key("at", &ProbeParams::at,
           {.help = "point, one number an axis", .unit = "length", .required = true, .example = "[0.5, 0.5, 0.5]"})
      .key("of", &ProbeParams::of,
           {.help = "what is looked at",
            .choices = names,
            .example = names.front() == "u" ? "" : "\"" + names.front() + "\""})
      .key("every", &ProbeParams::every,
           {.help = "steps between two values; of several numbers each has a table, probes_every_10.csv",
            .min = 1,
            .max = 1000000000})
      .position(&ProbeParams::where);
}

std::vector<ProbeParams> read_probes(const deck::Deck& deck, const FieldInfo& field) {
  std::vector<ProbeParams> probes = probe_section(field).read_all(deck);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (probes[i].name.empty() || probes[i].name == "t" ||
        std::any_of(probes[i].name.begin(), probes[i].name.end(), [](unsigned char c) { return c < ' '; }))
      refuse(probes[i], "that is no name of a column", "give it another; \"t\" is the column of the time");
    for (std::size_t other = 0; other < i; ++other)
      if (probes[other].name == probes[i].name) refuse(probes[i], "another probe has this name", "give each its own");
  }
  return probes;
}

void check_probes(const std::vector<ProbeParams>& probes, const FieldInfo& field, const mesh::Mesh& mesh) {
  if (probes.empty()) return;
  const mesh::PointLocator locator(mesh);
  for (const ProbeParams& probe : probes) {
    if (static_cast<int>(probe.at.size()) != mesh.dim)
      refuse(probe,
             fmt::format("at has {}, the mesh {}", counted(probe.at.size(), "number"), counted(mesh.dim, "dimension")),
             "give one number an axis");
    int c = 0;
    if (std::find(field.probed.begin(), field.probed.end(), probe.of) == field.probed.end() &&
        !is_component(field, probe.of, mesh.dim, c) &&
        (field.rate.empty() || !is_component(field.rate_field(), probe.of, mesh.dim, c)))
      refuse(probe, fmt::format("there is no '{}' in {}", probe.of, counted(mesh.dim, "dimension")),
             fmt::format("write of = \"{}\"", field.component(0)));
    if (locator.find(probe.point())) continue;
    const std::array<double, 3> x = nearest_node(mesh, probe.point());
    refuse(probe, fmt::format("({}) is in no cell of the mesh", fmt::join(probe.at, ", ")),
           fmt::format("the nearest node is ({})", fmt::join(x.begin(), x.begin() + mesh.dim, ", ")));
  }
}

}  // namespace tessera::physics
