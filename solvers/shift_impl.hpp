#pragma once
// solve_shifted, written once. It only calls declared functions: shift.cpp and shift_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/log.hpp"
#include "linalg/shift_ops.hpp"
#include "solvers/reference_norm.hpp"
#include "solvers/shift.hpp"

namespace tessera::solvers {

/// Backward error that counts as rounding, in units of the last digit.
inline constexpr double rounding_units = 16;
/// A row whose entries cancel to this many units of its diagonal's last digit has the sum 0: assembly leaves some units, and a
/// constant of 1e6 would make a source of them that is felt on fine meshes.
inline constexpr double row_sum_units = 64;

/// A y = b' on the free rows, x = y + constant.
template <class Exec>
struct ShiftedSystem {
  using Space = typename Exec::Space;
  Array<double, Space> b, row_sums;
  double constant = 0;
  double norm_b = 0;
  bool rounding_only = false;  ///< b' is nothing but what rounding made of b - c t
};

template <class Exec>
ShiftedSystem<Exec> shift(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, const Known& known) {
  using Space = typename Exec::Space;
  constexpr double digit = std::numeric_limits<double>::epsilon();
  ShiftedSystem<Exec> result{Array<double, Space>(b.size()), Array<double, Space>(b.size())};
  Array<double, Space> free(b.size()), diagonal(b.size()), sums(2);
  // t = A 1 of the free rows ; c = (b, t) / (t, t) makes ||b - c t|| least
  linalg::fill(exec, free.view(), 1);
  linalg::set_entries(exec, known.rows, 0, free.view());
  A.apply(exec, free, result.row_sums);
  A.diagonal(exec, diagonal);
  linalg::clean_row_sums(exec, row_sum_units * digit, diagonal, b, result.row_sums.view(), sums.data(),
                         sums.data() + 1);
  const auto products = to_vector(sums);
  const double c = products[0] / products[1];
  if (std::isfinite(c))
    result.constant = c;
  else
    linalg::fill(exec, result.row_sums.view(), 0);  // values that are not finite are the method's to name
  // b' = b - c t
  linalg::shift_right_side(exec, result.constant, free, result.row_sums, diagonal, b, result.b.view(), sums.data(),
                           sums.data() + 1);
  const auto squares = to_vector(sums);
  result.norm_b = std::sqrt(squares[0]);
  result.rounding_only = std::isfinite(squares[1]) && squares[1] > std::numeric_limits<double>::min() / digit &&
                         result.norm_b <= 4 * digit * std::sqrt(squares[1]);
  return result;
}

/// ||r|| over (||diag(A) y|| + ||b||): no less than the normwise backward error of rows, as |A| |y| is at least what its
/// diagonal makes of it.
template <class Exec>
double backward_error_of(Exec& exec, const linalg::Operator<Exec>& A, View<const double> y, double residual,
                         double norm_b) {
  using Space = typename Exec::Space;
  Array<double, Space> diagonal(y.size()), sum(1);
  A.diagonal(exec, diagonal);
  linalg::product_square(exec, View<const double>(diagonal), y, sum.data());
  return residual / (std::sqrt(to_vector(sum)[0]) + norm_b);
}

/// (y, A y) = (y, b) but for the residual.
template <class Exec>
void relate_energy_error(Exec& exec, View<const double> b, View<const double> y, Report& report) {
  if (!(report.energy_error > 0)) return;
  Array<double, typename Exec::Space> sum(1);
  linalg::dot(exec, y, b, sum.data());
  const double energy = std::abs(to_vector(sum)[0]);
  if (energy > 0) report.relative_energy_error = report.energy_error / std::sqrt(energy);
}

/// A method that missed the tolerance has solved the system all the same where its residual is rounding. A singular system that
/// contradicts itself leaves a part of b, however large y grows.
template <class Exec>
void accept_rounding(Exec& exec, const linalg::Operator<Exec>& A, View<const double> y, const SolverParams& params,
                     double norm_b, Report& report) {
  if (report.converged && !is_direct(params)) return;
  const double residual = report.relative_residual * report.reference;
  if (!std::isfinite(residual) || !(report.reference > 0)) return;
  if (report.backward_error == 0) report.backward_error = backward_error_of(exec, A, y, residual, norm_b);
  if (report.converged || report.interrupted || params.precision == "float" || residual > 1e-6 * norm_b) return;
  if (!(report.backward_error <= rounding_units * std::numeric_limits<double>::epsilon())) return;
  report.converged = true;
  report.failure.clear();
  const Apart apart(params.tolerance, report.relative_residual);
  warn(
      fmt::format("solver.tolerance = {} is missed: the relative residual is {}, which is the rounding of double "
                  "precision (backward error {:.2g})",
                  apart.first, apart.second, report.backward_error));
}

template <class Exec>
Report solve_plain(Exec& exec, Method<Exec> method, const linalg::Operator<Exec>& A, View<const double> b,
                   View<double> x, const SolverParams& params, const Monitor& monitor) {
  Report report = method(exec, A, b, x, params, monitor, {});
  if (!report.converged || is_direct(params)) {
    Array<double, typename Exec::Space> sum(1);
    linalg::dot(exec, b, b, sum.data());
    accept_rounding(exec, A, x, params, std::sqrt(to_vector(sum)[0]), report);
  }
  relate_energy_error(exec, b, x, report);
  return report;
}

template <class Exec>
Report solve_shifted(Exec& exec, Method<Exec> method, const linalg::Operator<Exec>& A, View<const double> b,
                     View<double> x, const SolverParams& params, const Monitor& monitor, const Known& known) {
  const ShiftedSystem<Exec> shifted = shift(exec, A, b, known);
  Report report;
  if (shifted.rounding_only) {
    linalg::fill(exec, x, 0);
    report.converged = true;
    report.precision = params.precision;
    report.history = {0};
  } else {
    // y = x - c, 0 where x is fixed
    if (known.start)
      linalg::add_constant(exec, -shifted.constant, x);
    else
      linalg::fill(exec, x, 0);
    linalg::set_entries(exec, known.rows, 0, x);
    report = method(exec, A, shifted.b, x, params, monitor, shifted.row_sums);
    accept_rounding(exec, A, x, params, shifted.norm_b, report);
    relate_energy_error(exec, shifted.b, x, report);
  }
  linalg::add_constant(exec, shifted.constant, x);
  linalg::set_entries(exec, known.rows, known.values, x);
  return report;
}

}  // namespace tessera::solvers
