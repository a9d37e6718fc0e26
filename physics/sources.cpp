// [[source]]: sources that are functions of time.
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "mesh/geometry.hpp"
#include "mesh/nearest_point.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

namespace {

[[noreturn]] void refuse(const SourceParams& source, const std::string& what, const std::string& help) {
  throw Error(ExitCode::usage, "[[source]] " + what, help, source.where);
}

void check_place(const SourceParams& source, const FieldInfo& field) {
  if (source.at.empty() == source.on.empty())
    refuse(source, source.at.empty() ? "has no place" : "has two places, `at` and `on`",
           "write at = [x, y, z] for a source at a point, or on = \"group\" for one in cells");
  if (source.is_point() && source.value)
    refuse(source, "at a point has a `value`", "write amplitude = ..., which is the strength of a source at a point");
  if (source.value && source.value->depends_on_time())
    refuse(source, fmt::format("has the value '{}', which depends on t", source.value->text()),
           "write the time as time_function = ...; the value depends on the place alone");
  if (!field.own_names || !source.field.empty()) return;
  refuse(source, "names no field", fmt::format("write field = one of: {}", fmt::join(field.components, ", ")));
}

}  // namespace

std::array<double, 3> SourceParams::point() const {
  std::array<double, 3> x{};
  std::copy_n(at.begin(), std::min<std::size_t>(at.size(), 3), x.begin());
  return x;
}

deck::Section<SourceParams> source_section(const FieldInfo& field) {
  deck::Section<SourceParams> section("source",
                                      "Sources beside those of materials: at a point, the amplitude is all that it "
                                      "gives (about an axis: of the whole ring), or in groups, value * time function",
                                      deck::SectionKind::array);
  section.key("at", &SourceParams::at, {.help = "point, one number an axis", .unit = "length"})
      .key("on", &SourceParams::on, {.help = "instead of a point: group(s) of cells"})
      .key("value", &SourceParams::value,
           {.help = "in groups: an expression of x, y, z, by which the function of time is multiplied; left out: 1"});
  if (field.own_names)
    section.key("field", &SourceParams::field, {.help = "whose source it is", .choices = field.components});
  deck::add_time_function_keys(section);
  return section.position(&SourceParams::where);
}

std::vector<SourceParams> read_sources(const deck::Deck& deck, const FieldInfo& field, const TimeParams* time) {
  std::vector<SourceParams> sources = source_section(field).read_all(deck);
  for (SourceParams& source : sources) {
    check_place(source, field);
    source.strength = deck::TimeFunction(source, deck, source.where);
    if (time)
      source.strength.require_range(time->start, time->end);
    else if (!source.strength.is_constant())
      refuse(source, "is a function of time, and the deck has no [time]",
             "write amplitude = ... alone, or add [time] with end and step");
  }
  return sources;
}

void check_sources(const std::vector<SourceParams>& sources, const mesh::Mesh& mesh) {
  if (sources.empty()) return;
  const mesh::PointLocator locator(mesh);
  for (const SourceParams& source : sources) {
    if (source.value) source.value->require_axes(mesh.dim);
    for (const std::string& name : source.on) find_group(mesh, name, mesh.dim, source.where);
    if (!source.is_point()) continue;
    if (static_cast<int>(source.at.size()) != mesh.dim)
      refuse(source,
             fmt::format("has {} in `at`, the mesh has {}", counted(source.at.size(), "number"),
                         counted(mesh.dim, "dimension")),
             "give one number an axis");
    if (locator.find(source.point())) continue;
    const mesh::Nearest nearest = mesh::NearestPoints(mesh).find(source.point());
    refuse(source, fmt::format("({}) is in no cell of the mesh", fmt::join(source.at, ", ")),
           fmt::format("the nearest place of the mesh is ({:.10g}), {:g} away",
                       fmt::join(nearest.x.begin(), nearest.x.begin() + mesh.dim, ", "), nearest.distance));
  }
}

}  // namespace tessera::physics
