#pragma once
// Whether a solution grows by itself, and not by what its data bring.
#include "linalg/shift_ops.hpp"
#include "linalg/spmv.hpp"
#include "physics/run/evolving.hpp"

namespace tessera::physics {

/// -(v, A v) / (v, M v) of v = u [rows that are seen], but 0 where it is prescribed: of M u' = b - A u how fast u grows
/// without b. Of a nonlinear problem A is the tangent at u. Collective.
template <class Exec>
double growth_rate(Exec& exec, Evolving<Exec>& problem, const Array<double, typename Exec::Space>& u) {
  using Space = typename Exec::Space;
  System<Exec> tangent;
  if (problem.nonlinear())
    problem.ranks().each([&] {
      problem.move_to_state(to_vector(u));
      problem.nonlinear()->tangent(tangent);
    });
  const linalg::Crs<Space>& A = problem.nonlinear() ? tangent.matrix : problem.stiffness();
  Array<double, Space> v(u.size()), product(u.size()), sums(2);
  linalg::copy(exec, u.view(), v.view());
  const Array<Index, Space> fixed = to_space<Space>(problem.prescribed().dofs);
  linalg::set_entries(exec, View<const Index>(fixed.view()), 0.0, v.view());
  const Linked linked(exec, problem.ranks().link());
  const Index own = problem.ranks().rows();
  const View<const double> of_v = std::as_const(v).view(), of_product = std::as_const(product).view();
  int next = 0;
  for (const linalg::Crs<Space>* matrix : {&A, &std::as_const(problem.mass())}) {
    linalg::spmv(exec, matrix->view(), of_v, product.view());
    linalg::dot(exec, of_v.part(0, own), of_product.part(0, own), sums.data() + next++);
  }
  const std::vector<double> values = to_vector(sums);
  return values[1] > 0 ? -values[0] / values[1] : 0;
}

}  // namespace tessera::physics
