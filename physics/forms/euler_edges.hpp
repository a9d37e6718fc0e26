#pragma once
// Edge functions of the compressible Euler equations.
#include <cmath>

#include "assembly/edge/boundary_normals.hpp"
#include "assembly/edge/loop.hpp"
#include "base/reciprocal.hpp"
#include "base/square_root.hpp"

namespace tessera::physics::euler {

/// Low-order residual of the compressible Euler equations, u = (rho, momentum, total energy):
///   f_i = sum_j -G_ij + d_ij (u_j - u_i),  G_ij = c_ij . F_i - c_ji . F_j = -G_ji,
///   d_ij = max over c in {c_ij, c_ji} and both nodes of |v . c| + speed of sound |c|     (Rusanov)
/// with the boundary's share left to the caller. Goeddeke, Komatitsch and Moeller, (9.24) with the signs of G put
/// right.
template <int dim_>
struct EulerRusanov {
  static constexpr int dim = dim_, inputs = dim + 2, outputs = dim + 2;
  static constexpr unsigned needs = assembly::edge_data::c;
  static constexpr assembly::Pairing pairing = assembly::Pairing::antisymmetric;
  double gamma = 1.4;

  struct State {
    double rho, v[dim], energy, pressure, sound;
  };
  TESSERA_HD State state(const double (&u)[inputs]) const {
    State s;
    s.rho = u[0];
    s.energy = u[dim + 1];
    const double inverse = reciprocal(u[0]);
    double kinetic = 0;
    for (int d = 0; d < dim; ++d) {
      s.v[d] = inverse * u[1 + d];
      kinetic += s.v[d] * u[1 + d];
    }
    s.pressure = (gamma - 1) * (u[dim + 1] - 0.5 * kinetic);
    s.sound = std::sqrt(gamma * s.pressure * inverse);
    return s;
  }

  TESSERA_HD void operator()(const assembly::EdgeAt<dim>& edge, const State& i, const State& j,
                             double (&f_i)[outputs]) const {
    double square = 0, i_ij = 0, j_ij = 0;  // |c_ij|^2, v . c_ij
    bool inside = true;                     // then c_ji = -c_ij
    for (int d = 0; d < dim; ++d) {
      const double c = edge.c_ij[d];
      square += c * c;
      i_ij += i.v[d] * c;
      j_ij += j.v[d] * c;
      inside = inside && edge.c_ji[d] == -c;
    }
    const double size = square_root(square);
    double viscosity = std::fmax(std::fabs(i_ij) + i.sound * size, std::fabs(j_ij) + j.sound * size);
    double j_ji = -j_ij;
    if (!inside) {
      double other = 0, i_ji = 0;
      j_ji = 0;
      for (int d = 0; d < dim; ++d) {
        const double c = edge.c_ji[d];
        other += c * c;
        i_ji += i.v[d] * c;
        j_ji += j.v[d] * c;
      }
      other = square_root(other);
      viscosity = std::fmax(viscosity, std::fmax(std::fabs(i_ji) + i.sound * other, std::fabs(j_ji) + j.sound * other));
    }
    // c . F = (v . c) u + p (0, c, v . c)
    const double from_j = (j_ji + viscosity) * j.rho, from_i = (i_ij + viscosity) * i.rho;
    f_i[0] = from_j - from_i;
    for (int d = 0; d < dim; ++d)
      f_i[1 + d] = from_j * j.v[d] - from_i * i.v[d] + j.pressure * edge.c_ji[d] - i.pressure * edge.c_ij[d];
    f_i[dim + 1] =
        (j_ji + viscosity) * j.energy - (i_ij + viscosity) * i.energy + j.pressure * j_ji - i.pressure * i_ij;
  }
};

/// The share of the boundary in the residual that EulerRusanov begins: f_i = -s_ij . F(u_j), or at a slip wall, where
/// the normal velocity is zero, the pressure alone. Together the residual of a uniform flow is zero.
template <int dim_>
struct EulerBoundary {
  static constexpr int dim = dim_, inputs = dim + 2, outputs = dim + 2;
  double gamma = 1.4;
  bool wall = false;

  TESSERA_HD void operator()(const double (&s_ij)[dim], const double (&)[inputs], const double (&u_j)[inputs],
                             double (&f)[outputs]) const {
    const auto state = EulerRusanov<dim>{gamma}.state(u_j);
    double flow = 0;  // v . s
    if (!wall)
      for (int d = 0; d < dim; ++d) flow += state.v[d] * s_ij[d];
    for (int k = 0; k < outputs; ++k) f[k] = -flow * u_j[k];
    for (int d = 0; d < dim; ++d) f[1 + d] -= state.pressure * s_ij[d];
    f[dim + 1] -= state.pressure * flow;
  }
};

}  // namespace tessera::physics::euler
