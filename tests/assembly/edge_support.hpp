#pragma once
#include "assembly/edge/edge_list.hpp"
#include "assembly/geometry_map.hpp"
#include "assembly/quadrature.hpp"
#include "assembly/sparsity.hpp"
#include "assembly/support.hpp"
#include "base/error.hpp"

namespace tessera::testing {

/// A mesh of one cell, the reference cell moved off the origin.
inline mesh::Mesh one_cell(const std::string& name) {
  const mesh::Shape shape = mesh::shape_from_name(name);
  const int dim = mesh::dimension(shape), n = mesh::vertex_count(shape);
  mesh::Mesh mesh;
  mesh.dim = dim;
  const std::span<const double> nodes = mesh::reference_nodes(shape, 1);
  mesh::CellBlock block{shape, 1, n, {}, 0};
  for (int v = 0; v < n; ++v) {
    for (int d = 0; d < 3; ++d) mesh.points.push_back(d < dim ? 0.3 * d + nodes[v * dim + d] * (1 + 0.1 * v) : 0.0);
    block.nodes.push_back(v);
  }
  mesh.blocks = {block};
  return mesh;
}

/// A box of any shape; prisms from a stack of the triangles of a square.
inline mesh::Mesh prism_or_box(const std::string& shape, int cells) {
  if (shape != "prism") return box(shape, cells);
  const mesh::Mesh flat = box("triangle", cells);
  mesh::Mesh mesh;
  mesh.dim = 3;
  for (int layer = 0; layer <= cells; ++layer)
    for (Index node = 0; node < flat.nodes(); ++node)
      mesh.points.insert(mesh.points.end(), {flat.point(node)[0], flat.point(node)[1], static_cast<double>(layer) / cells});
  mesh::CellBlock block{mesh::Shape::prism, 1, 6, {}, 0};
  for (int layer = 0; layer < cells; ++layer)
    for (Index cell = 0; cell < flat.cells(); ++cell)
      for (int top = 0; top < 2; ++top)
        for (int v = 0; v < 3; ++v) block.nodes.push_back(flat.blocks[0].cell(cell)[v] + (layer + top) * flat.nodes());
  mesh.blocks = {block};
  return mesh;
}

/// Edges as dense matrices on the host.
struct HostEdges {
  Eigen::MatrixXd c[3], mass, stiffness;
  Eigen::VectorXd lumped_mass;

  template <class Space>
  explicit HostEdges(const assembly::EdgeList<Space>& list) {
    assembly::EdgeList<Host> host;
    host.dim = list.dim;
    host.nodes = list.nodes;
    host.edges = list.edges;
    host.i = to_space<Host>(to_vector(list.i));
    host.j = to_space<Host>(to_vector(list.j));
    host.coefficients.c = to_space<Host>(to_vector(list.coefficients.c));
    host.coefficients.boundary = to_space<Host>(to_vector(list.coefficients.boundary));
    host.coefficients.boundary_c = to_space<Host>(to_vector(list.coefficients.boundary_c));
    host.coefficients.mass = to_space<Host>(to_vector(list.coefficients.mass));
    host.coefficients.stiffness = to_space<Host>(to_vector(list.coefficients.stiffness));
    host.node_c = to_space<Host>(to_vector(list.node_c));
    host.node_mass = to_space<Host>(to_vector(list.node_mass));
    host.node_lumped_mass = to_space<Host>(to_vector(list.node_lumped_mass));
    host.node_stiffness = to_space<Host>(to_vector(list.node_stiffness));
    if (list.dim == 1) fill<1>(host.view());
    if (list.dim == 2) fill<2>(host.view());
    if (list.dim == 3) fill<3>(host.view());
  }

 private:
  template <int dim>
  void fill(const assembly::EdgeListView& list) {
    using namespace assembly::edge_data;
    constexpr unsigned all = assembly::edge_data::c | assembly::edge_data::mass | assembly::edge_data::stiffness;
    for (Eigen::MatrixXd* m : {&c[0], &c[1], &c[2], &mass, &stiffness}) *m = Eigen::MatrixXd::Zero(list.nodes, list.nodes);
    lumped_mass.resize(list.nodes);
    for (Index e = 0; e < list.edges; ++e) {
      assembly::EdgeAt<dim> edge;
      list.coefficients.load<all>(e, edge);
      const Index i = list.i[e], j = list.j[e];
      for (int d = 0; d < dim; ++d) {
        c[d](i, j) = edge.c_ij[d];
        c[d](j, i) = edge.c_ji[d];
      }
      mass(i, j) = mass(j, i) = edge.mass;
      stiffness(i, j) = stiffness(j, i) = edge.stiffness;
    }
    for (Index i = 0; i < list.nodes; ++i) {
      const auto node = list.node<all | assembly::edge_data::lumped_mass, dim>(i);
      for (int d = 0; d < dim; ++d) c[d](i, i) = node.c_ii[d];
      mass(i, i) = node.mass;
      stiffness(i, i) = node.stiffness;
      lumped_mass(i) = node.lumped_mass;
    }
  }
};

/// The same by loops over cells and quadrature points; s and m by the rule of the assembler, c by one of high degree.
struct PlainMatrices {
  Eigen::MatrixXd c[3], mass, stiffness;
  std::vector<double> volumes;  ///< of the cells

  PlainMatrices(const mesh::Mesh& mesh, const assembly::DofMap& map, const assembly::EdgeParams& params) {
    for (Eigen::MatrixXd* m : {&c[0], &c[1], &c[2], &mass, &stiffness}) *m = Eigen::MatrixXd::Zero(map.dofs, map.dofs);
    for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
      const mesh::CellBlock& cells = mesh.blocks[b];
      const bool gauss = cells.shape == mesh::Shape::quad || cells.shape == mesh::Shape::hex;
      add(mesh, cells, map.blocks[b], map.order, params, 2 * std::max(map.order, cells.order) + gauss, false);
      add(mesh, cells, map.blocks[b], map.order, params, 2 * map.order + 3 * cells.order + 2, true);
    }
  }

 private:
  void add(const mesh::Mesh& mesh, const mesh::CellBlock& cells, const assembly::DofBlock& dofs, int order,
           const assembly::EdgeParams& params, int degree, bool only_c) {
    const assembly::Quadrature& rule = assembly::quadrature(cells.shape, degree);
    const int dim = mesh::dimension(cells.shape), n = dofs.nodes;
    const assembly::GeometryMap map(cells, rule.points);
    std::vector<double> phi, dphi;
    assembly::tabulate(assembly::lagrange(cells.shape, order), rule.points, phi, dphi);
    for (Index cell = 0; cell < cells.cells(); ++cell) {
      const Index number = cells.first_cell + cell;
      const double k = params.k[params.region.empty() ? 0 : params.region[number]];
      double volume = 0;
      for (int q = 0; q < rule.size(); ++q) {
        double J[9], inverse[9];
        const double det = map.jacobian(mesh, cells.cell(cell), q, J);
        assembly::GeometryMap::invert(J, det, dim, inverse);
        const double w = rule.weights[q] * std::abs(det);
        volume += w;
        Eigen::MatrixXd grad = Eigen::MatrixXd::Zero(n, dim);
        for (int a = 0; a < n; ++a)
          for (int d = 0; d < dim; ++d)
            for (int x = 0; x < dim; ++x) grad(a, d) += inverse[x * dim + d] * dphi[(q * n + a) * dim + x];
        for (int a = 0; a < n; ++a)
          for (int b = 0; b < n; ++b) {
            const Index i = dofs.cell(cell)[a], j = dofs.cell(cell)[b];
            if (only_c) {
              for (int d = 0; d < dim; ++d) c[d](i, j) += w * phi[q * n + a] * grad(b, d);
            } else {
              mass(i, j) += w * phi[q * n + a] * phi[q * n + b];
              stiffness(i, j) += k * w * grad.row(a).dot(grad.row(b));
            }
          }
      }
      if (only_c) volumes.push_back(volume);
    }
  }
};

}  // namespace tessera::testing
