// Of results.hpp what makes files of a solution.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/communicator.hpp"
#include "mesh/partition.hpp"
#include "output/pieces.hpp"
#include "physics/later_fields.hpp"
#include "physics/run/field_values.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/report.hpp"
#include "physics/run/results.hpp"
#include "physics/run/shown.hpp"

namespace tessera::physics {

namespace {

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

/// The next state of a series, whose grid is there: fields of nodes alone.
void take_fields(const assembly::DofMap& dofs, Written written, Shown& shown) {
  shown.data.point_fields.clear();
  for (output::Field& field : written.nodal) {
    if (!dofs.is_equispaced()) field.values = assembly::equispaced_values(dofs, field.values, field.components);
    shown.data.point_fields.push_back(shown.dofs ? output::taken(field, *shown.dofs) : std::move(field));
  }
}

/// A field of nodes that is made of u when the others are written; without `make` it is u.
struct Later {
  std::size_t place;  ///< among them
  LaterFields::Make make = {};
};

/// A vector of this length of a state before, or none.
std::vector<double> left_by_others(FileState& state, std::size_t length) {
  for (std::vector<double>& values : state.memory)
    if (values.size() == length) return std::exchange(values, {});
  return {};
}

/// Notes what of a field files cannot have as it is.
struct Look {
  const std::vector<double>& dof_points;
  int threads;
  std::string when;
  bool floats;  ///< files have them

  void operator()(const output::Field& field, std::span<const double> values, FileState& state) const {
    if (auto found = find_not_finite(field.name, values, field.components, dof_points, threads, when))
      state.not_finite.push_back(std::move(*found));
    if (!floats) return;
    if (auto found = find_beyond_floats(field.name, values, field.components, dof_points, threads, when))
      state.not_finite.push_back(std::move(*found));
  }
};

bool writes_floats(const OutputParams& params) {
  return precision_of(params) == output::Precision::of_float &&
         (params.has_format("vtu") || params.has_format("pvtu") || params.has_format("vtkhdf"));
}

/// Fields of u at the nodes that `made` lacks.
void make_later(const std::vector<Later>& later, const FieldInfo& solved, int components, const Look& look,
                std::vector<double> u, Written& made, FileState& state) {
  std::optional<std::size_t> place_of_u;
  for (const Later& of : later) {
    output::Field& field = made.nodal[of.place];
    if (!of.make && !solved.vector) {
      place_of_u = of.place;
      continue;
    }
    const std::size_t length = look.dof_points.size() / 3 * static_cast<std::size_t>(field.components);
    field.values = of.make ? of.make(u, left_by_others(state, length)) : with_three_components(u, components);
    look(field, field.values, state);
  }
  state.memory.clear();
  if (!place_of_u) return;
  output::Field& field = made.nodal[*place_of_u];
  look(field, u, state);
  field.values = std::move(u);
}

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
  const bool can_wait = names.in_series && !s.share, floats = writes_floats(params.output);
  const auto* const without_results = can_wait ? dynamic_cast<const LaterFields*>(&results) : nullptr;
  for (const FieldInfo* field : fields_to_write(params.output, fields)) {
    const bool solved = field == &fields.front();
    if (solved ? can_wait : without_results != nullptr) {
      later.push_back({written.nodal.size()});
      if (!solved) later.back().make = without_results->field_later(field->name);
      written.nodal.push_back({field->name, solved && !field->vector ? s.space.components : field->stride(), {}});
      continue;
    }
    FieldValues values(*field, solved, s, results, names.when);
    if (floats) warn_of_beyond_floats(field->name, values.values, values.stride, s, names.when);
    written.nodal.push_back({field->name, values.stride, values.taken()});
  }
  const bool in_pieces = s.share && (!s.share->has_whole || params.output.has_format("pvtu"));
  if (!names.goes_on || in_pieces) in_common::each(s.share, [&] { written.cells = results.cell_fields(); });
  const auto write = [&](const mesh::Mesh& mesh, const assembly::DofMap& dofs, const std::vector<double>& dof_points,
                         Written all) {
    const bool asks_for_u = !later.empty();
    take(
        [title, names, floats, threads = s.threads, components = s.space.components, solved = fields.front(), &mesh,
         &dofs, &dof_points, &output = params.output, all = std::move(all),
         later = std::move(later)](FileState& state, std::vector<double> u) mutable {
          make_later(later, solved, components, {dof_points, threads, names.when, floats}, std::move(u), all, state);
          if (names.goes_on) return take_fields(dofs, std::move(all), state.shown);
          output::VtkData whole = vtk_data(mesh, dofs, dof_points, std::move(all), groups_overlap(mesh));
          whole.title = title;
          state.shown = shown_part(output, mesh, dofs, std::move(whole));
        },
        asks_for_u);
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
  if (!in_pieces) return 0;
  const bool overlap = in_common::any(s.share, groups_overlap(s.mesh));
  const auto piece = [&] {
    output::VtkData data = vtk_data(s.mesh, s.space.dofs, s.dof_points, std::move(written), overlap);
    data.title = title;
    return shown_part(params.output, s.mesh, s.space.dofs, std::move(data), s.share->cells).data;
  };
  const bool beside_one_file = s.share->has_whole && params.output.has_format("vtu");
  return write_pieces(params.output, *s.share, piece, directory, !beside_one_file, names);
}

}  // namespace tessera::physics
