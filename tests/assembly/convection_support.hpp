#pragma once
// Data with a velocity that varies, and what comes of it.
#include <cmath>

#include "assembly/space/quadrature_points.hpp"
#include "assembly/support.hpp"
#include "physics/forms/convection_data.hpp"

namespace tessera::testing::convection {

struct Filled {
  std::vector<Offset> row_ptr;
  std::vector<Index> col_ind;
  std::vector<double> values, b;

  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> y(b.size(), 0.0);
    for (std::size_t row = 0; row < b.size(); ++row)
      for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) y[row] += values[k] * x[col_ind[k]];
    return y;
  }
  double norm() const {
    double most = 0;
    for (double value : values) most = std::max(most, std::abs(value));
    return most;
  }
};

template <class Exec>
Filled fill(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& map, const forms::ConvectionData& data,
            bool supg, const assembly::AssemblyOptions& options = {}) {
  using Space = typename Exec::Space;
  assembly::Assembler<Exec, forms::Convection> assembler(exec, mesh, map, options, {.supg = supg});
  linalg::Crs<Space> A = assembler.make_matrix();
  copy(to_space<Space>(std::vector<double>(A.nnz(), 1e30)), A.values);  // refills must not rely on what was there
  Array<double, Space> b = to_space<Space>(std::vector<double>(map.dofs, 1e30));
  assembler.set_data(data);
  assembler.refill(A, b.view());
  return {to_vector(A.row_ptr), to_vector(A.col_ind), to_vector(A.values), to_vector(b)};
}

/// A function and its derivatives at a point.
struct Jet {
  double u, gradient[3], second[6];  // xx xy xz yy yz zz
};

/// u = s^degree / (2 + degree) + s with s = x + 0.7 y - 0.4 z + 0.2 (unused axes are 0).
inline Jet polynomial(const double* x, int dim, int degree) {
  const double n[3] = {1, dim > 1 ? 0.7 : 0, dim > 2 ? -0.4 : 0};
  const double s = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] + 0.2;
  const double scale = 1.0 / (2 + degree);
  const double first = scale * degree * std::pow(s, degree - 1) + 1;
  const double second = degree > 1 ? scale * degree * (degree - 1) * std::pow(s, degree - 2) : 0;
  Jet jet{scale * std::pow(s, degree) + s, {}, {}};
  for (int d = 0, m = 0; d < 3; ++d) {
    jet.gradient[d] = first * n[d];
    for (int e = d; e < 3; ++e) jet.second[m++] = second * n[d] * n[e];
  }
  return jet;
}

/// Coefficients that vary: a tensor k, b and c, with the source that makes `polynomial` the solution.
inline forms::ConvectionData varying_data(const mesh::Mesh& mesh, const assembly::DofMap& map, int degree) {
  const int dim = mesh.dim, components = dim * (dim + 1) / 2;
  const assembly::QuadraturePoints points(mesh, map);
  forms::ConvectionData data;
  data.diffusion.k = {components, true, {}};
  data.diffusion.c = {1, true, {}};
  data.diffusion.f = {1, true, {}};
  data.velocity = {dim, true, {}};
  data.divergence = {dim, true, {}};
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    std::vector<double> xyz(3 * static_cast<std::size_t>(mesh.blocks[block].cells()) * points.per_cell(block));
    points.of_cells(block, 0, mesh.blocks[block].cells(), xyz.data());
    for (std::size_t q = 0; q < xyz.size() / 3; ++q) {
      const double* x = &xyz[3 * q];
      const Jet u = polynomial(x, dim, degree);
      // k_dd = 1 + d + x_d / 2, k_de = 0.1 + 0.1 x_0; (div k)_d = 1/2 + [d > 0] 0.1
      const double b[3] = {3 + x[1], -2 + x[0], 1 - x[0]}, c = 1 + x[0];
      double f = c * u.u;
      for (int d = 0, m = 0; d < dim; ++d) {
        const double divergence = 0.5 + (d > 0 ? 0.1 : 0.0);
        f += (b[d] - divergence) * u.gradient[d];
        for (int e = d; e < dim; ++e, ++m) {
          const double k = d == e ? 1 + d + 0.5 * x[d] : 0.1 + 0.1 * x[0];
          data.diffusion.k.values.push_back(k);
          f -= (d == e ? 1 : 2) * k * u.second[d * 3 - d * (d - 1) / 2 + e - d];
        }
        data.velocity.values.push_back(b[d]);
        data.divergence.values.push_back(divergence);
      }
      data.diffusion.c.values.push_back(c);
      data.diffusion.f.values.push_back(f);
    }
  }
  return data;
}

struct Case {
  std::string shape;
  int order, geometry;
};

inline std::vector<Case> cases() {
  std::vector<Case> result;
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 4; ++order)
      for (int geometry : {1, 2})
        if (geometry == 1 || order == 2 || order == 4) result.push_back({shape, order, geometry});
  return result;
}

inline mesh::Mesh mesh_of(const Case& c) {
  mesh::Mesh mesh = box(c.shape, c.order == 4 ? 1 : 2, c.geometry);
  deform(mesh);
  return mesh;
}

}  // namespace tessera::testing::convection
