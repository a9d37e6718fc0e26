#pragma once
// Expressions of the solution with the derivatives that a linearisation has of them.
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "physics/scalar/coefficients.hpp"

namespace tessera::physics::scalar {

/// The axes of a gradient.
inline constexpr std::array<deck::Variable, 3> slopes = {deck::Variable::ux, deck::Variable::uy, deck::Variable::uz};

/// Which derivatives of an expression a tangent has.
enum class Slopes {
  all,
  none,
  damping  ///< after u, where it falls
};

/// An expression with its derivatives, of which those that vanish or are not asked for are null.
struct Derived {
  deck::Expression value;
  std::optional<deck::Expression> of_u;
  std::array<std::optional<deck::Expression>, 3> of_gradient;
  bool damping;  ///< of_u counts where it is negative

  Derived(deck::Expression expression, Slopes which) : value(std::move(expression)), damping(which == Slopes::damping) {
    const auto slope = [&](deck::Variable variable) -> std::optional<deck::Expression> {
      if (!value.depends_on(variable)) return std::nullopt;
      return derivative(value, variable);
    };
    if (which != Slopes::none) of_u = slope(deck::Variable::u);
    for (std::size_t axis = 0; axis < 3 && which == Slopes::all; ++axis) of_gradient[axis] = slope(slopes[axis]);
  }
  bool has_gradient() const { return of_gradient[0] || of_gradient[1] || of_gradient[2]; }
};

/// Picard's matrix has k, c and alpha frozen, and of sources and flows what makes it larger.
inline Slopes of_coefficients(bool picard) { return picard ? Slopes::none : Slopes::all; }
inline Slopes of_loads(bool picard) { return picard ? Slopes::damping : Slopes::all; }

/// k, c and f of a material.
struct DerivedMaterial {
  std::vector<Derived> k;
  Derived c, f;

  DerivedMaterial(const MaterialParams& material, int components, bool picard)
      : c(material.reaction, of_coefficients(picard)), f(material.source, of_loads(picard)) {
    for (const deck::Expression& e : spread(material, components)) k.emplace_back(e, of_coefficients(picard));
  }
};

}  // namespace tessera::physics::scalar
