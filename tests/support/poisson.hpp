#pragma once
// A Poisson problem from mesh to nodal values, without a deck: for convergence and equivalence tests.
#include <string>
#include <vector>

#include "assembly/cells/assembler.hpp"
#include "assembly/fields/errors.hpp"
#include "assembly/space/dirichlet.hpp"
#include "forms/diffusion.hpp"
#include "solvers/solve.hpp"
#include "support/boxes.hpp"

namespace tessera::testing {

/// Moves inner nodes by a smooth map that leaves the boundary of the unit box where it is: cells are no longer affine
/// images of each other.
inline void distort(mesh::Mesh& mesh, double amount = 0.05) {
  const double pi = 3.14159265358979323846;
  for (Index n = 0; n < mesh.nodes(); ++n) {
    double* x = mesh.points.data() + 3 * static_cast<std::size_t>(n);
    double bump = amount;
    for (int d = 0; d < mesh.dim; ++d) bump *= std::sin(pi * x[d]);
    for (int d = 0; d < mesh.dim; ++d) x[d] += bump * (d + 1) * 0.7;
  }
}

struct Solved {
  assembly::DofMap dofs;
  std::vector<double> values;  ///< matrix values
  std::vector<double> u;
  solvers::Report report;
  assembly::ErrorNorms errors;
};

/// -lap u = f with u = exact on the whole boundary.
template <class Exec>
Solved solve_dirichlet(Exec& exec, const mesh::Mesh& mesh, int order, const std::string& exact,
                       const std::vector<std::string>& gradient, const std::string& f, double tolerance = 1e-12) {
  using Space = typename Exec::Space;
  Solved result;
  result.dofs = assembly::make_dof_map(mesh, order);
  assembly::Assembler<Exec, forms::Diffusion> assembler(exec, mesh, result.dofs);
  linalg::Crs<Space> A = assembler.make_matrix();
  Array<double, Space> b(result.dofs.dofs), x(result.dofs.dofs);
  forms::DiffusionData data;
  data.k.values = {1.0};
  const std::vector<double> points = assembler.quadrature_points();
  data.f.per_point = true;
  data.f.values.resize(points.size() / 3);
  deck::Evaluator(deck::Expression(f)).evaluate(points.data(), data.f.values.size(), 0, data.f.values.data());
  assembler.assemble(data, A, b);
  result.values = to_vector(A.values);
  const deck::Expression u(exact);
  const std::vector<Index> fixed = assembly::exterior_dofs(mesh, result.dofs);
  const std::vector<double> nodal = assembly::interpolate(mesh, result.dofs, u);
  std::vector<double> values;
  for (Index dof : fixed) values.push_back(nodal[dof]);
  assembly::eliminate_dirichlet(exec, A, b.view(), fixed, values);
  x.set_zero();
  solvers::SolverParams params;
  params.tolerance = tolerance;
  result.report = solvers::solve(exec, A, View<const double>(b), x.view(), params);
  result.u = to_vector(x);
  std::vector<deck::Expression> gradients;
  for (const std::string& g : gradient) gradients.emplace_back(g);
  result.errors = assembly::compute_errors(mesh, result.dofs, result.u, u, gradients);
  return result;
}

}  // namespace tessera::testing
