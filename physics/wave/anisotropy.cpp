#include "physics/wave/anisotropy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <eigen3/Eigen/Cholesky>
#include <eigen3/Eigen/Eigenvalues>
#include <vector>

#include "forms/spectral.hpp"

namespace tessera::physics::wave {

namespace {

using Eigen::MatrixXd;

int voigt(int dim, int i, int j) {
  if (i == j) return i;
  return dim == 2 ? 2 : 6 - i - j;
}
int entries(int dim) { return dim * (dim + 1) / 2; }

/// Fills in C_ijkl = of(i, j, k, l), which has all symmetries.
template <class Of>
Stiffness make_stiffness(int dim, Of of) {
  Stiffness C{dim, {}};
  for (int i = 0; i < dim; ++i)
    for (int j = i; j < dim; ++j)
      for (int k = 0; k < dim; ++k)
        for (int l = k; l < dim; ++l)
          C.values[static_cast<std::size_t>(forms::upper(entries(dim), voigt(dim, i, j), voigt(dim, k, l)))] =
              of(i, j, k, l);
  return C;
}

double same(int i, int j) { return i == j ? 1 : 0; }

template <int dim>
using Square = Eigen::Matrix<double, dim, dim>;
template <int dim>
using Axis = Eigen::Matrix<double, dim, 1>;

/// C_ijkl by all of its indices, for many contractions.
template <int dim>
class AllEntries {
 public:
  explicit AllEntries(const Stiffness& C) {
    std::size_t at = 0;
    for (int i = 0; i < dim; ++i)
      for (int k = 0; k < dim; ++k)
        for (int j = 0; j < dim; ++j)
          for (int l = 0; l < dim; ++l) values_[at++] = C.at(i, j, k, l);
  }
  /// sum C_ijkl a_j a_l: of the direction of a wave. As C_ijkl = C_jilk it is that of its polarisation, too.
  Square<dim> contracted(const Axis<dim>& a) const {
    Square<dim> result;
    std::size_t at = 0;
    for (int i = 0; i < dim; ++i)
      for (int k = 0; k < dim; ++k) {
        double sum = 0;
        for (int j = 0; j < dim; ++j)
          for (int l = 0; l < dim; ++l) sum += values_[at++] * a[j] * a[l];
        result(i, k) = sum;
      }
    return result;
  }

 private:
  std::array<double, dim * dim * dim * dim> values_;
};

/// Axes and diagonals: (1, 0, 0), (1, -1, 0), (1, 1, -1), ..., one of each pair of opposite ones.
template <int dim>
std::vector<Axis<dim>> starts() {
  std::vector<Axis<dim>> result;
  const int count = dim == 2 ? 9 : 27;
  for (int number = count / 2 + 1; number < count; ++number) {
    Axis<dim> n;
    for (int axis = 0, rest = number; axis < dim; ++axis, rest /= 3) n[axis] = rest % 3 - 1;
    result.push_back(n.normalized());
  }
  return result;
}

/// The least and the largest eigenvalue of Christoffel's matrices: from the best of some directions on, polarisation
/// and direction in turn, which only makes it better. One way suffices for the least, which bounds no step.
template <int dim>
std::array<double, 2> extremes(const Stiffness& stiffness) {
  constexpr int turns = 30;
  constexpr std::size_t followed[] = {1, 3};
  struct At {
    double value;
    Axis<dim> polarisation;
  };
  static const std::vector<Axis<dim>> directions = starts<dim>();
  constexpr std::size_t count = dim == 2 ? 4 : 13;
  const AllEntries<dim> C(stiffness);
  std::array<std::array<At, count>, 2> all;
  for (std::size_t n = 0; n < count; ++n) {
    const Eigen::SelfAdjointEigenSolver<Square<dim>> solver(C.contracted(directions[n]));
    all[0][n] = {solver.eigenvalues()[0], solver.eigenvectors().col(0)};
    all[1][n] = {solver.eigenvalues()[dim - 1], solver.eigenvectors().col(dim - 1)};
  }
  std::array<double, 2> best;
  for (const bool largest : {false, true}) {
    std::array<At, count>& from = all[largest];
    const auto is_better = [&](double a, double b) { return largest ? a > b : a < b; };
    std::stable_sort(from.begin(), from.end(), [&](const At& a, const At& b) { return is_better(a.value, b.value); });
    best[largest] = from[0].value;
    for (std::size_t n = 0; n < followed[largest]; ++n) {
      At at = from[n];
      for (int turn = 0; turn < turns; ++turn) {
        const double before = at.value;
        const Eigen::SelfAdjointEigenSolver<Square<dim>> solver(C.contracted(at.polarisation));
        const int which = largest ? dim - 1 : 0;
        at = {solver.eigenvalues()[which], solver.eigenvectors().col(which)};
        if (std::abs(at.value - before) <= 1e-8 * at.value) break;
      }
      if (is_better(at.value, best[largest])) best[largest] = at.value;
    }
  }
  return best;
}

template <int n>
bool has_positive_values(const Stiffness& C) {
  Square<n> matrix;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) matrix(i, j) = C.values[static_cast<std::size_t>(forms::upper(n, i, j))];
  return matrix.allFinite() && Eigen::LLT<Square<n>>(matrix).info() == Eigen::Success;
}

template <int dim>
Axis<dim> axis_of(const std::array<double, 3>& n) {
  return Eigen::Map<const Axis<dim>>(n.data());
}

/// rho c^2 = p.Gamma(n) p of a wave with the polarisation p, and half its derivative by n is rho c times the group
/// velocity: along axis a p.Gamma(e_a, n) p.
template <int dim>
Backward most_backward_of(const Stiffness& stiffness, int axis) {
  constexpr int around = dim == 2 ? 1440 : 180, rings = dim == 2 ? 1 : 60;
  const AllEntries<dim> C(stiffness);
  const Axis<dim> e = Axis<dim>::Unit(axis);
  const Square<dim> of_axis = C.contracted(e);
  Backward result{-1, {}};
  for (int ring = 0; ring < rings; ++ring)
    for (int i = 0; i < around; ++i) {
      // Opposite directions have the same waves.
      const double angle = (dim == 2 ? 1 : 2) * M_PI * i / around, z = dim == 2 ? 0 : (ring + 0.5) / rings;
      Axis<dim> n;
      n[0] = std::sqrt(1 - z * z) * std::cos(angle);
      n[1] = std::sqrt(1 - z * z) * std::sin(angle);
      if constexpr (dim == 3) n[2] = z;
      const Square<dim> gamma = C.contracted(n), mixed = (C.contracted(e + n) - of_axis - gamma) / 2;
      const Eigen::SelfAdjointEigenSolver<Square<dim>> solver(gamma);
      for (int wave = 0; wave < dim; ++wave) {
        const Axis<dim> p = solver.eigenvectors().col(wave);
        const double backward = -n[axis] * p.dot(mixed * p) / solver.eigenvalues()[wave];
        if (backward <= result.most) continue;
        result.most = backward;
        std::copy_n(n.data(), dim, result.direction.begin());
      }
    }
  return result;
}

}  // namespace

double Stiffness::at(int i, int j, int k, int l) const {
  return values[static_cast<std::size_t>(forms::upper(entries(dim), voigt(dim, i, j), voigt(dim, k, l)))];
}

Stiffness isotropic_stiffness(int dim, double lambda, double mu) {
  return make_stiffness(dim, [&](int i, int j, int k, int l) {
    return lambda * same(i, j) * same(k, l) + mu * (same(i, k) * same(j, l) + same(i, l) * same(j, k));
  });
}

Stiffness transverse_stiffness(int dim, const LoveModuli& moduli, const std::array<double, 3>& axis) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  const auto s = [&](int i) { return axis[static_cast<std::size_t>(i)] / length; };
  const auto& [A, C, F, L, N] = moduli;
  const double along = F - A + 2 * N, shear = L - N, beside = A + C - 2 * F - 4 * L;
  return make_stiffness(dim, [&](int i, int j, int k, int l) {
    return (A - 2 * N) * same(i, j) * same(k, l) + N * (same(i, k) * same(j, l) + same(i, l) * same(j, k)) +
           along * (s(i) * s(j) * same(k, l) + same(i, j) * s(k) * s(l)) +
           shear * (s(i) * s(k) * same(j, l) + s(i) * s(l) * same(j, k) + s(j) * s(k) * same(i, l) +
                    s(j) * s(l) * same(i, k)) +
           beside * s(i) * s(j) * s(k) * s(l);
  });
}

bool is_positive(const Stiffness& C) { return C.dim == 2 ? has_positive_values<3>(C) : has_positive_values<6>(C); }

MatrixXd christoffel(const Stiffness& C, const std::array<double, 3>& n) {
  if (C.dim == 2) return AllEntries<2>(C).contracted(axis_of<2>(n));
  return AllEntries<3>(C).contracted(axis_of<3>(n));
}

Speeds extreme_speeds(const Stiffness& C, double density) {
  const auto [least, most] = C.dim == 2 ? extremes<2>(C) : extremes<3>(C);
  return {std::sqrt(least / density), std::sqrt(most / density)};
}

Backward most_backward(const Stiffness& C, int axis) {
  return C.dim == 2 ? most_backward_of<2>(C, axis) : most_backward_of<3>(C, axis);
}

MatrixXd impedance(const Stiffness& C, double density, const std::array<double, 3>& n) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(density * christoffel(C, n)).operatorSqrt();
}

}  // namespace tessera::physics::wave
