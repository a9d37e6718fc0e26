#pragma once
// What tests of spectral elements share: meshes as Gmsh makes them, and vectors on a backend.
#include <cmath>
#include <random>

#include "assembly/spectral/operator.hpp"
#include "forms/spectral.hpp"
#include "meshes.hpp"

namespace tessera::spectral_test {

using assembly::DofMap;
using assembly::LineNodes;
using assembly::spectral::Cells;
using assembly::spectral::Coefficients;

inline DofMap spectral_dofs(const mesh::Mesh& mesh, int degree) {
  return assembly::make_dof_map(mesh, degree, 0, LineNodes::lobatto);
}

/// Quads or hexes with curved or skew sides, whose cells and nodes are turned and numbered at random.
inline mesh::Mesh irregular(int dim, int cells, int order = 1, double amount = 0.1) {
  mesh::Mesh mesh = test_meshes::box(dim == 2 ? mesh::Shape::quad : mesh::Shape::hex, cells, order);
  test_meshes::bend(mesh, amount);
  if (order == 1) test_meshes::turn_cells(mesh, 7);
  test_meshes::shuffle_nodes(mesh, 3);
  return mesh;
}

/// Values of f(x, component) at the dofs, [dofs, components].
template <class F>
std::vector<double> at_dofs(const mesh::Mesh& mesh, const DofMap& dofs, int components, F f) {
  const std::vector<double> points = assembly::dof_points(mesh, dofs);
  std::vector<double> u;
  for (Index dof = 0; dof < dofs.dofs; ++dof)
    for (int c = 0; c < components; ++c) u.push_back(f(&points[3 * static_cast<std::size_t>(dof)], c));
  return u;
}

inline std::vector<double> noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(size);
  for (double& value : values) value = uniform(random);
  return values;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

inline Coefficients constant(std::vector<double> material, Index cells) {
  Coefficients result{static_cast<int>(material.size()), false, {}};
  for (Index c = 0; c < cells; ++c) result.values.insert(result.values.end(), material.begin(), material.end());
  return result;
}

/// A material that varies within cells, positive.
inline Coefficients varying(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, int components) {
  const std::vector<double> points = assembly::dof_points(mesh, dofs);
  Coefficients result{components, true, {}};
  for (const Index dof : cells.dofs)
    for (int m = 0; m < components; ++m) {
      const double* const x = &points[3 * static_cast<std::size_t>(dof)];
      result.values.push_back(1 + m + 0.3 * std::sin(x[0] + 2 * x[1] - x[2] + m));
    }
  return result;
}

/// K u as a backend has it: the negative of the operator with scale 1.
template <class Law, class T = double, class Exec>
std::vector<double> stiffness_times(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells,
                                    const Coefficients& material, const std::vector<double>& u,
                                    const assembly::SpectralOptions& options = {}) {
  using Space = typename Exec::Space;
  assembly::SpectralOperator<Exec, Law, T> K(exec, mesh, dofs, cells, material, options);
  const auto x = to_space<Space>(std::vector<T>(u.begin(), u.end()));
  const auto ones = to_space<Space>(std::vector<T>(static_cast<std::size_t>(dofs.dofs), T(1)));
  auto f = to_space<Space>(std::vector<T>(u.size(), T(NAN)));
  K.apply(exec, x.view(), ones.view(), f.view());
  std::vector<double> result;
  for (const T value : to_vector(f)) result.push_back(-static_cast<double>(value));
  return result;
}

}  // namespace tessera::spectral_test
