#include "assembly/fields/side_loads.hpp"

#include <memory>
#include <utility>

#include "assembly/facets/side_tables.hpp"
#include "assembly/fields/derived.hpp"
#include "assembly/space/host_loop.hpp"
#include "base/team.hpp"

namespace tessera::assembly {
namespace {

constexpr Offset sides_per_chunk = 256;

/// Tables of one side of the cells of a block, with what flows at its points.
struct LoadTables : SideTables {
  DerivedValues flows;            ///< tensor grad u
  const std::vector<int>& local;  ///< dofs on the side

  LoadTables(const mesh::CellBlock& cells, int order, int side, bool weighs, LineNodes nodes)
      : SideTables(cells, order, side, weighs, nodes),
        flows(cells, order, points, nodes),
        local(facet_local_dofs(cells.shape, order, side)) {}
};

/// Fills the loads of one side; `flux` and `weight` are zero before.
void load_side(const mesh::Mesh& mesh, const LoadTables& side, Index cell, const Index* nodes, const Index* dofs,
               std::span<const double> u, const PointField& tensor, double* flux, double* weight) {
  const int dim = mesh.dim;
  DerivedValues::Workspace work;
  std::vector<double> flows(static_cast<std::size_t>(side.rule.size()) * dim);
  side.flows(
      mesh, cell, dofs, u, tensor, dim,
      [&](const PointState& at, double* flow) {
        HostTensorField::multiply(tensor.components, at.coefficient, dim, at.gradient, flow);
      },
      work, flows.data());
  for (int q = 0; q < side.rule.size(); ++q) {
    double jacobian[9], inverse[9], x[3];
    const double det = side.geometry.jacobian(mesh, nodes, q, jacobian);
    GeometryMap::invert(jacobian, dim, inverse);
    side.geometry.point(mesh, nodes, q, x);
    double n[3], inward = 0;  // n dS
    const double plane = side.rule.weights[q] * side.scaled_normal(det, inverse, n);
    for (int i = 0; i < dim; ++i) inward += flows[q * dim + i] * n[i];
    const double w = side.rule.weights[q] * mesh.measure.at(x);
    for (std::size_t i = 0; i < side.local.size(); ++i) {
      const double phi = side.field.phi[static_cast<std::size_t>(q) * side.field.nodes + side.local[i]];
      flux[i] += w * inward * phi;
      weight[i] += plane * phi * phi;
    }
  }
}

}  // namespace

double SideLoads::total(Offset side, int component) const {
  double sum = 0;
  for (Offset i = first[side]; i < first[side + 1]; ++i) sum += flux[i * components + component];
  return sum;
}

SideLoads gradient_loads(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u,
                         const HostTensorField& tensor, std::span<const mesh::CellSide> sides, int threads) {
  check_components(tensor, mesh.dim);
  const PointField k = tensor.at_points(mesh.dim);
  std::vector<std::unique_ptr<LoadTables>> tables(mesh.blocks.size() * most_sides);
  const auto block_of = [&](const mesh::CellSide& side) {
    return static_cast<std::size_t>(&mesh.block_of(side.cell) - mesh.blocks.data());
  };
  std::vector<char> seen(tables.size(), 0);
  std::vector<std::size_t> kinds;
  for (const mesh::CellSide& side : sides)
    if (const std::size_t kind = block_of(side) * most_sides + side.side; !std::exchange(seen[kind], 1))
      kinds.push_back(kind);
  parallel_for(threads > 0 ? threads : default_threads(), static_cast<Offset>(kinds.size()), [&](Offset i) {
    const std::size_t b = kinds[i] / most_sides;
    tables[kinds[i]] = std::make_unique<LoadTables>(mesh.blocks[b], dofs.order, static_cast<int>(kinds[i] % most_sides),
                                                    mesh.measure.weighs(), dofs.nodes);
  });
  SideLoads loads;
  loads.first.reserve(sides.size() + 1);
  for (const mesh::CellSide& side : sides) {
    const std::size_t b = block_of(side);
    const Index* of_cell = dofs.blocks[b].cell(side.cell - dofs.blocks[b].first_cell);
    for (const int i : tables[b * most_sides + side.side]->local) loads.dofs.push_back(of_cell[i]);
    loads.first.push_back(static_cast<Offset>(loads.dofs.size()));
  }
  loads.flux.assign(loads.dofs.size(), 0.0);
  loads.weight.assign(loads.dofs.size(), 0.0);
  for_chunks(loads.sides(), sides_per_chunk, threads, [&](Offset, Offset begin, Offset end) {
    for (Offset s = begin; s < end; ++s) {
      const std::size_t b = block_of(sides[s]);
      const Index local = sides[s].cell - mesh.blocks[b].first_cell;
      load_side(mesh, *tables[b * most_sides + sides[s].side], sides[s].cell, mesh.blocks[b].cell(local),
                dofs.blocks[b].cell(local), u, k, &loads.flux[loads.first[s]], &loads.weight[loads.first[s]]);
    }
  });
  return loads;
}

std::vector<double> share_reactions(const SideLoads& loads, std::span<const Index> slot,
                                    std::span<const double> reaction) {
  std::vector<double> left(reaction.begin(), reaction.end()), weight(reaction.size(), 0.0);
  for (std::size_t i = 0; i < loads.dofs.size(); ++i) {
    const Index at = slot[loads.dofs[i]];
    if (at < 0) continue;
    left[at] -= loads.flux[i];
    weight[at] += loads.weight[i];
  }
  std::vector<double> result(static_cast<std::size_t>(loads.sides()), 0.0);
  for (Offset s = 0; s < loads.sides(); ++s)
    for (Offset i = loads.first[s]; i < loads.first[s + 1]; ++i) {
      const Index at = slot[loads.dofs[i]];
      result[s] += loads.flux[i] + (at < 0 ? 0 : loads.weight[i] / weight[at] * left[at]);
    }
  return result;
}

}  // namespace tessera::assembly
