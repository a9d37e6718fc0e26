#include "physics/scalar/nonlinear_impl.hpp"

namespace tessera::physics::scalar {

AtPoints evaluate_tangent(const Problem& problem, std::span<const double> u) {
  const Linearisation coefficients(problem, problem.params.newton.picard());
  const forms::LinearisedData data = coefficients.tangent(u, 1);
  coefficients.facet_residuals(u, 1);
  coefficients.facet_tangents(u, 1);
  AtPoints result{0, true};
  for (const forms::NamedCoefficient& one : forms::Linearised::coefficients(data))
    result.bytes += sizeof(double) * static_cast<double>(one.values->values.size());
  return result;
}

template std::unique_ptr<Nonlinear<Threads>> make_nonlinear(Threads&, const Problem&, output::Summary&);

}  // namespace tessera::physics::scalar
