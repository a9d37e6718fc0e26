#include "physics/run/sources.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/profile.hpp"
#include "mesh/geometry.hpp"
#include "physics/evaluate.hpp"
#include "physics/groups.hpp"
#include "physics/run/in_common.hpp"

namespace tessera::physics {

namespace {

Offset number_of(const Discretisation& space, Index cell) {
  return space.ranks ? space.share.cell_numbers[static_cast<std::size_t>(cell)] : Offset{cell};
}

/// [sources] on each rank the cell of a point, -1 where it does not see it or there is none.
std::vector<Index> cells_of_points(const std::vector<SourceParams>& sources, const Discretisation& space) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<Index> cells(sources.size(), -1);
  std::vector<double> lowest(sources.size(), none);  // less the number of the cell
  in_common::each(space.shared(), [&] {
    const mesh::PointLocator locator(space.mesh);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!sources[i].is_point()) continue;
      const auto found = locator.find(sources[i].point());
      if (!found) continue;
      cells[i] = found->cell;
      lowest[i] = -static_cast<double>(number_of(space, found->cell));
    }
  });
  if (!space.ranks) return cells;
  in_common::largest(space.shared(), lowest);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (lowest[i] == none) continue;
    const std::vector<Offset>& numbers = space.share.cell_numbers;
    const auto at = std::find(numbers.begin(), numbers.end(), static_cast<Offset>(-lowest[i]));
    cells[i] = at == numbers.end() ? -1 : static_cast<Index>(at - numbers.begin());
  }
  return cells;
}

/// The component of the field that a source is of.
int component_of(const SourceParams& source, const FieldInfo& field) {
  if (source.field.empty()) return 0;
  return static_cast<int>(std::find(field.components.begin(), field.components.end(), source.field) -
                          field.components.begin());
}

}  // namespace

Sources::Sources(const CommonParams& params, const FieldInfo& field, const Discretisation& space)
    : params_(&params), space_(&space) {
  if (params.sources.empty()) return;
  Threads exec(space.threads);
  Scope scope(exec, "sources");
  const std::vector<Index> cells = cells_of_points(params.sources, space);
  in_common::each(space.shared(), [&] {
    for (std::size_t i = 0; i < params.sources.size(); ++i) {
      component_.push_back(component_of(params.sources[i], field));
      if (!params.sources[i].is_point())
        add_groups(i);
      else if (cells[i] >= 0)
        add_point(i, cells[i]);
    }
    sum_rows();
  });
}

/// A cell with zeros.
void Sources::add_part(std::size_t source, Index cell) {
  const assembly::Space& space = space_->solution_space();
  const assembly::DofBlock& block = space.dofs.block_of(cell);
  const Index* const dofs = block.cell(cell - block.first_cell);
  loads_.parts.push_back({cell, static_cast<Index>(source), static_cast<Offset>(loads_.rows.size())});
  for (int n = 0; n < block.nodes; ++n) loads_.rows.push_back(space.row(dofs[n], component_[source]));
  loads_.values.resize(loads_.rows.size());
}

/// phi_i(x0)
void Sources::add_point(std::size_t source, Index cell) {
  const mesh::CellBlock& block = space_->mesh.block_of(cell);
  std::array<double, 3> xi{};
  mesh::reference_coordinates(space_->mesh, block, cell - block.first_cell, params_->sources[source].point(), xi);
  const assembly::FieldMap field(space_->dofs.element(block.shape),
                                 {xi.data(), static_cast<std::size_t>(space_->mesh.dim)});
  add_part(source, cell);
  std::copy(field.phi.begin(), field.phi.end(), &loads_.values[static_cast<std::size_t>(loads_.parts.back().first)]);
}

/// int f phi_i, by the rule of the integrals of cells.
void Sources::add_groups(std::size_t source) {
  const SourceParams& params = params_->sources[source];
  const mesh::Mesh& mesh = space_->mesh;
  const mesh::Group group = united_groups(mesh, params.on, mesh.dim, params.where);
  const assembly::QuadraturePoints points(mesh, space_->dofs);
  const std::size_t first_part = loads_.parts.size();
  for (const Index cell : group.entities) add_part(source, cell);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const assembly::Quadrature& rule =
        assembly::quadrature(block.shape, assembly::quadrature_degree(block, space_->dofs.order));
    const assembly::GeometryMap geometry(block, rule.points);
    const assembly::FieldMap field(space_->dofs.element(block.shape), rule.points);
    const auto in_block = [&](Index cell) {
      return cell >= block.first_cell && cell < block.first_cell + block.cells();
    };
    const auto begin = std::find_if(group.entities.begin(), group.entities.end(), in_block);
    const auto end = std::find_if_not(begin, group.entities.end(), in_block);
    const std::size_t first = first_part + static_cast<std::size_t>(begin - group.entities.begin());
    with_evaluators(params.value.value_or(deck::Expression(1.0)), end - begin, space_->threads,
                    [&](deck::Evaluator& value, Offset item) {
                      const CellLoads::Part& part = loads_.parts[first + static_cast<std::size_t>(item)];
                      double* const sums = &loads_.values[static_cast<std::size_t>(part.first)];
                      const Index local = part.cell - block.first_cell;
                      const auto count = static_cast<std::size_t>(rule.size());
                      std::vector<double> xyz(3 * count), f(count);
                      points.of_cells(b, local, 1, xyz.data());
                      value.evaluate(xyz.data(), count, 0, f.data(), 1);
                      for (int q = 0; q < rule.size(); ++q) {
                        double J[9];
                        const auto point = static_cast<std::size_t>(q);
                        const double weight = rule.weights[point] *
                                              std::abs(geometry.jacobian(mesh, block.cell(local), q, J)) *
                                              mesh.measure.at(&xyz[3 * point]) * f[point];
                        for (int n = 0; n < field.nodes; ++n) sums[n] += weight * field.phi[q * field.nodes + n];
                      }
                    });
  }
}

bool Sources::vary() const {
  return params_ && std::any_of(params_->sources.begin(), params_->sources.end(),
                                [](const SourceParams& source) { return !source.strength.is_constant(); });
}

std::vector<double> Sources::strengths(double t) const {
  std::vector<double> g;
  if (!params_) return g;
  for (const SourceParams& source : params_->sources) g.push_back(source.strength(t));
  return g;
}

/// Entries of one row and source become one, in the order of rows and sources.
void Sources::sum_rows() {
  struct Entry {
    Index row, source;
    double value;
  };
  std::vector<Entry> entries;
  for (const CellLoads::Part& part : loads_.parts) {
    const assembly::DofBlock& block = space_->dofs.block_of(part.cell);
    const Index* const dofs = block.cell(part.cell - block.first_cell);
    for (int n = 0; n < block.nodes; ++n) {
      const Index row = space_->row(dofs[n], component_[static_cast<std::size_t>(part.source)]);
      if (row < space_->owned_rows())
        entries.push_back({row, part.source, loads_.values[static_cast<std::size_t>(part.first + n)]});
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.source < b.source; });
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const Entry& entry = entries[e];
    const bool new_row = e == 0 || entry.row != entries[e - 1].row;
    if (!new_row && entry.source == entries[e - 1].source) {
      rows_.values.back() += entry.value;
      continue;
    }
    if (new_row) {
      rows_.rows.push_back(entry.row);
      rows_.first.push_back(static_cast<Offset>(rows_.columns.size()));
    }
    rows_.columns.push_back(entry.source);
    rows_.values.push_back(entry.value);
  }
  rows_.first.push_back(static_cast<Offset>(rows_.columns.size()));
}

Sources::Weights Sources::weights(std::span<const Index> without) const {
  Weights result;
  std::vector<Offset> first{0};
  std::vector<Index> columns;
  std::vector<double> values;
  auto left_out = without.begin();
  for (std::size_t r = 0; r < rows_.rows.size(); ++r) {
    left_out = std::lower_bound(left_out, without.end(), rows_.rows[r]);
    if (left_out != without.end() && *left_out == rows_.rows[r]) continue;
    result.rows.push_back(rows_.rows[r]);
    columns.insert(columns.end(), rows_.columns.begin() + rows_.first[r], rows_.columns.begin() + rows_.first[r + 1]);
    values.insert(values.end(), rows_.values.begin() + rows_.first[r], rows_.values.begin() + rows_.first[r + 1]);
    first.push_back(static_cast<Offset>(columns.size()));
  }
  result.weights.rows = static_cast<Index>(result.rows.size());
  result.weights.cols = params_ ? static_cast<Index>(params_->sources.size()) : 0;
  result.weights.row_ptr = to_space<Host>(first);
  result.weights.col_ind = to_space<Host>(columns);
  result.weights.values = to_space<Host>(values);
  return result;
}

}  // namespace tessera::physics
