#pragma once
#include <string>
#include <vector>

#include "assembly/edge/list.hpp"
#include "assembly/edge_meshes.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/error.hpp"

namespace tessera::testing {

/// A copy on the host.
template <class Space>
assembly::EdgeList<Host> on_host(const assembly::EdgeList<Space>& list) {
  auto copy_of = [](const auto& array) { return to_space<Host>(to_vector(array)); };
  const assembly::Coefficients<Space>& c = list.coefficients;
  return {list.dim,
          list.nodes,
          list.edges,
          list.slice,
          copy_of(list.i),
          copy_of(list.j),
          {copy_of(c.c), copy_of(c.boundary), copy_of(c.boundary_c), copy_of(c.mass), copy_of(c.stiffness)},
          copy_of(list.slot_ij),
          copy_of(list.slot_ji),
          copy_of(list.node_c),
          copy_of(list.node_mass),
          copy_of(list.node_lumped_mass),
          copy_of(list.node_stiffness),
          copy_of(list.node_slot),
          copy_of(list.degree)};
}

/// Edges as dense matrices.
struct HostEdges {
  Eigen::MatrixXd c[3], mass, stiffness;
  Eigen::VectorXd lumped_mass;

  explicit HostEdges(const assembly::EdgeList<Host>& list);
  template <class Space>
  explicit HostEdges(const assembly::EdgeList<Space>& list) : HostEdges(on_host(list)) {}
};

/// Checks the coefficients against loops over cells and quadrature points, s and m by the rule of the assembler, c by
/// one of high degree; and the identities between them.
void expect_coefficients(const HostEdges& edges, const mesh::Mesh& mesh, const assembly::DofMap& map,
                         const assembly::EdgeParams& params, const std::string& what);

/// |a - b| <= 1e-12 size.
void expect_equal(const std::vector<double>& a, const std::vector<double>& b, double size, const std::string& what);

/// Column-major values, for expect_equal.
std::vector<double> columns(const Eigen::MatrixXd& a);
double largest(const std::vector<double>& values);

/// What loops must give: products of the matrices with u [nodes], and discrete upwinding of the velocity v [dim,
/// nodes].
struct Products {
  std::vector<double> laplacian, mass, convected;  ///< S u; M u; sum_d w_d C_d u
  std::vector<double> stiffness, upwind;           ///< matrices
  std::vector<double> row_sums;                    ///< of the convection matrix
  double convection_size = 0;

  Products(const HostEdges& edges, int dim, const std::vector<double>& u, const std::vector<double>& v,
           const std::vector<double>& w);
};
/// The off-diagonal entries are not negative and rows sum to what convection's do.
void expect_monotone(const std::vector<double>& upwind, const Products& products, const std::string& what);

}  // namespace tessera::testing
