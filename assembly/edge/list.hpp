#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/array.hpp"
#include "base/backend.hpp"
#include "linalg/row_layout.hpp"

namespace tessera::assembly {

/// Nodes whose edges are interleaved: a warp's on a GPU, one on threads.
template <class Space>
inline constexpr Index edge_slice = 1;
template <>
inline constexpr Index edge_slice<Device> = 32;

/// What an edge or node function reads, as a sum: the rest is neither loaded nor counted in the declared bytes.
namespace edge_data {
inline constexpr unsigned none = 0, c = 1, mass = 2, stiffness = 4, lumped_mass = 8;
}

/// An edge of the matrix graph as an edge function sees it; either end may come first.
template <int dim>
struct EdgeAt {
  Index i = 0, j = 0;
  double c_ij[dim] = {};  ///< int phi_i grad phi_j
  double c_ji[dim] = {};  ///< int phi_j grad phi_i; -c_ij but where both nodes lie on one exterior facet
  double mass = 0;        ///< int phi_i phi_j
  double stiffness = 0;   ///< int k grad phi_i . grad phi_j
};

/// A node with the diagonal entries.
template <int dim>
struct NodeAt {
  Index i = 0;
  double c_ii[dim] = {};
  double mass = 0;         ///< m_ii
  double lumped_mass = 0;  ///< m_i = sum_j m_ij
  double stiffness = 0;
};

/// Marks few of many items and numbers those in their order: 0.25 B per item.
struct MarkWord {
  std::uint32_t bits = 0;
  Index before = 0;  ///< marked items in the words before

  /// Number of the marked item `bit` of this word.
  TESSERA_HD Index rank(int bit) const {
    std::uint32_t lower = bits & ((std::uint32_t{1} << bit) - 1);
    Index count = before;
    for (; lower; lower &= lower - 1) ++count;
    return count;
  }
};

/// Coefficients of edges, or of the entries of the nodes' lists; column-major [components, items].
/// Stored is a_ij = (c_ij - c_ji)/2; b_ij = (c_ij + c_ji)/2 = half of int_boundary phi_i phi_j n only where it is not
/// zero.
struct CoefficientsView {
  const double* c = nullptr;
  Offset stride = 0;
  const MarkWord* boundary = nullptr;  ///< [ceil(items / 32)]
  const double* boundary_c = nullptr;  ///< [dim, boundary_stride]
  Offset boundary_stride = 0;
  const double* mass = nullptr;
  const double* stiffness = nullptr;

  /// `turned`: the edge's j comes first.
  template <unsigned needs, int dim>
  TESSERA_HD void load(Offset item, EdgeAt<dim>& edge, bool turned = false) const {
    if constexpr (needs & edge_data::c) {
      const MarkWord word = boundary[item / 32];
      for (int d = 0; d < dim; ++d) {
        const double a = c[d * stride + item];
        edge.c_ij[d] = turned ? -a : a;
        edge.c_ji[d] = -edge.c_ij[d];
      }
      const int bit = static_cast<int>(item % 32);
      if (word.bits >> bit & 1u) {
        const Offset place = word.rank(bit);
        for (int d = 0; d < dim; ++d) {
          const double b = boundary_c[d * boundary_stride + place];
          edge.c_ij[d] += b;
          edge.c_ji[d] += b;
        }
      }
    }
    if constexpr (needs & edge_data::mass) edge.mass = mass[item];
    if constexpr (needs & edge_data::stiffness) edge.stiffness = stiffness[item];
  }
};

/// Bytes of what `needs` names, per edge.
constexpr double coefficient_bytes(unsigned needs, int dim) {
  return (needs & edge_data::c ? 8.0 * dim + 0.25 : 0.0) + (needs & edge_data::mass ? 8.0 : 0.0) +
         (needs & edge_data::stiffness ? 8.0 : 0.0);
}
/// Bytes of what `needs` names, per node.
constexpr double node_bytes(unsigned needs, int dim) {
  return (needs & edge_data::c ? 8.0 * dim : 0.0) + (needs & edge_data::mass ? 8.0 : 0.0) +
         (needs & edge_data::stiffness ? 8.0 : 0.0) + (needs & edge_data::lumped_mass ? 8.0 : 0.0);
}

/// Edges as kernels see them.
struct EdgeListView {
  int dim = 0;
  Index nodes = 0;
  Index edges = 0;
  const Index* i = nullptr;
  const Index* j = nullptr;
  CoefficientsView coefficients;
  const std::uint16_t* slot_ij = nullptr;
  const std::uint16_t* slot_ji = nullptr;
  const double* node_c = nullptr;
  const double* node_mass = nullptr;
  const double* node_lumped_mass = nullptr;
  const double* node_stiffness = nullptr;
  const std::uint16_t* node_slot = nullptr;
  const std::uint16_t* degree = nullptr;

  template <unsigned needs, int dim>
  TESSERA_HD NodeAt<dim> node(Index index) const {
    NodeAt<dim> node;
    node.i = index;
    if constexpr (needs & edge_data::c)
      for (int d = 0; d < dim; ++d) node.c_ii[d] = node_c[d * Offset{nodes} + index];
    if constexpr (needs & edge_data::mass) node.mass = node_mass[index];
    if constexpr (needs & edge_data::lumped_mass) node.lumped_mass = node_lumped_mass[index];
    if constexpr (needs & edge_data::stiffness) node.stiffness = node_stiffness[index];
    return node;
  }
};

/// Coefficients on the backend, see CoefficientsView.
template <class Space>
struct Coefficients {
  Array<double, Space> c;           ///< [dim, items]
  Array<MarkWord, Space> boundary;  ///< [ceil(items / 32)]
  Array<double, Space> boundary_c;  ///< [dim, items on the boundary]
  Array<double, Space> mass;        ///< [items]
  Array<double, Space> stiffness;   ///< [items]

  CoefficientsView view(int dim) const {
    return {c.data(),          dim ? c.size() / dim : 0,          boundary.data(),
            boundary_c.data(), dim ? boundary_c.size() / dim : 0, mass.data(),
            stiffness.data()};
  }
  double bytes() const {
    return static_cast<double>(c.bytes() + boundary.bytes() + boundary_c.bytes() + mass.bytes() + stiffness.bytes());
  }
};

/// Edges i < j of the graph of a Lagrange matrix with their coefficients, as structures of arrays: for group finite
/// elements and flux correction (Fletcher 1983; Kuzmin and Turek 2002; Goeddeke, Komatitsch and Moeller, section
/// 9.4.3).
///   sum_j c_ij = 0 (c_ii included), c_ij + c_ji = int_boundary phi_i phi_j n, sum_ij m_ij = volume, sum_j s_ij = 0.
/// Edges are sorted by i in slices of `slice` nodes: within a slice first the nodes' first edges, then their second
/// ones and so on, so that neighbouring threads on a GPU read neighbouring nodes. With slice 1 (threads) simply by i,
/// then j. Renumber the mesh (RCM) and the edges follow.
/// Where the entries stand in a matrix of the same graph: entry (i, j) is number slot_ij of row i, see
/// linalg::RowLayout.
/// Bytes per edge: 8 + 8 dim + 16 + 4; per node 8 dim + 28.
template <class Space>
struct EdgeList {
  int dim = 0;
  Index nodes = 0;
  Index edges = 0;
  Index slice = 1;
  Array<Index, Space> i, j;  ///< [edges]
  Coefficients<Space> coefficients;
  Array<std::uint16_t, Space> slot_ij, slot_ji;                      ///< [edges]
  Array<double, Space> node_c;                                       ///< [dim, nodes]: c_ii
  Array<double, Space> node_mass, node_lumped_mass, node_stiffness;  ///< [nodes]
  Array<std::uint16_t, Space> node_slot;                             ///< [nodes]: number of the diagonal in its row
  Array<std::uint16_t, Space> degree;                                ///< [nodes]: edges at the node

  EdgeListView view() const {
    return {dim,
            nodes,
            edges,
            i.data(),
            j.data(),
            coefficients.view(dim),
            slot_ij.data(),
            slot_ji.data(),
            node_c.data(),
            node_mass.data(),
            node_lumped_mass.data(),
            node_stiffness.data(),
            node_slot.data(),
            degree.data()};
  }
  double bytes() const {
    return coefficients.bytes() + static_cast<double>(i.bytes() + j.bytes() + slot_ij.bytes() + slot_ji.bytes() +
                                                      node_c.bytes() + node_mass.bytes() + node_lumped_mass.bytes() +
                                                      node_stiffness.bytes() + node_slot.bytes() + degree.bytes());
  }
};

/// A diffusivity per region of cells for s_ij; the other coefficients know no material.
struct EdgeParams {
  std::vector<Index> region;   ///< [cells over all blocks]; empty: all cells in region 0
  std::vector<double> k{1.0};  ///< [regions]
};

template <class Space>
struct EdgeBuilderState;

/// Makes the edges of a space: once the graph (set-up), then as often as wished the coefficients (after the mesh
/// moved or k changed). Every coefficient is summed by one thread over the cells around its edge in ascending order: no
/// atomics, bitwise repeatable, on threads independent of their number.
/// Straight simplices of any order use integrals over the reference cell; the rest quadrature, for s and m the rule of
/// Assembler, for c one that is exact, because c_ij = -c_ji inside the domain holds only then.
/// Mesh and map must outlive the builder. All shapes and orders, mixed meshes.
template <class Exec>
class EdgeBuilder {
 public:
  using Space = typename Exec::Space;

  /// Throws Error(mesh) for more than 2^31 edges or a node with more than 65535 neighbours.
  EdgeBuilder(Exec& exec, const mesh::Mesh& mesh, const DofMap& map);
  ~EdgeBuilder();
  EdgeBuilder(const EdgeBuilder&) = delete;

  /// The graph with its coefficients. Throws Error(internal) where region or k do not fit the mesh.
  EdgeList<Space> make(const EdgeParams& params = {});
  /// The coefficients anew, from the mesh's points as they are now.
  void refill(EdgeList<Space>& edges, const EdgeParams& params = {});

 private:
  Exec& exec_;
  std::unique_ptr<EdgeBuilderState<Space>> state_;
};

/// EdgeBuilder(exec, mesh, map).make(params).
template <class Exec>
EdgeList<typename Exec::Space> make_edges(Exec& exec, const mesh::Mesh& mesh, const DofMap& map,
                                          const EdgeParams& params = {}) {
  return EdgeBuilder<Exec>(exec, mesh, map).make(params);
}

}  // namespace tessera::assembly
