#pragma once
// Edge functions: what physics does on one edge. Examples to use and to copy; the contract is in loop.hpp.
#include <cmath>

#include "assembly/edge/loop.hpp"

namespace tessera::assembly {

/// f = S u for each component: f_i = sum_j s_ij (u_j - u_i), because the rows of S sum to zero.
template <int dim_, int components>
struct Laplacian {
  static constexpr int dim = dim_, inputs = components, outputs = components;
  static constexpr unsigned needs = edge_data::stiffness;
  static constexpr Pairing pairing = Pairing::antisymmetric;

  TESSERA_HD void operator()(const EdgeAt<dim>& edge, const double (&u_i)[inputs], const double (&u_j)[inputs],
                             double (&f_i)[outputs]) const {
    for (int c = 0; c < components; ++c) f_i[c] = edge.stiffness * (u_j[c] - u_i[c]);
  }
};

/// f = M u with the consistent mass matrix.
template <int dim_>
struct ConsistentMass {
  static constexpr int dim = dim_, inputs = 1, outputs = 1;
  static constexpr unsigned needs = edge_data::mass, node_needs = edge_data::mass;
  static constexpr Pairing pairing = Pairing::general;

  TESSERA_HD void operator()(const EdgeAt<dim>& edge, const double (&u_i)[1], const double (&u_j)[1], double (&f_i)[1],
                             double (&f_j)[1]) const {
    f_i[0] = edge.mass * u_j[0];
    f_j[0] = edge.mass * u_i[0];
  }
  TESSERA_HD void at_node(const NodeAt<dim>& node, const double (&u)[1], double (&f)[1]) const {
    f[0] = node.mass * u[0];
  }
};

/// The flux F^d_c(u) = velocity_c^d u_c of a linear system.
template <int dim, int components>
struct LinearFlux {
  double velocity[components][dim];

  TESSERA_HD void operator()(const double (&u)[components], double (&flux)[components][dim]) const {
    for (int c = 0; c < components; ++c)
      for (int d = 0; d < dim; ++d) flux[c][d] = velocity[c][d] * u[c];
  }
};

/// Galerkin's group flux f_i = sum_j c_ij . F(u_j), c_ii included.
/// Fletcher 1983; Goeddeke, Komatitsch and Moeller, (9.10) and (9.19) without its sign.
template <int dim_, int components, class Flux>
struct GroupFlux {
  static constexpr int dim = dim_, inputs = components, outputs = components;
  static constexpr unsigned needs = edge_data::c, node_needs = edge_data::c;
  static constexpr Pairing pairing = Pairing::general;
  Flux flux;

  TESSERA_HD void operator()(const EdgeAt<dim>& edge, const double (&u_i)[inputs], const double (&u_j)[inputs],
                             double (&f_i)[outputs], double (&f_j)[outputs]) const {
    project(edge.c_ij, u_j, f_i);
    project(edge.c_ji, u_i, f_j);
  }
  TESSERA_HD void at_node(const NodeAt<dim>& node, const double (&u)[inputs], double (&f)[outputs]) const {
    project(node.c_ii, u, f);
  }

  TESSERA_HD void project(const double (&c)[dim], const double (&u)[inputs], double (&f)[outputs]) const {
    double F[components][dim];
    flux(u, F);
    for (int k = 0; k < components; ++k) {
      f[k] = c[0] * F[k][0];
      for (int d = 1; d < dim; ++d) f[k] += c[d] * F[k][d];
    }
  }
};

/// Least and greatest value at a node and its neighbours: what limiters compare with. An example of `combine`.
template <int dim_>
struct NeighbourBounds {
  static constexpr int dim = dim_, inputs = 1, outputs = 2;
  static constexpr unsigned needs = edge_data::none, node_needs = edge_data::none;
  static constexpr Pairing pairing = Pairing::general;

  TESSERA_HD void operator()(const EdgeAt<dim>&, const double (&u_i)[1], const double (&u_j)[1], double (&f_i)[2],
                             double (&f_j)[2]) const {
    f_i[0] = f_i[1] = u_j[0];
    f_j[0] = f_j[1] = u_i[0];
  }
  TESSERA_HD void at_node(const NodeAt<dim>&, const double (&u)[1], double (&f)[2]) const { f[0] = f[1] = u[0]; }
  TESSERA_HD static double combine(int c, double a, double b) { return c == 0 ? std::fmin(a, b) : std::fmax(a, b); }
};

/// The stiffness matrix, its diagonal as minus the sum of the row.
template <int dim_>
struct StiffnessMatrix {
  static constexpr int dim = dim_, inputs = 0, outputs = 1;
  static constexpr unsigned needs = edge_data::stiffness;
  static constexpr Pairing pairing = Pairing::symmetric;

  TESSERA_HD void operator()(const EdgeAt<dim>& edge, const double*, const double*, double (&a_ij)[1],
                             double (&a_ji)[1], double (&d_i)[1]) const {
    a_ij[0] = a_ji[0] = edge.stiffness;
    d_i[0] = -edge.stiffness;
  }
};

/// Convection k_ij = -c_ij . v_j made monotone by the least symmetric diffusion d_ij = max(-k_ij, 0, -k_ji) whose
/// rows sum to zero: off-diagonal entries are not negative, row sums stay. u: the velocity. Kuzmin and Turek 2002,
/// discrete upwinding.
template <int dim_>
struct DiscreteUpwinding {
  static constexpr int dim = dim_, inputs = dim, outputs = 1;
  static constexpr unsigned needs = edge_data::c, node_needs = edge_data::c;
  static constexpr Pairing pairing = Pairing::symmetric;

  TESSERA_HD void operator()(const EdgeAt<dim>& edge, const double (&v_i)[inputs], const double (&v_j)[inputs],
                             double (&a_ij)[1], double (&a_ji)[1], double (&d_i)[1]) const {
    double k_ij = 0, k_ji = 0;
    for (int d = 0; d < dim; ++d) {
      k_ij -= edge.c_ij[d] * v_j[d];
      k_ji -= edge.c_ji[d] * v_i[d];
    }
    const double diffusion = std::fmax(std::fmax(-k_ij, -k_ji), 0.0);
    a_ij[0] = k_ij + diffusion;
    a_ji[0] = k_ji + diffusion;
    d_i[0] = -diffusion;
  }
  TESSERA_HD void at_node(const NodeAt<dim>& node, const double (&v)[inputs], double (&f)[1]) const {
    f[0] = 0;
    for (int d = 0; d < dim; ++d) f[0] -= node.c_ii[d] * v[d];
  }
};

}  // namespace tessera::assembly
