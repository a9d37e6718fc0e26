#pragma once
// Written once; instantiated by scheme_threads.cpp and scheme_cuda.cu.
#include "physics/advection/scheme.hpp"
#include "physics/conservation/scheme_impl.hpp"

namespace tessera::physics::advection {

template <class Exec>
ScalarScheme<Exec> make_scheme(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& dofs, bool has_function,
                               const conservation::LimitParams& params, Index owned,
                               typename conservation::Scheme<Exec>::Exchange exchange) {
  const auto make = [&]<int dim, bool of_u>() -> ScalarScheme<Exec> {
    using Law = ScalarLaw<dim, of_u>;
    auto scheme = std::make_unique<conservation::SchemeOf<Exec, Law>>(exec, mesh, dofs, Law{}, params, owned,
                                                                      std::move(exchange));
    Law& law = scheme->equation();
    return {std::move(scheme), [&law](const LawView& view) { law.law = view; }};
  };
  if (has_function) {
    if (mesh.dim == 1) return make.template operator()<1, true>();
    if (mesh.dim == 2) return make.template operator()<2, true>();
    return make.template operator()<3, true>();
  }
  if (mesh.dim == 1) return make.template operator()<1, false>();
  if (mesh.dim == 2) return make.template operator()<2, false>();
  return make.template operator()<3, false>();
}

/// The least and the greatest of every strides-th of two lists, which may be one.
struct RangePass {
  Offset count, strides;
  const double *low, *high;
  double* found;  ///< [2, strides]

  TESSERA_HD void operator()(Offset k) const {
    double least = 1e300, most = -1e300;
    for (Offset i = k; i < count; i += strides) {
      least = std::fmin(least, low[i]);
      most = std::fmax(most, high[i]);
    }
    found[k] = least;
    found[strides + k] = most;
  }
};

template <class Exec>
void find_range(Exec& exec, View<const double> u, View<double> scratch, View<double> range) {
  constexpr Offset many = 4000, few = 64;
  static_assert(2 * (many + few) <= range_scratch);
  double* const of_many = scratch.data();
  double* const of_few = of_many + 2 * many;
  for_each(exec, many, RangePass{u.size(), many, u.data(), u.data(), of_many});
  for_each(exec, few, RangePass{many, few, of_many, of_many + many, of_few});
  for_each(exec, Offset{1}, RangePass{few, 1, of_few, of_few + few, range.data()});
}

/// Sets one node.
struct PrescribePass {
  const Index* nodes;
  const double* values;
  double* u;

  TESSERA_HD void operator()(Offset k) const {
    if (values[k] == values[k]) u[nodes[k]] = values[k];
  }
};

template <class Exec>
void prescribe(Exec& exec, View<const Index> nodes, View<const double> values, View<double> u) {
  for_each(exec, nodes.size(), PrescribePass{nodes.data(), values.data(), u.data()});
}

}  // namespace tessera::physics::advection
