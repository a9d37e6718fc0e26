#pragma once
// The material law at a point: from moduli to the matrix between strains and stresses of bars, planes, bodies of revolution and solids.
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

/// Moduli at a point, in the order of values_of().
struct Law {
  /// D [strain_size, strain_size], row by row.
  std::array<double, 36> D{};
  std::array<double, 6> initial{};  ///< sigma_0 = D eps_0 of the thermal strain, [strain_size]

  /// sigma - of strains - in the whole order xx yy zz yz xz xy, and the strains with that normal to a plane under plane stress.
  void state(Body body, const double* strain, double (&sigma)[6], double (&eps)[6]) const;

  std::array<double, 6> normal{};         ///< plane strain: sigma_zz of each strain
  double normal_initial = 0;              ///< and of the thermal strain
  std::array<double, 6> normal_strain{};  ///< plane stress: eps_zz of each stress
  double normal_thermal = 0;              ///< and the thermal one
};

/// Expressions of a material whose values make a Law: the moduli, three expansions, the temperature.
std::vector<deck::Expression> values_of(const MaterialParams& material);
/// The law from those values. Throws Error(usage) at the material where there is none: E <= 0, nu outside (-1, 0.5), a matrix
/// that is not positive definite. `xyz`: the point, for the message; null: constants.
Law law_of(const MaterialParams& material, Body body, std::span<const double> values, const double* xyz);
/// Throws Error(usage) where a material has a matrix of another kind of body.
void check_law(const MaterialParams& material, Body body);

}  // namespace tessera::physics::elasticity
