#include "physics/run/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "assembly/fields/quantities.hpp"
#include "base/communicator.hpp"
#include "base/log.hpp"
#include "base/team.hpp"
#include "mesh/partition.hpp"
#include "physics/later_fields.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/lines.hpp"
#include "physics/run/report.hpp"
#include "physics/run/shown.hpp"

namespace tessera::physics {

namespace {

/// [nodes, 3] of [nodes, dim]: vectors in files have three components.
std::vector<double> padded(std::span<const double> values, int dim) {
  std::vector<double> result(3 * values.size() / static_cast<std::size_t>(dim), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i)
    result[i / static_cast<std::size_t>(dim) * 3 + i % static_cast<std::size_t>(dim)] = values[i];
  return result;
}

/// Says once of a run that a number is not finite: files and tables have it as it is, the summary as null.
void warn_once(const std::string& message) {
  const std::vector<std::string>& said = warnings();
  if (std::find(said.begin(), said.end(), message) == said.end()) warn(message);
}

/// How many of the first `count` nodes have numbers that are not finite, and the first of them. values [nodes, stride]
struct NotFinite {
  double nodes = 0;
  Offset first = -1;
};
NotFinite find_not_finite(std::span<const double> values, int stride, Offset count, int threads) {
  const auto of = [&](Offset begin, Offset end) {
    NotFinite found;
    for (Offset node = begin; node < end; ++node) {
      const double* of_node = &values[static_cast<std::size_t>(node * stride)];
      if (std::all_of(of_node, of_node + stride, [](double value) { return std::isfinite(value); })) continue;
      if (found.nodes++ == 0) found.first = node;
    }
    return found;
  };
  return parallel_reduce(threads, count, NotFinite(), of, [](NotFinite a, NotFinite b) {
    return NotFinite{a.nodes + b.nodes, a.first >= 0 ? a.first : b.first};
  });
}

void warn_of_infinite(const std::string& name, std::span<const double> values, int stride, const NodalSolution& s) {
  const NotFinite here = find_not_finite(values, stride, s.own_dofs(), s.threads);
  std::vector<char> found{here.first >= 0};
  std::vector<double> x(3);
  if (here.first >= 0)
    x.assign(&s.dof_points[3 * static_cast<std::size_t>(here.first)], &s.dof_points[3 * here.first] + 3);
  const double nodes = in_common::sum(s.share, here.nodes);
  in_common::first_found(s.share, found, x, 3);
  if (nodes > 0)
    warn_once(fmt::format("the field '{}' is not finite at {} node{}, the first at ({:.6g}, {:.6g}, {:.6g})", name,
                          nodes, nodes > 1 ? "s" : "", x[0], x[1], x[2]));
}

/// All numbers of a field, [nodes, stride]: the first is the solution itself. Collective.
struct FieldValues {
  std::vector<double> own;
  std::span<const double> values;
  int stride;

  assembly::FieldView view() const { return {values, assembly::FieldLayout::by_nodes(stride)}; }

  FieldValues(const FieldInfo& field, bool solved, const NodalSolution& s, Results& results)
      : stride(solved && !field.vector ? s.space.components : field.stride()) {
    if (!solved) {
      in_common::each(s.share, [&] { own = results.field(field.name); });
      in_common::update_ghosts(s, stride, own);
    } else if (field.vector) {
      own = padded(s.u, s.space.components);
    }
    values = solved && !field.vector ? std::span<const double>(s.u) : std::span<const double>(own);
    warn_of_infinite(field.name, values, stride, s);
  }
  FieldValues(const FieldValues&) = delete;

  /// Its numbers, for who keeps them.
  std::vector<double> taken() {
    return own.empty() ? std::vector<double>(values.begin(), values.end()) : std::move(own);
  }
};

/// Smallest and largest of all groups, of the whole mesh where there are none.
std::array<double, 2> extremes(const QuantityParams& quantity, const NodalSolution& s, const assembly::FieldView& u) {
  std::vector<const mesh::Group*> groups;
  for (const std::string& name : quantity.on) groups.push_back(&find_group(s.mesh, name, -1, quantity.where));
  if (groups.empty()) groups.push_back(nullptr);
  std::vector<double> bounds;  // of each group the largest of -u and of u
  for (const mesh::Group* group : groups) {
    const auto [low, high] = assembly::min_max(s.mesh, s.space.dofs, u, group);
    bounds.insert(bounds.end(), {-low, high});
  }
  in_common::largest(s.share, bounds);
  std::array<double, 2> result{bounds[0], bounds[1]};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (bounds[2 * g] == -std::numeric_limits<double>::infinity() && bounds[2 * g + 1] == bounds[2 * g])
      throw Error(ExitCode::usage, fmt::format("group '{}' has no dofs", groups[g] ? groups[g]->name : ""),
                  "choose a group that is part of the mesh's cells", quantity.where);
    for (std::size_t side : {0, 1})
      if (const double bound = bounds[2 * g + side]; bound > result[side] || std::isnan(bound)) result[side] = bound;
  }
  return {-result[0], result[1]};
}

/// The extreme over several groups, or the integral over all that they hold, where what is in several counts once.
double group_quantity(const QuantityParams& quantity, const NodalSolution& s, const assembly::FieldView& u) {
  if (!is_integral(quantity)) return extremes(quantity, s, u)[quantity.kind == "max"];
  assembly::Moments all;
  in_common::each(s.share, [&] {
    mesh::Group united;
    if (!quantity.on.empty()) united = united_groups(s.mesh, quantity.on, -1, quantity.where);
    const mesh::Group* group = quantity.on.empty() ? nullptr : &united;
    if (s.share) united = s.own(group), group = &united;
    all = assembly::moments(s.mesh, s.space.dofs, u, group, s.threads);
  });
  std::array<double, 3> sums{all.measure, all.integral, all.square};
  in_common::add(s.share, sums);
  const auto [measure, integral, square] = sums;
  return quantity.kind == "integral" ? integral : quantity.kind == "average" ? integral / measure : std::sqrt(square);
}

/// Looks for points in a solution's mesh; made when it is first asked.
class Places {
 public:
  explicit Places(const NodalSolution& s) : s_(s) {}
  const mesh::PointLocator& locator() { return locator_ ? *locator_ : locator_.emplace(s_.mesh); }

 private:
  const NodalSolution& s_;
  std::optional<mesh::PointLocator> locator_;
};

/// visit(probe, values) at points [n]: values [n, width], on the root. Each is in some rank's part of the mesh.
template <class Visit>
std::vector<double> at_points(const NodalSolution& s, Places& places, const std::vector<std::array<double, 3>>& points,
                              std::size_t width, Visit visit) {
  std::vector<double> values(points.size() * width, 0.0);
  std::vector<char> found(points.size(), 0);
  in_common::each(s.share, [&] {
    const mesh::PointLocator& locator = places.locator();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (s.share && !locator.find(points[i])) continue;  // of another rank; on one rank make_probe says it
      found[i] = 1;
      visit(assembly::make_probe(s.mesh, s.space.dofs, locator, points[i]), &values[i * width]);
    }
  });
  in_common::first_found(s.share, found, values, width);
  in_common::root(s.share, [&] {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!found[i])
        throw Error(ExitCode::internal,
                    fmt::format("the point ({}) is in the mesh, but in no part of a rank", fmt::join(points[i], ", ")));
  });
  return values;
}

/// Groups of cells, or else entities, in the order of their numbers in files.
std::vector<const mesh::Group*> groups_of_cells(const mesh::Mesh& mesh) {
  std::vector<const mesh::Group*> result;
  for (const mesh::Group& group : mesh.groups)
    if (group.dim == mesh.dim) result.push_back(&group);
  if (!result.empty()) return result;
  for (const mesh::Group& entity : mesh.entities)
    if (entity.dim == mesh.dim && entity.name != "rest" && !mesh::partition_number(entity)) result.push_back(&entity);
  return result;
}

bool groups_overlap(const mesh::Mesh& mesh) {
  std::vector<char> seen(static_cast<std::size_t>(mesh.cells()), 0);
  for (const mesh::Group* group : groups_of_cells(mesh))
    for (const Index cell : group->entities)
      if (std::exchange(seen[static_cast<std::size_t>(cell)], 1)) return true;
  return false;
}

/// Adds the numbers of groups (of entities where there are none) as cell fields: the first group of each cell, and,
/// where they overlap, 0/1 for each group.
void add_groups(const mesh::Mesh& mesh, bool overlap, std::vector<output::Field>& fields) {
  const auto cells = static_cast<std::size_t>(mesh.cells());
  output::Field group{"group", 1, std::vector<double>(cells, -1), true};
  std::vector<output::Field> members;
  double number = 0;
  for (const mesh::Group* g : groups_of_cells(mesh)) {
    output::Field member{"in " + g->name, 1, std::vector<double>(overlap ? cells : 0, 0.0), true};
    for (const Index cell : g->entities) {
      if (overlap) member.values[cell] = 1;
      if (group.values[cell] < 0) group.values[cell] = number;
    }
    if (overlap) members.push_back(std::move(member));
    ++number;
  }
  fields.push_back(std::move(group));
  std::move(members.begin(), members.end(), std::back_inserter(fields));
}

/// The field that has a component of this name, or null; `c` becomes its number.
const FieldInfo* measured_field(const std::vector<FieldInfo>& fields, const std::string& name, int dim, int& c) {
  for (const FieldInfo& field : fields)
    if (field.measured && is_component(field, name, dim, c)) return &field;
  return nullptr;
}

bool is_own(const QuantityParams& quantity, const Traits& traits) {
  return std::find(traits.quantities.begin(), traits.quantities.end(), quantity.kind) != traits.quantities.end();
}

double quantity_of_field(const QuantityParams& quantity, const Traits& traits, const NodalSolution& s, Results& results,
                         Places& places) {
  int c = 0;
  const FieldInfo& field = *measured_field(traits.fields, quantity.of, s.mesh.dim, c);
  const FieldValues values(field, &field == &traits.fields.front(), s, results);
  const assembly::FieldView u = values.view().component(c);
  if (quantity.kind != "value") return group_quantity(quantity, s, u);
  std::array<double, 3> at{};
  std::copy_n(quantity.at.begin(), std::min<std::size_t>(quantity.at.size(), 3), at.begin());
  return at_points(s, places, {at}, 1, [&](const assembly::Probe& probe, double* value) { *value = probe.value(u); })
      .front();
}

}  // namespace

void report_quantities(const std::vector<QuantityParams>& quantities, const Traits& traits, const NodalSolution& s,
                       Results& results, output::Summary& summary) {
  Places places(s);
  for (const QuantityParams& quantity : quantities) {
    double value = 0;
    if (is_own(quantity, traits)) {
      in_common::each(s.share, [&] { value = results.quantity(quantity); });
      value = in_common::sum(s.share, value);
    } else {
      value = quantity_of_field(quantity, traits, s, results, places);
    }
    if (!std::isfinite(value)) warn_once(fmt::format("the quantity '{}' is not finite", quantity.name));
    summary.set_in("quantities", quantity.name, value);
  }
}

void check_quantity_fields(const std::vector<QuantityParams>& quantities, const Traits& traits, int dim) {
  for (const QuantityParams& quantity : quantities) {
    int c = 0;
    if (is_own(quantity, traits) || measured_field(traits.fields, quantity.of, dim, c)) continue;
    std::vector<std::string> names;
    for (const FieldInfo& field : traits.fields)
      for (c = 0; field.measured && c < field.count(dim); ++c) names.push_back(field.component(c));
    throw Error(ExitCode::usage,
                fmt::format("quantity '{}' is of '{}', which is no number", quantity.name, quantity.of),
                fmt::format("write of = one of: {}", fmt::join(names, ", ")), quantity.where);
  }
}

namespace {

/// What a file has of a solution, at the dofs and the cells of a mesh.
struct Written {
  std::vector<output::Field> nodal;
  std::vector<output::Field> cells;  ///< but groups
};

std::vector<const FieldInfo*> fields_to_write(const OutputParams& params, const std::vector<FieldInfo>& fields) {
  std::vector<const FieldInfo*> result;
  for (const FieldInfo& field : fields)
    if (params.fields.empty() && field.written) result.push_back(&field);
  for (const std::string& name : params.fields)
    for (const FieldInfo& field : fields)
      if (field.name == name) result.push_back(&field);
  return result;
}

/// VTK's cells are equispaced: where the dofs are not, fields are written where VTK takes its points to be.
output::VtkData vtk_data(const mesh::Mesh& mesh, const assembly::DofMap& dofs, const std::vector<double>& dof_points,
                         Written written, bool overlap) {
  output::VtkData data;
  const bool equispaced = dofs.is_equispaced();
  data.points = equispaced ? dof_points : assembly::equispaced_dof_points(mesh, dofs);
  for (const assembly::DofBlock& block : dofs.blocks) {
    const std::vector<double> nodes = assembly::equispaced_points(dofs.element(block.shape));
    data.blocks.push_back(output::vtk_cells(block.shape, dofs.order, nodes, block.dofs.view()));
  }
  for (output::Field& field : written.nodal) {
    if (!equispaced) field.values = assembly::equispaced_values(dofs, field.values, field.components);
    data.point_fields.push_back(std::move(field));
  }
  data.cell_fields = std::move(written.cells);
  add_groups(mesh, overlap, data.cell_fields);
  return data;
}

/// A field of nodes that is made when the others are written.
struct Later {
  std::size_t place;  ///< among them
  LaterFields::Make make;
};

/// All of it on the root.
Written gathered(const NodalSolution& s, const Written& own) {
  Written result;
  for (const output::Field& field : own.nodal)
    result.nodal.push_back(
        {field.name, field.components, in_common::gather_nodes(*s.share, field.components, field.values)});
  for (const output::Field& field : own.cells)
    result.cells.push_back({field.name, field.components, in_common::gather_cells(s, field.values), field.integer});
  return result;
}

}  // namespace

int write_solution(const CommonParams& params, const std::vector<FieldInfo>& fields, const NodalSolution& s,
                   Results& results, bool converged, const std::filesystem::path& directory, const FileNames& names,
                   const TakeSolution& take) {
  const std::string title = params.title +
                            (s.mesh.measure.weighs() ? fmt::format(" (axis {})", s.mesh.measure.axis()) : "") +
                            (converged ? "" : " (NOT CONVERGED)");
  Written written;
  std::vector<Later> later;
  const auto* const without_results =
      names.in_series && !s.share ? dynamic_cast<const LaterFields*>(&results) : nullptr;
  for (const FieldInfo* field : fields_to_write(params.output, fields)) {
    const bool solved = field == &fields.front();
    if (without_results && !solved) {
      later.push_back({written.nodal.size(), without_results->field_later(field->name)});
      written.nodal.push_back({field->name, field->stride(), {}});
      continue;
    }
    FieldValues values(*field, solved, s, results);
    written.nodal.push_back({field->name, values.stride, values.taken()});
  }
  in_common::each(s.share, [&] { written.cells = results.cell_fields(); });
  const auto write = [&](const mesh::Mesh& mesh, const assembly::DofMap& dofs, const std::vector<double>& dof_points,
                         Written all) {
    std::vector<double> u = later.empty() ? std::vector<double>() : s.u;
    take([title, &mesh, &dofs, &dof_points, &output = params.output, all = std::move(all), later = std::move(later),
          u = std::move(u)]() mutable {
      for (const Later& field : later) all.nodal[field.place].values = field.make(u);
      output::VtkData data = vtk_data(mesh, dofs, dof_points, std::move(all), groups_overlap(mesh));
      data.title = title;
      return shown_part(output, mesh, dofs, std::move(data));
    });
  };
  if (!s.share) {
    write(s.mesh, s.space.dofs, s.dof_points, std::move(written));
    return 0;
  }
  if (s.share->has_whole && params.output.writes_whole()) {
    Written all = gathered(s, written);
    in_common::root(s.share, [&] {
      const Discretisation& whole = *s.share->whole;
      write(whole.mesh, whole.solution_space().dofs, whole.solution_points(), std::move(all));
    });
  }
  if (s.share->has_whole && !params.output.has_format("pvtu")) return 0;
  const bool overlap = in_common::any(s.share, groups_overlap(s.mesh));
  const auto piece = [&] {
    output::VtkData data = vtk_data(s.mesh, s.space.dofs, s.dof_points, std::move(written), overlap);
    data.title = title;
    return shown_part(params.output, s.mesh, s.space.dofs, std::move(data), s.share->cells);
  };
  const bool beside_one_file = s.share->has_whole && params.output.has_format("vtu");
  return write_pieces(*s.share, piece, directory, !beside_one_file, names);
}

void write_lines(const std::vector<LineParams>& lines, const std::vector<FieldInfo>& fields, const NodalSolution& s,
                 Results& results, const std::filesystem::path& directory) {
  std::vector<std::unique_ptr<FieldValues>> values;  // [fields], of those that a line asks for
  for (const FieldInfo& field : fields)
    values.push_back(
        std::any_of(lines.begin(), lines.end(), [&](const LineParams& line) { return line.has(field.name); })
            ? std::make_unique<FieldValues>(field, &field == &fields.front(), s, results)
            : nullptr);
  Places places(s);
  for (const LineParams& line : lines) {
    std::vector<std::array<double, 3>> points;
    for (int i = 0; i < line.points; ++i) points.push_back(line.point(i));
    std::size_t width = 0;
    for (const FieldInfo& field : fields)
      if (line.has(field.name)) width += static_cast<std::size_t>(field.count(s.mesh.dim));
    const std::vector<double> table =
        at_points(s, places, points, width, [&](const assembly::Probe& probe, double* out) {
          for (std::size_t f = 0; f < fields.size(); ++f)
            for (int c = 0; line.has(fields[f].name) && c < fields[f].count(s.mesh.dim); ++c)
              *out++ = probe.value(values[f]->view(), c);
        });
    in_common::root(s.share, [&] {
      const double* row = table.data();
      write_line(
          line, s.mesh.dim, fields,
          [&](const std::array<double, 3>&, double* out) {
            std::copy_n(row, width, out);
            row += width;
          },
          directory);
    });
  }
}

}  // namespace tessera::physics
