#pragma once
#include <eigen3/Eigen/Dense>

#include "assembly/cells/assembler.hpp"
#include "assembly/space/dirichlet.hpp"
#include "assembly/space/dof_map.hpp"
#include "forms/diffusion.hpp"
#include "forms/robin.hpp"
#include "mesh/mesh.hpp"
#include "support/backends.hpp"
#include "support/boxes.hpp"

namespace tessera::testing {

/// Moves interior points smoothly, so that cells are no parallelepipeds; the boundary stays.
inline void deform(mesh::Mesh& mesh) {
  for (Index node = 0; node < mesh.nodes(); ++node) {
    double* x = mesh.points.data() + 3 * static_cast<std::size_t>(node);
    double bump = 0.3;
    for (int d = 0; d < mesh.dim; ++d) bump *= 4 * x[d] * (1 - x[d]);
    for (int d = 0; d < mesh.dim; ++d) x[d] += bump * 0.2 * (d + 1) / 3;
  }
}

/// The matrix on the host, dense.
template <class Space>
Eigen::MatrixXd dense(const linalg::Crs<Space>& A) {
  const auto row_ptr = to_vector(A.row_ptr);
  const auto col_ind = to_vector(A.col_ind);
  const auto values = to_vector(A.values);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(A.rows, A.cols);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) result(row, col_ind[k]) = values[k];
  return result;
}

/// An assembled system and its parts.
template <class Exec>
struct System {
  using Space = typename Exec::Space;
  Exec exec;
  mesh::Mesh mesh;
  assembly::DofMap map;
  assembly::Assembler<Exec, forms::Diffusion> assembler;
  linalg::Crs<Space> A;
  Array<double, Space> b;

  System(mesh::Mesh m, int order) : System(std::move(m), order, Exec()) {}
  System(mesh::Mesh m, int order, Exec e)
      : exec(std::move(e)),
        mesh(std::move(m)),
        map(assembly::make_dof_map(mesh, order)),
        assembler(exec, mesh, map),
        A(assembler.make_matrix()),
        b(map.dofs) {}
  void assemble(const forms::DiffusionData& data) { assembler.assemble(data, A, b.view()); }
  Eigen::MatrixXd matrix() { return dense(A); }
  Eigen::VectorXd vector() {
    const std::vector<double> values = to_vector(b);
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
};

inline forms::Coefficient constant(double value) { return {1, false, {value}}; }

}  // namespace tessera::testing
