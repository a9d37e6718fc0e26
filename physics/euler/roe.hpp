#pragma once
// Viscosities of Roe's linearisation, in the place of the guaranteed one. They take less of contacts and shear, and
// keep no invariant domain. P. L. Roe, J. Comput. Phys. 43 (1981) 357; A. Harten & J. M. Hyman, J. Comput. Phys. 50
// (1983) 235; D. Kuzmin, M. Moeller & M. Gurris, in Flux-Corrected Transport, Springer 2012, pp. 193-238.
#include "physics/conservation/graph.hpp"
#include "physics/euler/equation.hpp"

namespace tessera::physics::euler {

/// Roe's mean of two states of a perfect gas along a normal from i to j, and how the difference of both splits into its
/// waves: of sound against the normal, of entropy and shear, of sound along it.
template <int dim>
struct RoeMean {
  double v[dim], n[dim], enthalpy, normal, a, rho;
  double speed[3];  ///< |lambda| of the waves

  TESSERA_HD_INLINE RoeMean(const Gas& gas, const NodeState<dim>& i, const NodeState<dim>& j, const double (&unit)[dim],
                            bool entropy_fix) {
    const double root_i = square_root(i.u[density]), root_j = square_root(j.u[density]);
    const double share = root_j * reciprocal(root_i + root_j);
    const auto mean = [share](double of_i, double of_j) { return of_i + share * (of_j - of_i); };
    double square = 0, normal_i = 0, normal_j = 0;
    normal = 0;
    for (int d = 0; d < dim; ++d) {
      n[d] = unit[d];
      v[d] = mean(i.v[d], j.v[d]);
      square += v[d] * v[d];
      normal += v[d] * n[d];
      normal_i += i.v[d] * n[d];
      normal_j += j.v[d] * n[d];
    }
    enthalpy = mean((i.u[energy] + i.p) * i.inverse, (j.u[energy] + j.p) * j.inverse);
    a = square_root((gas.gamma - 1) * (enthalpy - 0.5 * square));
    rho = root_i * root_j;
    speed[0] = std::fabs(normal - a);
    speed[1] = std::fabs(normal);
    speed[2] = std::fabs(normal + a);
    if (!entropy_fix) return;
    speed[0] = fixed(normal_i - i.a, normal - a, normal_j - j.a);
    speed[2] = fixed(normal_i + i.a, normal + a, normal_j + j.a);
  }

  /// |lambda|, where the wave opens from `left` to `right` no less than a parabola through its edges: 0 of shocks and
  /// of contacts, where there is nothing to open.
  TESSERA_HD_INLINE static double fixed(double left, double lambda, double right) {
    const double width = larger(0.0, larger(lambda - left, right - lambda)), size = std::fabs(lambda);
    return size < width ? 0.5 * (lambda * lambda * reciprocal(width) + width) : size;
  }

  TESSERA_HD_INLINE double largest() const { return larger(speed[0], larger(speed[1], speed[2])); }

  /// |A| (u_j - u_i).
  TESSERA_HD_INLINE void apply(const NodeState<dim>& i, const NodeState<dim>& j, double (&f)[numbers<dim>]) const {
    const double jump_rho = j.u[density] - i.u[density], jump_p = j.p - i.p;
    double jump_normal = 0, work = 0, square = 0;
    for (int d = 0; d < dim; ++d) {
      const double jump = j.v[d] - i.v[d];
      jump_normal += jump * n[d];
      work += jump * v[d];
      square += v[d] * v[d];
    }
    const double inverse = reciprocal(a * a), half = 0.5 * inverse;
    const double first = speed[0] * half * (jump_p - rho * a * jump_normal),
                 last = speed[2] * half * (jump_p + rho * a * jump_normal),
                 middle = speed[1] * (jump_rho - jump_p * inverse), shear = speed[1] * rho;
    f[density] = first + middle + last;
    f[energy] = first * (enthalpy - normal * a) + last * (enthalpy + normal * a) + middle * 0.5 * square +
                shear * (work - normal * jump_normal);
    for (int d = 0; d < dim; ++d)
      f[momentum + d] = first * (v[d] - a * n[d]) + last * (v[d] + a * n[d]) + middle * v[d] +
                        shear * (j.v[d] - i.v[d] - jump_normal * n[d]);
  }
};

/// The low order alone, of perfect gases, with |c| |A| of Roe's mean, or with the largest of its eigenvalues.
template <int dim_>
struct RoeEquation : GasEquation<dim_> {
  static constexpr int dim = dim_, n = numbers<dim>;
  static constexpr bool low_order_alone = true;
  using State = NodeState<dim>;

  bool tensor, entropy_fix;

  /// What the viscosity of an edge brings to i; of j it is the negative, to rounding. Returns the largest eigenvalue.
  TESSERA_HD_INLINE double diffuse(const State& i, const State& j, const conservation::EdgeCoefficients<dim>& edge,
                                   double (&f)[n]) const {
    double c[dim], square = 0;
    for (int d = 0; d < dim; ++d) {
      c[d] = 0.5 * (edge.c_ij[d] - edge.c_ji[d]);
      square += c[d] * c[d];
    }
    for (int k = 0; k < n; ++k) f[k] = 0;
    if (!(square > 1e-300)) return 0;
    const auto [size, inverse] = root_and_inverse(square);
    for (int d = 0; d < dim; ++d) c[d] *= inverse;
    const RoeMean<dim> mean(this->gas, i, j, c, entropy_fix);
    const double most = size * mean.largest();
    if (tensor) {
      mean.apply(i, j, f);
      for (int k = 0; k < n; ++k) f[k] *= size;
    } else {
      for (int k = 0; k < n; ++k) f[k] = most * (j.u[k] - i.u[k]);
    }
    return most;
  }
};

}  // namespace tessera::physics::euler
