#include <algorithm>
#include <optional>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/cells/coefficient_regions.hpp"
#include "assembly/fields/field_at_points.hpp"
#include "base/array.hpp"
#include "deck/expression/device_evaluator.hpp"

namespace tessera::assembly {

namespace {

/// Points that are in memory at a time: 24 MB, about half of an H100's cache.
constexpr Offset points_at_a_time = Offset{1} << 20;

/// The cells of a region in a block: their places, and their numbers where these differ. No lists where it has all.
struct RegionCells {
  Index count = 0;
  Array<Index, Device> places, numbers;

  const Index* place_list() const { return places.empty() ? nullptr : places.data(); }
  const Index* number_list(const PlacedCells& cells) const {
    if (places.empty()) return cells.cell;
    return numbers.empty() ? places.data() : numbers.data();
  }
};

using Outputs = std::vector<deck::DeviceEvaluator::Output>;

}  // namespace

template <>
struct CoefficientEvaluator<Cuda>::State {
  const mesh::Mesh& mesh;
  const DofMap& map;
  std::vector<RegionExpressions> coefficients;
  Definite definite;
  BlockRegions regions;
  std::vector<ReferencePoints> points;
  std::vector<Array<double, Device>> phi;  ///< of each block
  struct FieldTables {
    Array<double, Device> map, field, slopes;
  };
  std::vector<FieldTables> fields;                                   ///< of each block, where something is of u
  std::vector<std::optional<std::vector<RegionCells>>> block_cells;  ///< [blocks][regions], made when first asked for
  std::vector<deck::DeviceEvaluator> evaluators;                     ///< [regions], of all components
  Array<double, Device> xyz, solution;                               ///< [3 or 1 + dim, points at a time]
  std::vector<Array<double, Device>> scratch;

  const std::vector<RegionCells>& cells_of(std::size_t block, std::span<const Index> order) {
    std::optional<std::vector<RegionCells>>& made = block_cells[block];
    if (made) return *made;
    made.emplace();
    if (regions.count() == 1) {
      made->push_back({mesh.blocks[block].cells(), {}, {}});
      return *made;
    }
    for (std::vector<Index>& places : regions.places(block, order)) {
      RegionCells& one = made->emplace_back();
      one.count = static_cast<Index>(places.size());
      one.places = to_space<Device>(places);
      if (order.empty()) continue;
      for (Index& place : places) place = order[static_cast<std::size_t>(place)];
      one.numbers = to_space<Device>(places);
    }
    return *made;
  }

  Outputs outputs(std::size_t region, std::span<double* const> values) const {
    Outputs result;
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      const Offset width = static_cast<Offset>(coefficients[k][region].size());
      for (Offset c = 0; c < width; ++c) result.push_back({values[k] + c, width});
    }
    return result;
  }

  [[noreturn]] void refuse(std::size_t block, std::size_t region, const deck::DeviceEvaluator::NotFinite& bad, double t,
                           const Outputs& outputs, const double* u) const {
    const deck::DeviceEvaluator::Output& output = outputs[bad.expression];
    double value = 0;
    copy_bytes(Device{}, output.values + bad.place * output.stride, Host{}, &value, sizeof value);
    const std::array<double, 3> x = point_at(mesh, map, block, bad.place);
    if (!u) evaluators[region].refuse(bad.expression, value, {x.data()}, t);
    const FieldAtPoints field(mesh, map);
    const int per_cell = points[block].points;
    std::vector<double> dofs(static_cast<std::size_t>(map.dofs)), of_cell(static_cast<std::size_t>(per_cell)),
        gradients(3 * of_cell.size());
    copy_bytes(Device{}, u, Host{}, dofs.data(), sizeof(double) * dofs.size());
    field.of_cells(block, static_cast<Index>(bad.place / per_cell), 1, dofs, of_cell.data(), gradients.data());
    const auto q = static_cast<std::size_t>(bad.place % per_cell);
    evaluators[region].refuse(bad.expression, value, {x.data(), &of_cell[q], &gradients[3 * q]}, t);
  }
};

template <>
CoefficientEvaluator<Cuda>::CoefficientEvaluator(Cuda& exec, const mesh::Mesh& mesh, const DofMap& map,
                                                 const std::vector<Index>& region,
                                                 std::vector<RegionExpressions> coefficients, Definite definite)
    : state_(new State{mesh,
                       map,
                       {},
                       std::move(definite),
                       BlockRegions(mesh, region, coefficients),
                       reference_points(mesh, map),
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {}}) {
  state_->coefficients = std::move(coefficients);
  state_->block_cells.resize(mesh.blocks.size());
  const bool of_solution = depends_on_solution(state_->coefficients);
  for (const ReferencePoints& points : state_->points) {
    state_->phi.push_back(to_space<Device>(points.phi));
    if (of_solution)
      state_->fields.push_back(
          {to_space<Device>(points.map), to_space<Device>(points.field), to_space<Device>(points.slopes)});
  }
  for (std::size_t r = 0; r < static_cast<std::size_t>(state_->regions.count()); ++r) {
    std::vector<deck::Expression> all;
    for (const RegionExpressions& one : state_->coefficients) all.insert(all.end(), one[r].begin(), one[r].end());
    state_->evaluators.emplace_back(exec, std::move(all));
  }
}

template <>
CoefficientEvaluator<Cuda>::~CoefficientEvaluator() = default;

template <>
void CoefficientEvaluator<Cuda>::evaluate(Cuda& exec, std::size_t block, const PlacedCells& cells, double t,
                                          std::span<double* const> values) {
  State& state = *state_;
  const ReferencePoints& reference = state.points[block];
  const CellPointsView view = view_of(reference, state.phi[block].data(), cells);
  require_solution(state.coefficients, cells);
  const int dim = state.mesh.dim;
  const bool of_solution = !state.fields.empty();
  CellFieldView field;
  if (of_solution) {
    const State::FieldTables& tables = state.fields[block];
    field = field_view_of(reference, dim, tables.map.data(), tables.field.data(), tables.slopes.data(), cells);
  }
  const std::vector<double*> to = with_scratch(
      values, state.coefficients, Offset{state.mesh.blocks[block].cells()} * reference.points, state.scratch);
  const std::vector<RegionCells>& of_regions = state.cells_of(block, cells.order);
  const Index step = static_cast<Index>(std::max<Offset>(1, points_at_a_time / reference.points));
  const Offset most = Offset{std::min(step, state.mesh.blocks[block].cells())} * reference.points;
  if (state.xyz.size() < 3 * most) state.xyz = Array<double, Device>(3 * most);
  if (of_solution && state.solution.size() < (1 + dim) * most) state.solution = Array<double, Device>((1 + dim) * most);
  for (std::size_t r = 0; r < of_regions.size(); ++r) {
    const RegionCells& region = of_regions[r];
    if (region.count == 0) continue;
    const Outputs outputs = state.outputs(r, to);
    deck::DeviceEvaluator& evaluator = state.evaluators[r];
    for (Index first = 0; first < region.count; first += std::min(step, region.count - first)) {
      const Index count = std::min(step, region.count - first);
      const Offset points = Offset{count} * reference.points;
      const Index* const places = region.place_list();
      const Index* const numbers = region.number_list(cells);
      write_points(exec, view, places ? places + first : nullptr, first, count, state.xyz.data());
      deck::DeviceEvaluator::Inputs inputs = deck::DeviceEvaluator::at_points(state.xyz.data(), t);
      for (std::size_t axis = 0; axis < 3; ++axis)
        inputs[axis] = {state.xyz.data() + static_cast<Offset>(axis) * points, 1, 0};
      if (of_solution) {
        write_field(exec, view, field, places ? places + first : nullptr, first, count, state.solution.data());
        inputs[static_cast<std::size_t>(deck::Variable::u)] = {state.solution.data(), 1, 0};
        for (int axis = 0; axis < dim; ++axis)
          inputs[static_cast<std::size_t>(deck::Variable::ux) + static_cast<std::size_t>(axis)] = {
              state.solution.data() + Offset{1 + axis} * points, 1, 0};
      }
      evaluator.enqueue(exec, inputs, points, outputs,
                        {numbers ? numbers + first : nullptr, reference.points, Offset{first} * reference.points});
    }
  }
  for (std::size_t r = 0; r < of_regions.size(); ++r) {
    const auto bad = state.evaluators[r].first_not_finite(exec);
    if (!bad) continue;
    state.refuse(block, r, *bad, t, state.outputs(r, to), of_solution ? cells.u : nullptr);
  }
  check_definite(exec, state.definite, state.mesh, state.map, state.regions, state.coefficients, block,
                 reference.points, to);
}

}  // namespace tessera::assembly
