// Whether displacements and springs stop every rigid motion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <eigen3/Eigen/Dense>
#include <limits>

#include "assembly/facets/integrals.hpp"
#include "mesh/geometry.hpp"
#include "physics/elasticity/problem.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"
#include "physics/scalar/parts.hpp"
#include "solvers/eigen/eigen.hpp"

namespace tessera::physics::elasticity {

namespace {

using Row = Eigen::Matrix<double, 6, 1>;

/// What is held of each motion: R of the QR factorisation of the rows. Its singular values are those of all rows, and
/// not their squares: a slender body is held by supports that are small beside it.
class Held {
 public:
  void add(const Row& row) {
    rows_.row(count_++) = row.transpose();
    if (count_ == rows_.rows()) reduce();
  }
  /// [6, 6]
  Eigen::Matrix<double, 6, 6> factor() {
    reduce();
    return rows_.topRows<6>();
  }

 private:
  void reduce() {
    const Eigen::HouseholderQR<Rows> qr(rows_);
    const Eigen::Matrix<double, 6, 6> R = qr.matrixQR().topRows<6>().triangularView<Eigen::Upper>();
    rows_.setZero();
    rows_.topRows<6>() = R;
    count_ = 6;
  }

  using Rows = Eigen::Matrix<double, 64, 6>;
  Rows rows_ = Rows::Zero();
  Eigen::Index count_ = 0;
};

/// The rigid motions of a body: translations along x, y, z, rotations about them through a middle, in units of its
/// size.
struct Motions {
  Body body;
  int dim;
  int radial;
  std::array<double, 3> middle{};
  double size = 1;

  /// Which of the six there are.
  std::vector<int> own() const {
    if (body == Body::bar) return {0};
    if (body == Body::revolution) return {1 - radial};
    return body == Body::solid ? std::vector<int>{0, 1, 2, 3, 4, 5} : std::vector<int>{0, 1, 5};
  }
  /// Component along `direction` of each motion at a point.
  Row at(const double* x, const double* direction) const {
    double r[3], n[3] = {};
    for (int d = 0; d < 3; ++d) r[d] = (x[d] - middle[d]) / size;
    for (int d = 0; d < dim; ++d) n[d] = direction[d];
    Row row;
    // n . (e_k x r) = e_k . (r x n)
    row << n[0], n[1], n[2], r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2], r[0] * n[1] - r[1] * n[0];
    return row;
  }
  std::string name(const Row& free) const;
};

/// "the translation along x", "the rotation about an axis along z through (0, 1, 0)".
std::string Motions::name(const Row& free) const {
  const Eigen::Vector3d turn = free.tail<3>(), shift = free.head<3>();
  const auto direction = [&](Eigen::Vector3d v) {
    v.normalize();
    for (int d = 0; d < 3; ++d)
      if (std::abs(std::abs(v[d]) - 1) < 1e-6) return std::string(1, "xyz"[d]);
    // Signs do not matter, and rounding shall not show.
    for (int d = 0; d < 3; ++d) v[d] = std::abs(v[d]) < 1e-12 ? 0 : v[d];
    return fmt::format("({:.3g}, {:.3g}, {:.3g})", v[0], v[1], v[2]);
  };
  if (turn.norm() < 1e-6 * free.norm()) return "the translation along " + direction(shift);
  // Points of the axis move along it: x = middle + size (turn x shift) / turn^2.
  const Eigen::Vector3d to = turn.cross(shift) / turn.squaredNorm() * size;
  std::array<double, 3> point{};
  for (int d = 0; d < 3; ++d) {
    point[d] = middle[d] + to[d];
    if (std::abs(point[d]) < 1e-9 * size) point[d] = 0;
  }
  return fmt::format("the rotation about the axis along {} through ({:.4g}, {:.4g}, {:.4g})", direction(turn), point[0],
                     point[1], point[2]);
}

/// The motions that nothing stops, as rows: those with a singular value of rounding, relative to the largest.
std::vector<Row> free_motions(const Motions& motions, const Eigen::Matrix<double, 6, 6>& held, double rounding) {
  const std::vector<int> own = motions.own();
  const auto n = static_cast<Eigen::Index>(own.size());
  Eigen::MatrixXd part(6, n);
  for (Eigen::Index i = 0; i < n; ++i) part.col(i) = held.col(own[i]);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(part, Eigen::ComputeFullV);
  const double largest = std::max(svd.singularValues()[0], 1e-300);
  std::vector<Row> result;
  for (Eigen::Index k = n; k-- > 0;) {
    if (svd.singularValues()[k] > rounding * largest) continue;
    Row row = Row::Zero();
    for (Eigen::Index i = 0; i < n; ++i) row[own[i]] = svd.matrixV()(i, k);
    result.push_back(row);
  }
  return result;
}

/// Takes the part along `from` (unit rows, orthogonal) off a row.
Row without(Row row, const std::vector<Row>& from) {
  for (const Row& other : from) row -= other * other.dot(row);
  return row;
}

/// The motions of a span by their simplest names: translations along axes, rotations about axes parallel to them, and
/// what is left.
std::string names_of(const Motions& motions, const std::vector<Row>& span) {
  std::string names;
  std::vector<Row> named;  // orthonormal
  const auto add = [&](const Row& row) {
    const Row own = without(row.normalized(), named);
    if (own.norm() < 1e-6) return;
    named.push_back(own.normalized());
    names += (names.empty() ? "" : ", ") + motions.name(row);
  };
  for (const int k : motions.own()) {
    if (k > 2) continue;
    Row unit = Row::Zero();
    unit[k] = 1;
    if (without(unit, span).norm() < 1e-6) add(unit);
  }
  Eigen::MatrixXd turns(3, static_cast<Eigen::Index>(span.size()));
  for (std::size_t i = 0; i < span.size(); ++i) turns.col(static_cast<Eigen::Index>(i)) = span[i].tail<3>();
  for (int axis = 0; axis < 3; ++axis) {
    // The least motion of the span that turns about this axis alone.
    const Eigen::VectorXd parts = turns.completeOrthogonalDecomposition().solve(Eigen::Vector3d::Unit(axis));
    if ((turns * parts - Eigen::Vector3d::Unit(axis)).norm() > 1e-6) continue;
    Row row = Row::Zero();
    for (std::size_t i = 0; i < span.size(); ++i) row += span[i] * parts[static_cast<Eigen::Index>(i)];
    add(row);
  }
  for (const Row& row : span)
    if (const Row rest = without(row, named); rest.norm() > 1e-6) add(rest);
  return names;
}

}  // namespace

void check_held(const Problem& problem) {
  const Discretisation& space = problem.space;
  const mesh::Mesh& mesh = space.mesh;
  const std::vector<Index> part_of = mesh.box_cells[0] > 0
                                         ? std::vector<Index>(static_cast<std::size_t>(mesh.cells()), 0)
                                         : scalar::parts_of_cells(mesh, space.dofs);
  const Index parts = part_of.empty() ? 0 : *std::max_element(part_of.begin(), part_of.end()) + 1;
  const auto box = mesh::bounding_box(mesh);
  Motions motions{problem.body, mesh.dim, problem.radial(), {}, 0};  // the size grows below
  for (int d = 0; d < 3; ++d) {
    motions.middle[d] = 0.5 * (box.min[d] + box.max[d]);
    motions.size = std::max(motions.size, 0.5 * (box.max[d] - box.min[d]));
  }
  std::vector<Index> part_of_dof(static_cast<std::size_t>(space.dofs.dofs), 0);
  for (const assembly::DofBlock& block : space.dofs.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      for (int i = 0; i < block.nodes; ++i) part_of_dof[block.cell(c)[i]] = part_of[block.first_cell + c];

  // Coordinates have their digits from the origin on, and the body may be far from it.
  double furthest = 0;
  for (int d = 0; d < 3; ++d) furthest = std::max({furthest, std::abs(box.min[d]), std::abs(box.max[d])});
  const double rounding = 1e-12 + 4 * std::numeric_limits<double>::epsilon() * furthest / motions.size;

  std::vector<Held> held(static_cast<std::size_t>(parts));
  const auto hold = [&](Index part, const double* x, const double* direction) {
    held[part].add(motions.at(x, direction));
  };
  for (const Index row : problem.dirichlet.dofs) {
    double direction[3] = {};
    direction[space.component_of(row)] = 1;
    const Index dof = space.dof_of(row);
    hold(part_of_dof[dof], &space.dof_points[3 * static_cast<std::size_t>(dof)], direction);
  }
  for (const FacetTerm& term : problem.facets) {
    const BoundaryParams& boundary = *term.boundary;
    if (boundary.type != "spring") continue;
    const std::vector<double> xyz = assembly::facet_quadrature_points(mesh, space.dofs, term.group, space.threads),
                              normals = assembly::facet_normals(mesh, space.dofs, term.group, space.threads);
    const std::vector<double> normal = evaluate(boundary.normal_stiffness, xyz, space.threads);
    std::vector<std::vector<double>> along;
    for (const deck::Expression& e : boundary.stiffness) along.push_back(evaluate(e, xyz, space.threads));
    const std::size_t per_facet = xyz.size() / 3 / std::max<std::size_t>(1, term.group.entities.size());
    for (std::size_t q = 0; q < xyz.size() / 3; ++q) {
      const Index part = part_of[mesh.facets.cell[term.group.entities[q / per_facet]]];
      if (normal[q] != 0) hold(part, &xyz[3 * q], &normals[3 * q]);
      for (int c = 0; c < mesh.dim && !along.empty(); ++c) {
        if (along[along.size() == 1 ? 0 : static_cast<std::size_t>(c)][q] == 0) continue;
        double direction[3] = {};
        direction[c] = 1;
        hold(part, &xyz[3 * q], direction);
      }
    }
  }
  for (Index part = 0; part < parts; ++part) {
    const std::vector<Row> free = free_motions(motions, held[part].factor(), rounding);
    if (free.empty()) continue;
    const auto cell = static_cast<Index>(std::find(part_of.begin(), part_of.end(), part) - part_of.begin());
    const auto x = mesh::centroid(mesh, cell);
    throw Error(
        ExitCode::usage,
        fmt::format("the body can move without strain{}: nothing stops {}",
                    parts > 1
                        ? fmt::format(" (one of its {} parts that share no node, around ({:.4g}, {:.4g}, {:.4g}))",
                                      parts, x[0], x[1], x[2])
                        : "",
                    names_of(motions, free)),
        fmt::format("hold it by a displacement, a symmetry or a spring; single points may be held too: a group of "
                    "dimension 0 with value_x = \"0\"{}",
                    solvers::wants_modes(problem.params.solver)
                        ? "; or let it move: solver.shift of about (2 pi f)^2, f its first frequency"
                        : ""),
        problem.params.boundaries.empty() ? problem.params.physics.where : problem.params.boundaries.front().where);
  }
}

}  // namespace tessera::physics::elasticity
