// [[line]]: values along straight lines, as tables.
#include "physics/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counted.hpp"
#include "base/input_file.hpp"
#include "mesh/geometry.hpp"

namespace tessera::physics {

namespace {

[[noreturn]] void refuse(const LineParams& line, const std::string& what, const std::string& help) {
  throw Error(ExitCode::usage, fmt::format("line '{}': {}", line.name, what), help, line.where);
}

/// The name becomes that of a file in the output folder.
void check_name(const LineParams& line) {
  const bool plain = !line.name.empty() && line.name.front() != '.' && line.name.size() <= 100 &&
                     line.name.find('/') == std::string::npos && printable(line.name) == line.name;
  if (!plain) refuse(line, "the name is not that of a file", "use letters, digits and _: the table is <name>.csv");
  if (line.name == "solution")
    refuse(line, "solution.csv is the table of all nodes (output.formats)", "choose another name");
}

void check_sizes(const LineParams& line, int dim) {
  for (const auto& [name, place] : {std::pair{"from", &line.from}, std::pair{"to", &line.to}})
    if (static_cast<int>(place->size()) != dim)
      refuse(line, fmt::format("`{}` has {}", name, counted(place->size(), "number")),
             fmt::format("the mesh has {} dimension{}: give as many numbers", dim, dim > 1 ? "s" : ""));
}

}  // namespace

std::array<double, 3> LineParams::point(int i) const {
  std::array<double, 3> result{};
  const double t = static_cast<double>(i) / (points - 1);
  for (std::size_t axis = 0; axis < std::min<std::size_t>(from.size(), 3); ++axis)
    result[axis] = i == points - 1 ? to[axis] : from[axis] + t * (to[axis] - from[axis]);
  return result;
}

double LineParams::length() const {
  double square = 0;
  for (std::size_t axis = 0; axis < from.size(); ++axis) square += (to[axis] - from[axis]) * (to[axis] - from[axis]);
  return std::sqrt(square);
}

bool LineParams::has(const std::string& field) const { return std::find(of.begin(), of.end(), field) != of.end(); }

deck::Section<LineParams> line_section(const std::vector<FieldInfo>& fields) {
  std::vector<std::string> names;
  for (const FieldInfo& field : fields) names.push_back(field.name);
  return deck::Section<LineParams>("line", "Values along a straight line, written as a table: <name>.csv",
                                   deck::SectionKind::array)
      .key("name", &LineParams::name, {.help = "its name and that of its file; left out: line_1, line_2, ..."})
      .key("from", &LineParams::from, {.help = "start, one number an axis", .unit = "length", .required = true})
      .key("to", &LineParams::to, {.help = "end", .unit = "length", .required = true})
      .key("points", &LineParams::points,
           {.help = "points at equal distances, both ends included", .min = 2, .max = 10000000})
      .key("of", &LineParams::of,
           {.help = fmt::format("field(s): {}; left out: {}", fmt::join(names, " and "), names.front()),
            .choices = names})
      .position(&LineParams::where);
}

std::vector<LineParams> read_lines(const deck::Deck& deck, const std::vector<FieldInfo>& fields) {
  std::vector<LineParams> lines = line_section(fields).read_all(deck);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    LineParams& line = lines[i];
    if (line.name.empty()) line.name = fmt::format("line_{}", i + 1);
    check_name(line);
    for (std::size_t other = 0; other < i; ++other)
      if (lines[other].name == line.name) refuse(line, "another line has this name", "give each its own");
    for (const std::vector<double>* place : {&line.from, &line.to})
      for (const double x : *place)
        if (!std::isfinite(x)) refuse(line, fmt::format("{} is no coordinate", x), "give finite numbers");
    if (line.from.size() == line.to.size() && !(line.length() > 0))
      refuse(line, "`from` and `to` are the same point", "for one point use [[quantity]] with kind = \"value\"");
    if (line.of.empty()) line.of = {fields.front().name};
  }
  return lines;
}

void check_lines(const std::vector<LineParams>& lines, const mesh::Mesh& mesh) {
  if (lines.empty()) return;
  const mesh::PointLocator locator(mesh);
  for (const LineParams& line : lines) {
    check_sizes(line, mesh.dim);
    for (int i = 0; i < line.points; ++i) {
      const auto x = line.point(i);
      if (locator.find(x)) continue;
      const mesh::BoundingBox box = mesh::bounding_box(mesh);
      refuse(line,
             fmt::format("point {} of {}, ({:g}, {:g}, {:g}), is in no cell of the mesh", i + 1, line.points, x[0],
                         x[1], x[2]),
             fmt::format("the mesh lies in [{:g}, {:g}] x [{:g}, {:g}] x [{:g}, {:g}]; a line may not leave it",
                         box.min[0], box.max[0], box.min[1], box.max[1], box.min[2], box.max[2]));
    }
  }
}

}  // namespace tessera::physics
