#include "assembly/fields/flux.hpp"

#include <algorithm>
#include <cmath>

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"

namespace tessera::assembly {

std::vector<double> flux_field(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u,
                               const HostTensorField& tensor, int threads) {
  check_components(tensor, mesh.dim);
  constexpr Index batch = 1 << 16;  // values of a batch of cells are computed in parallel and added in order
  std::vector<double> result(static_cast<std::size_t>(dofs.dofs) * 3, 0.0),
      weight(static_cast<std::size_t>(dofs.dofs), 0.0);
  std::vector<double> values, measures;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const Element& element = lagrange(block.shape, dofs.order);
    const GeometryMap geometry(block, element.node_points);
    const FieldMap field(block.shape, dofs.order, element.node_points);
    const Quadrature& rule = quadrature(block.shape, degree_with_geometry(block.shape, block.order, 0));
    const GeometryMap volume(block, rule.points);
    const DofBlock& of = dofs.blocks[b];
    for (Index start = 0; start < block.cells(); start += batch) {
      const Index count = std::min(batch, block.cells() - start);
      values.assign(static_cast<std::size_t>(count) * element.nodes * 3, 0.0);
      measures.resize(count);
      for_chunks(count, 256, threads, [&](Offset, Offset first, Offset last) {
        for (Offset i = first; i < last; ++i) {
          const Index c = start + static_cast<Index>(i);
          measures[i] = 0;
          for (int q = 0; q < rule.size(); ++q) {
            double jacobian[9];
            measures[i] += rule.weights[q] * std::abs(volume.jacobian(mesh, block.cell(c), q, jacobian));
          }
          for (int n = 0; n < element.nodes; ++n) {
            double jacobian[9], inverse[9], x[3], gradient[3];
            const double det = geometry.jacobian(mesh, block.cell(c), n, jacobian);
            GeometryMap::invert(jacobian, det, mesh.dim, inverse);
            geometry.point(mesh, block.cell(c), n, x);
            field.gradient(of.cell(c), u.data(), n, inverse, gradient);
            tensor.apply(block.first_cell + c, x, mesh.dim, gradient, &values[(i * element.nodes + n) * 3]);
          }
        }
      });
      for (Index i = 0; i < count; ++i)
        for (int n = 0; n < element.nodes; ++n) {
          const std::size_t dof = of.cell(start + i)[n];
          weight[dof] += measures[i];
          for (int axis = 0; axis < 3; ++axis)
            result[3 * dof + axis] -= measures[i] * values[(std::size_t(i) * element.nodes + n) * 3 + axis];
        }
    }
  }
  for (std::size_t dof = 0; dof < weight.size(); ++dof)
    for (int axis = 0; axis < 3; ++axis) result[3 * dof + axis] /= weight[dof];
  return result;
}

}  // namespace tessera::assembly
