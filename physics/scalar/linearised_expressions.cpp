// The linearisation of a problem as expressions, which backends evaluate themselves.
#include "physics/entry.hpp"
#include "physics/scalar/coefficients.hpp"
#include "physics/scalar/derived.hpp"
#include "physics/scalar/linearisation.hpp"

namespace tessera::physics::scalar {

namespace {

using deck::Expression;

Expression sum(const Expression& a, const Expression& b) { return is_zero(a) ? b : is_zero(b) ? a : a + b; }
Expression product(const Expression& a, const Expression& b) {
  return is_zero(a) || is_zero(b) ? Expression(0.0) : a * b;
}
Expression minus(const Expression& a) { return product(Expression(-1.0), a); }
Expression or_zero(const std::optional<Expression>& slope) { return slope ? *slope : Expression(0.0); }

/// The parts of a linearisation at a point, as expressions.
class PointExpressions {
 public:
  PointExpressions(const DerivedMaterial& material, int dim) : material_(material), dim_(dim) {}

  std::vector<Expression> flux() const {
    return along([&](int d) { return minus(turned(d, [](const Derived& k) { return k.value; })); });
  }
  Expression reaction() const { return sum(material_.f.value, minus(product(material_.c.value, u_))); }

  std::vector<Expression> between_gradients(bool matrix) const {
    std::vector<Expression> gg;
    if (!matrix) {
      for (const Derived& k : material_.k) gg.push_back(k.value);
      return gg;
    }
    for (int d = 0; d < dim_; ++d)
      for (int e = 0; e < dim_; ++e)
        gg.push_back(sum(entry_of(d, e, [](const Derived& k) { return k.value; }), turned(d, [e](const Derived& k) {
                           return or_zero(k.of_gradient[static_cast<std::size_t>(e)]);
                         })));
    return gg;
  }
  std::vector<Expression> value_beside_gradient() const {
    return along([&](int d) { return turned(d, [](const Derived& k) { return or_zero(k.of_u); }); });
  }
  std::vector<Expression> gradient_beside_value() const {
    return along([&](int d) {
      const auto axis = static_cast<std::size_t>(d);
      return sum(product(or_zero(material_.c.of_gradient[axis]), u_), minus(or_zero(material_.f.of_gradient[axis])));
    });
  }
  Expression between_values() const {
    return sum(sum(material_.c.value, product(or_zero(material_.c.of_u), u_)), minus(or_zero(material_.f.of_u)));
  }

 private:
  template <class Part>
  std::vector<Expression> along(Part part) const {
    std::vector<Expression> result;
    for (int d = 0; d < dim_; ++d) result.push_back(part(d));
    return result;
  }
  /// Entry (d, e) of what `part` takes of k.
  template <class Part>
  Expression entry_of(int d, int e, Part part) const {
    if (material_.k.size() == 1) return d == e ? part(material_.k.front()) : Expression(0.0);
    return part(material_.k[static_cast<std::size_t>(forms::packed_symmetric(d, e, dim_))]);
  }
  /// The sum over e of those entries times du/dx_e.
  template <class Part>
  Expression turned(int d, Part part) const {
    Expression result(0.0);
    for (int e = 0; e < dim_; ++e)
      result = sum(result, product(entry_of(d, e, part), slopes_[static_cast<std::size_t>(e)]));
    return result;
  }

  const DerivedMaterial& material_;
  int dim_;
  const Expression u_ = Expression("u", {}, deck::Knows::gradient);
  const std::array<Expression, 3> slopes_ = {Expression("ux", {}, deck::Knows::gradient),
                                             Expression("uy", {}, deck::Knows::gradient),
                                             Expression("uz", {}, deck::Knows::gradient)};
};

}  // namespace

assembly::ExpressionData linearised_expressions(const std::vector<MaterialParams>& materials, int dim,
                                                bool with_tangent) {
  const int components = check_diffusivity(materials, dim);
  const TangentTraits traits = tangent_traits(materials, dim, false);
  assembly::RegionExpressions gg, gv, vg, vv, flux, reaction, k, c, f;
  for (const MaterialParams& material : materials) {
    const DerivedMaterial derived(material, components, false);
    const PointExpressions point(derived, dim);
    k.push_back(point.between_gradients(false));
    flux.push_back(point.flux());
    reaction.push_back({point.reaction()});
    if (!with_tangent) {
      c.push_back({material.reaction});
      f.push_back({material.source});
      continue;
    }
    gg.push_back(point.between_gradients(traits.of_gradient));
    if (traits.of_u) gv.push_back(point.value_beside_gradient());
    if (traits.carries) vg.push_back(point.gradient_beside_value());
    vv.push_back({point.between_values()});
  }
  assembly::ExpressionData result;
  if (assembly::varies(k))
    result.definite = {
        {6}, [&materials, components](std::size_t, Index region, const double* values, const double* xyz) {
          require_positive_definite(materials[static_cast<std::size_t>(region)], values, components, xyz);
        }};
  else
    require_positive_definite(materials, assembly::as_data(k));
  result.members = {std::move(gg),       std::move(gv), std::move(vg), std::move(vv), std::move(flux),
                    std::move(reaction), std::move(k),  std::move(c),  std::move(f)};
  return result;
}

}  // namespace tessera::physics::scalar
