#pragma once
// The material law at a point: from moduli to the matrix between strains and stresses of bars, planes, bodies of
// revolution and solids.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "physics/elasticity/params.hpp"

namespace tessera::physics::elasticity {

/// What a mesh of fewer than three dimensions stands for.
enum class Body { bar, plane_strain, plane_stress, revolution, solid };
Body body_of(int dim, bool has_axis, const std::string& plane);
/// Strains of it, in the order of forms/elasticity.hpp.
int strain_size(Body body);

/// The law at a point: sigma = D eps - initial.
struct Law {
  /// D [strain_size, strain_size], row by row.
  std::array<double, 36> D{};
  std::array<double, 6> initial{};  ///< sigma_0 = D eps_0 of the thermal strain, [strain_size]

  /// All six stresses and strains, in the order xx yy zz yz xz xy, at strains of the body.
  void state(Body body, const double* strain, double (&sigma)[6], double (&eps)[6]) const;

  /// Of the components that the body has no strains of [6 - strain_size, strain_size]: their stresses at strains, and
  /// of bodies that are free of stress there (plane stress, bars) their strains at stresses.
  std::array<double, 18> others{};
  std::array<double, 6> others_initial{};  ///< the stresses, or strains, of the thermal strain there

  /// Its numbers in a row [law_size(body)], for interpolation; the first strain_size^2 of them are D.
  void pack(Body body, double* numbers) const;
  static Law unpacked(Body body, const double* numbers);
};
int law_size(Body body);

/// Expressions of a material whose values make a Law: the moduli, three expansions, the temperature.
std::vector<deck::Expression> values_of(const MaterialParams& material);
/// The law from those values. Throws Error(usage) at the material where there is none: E <= 0, nu outside (-1, 0.5), a
/// matrix that is not positive definite. `xyz`: the point, for the message; null: constants.
Law law_of(const MaterialParams& material, Body body, std::span<const double> values, const double* xyz);
/// Throws Error(usage) where a material has a matrix of another kind of body.
void check_law(const MaterialParams& material, Body body);

}  // namespace tessera::physics::elasticity
