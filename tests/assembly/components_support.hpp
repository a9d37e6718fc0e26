#pragma once
// Meshes and coefficients for tests of the form of elasticity.
#include "assembly/meshes.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "assembly/support.hpp"
#include "forms/elasticity.hpp"

namespace tessera::testing::components {

/// A symmetric positive definite matrix without any structure, upper half row by row.
inline std::vector<double> stiffness(int size) {
  std::vector<double> D;
  for (int i = 0; i < size; ++i)
    for (int j = i; j < size; ++j) D.push_back(i == j ? 4.0 + i : 1.0 / (2 + i + j));
  return D;
}

/// D, f and sigma_0 in two regions, or varying at points; with a radius x_0 + 1/2 of the hoop.
inline forms::ElasticityData data_of(const mesh::Mesh& mesh, const assembly::DofMap& map, bool varying, bool hoop) {
  const int n = forms::voigt_size(mesh.dim, hoop);
  const std::vector<double> D = stiffness(n);
  forms::ElasticityData data;
  data.stiffness = {n * (n + 1) / 2, varying, {}};
  data.force = {mesh.dim, varying, {}};
  data.initial = {n, varying, {}};
  const auto append = [&](double factor) {
    for (const double value : D) data.stiffness.values.push_back(factor * value);
    for (int d = 0; d < mesh.dim; ++d) data.force.values.push_back(factor + d);
    for (int v = 0; v < n; ++v) data.initial.values.push_back(factor * v - 1);
  };
  if (hoop) data.radius = {1, true, {}};
  if (!varying) append(1), append(2);
  for (Index cell = 0; cell < mesh.cells(); ++cell) data.region.push_back(cell % 2);
  const assembly::QuadraturePoints points(mesh, map);
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    std::vector<double> xyz(3 * static_cast<std::size_t>(mesh.blocks[block].cells()) * points.per_cell(block));
    points.of_cells(block, 0, mesh.blocks[block].cells(), xyz.data());
    for (std::size_t q = 0; q < xyz.size(); q += 3) {
      if (varying) append(1 + xyz[q]);
      if (hoop) data.radius.values.push_back(xyz[q] + 0.5);
    }
  }
  return data;
}

struct Problem {
  std::string name;
  mesh::Mesh mesh;
  int order;
};

inline std::vector<Problem> problems() {
  std::vector<Problem> result;
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 4; ++order)
      for (int geometry = 1; geometry <= (order == 2 ? 2 : 1); ++geometry) {
        mesh::Mesh mesh = box(shape, order > 2 ? 1 : 2, geometry);
        deform(mesh);
        result.push_back({shape + std::to_string(order), std::move(mesh), order});
      }
  for (int order = 1; order <= 3; ++order) {
    result.push_back({"mixed 2-D " + std::to_string(order), test_meshes::mixed_2d(), order});
    result.push_back({"mixed 3-D " + std::to_string(order), test_meshes::mixed_3d(), order});
  }
  // Rows that no lane of CUDA takes, and some that it does.
  for (const int cells : {20, 120})
    for (const int dim : {2, 3})
      result.push_back(
          {"fan of " + std::to_string(cells) + " in " + std::to_string(dim), test_meshes::fan(dim, cells), 1});
  return result;
}

}  // namespace tessera::testing::components
