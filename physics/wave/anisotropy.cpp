#include "physics/wave/anisotropy.hpp"

#include <algorithm>
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

/// sum C_ijkl a_j a_l, or with `of_direction` sum C_ijkl a_i a_k: of the direction of a wave, or of its polarisation.
template <int dim>
Square<dim> contracted(const Stiffness& C, const Axis<dim>& a, bool of_direction) {
  Square<dim> result = Square<dim>::Zero();
  for (int i = 0; i < dim; ++i)
    for (int j = 0; j < dim; ++j)
      for (int k = 0; k < dim; ++k)
        for (int l = 0; l < dim; ++l) {
          const double entry = C.at(i, j, k, l);
          if (of_direction)
            result(j, l) += entry * a[i] * a[k];
          else
            result(i, k) += entry * a[j] * a[l];
        }
  return result;
}

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

/// The least or largest eigenvalue of Christoffel's matrices: from the best of some directions on, polarisation and
/// direction in turn, which only makes it better.
template <int dim>
double extreme(const Stiffness& C, bool largest) {
  constexpr int turns = 30;
  constexpr std::size_t followed = 3;
  struct Start {
    double value;
    Axis<dim> polarisation;
  };
  const int which = largest ? dim - 1 : 0;
  const auto solve = [&](const Axis<dim>& a, bool of_direction) {
    const Eigen::SelfAdjointEigenSolver<Square<dim>> solver(contracted<dim>(C, a, of_direction));
    return Start{solver.eigenvalues()[which], solver.eigenvectors().col(which)};
  };
  std::vector<Start> all;
  for (const Axis<dim>& n : starts<dim>()) all.push_back(solve(n, false));
  std::stable_sort(all.begin(), all.end(),
                   [&](const Start& a, const Start& b) { return largest ? a.value > b.value : a.value < b.value; });
  all.resize(std::min(all.size(), followed));
  double best = all.front().value;
  for (Start at : all) {
    for (int turn = 0; turn < turns; ++turn) {
      const double before = at.value;
      at = solve(at.polarisation, turn % 2 == 0);
      if (std::abs(at.value - before) <= 1e-10 * at.value) break;
    }
    best = largest ? std::max(best, at.value) : std::min(best, at.value);
  }
  return best;
}

template <int dim>
Axis<dim> axis_of(const std::array<double, 3>& n) {
  return Eigen::Map<const Axis<dim>>(n.data());
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

bool is_positive(const Stiffness& C) {
  const int n = entries(C.dim);
  MatrixXd matrix(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) matrix(i, j) = C.values[static_cast<std::size_t>(forms::upper(n, i, j))];
  return matrix.allFinite() && Eigen::LLT<MatrixXd>(matrix).info() == Eigen::Success;
}

MatrixXd christoffel(const Stiffness& C, const std::array<double, 3>& n) {
  if (C.dim == 2) return contracted<2>(C, axis_of<2>(n), false);
  return contracted<3>(C, axis_of<3>(n), false);
}

Speeds extreme_speeds(const Stiffness& C, double density) {
  const double least = C.dim == 2 ? extreme<2>(C, false) : extreme<3>(C, false),
               most = C.dim == 2 ? extreme<2>(C, true) : extreme<3>(C, true);
  return {std::sqrt(least / density), std::sqrt(most / density)};
}

MatrixXd impedance(const Stiffness& C, double density, const std::array<double, 3>& n) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(density * christoffel(C, n)).operatorSqrt();
}

}  // namespace tessera::physics::wave
