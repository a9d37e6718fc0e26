#pragma once
#include "assembly/edge/boundary_normals.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

BoundaryNormals<Host> boundary_normals_on_host(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group);
/// Throws Error(internal).
void check_boundary(int function_dim, int dim, Offset u, int inputs, Offset f, int outputs);

template <class Exec>
BoundaryNormals<typename Exec::Space> make_boundary_normals(Exec&, const mesh::Mesh& mesh, const DofMap& map,
                                                            const mesh::Group& group) {
  using Space = typename Exec::Space;
  const BoundaryNormals<Host> host = boundary_normals_on_host(mesh, map, group);
  return {host.dim,
          to_space<Space>(to_vector(host.dofs)),
          to_space<Space>(to_vector(host.row_ptr)),
          to_space<Space>(to_vector(host.cols)),
          to_space<Space>(to_vector(host.s)),
          to_space<Space>(to_vector(host.normal))};
}

template <class B>
struct BoundaryRow {
  B function;
  const Index* dofs;
  const Offset* row_ptr;
  const Index* cols;
  const double* s;
  Offset stride;  ///< of s, and of u and f
  Offset nodes;
  const double* u;
  double* f;
  bool lumped;

  TESSERA_HD void operator()(Offset row) const {
    const Index i = dofs[row];
    double u_i[B::inputs], u_j[B::inputs], sum[B::outputs] = {};
    for (int c = 0; c < B::inputs; ++c) u_i[c] = u[c * nodes + i];
    const Offset first = lumped ? row : row_ptr[row], last = lumped ? row + 1 : row_ptr[row + 1];
    for (Offset k = first; k < last; ++k) {
      const Index j = lumped ? i : cols[k];
      for (int c = 0; c < B::inputs; ++c) u_j[c] = u[c * nodes + j];
      double s_ij[B::dim], part[B::outputs];
      for (int d = 0; d < B::dim; ++d) s_ij[d] = s[d * stride + k];
      function(s_ij, u_i, u_j, part);
      for (int c = 0; c < B::outputs; ++c) sum[c] += part[c];
    }
    for (int c = 0; c < B::outputs; ++c) f[c * nodes + i] += sum[c];
  }
};

template <class Exec, class B>
void run_boundary(Exec& exec, const BoundaryNormals<typename Exec::Space>& normals, const B& function,
                  View<const double> u, View<double> f, bool lumped) {
  check_boundary(B::dim, normals.dim, u.size(), B::inputs, f.size(), B::outputs);
  const auto& s = lumped ? normals.normal : normals.s;
  for_each(exec, normals.rows(),
           BoundaryRow<B>{function, normals.dofs.data(), normals.row_ptr.data(), normals.cols.data(), s.data(),
                          s.size() / B::dim, f.size() / B::outputs, u.data(), f.data(), lumped});
}

}  // namespace tessera::assembly
