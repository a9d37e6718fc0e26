#include "assembly/facets/side_loads.hpp"

#include <cmath>
#include <map>
#include <memory>

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"

namespace tessera::assembly {
namespace {

constexpr Offset sides_per_chunk = 256;
/// Most sides of a shape.
constexpr int most_sides = 6;

/// Tables of one side of the cells of a block: rule, geometry and field at its points.
struct SideTables {
  const Quadrature& rule;
  std::vector<double> points;
  GeometryMap geometry;
  FieldMap field;
  std::array<double, 3> normal;
  const std::vector<int>& local;  ///< dofs on the side

  SideTables(const mesh::CellBlock& cells, int order, int side, bool weighs)
      : rule(quadrature(mesh::topology(cells.shape).facets[side].shape,
                        degree_with_geometry(cells.shape, cells.order, 2 * order + (weighs ? cells.order : 0)))),
        points(facet_to_cell(cells.shape, side, rule.points)),
        geometry(cells, points),
        field(cells.shape, order, points),
        normal(reference_normal(cells.shape, side)),
        local(facet_local_dofs(cells.shape, order, side)) {}
};

/// Fills the loads of one side; `flux` and `weight` are zero before.
void load_side(const mesh::Mesh& mesh, const SideTables& side, Index cell, const Index* nodes, const Index* dofs,
               std::span<const double> u, const HostTensorField& tensor, double* flux, double* weight) {
  const int dim = mesh.dim;
  for (int q = 0; q < side.rule.size(); ++q) {
    double jacobian[9], inverse[9], x[3], gradient[3], flow[3];
    const double det = side.geometry.jacobian(mesh, nodes, q, jacobian);
    GeometryMap::invert(jacobian, dim, inverse);
    side.geometry.point(mesh, nodes, q, x);
    side.field.gradient(dofs, u.data(), q, inverse, gradient);
    tensor.apply(cell, x, dim, gradient, flow);
    // n ds = |det J| J^-T n_ref ds_ref  (Nanson)
    double inward = 0, square = 0;
    for (int i = 0; i < dim; ++i) {
      double n = 0;
      for (int j = 0; j < dim; ++j) n += std::abs(det) * inverse[j * dim + i] * side.normal[j];
      inward += flow[i] * n;
      square += n * n;
    }
    const double w = side.rule.weights[q] * mesh.measure.at(x), plane = side.rule.weights[q] * std::sqrt(square);
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
  std::vector<std::unique_ptr<SideTables>> tables(mesh.blocks.size() * most_sides);
  const auto block_of = [&](const mesh::CellSide& side) {
    return static_cast<std::size_t>(&mesh.block_of(side.cell) - mesh.blocks.data());
  };
  SideLoads loads;
  for (const mesh::CellSide& side : sides) {
    const std::size_t b = block_of(side);
    auto& of_kind = tables[b * most_sides + side.side];
    if (!of_kind) of_kind = std::make_unique<SideTables>(mesh.blocks[b], dofs.order, side.side, mesh.measure.weighs());
    const Index* of_cell = dofs.blocks[b].cell(side.cell - dofs.blocks[b].first_cell);
    for (const int i : of_kind->local) loads.dofs.push_back(of_cell[i]);
    loads.first.push_back(static_cast<Offset>(loads.dofs.size()));
  }
  loads.flux.assign(loads.dofs.size(), 0.0);
  loads.weight.assign(loads.dofs.size(), 0.0);
  for_chunks(loads.sides(), sides_per_chunk, threads, [&](Offset, Offset begin, Offset end) {
    for (Offset s = begin; s < end; ++s) {
      const std::size_t b = block_of(sides[s]);
      const Index local = sides[s].cell - mesh.blocks[b].first_cell;
      load_side(mesh, *tables[b * most_sides + sides[s].side], sides[s].cell, mesh.blocks[b].cell(local),
                dofs.blocks[b].cell(local), u, tensor, &loads.flux[loads.first[s]], &loads.weight[loads.first[s]]);
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
