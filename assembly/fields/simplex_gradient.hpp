#pragma once
#include <array>
#include <cmath>

#include "assembly/space/field_view.hpp"
#include "forms/tensor.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// The gradient [components, dim] of a linear field in a straight simplex. Returns the measure of the cell.
template <int dim>
inline double gradient_in_simplex(const mesh::Mesh& mesh, const Index* nodes, const Index* dofs, const FieldView& u,
                                  double* gradient) {
  // x = x_0 + J X, so du/dx = J^-T du/dX with the differences along the edges of vertex 0.
  double jacobian[dim][dim], inverse[dim][dim];
  const auto origin = mesh.point(nodes[0]);
  for (int a = 0; a < dim; ++a)
    for (int i = 0; i < dim; ++i) jacobian[i][a] = mesh.point(nodes[a + 1])[i] - origin[i];
  const double det = forms::invert<dim, double>(jacobian, inverse);
  for (int c = 0; c < u.components(); ++c) {
    const double* const values = u.data() + c * u.layout().component_stride;
    const double first = values[Offset{dofs[0]} * u.stride()];
    std::array<double, dim> along;
    for (int a = 0; a < dim; ++a) along[a] = values[Offset{dofs[a + 1]} * u.stride()] - first;
    for (int i = 0; i < dim; ++i) {
      double sum = 0;
      for (int a = 0; a < dim; ++a) sum += inverse[a][i] * along[a];
      gradient[c * dim + i] = sum;
    }
  }
  constexpr double parts_of_cube = dim == 3 ? 6 : dim;
  return std::abs(det) / parts_of_cube;
}

}  // namespace tessera::assembly
