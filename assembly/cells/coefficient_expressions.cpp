#include "assembly/cells/coefficient_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/cells/coefficient_regions.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "base/error.hpp"

namespace tessera::assembly {

bool varies(const RegionExpressions& coefficient) {
  return std::any_of(coefficient.begin(), coefficient.end(), [](const auto& of_region) {
    return std::any_of(of_region.begin(), of_region.end(), [](const auto& one) { return !one.is_constant(); });
  });
}

forms::Coefficient as_data(const RegionExpressions& coefficient) {
  forms::Coefficient result;
  if (coefficient.empty()) return result;
  result.components = static_cast<int>(coefficient.front().size());
  result.per_point = varies(coefficient);
  for (const auto& of_region : coefficient)
    if (of_region.size() != coefficient.front().size())
      throw Error(ExitCode::internal, fmt::format("a coefficient has {} components in one region and {} in another",
                                                  coefficient.front().size(), of_region.size()));
  if (result.per_point) {
    result.values = {0};
    return result;
  }
  for (const auto& of_region : coefficient)
    for (const deck::Expression& one : of_region) result.values.push_back(one.constant());
  return result;
}

ExpressedCoefficients::ExpressedCoefficients(const ExpressionData& expressions,
                                             std::span<forms::NamedCoefficient> coefficients)
    : expressions_(expressions), as_data_(expressions.members.size()) {
  for (std::size_t m = coefficients.size(); m < expressions.members.size(); ++m)
    if (varies(expressions.members[m])) varying_.push_back(m);
  for (std::size_t m = 0; m < std::min(expressions.members.size(), coefficients.size()); ++m) {
    if (expressions.members[m].empty()) continue;
    as_data_[m] = as_data(expressions.members[m]);
    coefficients[m].values = &as_data_[m];
    if (as_data_[m].per_point) varying_.push_back(m);
  }
}

std::vector<RegionExpressions> ExpressedCoefficients::of_varying() const {
  std::vector<RegionExpressions> result;
  for (const std::size_t m : varying_) result.push_back(expressions_.members[m]);
  return result;
}

Definite ExpressedCoefficients::definite() const {
  Definite result;
  for (const std::size_t member : expressions_.definite.coefficients) {
    const auto place = std::find(varying_.begin(), varying_.end(), member);
    if (place != varying_.end()) result.coefficients.push_back(static_cast<std::size_t>(place - varying_.begin()));
  }
  result.refuse = [varying = varying_, refuse = expressions_.definite.refuse](std::size_t coefficient, Index region,
                                                                              const double* values, const double* xyz) {
    refuse(varying[coefficient], region, values, xyz);
  };
  return result;
}

BlockRegions::BlockRegions(const mesh::Mesh& mesh, const std::vector<Index>& region,
                           const std::vector<RegionExpressions>& coefficients)
    : mesh_(mesh), region_(region) {
  const Index last = region.empty() ? 0 : *std::max_element(region.begin(), region.end());
  for (const RegionExpressions& one : coefficients)
    if (static_cast<std::size_t>(last) >= one.size())
      throw Error(ExitCode::internal, fmt::format("no expression for region {} of {}", last, one.size()),
                  "give the coefficient in every region");
  count_ = last + 1;
}

Index BlockRegions::of(std::size_t block, std::span<const Index> order, Index place) const {
  if (region_.empty()) return 0;
  return region_[mesh_.blocks[block].first_cell + (order.empty() ? place : order[place])];
}

std::vector<std::vector<Index>> BlockRegions::places(std::size_t block, std::span<const Index> order) const {
  std::vector<std::vector<Index>> result(static_cast<std::size_t>(count_));
  for (Index place = 0; place < mesh_.blocks[block].cells(); ++place)
    result[static_cast<std::size_t>(of(block, order, place))].push_back(place);
  return result;
}

bool depends_on_solution(const std::vector<RegionExpressions>& coefficients) {
  for (const RegionExpressions& coefficient : coefficients)
    for (const auto& of_region : coefficient)
      if (std::ranges::any_of(of_region, [](const deck::Expression& e) { return e.depends_on_solution(); }))
        return true;
  return false;
}

void require_solution(const std::vector<RegionExpressions>& coefficients, const PlacedCells& cells) {
  if (!cells.u && depends_on_solution(coefficients))
    throw Error(ExitCode::internal, "coefficients depend on the solution, of which there are no values");
}

std::vector<ReferencePoints> reference_points(const mesh::Mesh& mesh, const DofMap& map) {
  std::vector<ReferencePoints> result;
  for (const mesh::CellBlock& cells : mesh.blocks) {
    const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, map.order));
    GeometryMap geometry(cells, rule.points);
    FieldMap field(map.element(cells.shape), rule.points);
    result.push_back({rule.size(), geometry.nodes, std::move(geometry.phi), std::move(geometry.dphi), field.nodes,
                      std::move(field.phi), std::move(field.dphi)});
  }
  return result;
}

std::array<double, 3> point_at(const mesh::Mesh& mesh, const DofMap& map, std::size_t block, Offset place) {
  const QuadraturePoints points(mesh, map);
  const int per_cell = points.per_cell(block);
  std::vector<double> of_cell(3 * static_cast<std::size_t>(per_cell));
  points.of_cells(block, static_cast<Index>(place / per_cell), 1, of_cell.data());
  const double* const x = of_cell.data() + 3 * (place % per_cell);
  return {x[0], x[1], x[2]};
}

}  // namespace tessera::assembly
