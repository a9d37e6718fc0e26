#include "physics/run/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assembly/fields/errors.hpp"
#include "assembly/fields/quantities.hpp"
#include "base/log.hpp"
#include "physics/run/lines.hpp"
#include "physics/run/report.hpp"

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

void warn_of_infinite(const std::string& name, std::span<const double> values, int stride, const NodalSolution& s) {
  Offset nodes = 0, first = -1;
  for (Offset node = 0; node * stride < static_cast<Offset>(values.size()); ++node) {
    const double* of_node = &values[node * stride];
    if (std::all_of(of_node, of_node + stride, [](double value) { return std::isfinite(value); })) continue;
    if (nodes++ == 0) first = node;
  }
  if (nodes == 0) return;
  const double* x = &s.dof_points[3 * static_cast<std::size_t>(first)];
  warn_once(fmt::format("the field '{}' is not finite at {} node{}, the first at ({:.6g}, {:.6g}, {:.6g})", name, nodes,
                        nodes > 1 ? "s" : "", x[0], x[1], x[2]));
}

/// All numbers of a field, [nodes, stride]: the first is the solution itself.
struct FieldValues {
  std::vector<double> own;
  std::span<const double> values;
  int stride;

  assembly::FieldView view() const { return {values, assembly::FieldLayout::by_nodes(stride)}; }

  FieldValues(const FieldInfo& field, bool solved, const NodalSolution& s, Results& results) : stride(field.stride()) {
    if (!solved)
      own = results.field(field.name);
    else if (field.vector)
      own = padded(s.u, s.space.components);
    values = solved && !field.vector ? std::span<const double>(s.u) : std::span<const double>(own);
    warn_of_infinite(field.name, values, stride, s);
  }
  FieldValues(const FieldValues&) = delete;
};

/// The extreme over several groups, or the integral over all that they hold, where what is in several counts once.
double group_quantity(const QuantityParams& quantity, const NodalSolution& s, const assembly::FieldView& u) {
  if (!is_integral(quantity)) {
    std::vector<const mesh::Group*> groups;
    for (const std::string& name : quantity.on) groups.push_back(&find_group(s.mesh, name, -1, quantity.where));
    if (groups.empty()) groups.push_back(nullptr);
    std::vector<double> all;
    for (const mesh::Group* group : groups) {
      const auto [low, high] = assembly::min_max(s.mesh, s.space.dofs, u, group);
      all.push_back(quantity.kind == "max" ? high : low);
    }
    return quantity.kind == "max" ? *std::max_element(all.begin(), all.end())
                                  : *std::min_element(all.begin(), all.end());
  }
  mesh::Group united;
  if (!quantity.on.empty()) united = united_groups(s.mesh, quantity.on, -1, quantity.where);
  const assembly::FieldStatistics all =
      assembly::field_statistics(s.mesh, s.space.dofs, u, quantity.on.empty() ? nullptr : &united, s.threads);
  return quantity.kind == "integral" ? all.integral : quantity.kind == "average" ? all.average() : all.l2;
}

/// Adds the numbers of groups (of entities where there are none) as cell fields: the first group of each cell, and 0/1
/// for each group where they overlap.
void add_groups(const NodalSolution& s, std::vector<output::Field>& fields) {
  const auto cells = static_cast<std::size_t>(s.mesh.cells());
  output::Field group{"group", 1, std::vector<double>(cells, -1), true};
  std::vector<output::Field> members;
  bool overlap = false;
  double number = 0;
  const bool has_groups = std::any_of(s.mesh.groups.begin(), s.mesh.groups.end(),
                                      [&](const mesh::Group& g) { return g.dim == s.mesh.dim; });
  for (const mesh::Group& g : has_groups ? s.mesh.groups : s.mesh.entities) {
    if (g.dim != s.mesh.dim || (!has_groups && g.name == "rest")) continue;
    output::Field member{"in " + g.name, 1, std::vector<double>(cells, 0), true};
    for (Index cell : g.entities) {
      member.values[cell] = 1;
      overlap |= group.values[cell] >= 0;
      if (group.values[cell] < 0) group.values[cell] = number;
    }
    members.push_back(std::move(member));
    ++number;
  }
  fields.push_back(std::move(group));
  if (overlap)
    for (output::Field& member : members) fields.push_back(std::move(member));
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

double quantity_of_field(const QuantityParams& quantity, const Traits& traits, const NodalSolution& s,
                         Results& results) {
  int c = 0;
  const FieldInfo& field = *measured_field(traits.fields, quantity.of, s.mesh.dim, c);
  const FieldValues values(field, &field == &traits.fields.front(), s, results);
  const assembly::FieldView u = values.view().component(c);
  if (quantity.kind != "value") return group_quantity(quantity, s, u);
  std::array<double, 3> at{};
  std::copy_n(quantity.at.begin(), std::min<std::size_t>(quantity.at.size(), 3), at.begin());
  return assembly::value_at(s.mesh, s.space.dofs, u, at);
}

/// The gradient of a component of the exact solution: that of the deck, or derived from u.
std::vector<deck::Expression> gradient_of(const ExactParams& exact, int c, int dim) {
  std::vector<deck::Expression> gradient;
  for (int axis = 0; axis < dim; ++axis)
    gradient.push_back(exact.gradient.empty()
                           ? deck::derivative(exact.u[static_cast<std::size_t>(c)], static_cast<deck::Variable>(axis))
                           : exact.gradient[static_cast<std::size_t>(c) * static_cast<std::size_t>(dim) +
                                            static_cast<std::size_t>(axis)]);
  return gradient;
}

assembly::ErrorNorms error_norms(const ExactParams& exact, int c, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                 const assembly::FieldView& u, int threads) {
  const deck::Expression& of = exact.u[static_cast<std::size_t>(c)];
  const auto errors = [&](std::span<const deck::Expression> gradient) {
    return assembly::compute_errors(mesh, dofs, u, of, gradient, {.threads = threads});
  };
  const std::vector<deck::Expression> gradient = gradient_of(exact, c, mesh.dim);
  if (!exact.gradient.empty()) return errors(gradient);
  try {
    return errors(gradient);
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage) throw;
    const assembly::ErrorNorms without = errors({});  // throws where u itself has no value
    warn(fmt::format("no error in H1: of the gradient derived from '{}' in [exact], {}", of.text(), error.what()));
    return without;
  }
}

void summarise_errors(const assembly::ErrorNorms& errors, const std::string& name, output::Summary& summary) {
  summary.set("errors." + name + ".l2", errors.l2);
  if (errors.h1) summary.set("errors." + name + ".h1", *errors.h1);
  summary.set("errors." + name + ".max", errors.max);
}

}  // namespace

void report_errors(const ExactParams& exact, const FieldInfo& field, const NodalSolution& s, output::Summary& summary) {
  assembly::ErrorNorms all;
  all.h1 = 0;
  const assembly::FieldView u(s.u, s.space.layout());
  for (int c = 0; c < s.space.components; ++c) {
    const assembly::ErrorNorms errors = error_norms(exact, c, s.mesh, s.space.dofs, u.component(c), s.threads);
    summarise_errors(errors, field.component(c), summary);
    all.l2 = std::hypot(all.l2, errors.l2);
    if (!errors.h1) all.h1.reset();
    if (all.h1) all.h1 = std::hypot(*all.h1, *errors.h1);
    all.max = std::max(all.max, errors.max);
  }
  if (s.space.components > 1) summarise_errors(all, field.name, summary);
}

void check_values(const ExactParams& exact, const mesh::Mesh& mesh, const assembly::DofMap& dofs, int threads) {
  const std::vector<double> u(static_cast<std::size_t>(dofs.dofs), 0.0);
  for (std::size_t c = 0; c < exact.u.size(); ++c) error_norms(exact, static_cast<int>(c), mesh, dofs, u, threads);
}

void report_quantities(const std::vector<QuantityParams>& quantities, const Traits& traits, const NodalSolution& s,
                       Results& results, output::Summary& summary) {
  for (const QuantityParams& quantity : quantities) {
    const double value =
        is_own(quantity, traits) ? results.quantity(quantity) : quantity_of_field(quantity, traits, s, results);
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

void write_solution(const CommonParams& params, const std::vector<FieldInfo>& fields, const NodalSolution& s,
                    Results& results, bool converged, const std::filesystem::path& directory) {
  output::VtkData data;
  data.title = params.title + (s.mesh.measure.weighs() ? fmt::format(" (axis {})", s.mesh.measure.axis()) : "") +
               (converged ? "" : " (NOT CONVERGED)");
  // VTK's cells are equispaced: above order 4 the dofs are not, and fields are written where VTK takes its points to
  // be.
  data.points = s.space.dofs.order <= assembly::max_simplex_order
                    ? s.dof_points
                    : assembly::equispaced_dof_points(s.mesh, s.space.dofs);
  for (const assembly::DofBlock& block : s.space.dofs.blocks) {
    const std::vector<double> nodes = assembly::equispaced_points(assembly::lagrange(block.shape, s.space.dofs.order));
    data.blocks.push_back(output::vtk_cells(block.shape, s.space.dofs.order, nodes, block.dofs.view()));
  }
  const auto add = [&](const FieldInfo& field) {
    const FieldValues values(field, &field == &fields.front(), s, results);
    data.point_fields.push_back(
        {field.name, field.stride(), assembly::equispaced_values(s.space.dofs, values.values, field.stride())});
  };
  for (const FieldInfo& field : fields)
    if (params.output.fields.empty() && field.written) add(field);
  for (const std::string& name : params.output.fields)
    for (const FieldInfo& field : fields)
      if (field.name == name) add(field);
  data.cell_fields = results.cell_fields();
  add_groups(s, data.cell_fields);
  write_solution_files(params.output, data, directory);
}

void write_lines(const std::vector<LineParams>& lines, const std::vector<FieldInfo>& fields, const NodalSolution& s,
                 Results& results, const std::filesystem::path& directory) {
  if (lines.empty()) return;
  const mesh::PointLocator locator(s.mesh);
  std::vector<std::unique_ptr<FieldValues>> values;  // [fields], of those that a line asks for
  for (const FieldInfo& field : fields)
    values.push_back(
        std::any_of(lines.begin(), lines.end(), [&](const LineParams& line) { return line.has(field.name); })
            ? std::make_unique<FieldValues>(field, &field == &fields.front(), s, results)
            : nullptr);
  for (const LineParams& line : lines)
    write_line(
        line, s.mesh.dim, fields,
        [&](const std::array<double, 3>& x, double* out) {
          const assembly::Probe probe = assembly::make_probe(s.mesh, s.space.dofs, locator, x);
          for (std::size_t f = 0; f < fields.size(); ++f)
            for (int c = 0; line.has(fields[f].name) && c < fields[f].count(s.mesh.dim); ++c)
              *out++ = probe.value(values[f]->view(), c);
        },
        directory);
}

}  // namespace tessera::physics
