#pragma once
#include <array>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::assembly {

/// What the boundary adds to an edge loop over antisymmetric fluxes: s_ij = int phi_i phi_j n over the facets of a
/// group, n outward of the facet's cell. Over the whole boundary s_ij = c_ij + c_ji. Row-compressed over the dofs of
/// the group; a boundary is small, so entries hold 4 + 8 dim B and nothing is shared with the edges.
template <class Space>
struct BoundaryNormals {
  int dim = 0;
  Array<Index, Space> dofs;      ///< [rows], ascending
  Array<Offset, Space> row_ptr;  ///< [rows + 1]
  Array<Index, Space> cols;      ///< [entries]: dof j, ascending in a row
  Array<double, Space> s;        ///< [dim, entries]
  Array<double, Space> normal;   ///< [dim, rows]: n_i = sum_j s_ij = int phi_i n

  Index rows() const { return static_cast<Index>(dofs.size()); }
};

/// Of a group of dimension dim - 1, by a quadrature that is exact. On the host; the result stands on the backend.
template <class Exec>
BoundaryNormals<typename Exec::Space> make_boundary_normals(Exec& exec, const mesh::Mesh& mesh, const DofMap& map,
                                                            const mesh::Group& group);

/// What one facet gives to the normal of one of its dofs: int_facet phi n.
struct FacetNormal {
  Index dof, facet;
  std::array<double, 3> n;
};
/// Of a group of dimension dim - 1, exact as the above; ascending by dofs, then by facets.
std::vector<FacetNormal> nodal_facet_normals(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group);

/// All exterior facets as a group.
mesh::Group exterior_group(const mesh::Mesh& mesh);

// A boundary function B says what one pair of boundary nodes gives to the first:
//
//   static constexpr int dim, inputs, outputs;
//   TESSERA_HD void operator()(const double (&s_ij)[dim], const double (&u_i)[inputs], const double (&u_j)[inputs],
//                              double (&f)[outputs]) const;     // assigns f
//
/// f_i += sum_j B(s_ij, u_i, u_j), j = i included; `lumped`: f_i += B(n_i, u_i, u_i). u: [inputs, nodes], f:
/// [outputs, nodes].
/// One thread a row: bitwise repeatable. Throws Error(internal) for wrong sizes or another dimension.
template <class Exec, class B>
void run_boundary(Exec& exec, const BoundaryNormals<typename Exec::Space>& normals, const B& function,
                  View<const double> u, View<double> f, bool lumped = false);

}  // namespace tessera::assembly
