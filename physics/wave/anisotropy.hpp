#pragma once
// Elastic solids whose stiffness has directions: C_ijkl, the waves that it lets through, and what absorbs them.
#include <array>
#include <eigen3/Eigen/Core>

namespace tessera::physics::wave {

/// The stiffness of a solid in two (plane strain) or three dimensions: the upper triangle of Voigt's matrix by rows, as
/// forms::AnisotropicStress takes it.
struct Stiffness {
  int dim = 3;
  std::array<double, 21> values{};

  static constexpr int count(int dim) { return dim == 2 ? 6 : 21; }
  double at(int i, int j, int k, int l) const;  ///< C_ijkl
};

Stiffness isotropic_stiffness(int dim, double lambda, double mu);

/// Love's moduli of a solid that is the same in all directions across an axis: A and C along and across the layers, L
/// and N the shear moduli, F. A. E. H. Love, A Treatise on the Mathematical Theory of Elasticity, section 110.
struct LoveModuli {
  double A, C, F, L, N;
};
/// With the axis, of any length; in two dimensions it lies in the plane, and N says nothing.
Stiffness transverse_stiffness(int dim, const LoveModuli& moduli, const std::array<double, 3>& axis);

/// Whether any strain takes energy.
bool is_positive(const Stiffness& C);

/// Christoffel's matrix Gamma_ik = C_ijkl n_j n_l, whose eigenvalues are density speed^2 of the plane waves along n, of
/// length 1. K. Aki & P. G. Richards, Quantitative Seismology, section 5.6.
Eigen::MatrixXd christoffel(const Stiffness& C, const std::array<double, 3>& n);

/// Of all plane waves the least and the largest speed.
struct Speeds {
  double slowest, fastest;
};
Speeds extreme_speeds(const Stiffness& C, double density);

/// Of all plane waves the one that carries its energy most against its phase along an axis of coordinates.
struct Backward {
  double most;  ///< group velocity times phase direction along the axis, over the phase speed, negated
  std::array<double, 3> direction;  ///< of its phase
};
/// Layers across the axis let waves grow where this is above 0. E. Becache, S. Fauqueux & P. Joly, J. Comput. Phys. 188
/// (2003) 399-433, section 3.
Backward most_backward(const Stiffness& C, int axis);

/// [dim, dim] Z with the traction -Z v of plane waves that leave along n, of length 1: sqrt(density Gamma).
Eigen::MatrixXd impedance(const Stiffness& C, double density, const std::array<double, 3>& n);

}  // namespace tessera::physics::wave
