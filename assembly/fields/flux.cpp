#include "assembly/fields/flux.hpp"

#include "assembly/fields/nodal_mean.hpp"

namespace tessera::assembly {

std::vector<double> flux_field(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u,
                               const HostTensorField& tensor, int threads) {
  check_components(tensor, mesh.dim);
  const auto flux = [&](const PointState& node, double* out) {
    HostTensorField::multiply(tensor.components, node.coefficient, mesh.dim, node.gradient, out);
    for (int axis = 0; axis < mesh.dim; ++axis) out[axis] = -out[axis];
  };
  return nodal_mean(mesh, dofs, u, tensor.at_points(mesh.dim), 3, flux, threads, DerivedOf::gradient);
}

}  // namespace tessera::assembly
