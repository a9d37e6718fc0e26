#include <algorithm>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/cells/coefficient_regions.hpp"
#include "assembly/fields/field_at_points.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

namespace {

/// Cells whose points are in memory at a time, of each thread.
constexpr Offset cells_at_a_time = 256;

/// What a thread evaluates with: [regions][coefficients][components].
struct Workspace {
  std::vector<std::vector<std::vector<deck::Evaluator>>> evaluators;
  std::vector<double> xyz, column, u, gradient;

  explicit Workspace(const std::vector<RegionExpressions>& coefficients) {
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      for (std::size_t region = 0; region < coefficients[k].size(); ++region) {
        if (evaluators.size() <= region) evaluators.resize(region + 1);
        evaluators[region].resize(coefficients.size());
        for (const deck::Expression& one : coefficients[k][region]) evaluators[region][k].emplace_back(one);
      }
  }
};

}  // namespace

template <>
struct CoefficientEvaluator<Threads>::State {
  const mesh::Mesh& mesh;
  const DofMap& map;
  std::vector<RegionExpressions> coefficients;
  Definite definite;
  BlockRegions regions;
  std::vector<ReferencePoints> points;
  std::vector<Array<double, Host>> scratch = {};
};

template <>
CoefficientEvaluator<Threads>::CoefficientEvaluator(Threads&, const mesh::Mesh& mesh, const DofMap& map,
                                                    const std::vector<Index>& region,
                                                    std::vector<RegionExpressions> coefficients, Definite definite)
    : state_(new State{
          mesh, map, {}, std::move(definite), BlockRegions(mesh, region, coefficients), reference_points(mesh, map)}) {
  state_->coefficients = std::move(coefficients);
}

template <>
CoefficientEvaluator<Threads>::~CoefficientEvaluator() = default;

template <>
void CoefficientEvaluator<Threads>::evaluate(Threads& exec, std::size_t block, const PlacedCells& cells, double t,
                                             std::span<double* const> values) {
  State& state = *state_;
  const ReferencePoints& reference = state.points[block];
  const CellPointsView view = view_of(reference, reference.phi.data(), cells);
  require_solution(state.coefficients, cells);
  const FieldAtPoints field(state.mesh, state.map);
  const std::span<const double> u(cells.u, cells.u ? static_cast<std::size_t>(state.map.dofs) : 0);
  const Index all = state.mesh.blocks[block].cells();
  const Offset per_cell = reference.points;
  const std::vector<double*> to = with_scratch(values, state.coefficients, Offset{all} * per_cell, state.scratch);
  Scratch<Workspace> scratch(exec.count());
  parallel_for(exec.count(), (all + cells_at_a_time - 1) / cells_at_a_time, [&](Offset chunk, int part) {
    Workspace& own = scratch.of(part, state.coefficients);
    const Index end = static_cast<Index>(std::min<Offset>(all, (chunk + 1) * cells_at_a_time));
    // Neighbours of one region at once: a call a cell would cost more than the expression.
    for (Index place = static_cast<Index>(chunk * cells_at_a_time), next; place < end; place = next) {
      const Index region = state.regions.of(block, cells.order, place);
      for (next = place + 1; next < end && state.regions.of(block, cells.order, next) == region;) ++next;
      const std::size_t count = static_cast<std::size_t>((next - place) * per_cell);
      own.xyz.resize(3 * count);
      own.column.resize(count);
      for (Index of = place; of < next; ++of)
        for (int q = 0; q < per_cell; ++q)
          view.point(of, q, *reinterpret_cast<double(*)[3]>(&own.xyz[3 * ((of - place) * per_cell + q)]));
      deck::Points points{own.xyz.data()};
      if (cells.u) {
        own.u.resize(count), own.gradient.resize(3 * count);
        for (Index of = place; of < next; ++of) {
          const Offset to = (of - place) * per_cell;
          const Index cell = cells.order.empty() ? of : cells.order[static_cast<std::size_t>(of)];
          field.of_cells(block, cell, 1, u, &own.u[to], &own.gradient[3 * to]);
        }
        points.u = own.u.data(), points.gradient = own.gradient.data();
      }
      for (std::size_t k = 0; k < state.coefficients.size(); ++k) {
        std::vector<deck::Evaluator>& components = own.evaluators[static_cast<std::size_t>(region)][k];
        const Offset width = static_cast<Offset>(components.size());
        for (Offset c = 0; c < width; ++c) {
          components[static_cast<std::size_t>(c)].evaluate(points, count, t, own.column.data());
          for (std::size_t i = 0; i < count; ++i) {
            const Index of = place + static_cast<Index>(static_cast<Offset>(i) / per_cell);
            const Offset cell = cells.order.empty() ? of : cells.order[static_cast<std::size_t>(of)];
            to[k][(cell * per_cell + static_cast<Offset>(i) % per_cell) * width + c] = own.column[i];
          }
        }
      }
    }
  });
  check_definite(exec, state.definite, state.mesh, state.map, state.regions, state.coefficients, block,
                 reference.points, to);
}

}  // namespace tessera::assembly
