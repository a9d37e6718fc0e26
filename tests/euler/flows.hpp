#pragma once
// Flows on boxes without a deck: the scheme and its steps alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "assembly/space/dof_map.hpp"
#include "mesh/box.hpp"
#include "physics/conservation/steps.hpp"
#include "physics/euler/constrain.hpp"
#include "physics/euler/scheme.hpp"
#include "support/backends.hpp"
#include "support/riemann.hpp"

namespace euler_test {

using namespace tessera;
using namespace tessera::physics::euler;
using tessera::physics::conservation::SchemeSteps;
using tessera::physics::conservation::stages_of;
using tessera::testing::GasState;
using tessera::testing::RiemannSolution;

inline mesh::Mesh box(const std::string& shape, const std::vector<int>& cells, const std::vector<double>& min,
                      const std::vector<double>& max) {
  mesh::BoxParams params;
  params.shape = shape;
  params.cells = cells;
  params.min = min;
  params.max = max;
  return mesh::make_box(params, 1);
}

/// The unit interval, square or cube; its inner nodes are moved at random by up to `distorted` of a cell.
inline mesh::Mesh unit_box(const std::string& shape, int dim, int cells, double distorted = 0) {
  const auto axes = static_cast<std::size_t>(dim);
  mesh::Mesh mesh =
      box(shape, std::vector<int>(axes, cells), std::vector<double>(axes, 0.0), std::vector<double>(axes, 1.0));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> move(-distorted / cells, distorted / cells);
  for (Index node = 0; node < mesh.nodes(); ++node) {
    double* const x = &mesh.points[3 * static_cast<std::size_t>(node)];
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const bool inside = x[axis] > 1e-9 && x[axis] < 1 - 1e-9;
      const double by = distorted > 0 ? move(random) : 0;
      if (inside) x[axis] += by;
    }
  }
  return mesh;
}

/// (rho, p, v) at a point and a time.
template <int dim>
using Solution = std::function<Primitive<dim>(const std::array<double, 3>& x, double t)>;

/// A flow of which all boundary nodes have the values of a solution.
template <class Exec, int dim>
class Flow {
 public:
  using Space = typename Exec::Space;
  static constexpr int n = numbers<dim>;

  Flow(Exec& exec, mesh::Mesh mesh, const SchemeParams& params, Solution<dim> solution, bool closed = false,
       const std::string& time_scheme = "ssp_rk3")
      : exec_(exec),
        gas_(params.gas),
        solution_(std::move(solution)),
        mesh_(std::move(mesh)),
        dofs_(assembly::make_dof_map(mesh_, 1)),
        scheme_(make_scheme(exec, mesh_, dofs_, params, dofs_.dofs)),
        steps_(exec, *scheme_, stages_of(time_scheme), [this](double t, View<double> u) { constrain(t, u); }) {
    const std::vector<Index> of_dof = nodes_of_dofs();
    for (Index dof = 0; dof < dofs_.dofs; ++dof) {
      std::array<double, 3> x{};
      for (std::size_t d = 0; d < 3; ++d)
        x[d] = mesh_.points[3 * static_cast<std::size_t>(of_dof[static_cast<std::size_t>(dof)]) + d];
      points_.push_back(x);
    }
    std::vector<Index> boundary;
    std::vector<std::vector<double>> normals;
    for (Index dof = 0; dof < dofs_.dofs; ++dof) {
      std::vector<double> of_node(dim * dim, 0.0);
      int count = 0;
      for (int d = 0; d < dim; ++d)
        for (const double side : {0.0, 1.0})
          if (std::abs(points_[static_cast<std::size_t>(dof)][static_cast<std::size_t>(d)] - side) < 1e-12)
            of_node[static_cast<std::size_t>(count++ * dim + d)] = side > 0 ? 1 : -1;
      if (count == 0) continue;
      boundary.push_back(dof);
      normals.push_back(of_node);
    }
    nodes_.kind = closed ? BoundaryKind::slip_wall : BoundaryKind::inflow;
    nodes_.nodes = to_space<Space>(boundary);
    std::vector<double> all(boundary.size() * dim * dim);
    for (std::size_t k = 0; k < boundary.size(); ++k)
      for (std::size_t e = 0; e < dim * dim; ++e) all[e * boundary.size() + k] = normals[k][e];
    nodes_.normals = to_space<Space>(all);
    boundary_ = boundary;
    std::vector<double> u(static_cast<std::size_t>(n * dofs_.dofs));
    for (Index dof = 0; dof < dofs_.dofs; ++dof) {
      double own[n];
      conservative<dim>(gas_, solution_(points_[static_cast<std::size_t>(dof)], 0), own);
      for (int k = 0; k < n; ++k) u[static_cast<std::size_t>(Offset{k} * dofs_.dofs + dof)] = own[k];
    }
    scheme_->set_measure(volume());
    copy_bytes(Host{}, u.data(), Space{}, steps_.state().data(), u.size() * sizeof(double));
    if (!closed) {
      constrain(0, steps_.state());
      scheme_->set_prescribed({{nodes_.nodes.view(), nodes_.values.view().part(0, nodes_.nodes.size())}});
    }
    EXPECT_TRUE(steps_.begin());
  }

  /// Steps of `cfl` to the time `end`; returns how many.
  int run(double end, double cfl, int most = 1 << 30) {
    int count = 0;
    while (t_ < end && count < most) {
      const auto done = steps_.step(t_, cfl, end - t_);
      rejected_ += done.rejected;
      if (done.dt == 0) {
        ADD_FAILURE() << "no step is short enough at t = " << t_;
        break;
      }
      t_ = done.dt >= end - t_ ? end : t_ + done.dt;
      ++count;
    }
    return count;
  }

  double t() const { return t_; }
  Offset rejected() const { return rejected_; }
  Offset nodes() const { return dofs_.dofs; }
  const std::array<double, 3>& point(Index dof) const { return points_[static_cast<std::size_t>(dof)]; }
  const mesh::Mesh& mesh() const { return mesh_; }
  std::vector<double> masses() const {
    std::vector<double> m(static_cast<std::size_t>(dofs_.dofs));
    copy_bytes(Space{}, scheme_->lumped_mass().data(), Host{}, m.data(), m.size() * sizeof(double));
    return m;
  }
  double volume() const {
    double sum = 0;
    for (const double m : masses()) sum += m;
    return sum;
  }
  /// [numbers, nodes]
  std::vector<double> state() {
    std::vector<double> u(static_cast<std::size_t>(n * dofs_.dofs));
    copy_bytes(Space{}, steps_.state().data(), Host{}, u.data(), u.size() * sizeof(double));
    return u;
  }
  Primitive<dim> at(const std::vector<double>& u, Index dof) const {
    double own[n];
    for (int k = 0; k < n; ++k) own[k] = u[static_cast<std::size_t>(Offset{k} * dofs_.dofs + dof)];
    return primitive<dim>(gas_, own);
  }
  /// sum_i m_i u_i of each number.
  std::array<double, static_cast<std::size_t>(n)> totals() {
    std::array<double, static_cast<std::size_t>(n)> sums{};
    const std::vector<double> u = state(), m = masses();
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < m.size(); ++i) sums[k] += m[i] * u[k * m.size() + i];
    return sums;
  }
  /// The L1 norms of the errors of each number, over those of the solution, added up.
  double normalised_l1() {
    const std::vector<double> u = state(), m = masses();
    std::array<double, static_cast<std::size_t>(n)> errors{}, sizes{};
    for (Index dof = 0; dof < dofs_.dofs; ++dof) {
      double exact[n];
      conservative<dim>(gas_, solution_(point(dof), t_), exact);
      for (int k = 0; k < n; ++k) {
        const auto c = static_cast<std::size_t>(k);
        const double weight = m[static_cast<std::size_t>(dof)];
        errors[c] += weight * std::abs(u[static_cast<std::size_t>(Offset{k} * dofs_.dofs + dof)] - exact[k]);
        sizes[c] += weight * std::abs(exact[k]);
      }
    }
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (sizes[k] > 1e-14) sum += errors[k] / sizes[k];
    return sum;
  }
  /// L1 errors of rho, of the first velocity, and of p.
  std::array<double, 3> primitive_l1() {
    const std::vector<double> u = state(), m = masses();
    std::array<double, 3> errors{};
    for (Index dof = 0; dof < dofs_.dofs; ++dof) {
      const Primitive<dim> w = at(u, dof), exact = solution_(point(dof), t_);
      const double weight = m[static_cast<std::size_t>(dof)];
      errors[0] += weight * std::abs(w.rho - exact.rho);
      errors[1] += weight * std::abs(w.v[0] - exact.v[0]);
      errors[2] += weight * std::abs(w.p - exact.p);
    }
    return errors;
  }
  SchemeSteps<Exec>& steps() { return steps_; }
  /// How often stages have been queued that know no time.
  int timeless() const { return timeless_; }
  Scheme<Exec>& scheme() { return *scheme_; }

 private:
  std::vector<Index> nodes_of_dofs() const {
    std::vector<Index> result(static_cast<std::size_t>(dofs_.dofs), 0);
    for (std::size_t node = 0; node < dofs_.vertex_dofs.size(); ++node)
      if (dofs_.vertex_dofs[node] >= 0)
        result[static_cast<std::size_t>(dofs_.vertex_dofs[node])] = static_cast<Index>(node);
    return result;
  }
  void constrain(double t, View<double> u) {
    if (std::isnan(t)) ++timeless_;
    if (nodes_.kind == BoundaryKind::inflow) {
      std::vector<double> values(boundary_.size() * n);
      for (std::size_t k = 0; k < boundary_.size(); ++k) {
        const Primitive<dim> w = solution_(points_[static_cast<std::size_t>(boundary_[k])], t);
        values[k] = w.rho;
        values[boundary_.size() + k] = w.p;
        for (std::size_t d = 0; d < dim; ++d) values[(2 + d) * boundary_.size() + k] = w.v[d];
      }
      nodes_.values = to_space<Space>(values);
    }
    physics::euler::constrain(exec_, dim, gas_, nodes_, u);
  }

  Exec& exec_;
  Gas gas_;
  Solution<dim> solution_;
  mesh::Mesh mesh_;
  assembly::DofMap dofs_;
  std::unique_ptr<Scheme<Exec>> scheme_;
  SchemeSteps<Exec> steps_;
  std::vector<std::array<double, 3>> points_;
  std::vector<Index> boundary_;
  BoundaryNodes<Space> nodes_;
  double t_ = 0;
  Offset rejected_ = 0;
  int timeless_ = 0;
};

/// A tube along x.
template <int dim = 1>
Solution<dim> tube(const GasState& left, const GasState& right, double x_0, double gamma = 1.4) {
  const RiemannSolution exact(left, right, gamma);
  return [=](const std::array<double, 3>& x, double t) {
    const double from = x[0] - x_0;
    GasState s = t > 0 ? exact.at(from / t) : from < 0 ? left : right;
    if (t == 0 && from == 0) s = {0.5 * (left.rho + right.rho), 0.5 * (left.v + right.v), 0.5 * (left.p + right.p)};
    Primitive<dim> w;
    w.rho = s.rho;
    w.p = s.p;
    w.v[0] = s.v;
    return w;
  };
}

}  // namespace euler_test
