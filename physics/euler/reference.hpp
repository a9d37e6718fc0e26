#pragma once
// The flow far away, by which forces and pressures become coefficients.
#include <array>
#include <optional>
#include <vector>

#include "physics/euler/gas.hpp"
#include "physics/sections.hpp"

namespace tessera::physics::euler {

struct ReferenceParams {
  double density = 1, pressure = 1, speed = 1;
  double angle = 0;  ///< of the flow from x towards y, degrees
  double length = 1;
  std::optional<double> area;  ///< of forces in three dimensions; none: length^2
  std::vector<double> centre;  ///< of moments, one number an axis; empty: the origin
  deck::Where where;

  /// q = rho V^2 / 2.
  double dynamic_pressure() const { return 0.5 * density * speed * speed; }
  /// Which makes of a force divided by q a coefficient: `length` in the plane, else the area.
  double size(int dim) const { return dim == 3 ? area.value_or(length * length) : length; }
};

deck::SectionDescription reference_description();
/// None where the deck has no [reference]. Throws Error(usage) for a centre that is none.
std::optional<ReferenceParams> read_reference(const deck::Deck& deck);

/// The pressure of a perfect gas that is brought to rest without losses.
double total_pressure(const Gas& gas, double pressure, double mach);

/// Whether a field or a kind of quantity is one of those that need a [reference].
bool needs_reference(const std::string& field_or_kind);

/// A field or a kind of quantity that a deck asks for.
struct Asked {
  std::string what;
  deck::Where where;
};
/// Throws Error(usage) where the deck asks for what needs a [reference] and has none, and for total pressures of a gas
/// with covolume.
void check_reference(const std::optional<ReferenceParams>& reference, const std::vector<Asked>& asked, double covolume);

}  // namespace tessera::physics::euler
