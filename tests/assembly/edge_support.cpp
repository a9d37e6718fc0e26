#include "assembly/edge_support.hpp"

#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"

namespace tessera::testing {
namespace {

template <int dim>
void fill(const assembly::EdgeListView& list, HostEdges& to) {
  namespace data = assembly::edge_data;
  constexpr unsigned all = data::c | data::mass | data::stiffness | data::lumped_mass;
  for (Index e = 0; e < list.edges; ++e) {
    assembly::EdgeAt<dim> edge;
    list.coefficients.load<all>(e, edge);
    const Index i = list.i[e], j = list.j[e];
    for (int d = 0; d < dim; ++d) {
      to.c[d](i, j) = edge.c_ij[d];
      to.c[d](j, i) = edge.c_ji[d];
    }
    to.mass(i, j) = to.mass(j, i) = edge.mass;
    to.stiffness(i, j) = to.stiffness(j, i) = edge.stiffness;
  }
  for (Index i = 0; i < list.nodes; ++i) {
    const auto node = list.node<all, dim>(i);
    for (int d = 0; d < dim; ++d) to.c[d](i, i) = node.c_ii[d];
    to.mass(i, i) = node.mass;
    to.stiffness(i, i) = node.stiffness;
    to.lumped_mass(i) = node.lumped_mass;
  }
}

/// By loops over cells and quadrature points.
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
        assembly::GeometryMap::invert(J, dim, inverse);
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

}  // namespace

HostEdges::HostEdges(const assembly::EdgeList<Host>& list) {
  for (Eigen::MatrixXd* m : {&c[0], &c[1], &c[2], &mass, &stiffness})
    *m = Eigen::MatrixXd::Zero(list.nodes, list.nodes);
  lumped_mass.resize(list.nodes);
  if (list.dim == 1) fill<1>(list.view(), *this);
  if (list.dim == 2) fill<2>(list.view(), *this);
  if (list.dim == 3) fill<3>(list.view(), *this);
}

void expect_coefficients(const HostEdges& edges, const mesh::Mesh& mesh, const assembly::DofMap& map,
                         const assembly::EdgeParams& params, const std::string& what) {
  const PlainMatrices plain(mesh, map, params);
  const double mass = plain.mass.cwiseAbs().maxCoeff(), stiffness = plain.stiffness.cwiseAbs().maxCoeff();
  for (int d = 0; d < mesh.dim; ++d) {
    const double size = plain.c[d].cwiseAbs().maxCoeff();
    EXPECT_LE((edges.c[d] - plain.c[d]).cwiseAbs().maxCoeff(), 1e-12 * size) << what;
    EXPECT_LE(edges.c[d].rowwise().sum().cwiseAbs().maxCoeff(), 1e-12 * size) << what;
  }
  EXPECT_LE((edges.mass - plain.mass).cwiseAbs().maxCoeff(), 1e-12 * mass) << what;
  EXPECT_LE((edges.stiffness - plain.stiffness).cwiseAbs().maxCoeff(), 1e-12 * stiffness) << what;
  EXPECT_LE(edges.stiffness.rowwise().sum().cwiseAbs().maxCoeff(), 1e-11 * stiffness) << what;
  EXPECT_LE((edges.mass.rowwise().sum() - edges.lumped_mass).cwiseAbs().maxCoeff(), 1e-12 * mass) << what;
  double volume = 0;
  for (const double v : plain.volumes) volume += v;
  EXPECT_NEAR(edges.lumped_mass.sum(), volume, 1e-12 * volume) << what;
}

void expect_equal(const std::vector<double>& a, const std::vector<double>& b, double size, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) difference = std::max(difference, std::abs(a[k] - b[k]));
  EXPECT_LE(difference, 1e-12 * size) << what;
}

std::vector<double> columns(const Eigen::MatrixXd& a) { return {a.data(), a.data() + a.size()}; }

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double v : values) result = std::max(result, std::abs(v));
  return result;
}

Products::Products(const HostEdges& edges, int dim, const std::vector<double>& u, const std::vector<double>& v,
                   const std::vector<double>& w) {
  const Eigen::Index nodes = edges.mass.rows();
  const Eigen::Map<const Eigen::VectorXd> x(u.data(), nodes);
  const Eigen::Map<const Eigen::MatrixXd> velocity(v.data(), nodes, dim);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(nodes);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(nodes, nodes);
  for (int d = 0; d < dim; ++d) {
    sum += w[d] * (edges.c[d] * x);
    K -= edges.c[d] * velocity.col(d).asDiagonal();
  }
  laplacian = columns(edges.stiffness * x);
  mass = columns(edges.mass * x);
  convected = columns(sum);
  stiffness = columns(edges.stiffness);
  row_sums = columns(K.rowwise().sum());
  convection_size = K.cwiseAbs().rowwise().sum().maxCoeff();
  for (Eigen::Index i = 0; i < nodes; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double diffusion = std::max({-K(i, j), 0.0, -K(j, i)});
      K(i, j) += diffusion;
      K(j, i) += diffusion;
      K(i, i) -= diffusion;
      K(j, j) -= diffusion;
    }
  upwind = columns(K);
}

void expect_monotone(const std::vector<double>& upwind, const Products& products, const std::string& what) {
  const std::size_t nodes = products.row_sums.size();
  std::vector<double> sums(nodes, 0.0);
  double least = 0;
  for (std::size_t j = 0; j < nodes; ++j)
    for (std::size_t i = 0; i < nodes; ++i) {
      sums[i] += upwind[j * nodes + i];
      if (i != j) least = std::min(least, upwind[j * nodes + i]);
    }
  EXPECT_GE(least, 0) << what << ": an off-diagonal entry is negative";
  expect_equal(sums, products.row_sums, 10 * products.convection_size, what + ", row sums");
}

}  // namespace tessera::testing
