#include "physics/scalar/manufactured.hpp"

#include <array>

#include "forms/tensor.hpp"
#include "mesh/params.hpp"
#include "physics/entry.hpp"

namespace tessera::physics::scalar {

namespace {

using deck::Expression;
using deck::Replacement;
using deck::Variable;

constexpr std::array<Variable, 3> axes = {Variable::x, Variable::y, Variable::z};

/// sum + a b, without terms that vanish.
Expression plus_product(const Expression& sum, const Expression& a, const Expression& b) {
  if (is_zero(a) || is_zero(b)) return sum;
  return is_zero(sum) ? a * b : sum + a * b;
}

/// The exact solution, and coefficients at it.
struct Manufactured {
  std::array<Expression, 3> gradient;
  std::vector<Replacement> solution;

  explicit Manufactured(const Expression& u) {
    for (std::size_t d = 0; d < 3; ++d) gradient[d] = derivative(u, axes[d]);
    solution = {
        {Variable::u, u}, {Variable::ux, gradient[0]}, {Variable::uy, gradient[1]}, {Variable::uz, gradient[2]}};
  }

  /// Entry (d, e) of k; null: there is none.
  const Expression* entry(const std::vector<Expression>& k, int d, int e) const {
    if (k.size() == 1) return d == e ? &k.front() : nullptr;
    const int dim = k.size() == 3 ? 2 : 3;
    if (d >= dim || e >= dim) return nullptr;
    return &k[static_cast<std::size_t>(forms::packed_symmetric(d, e, dim))];
  }

  /// k grad u along axis d.
  Expression flux(const std::vector<Expression>& k, int d) const {
    Expression sum;
    for (int e = 0; e < 3; ++e)
      if (const Expression* const k_de = entry(k, d, e))
        sum = plus_product(sum, gradient[static_cast<std::size_t>(e)], substitute(*k_de, solution));
    return sum;
  }
};

}  // namespace

void derive_sources(Params& params, const std::vector<std::vector<Expression>>& velocity) {
  if (!params.exact || !params.exact->source) return;
  const Expression& u = params.exact->u.front();
  const Manufactured exact(u);
  const int radius = params.mesh.axis == "y" ? 0 : params.mesh.axis == "x" ? 1 : -1;
  for (std::size_t m = 0; m < params.materials.size(); ++m) {
    MaterialParams& material = params.materials[m];
    if (!is_zero(material.source))
      throw Error(ExitCode::usage, "this material has a source, and exact.source = true derives one",
                  "leave one of the two out", material.where);
    Expression sum;
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      const Expression flux = exact.flux(material.diffusivity, d);
      sum = plus_product(sum, derivative(flux, axes[axis]), Expression(-1.0));
      if (d == radius) sum = plus_product(sum, flux, Expression(d == 0 ? "-1/x" : "-1/y"));
      if (m < velocity.size() && axis < velocity[m].size())
        sum = plus_product(sum, exact.gradient[axis], substitute(velocity[m][axis], exact.solution));
    }
    material.source = plus_product(sum, u, substitute(material.reaction, exact.solution));
  }
}

}  // namespace tessera::physics::scalar
