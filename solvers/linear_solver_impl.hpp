#pragma once
// LinearSolver, written once. It only calls declared functions: linear_solver.cpp and linear_solver_cuda.cpp
// instantiate it.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/log.hpp"
#include "linalg/shift_ops.hpp"
#include "solvers/fit.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/reference_norm.hpp"
#include "solvers/registry.hpp"

namespace tessera::solvers {

/// Backward error that counts as rounding, in units of the last digit.
inline constexpr double rounding_units = 16;
/// A row whose entries cancel to this many units of its diagonal's last digit has the sum 0: assembly leaves some
/// units, and a constant of 1e6 would make a source of them that is felt on fine meshes.
inline constexpr double row_sum_units = 64;

/// A y = b' on the free rows, x = y + constant.
template <class Exec>
struct LinearSolver<Exec>::ShiftedSystem {
  Array<double, Space> b, row_sums;
  double constant = 0;
  double norm_b = 0;
  bool is_zero = false;  ///< b' was nothing but what rounding made of b - c t, and is 0
};

template <class Exec>
LinearSolver<Exec>::LinearSolver(Exec& exec, SolverParams params) : exec_(exec), params_(std::move(params)), sums_(2) {
  check(params_, Exec::name);
  const MethodEntry& entry = find(solver_table(), params_.type, "solver", params_.where);
  MakeMethod<Exec> make = nullptr;
  if constexpr (std::is_same_v<Exec, Threads>)
    make = entry.make_threads;
  else
    make = entry.make_cuda;
  if (!make)
    throw Error(ExitCode::usage,
                fmt::format("the solver '{}' works on {} and takes no operator", params_.type,
                            lacking(entry.needs, {.grid = true})),
                fmt::format("choose type = \"{}\"", instead_of(entry)), params_.where);
  method_ = make(params_);
}
template <class Exec>
LinearSolver<Exec>::~LinearSolver() = default;
template <class Exec>
LinearSolver<Exec>::LinearSolver(LinearSolver&&) noexcept = default;

/// Refuses an operator without what is needed of it, naming who needs it.
template <class Exec>
void require_what_is_needed(const SolverParams& params, const linalg::Operator<Exec>& A) {
  const MethodEntry& solver = *find_solver(params.type);
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, params.where);
  };
  if (solver.needs.grid && !A.grid())
    refuse(fmt::format("the solver '{}' needs a uniform grid with constant coefficients; this matrix is stored as '{}'",
                       params.type, A.format()),
           fmt::format("choose type = \"{}\"", instead_of(solver)));
  if (solver.needs.entries && !A.has_entries())
    refuse(fmt::format("the solver '{}' needs the entries of the matrix in CRS, but its format is '{}'", params.type,
                       A.format()),
           fmt::format("choose type = \"{}\", or matrix.format = \"crs\"", instead_of(solver)));
  if (solver.kind != MethodKind::krylov) return;
  const Needs& needs = find(preconditioner_table(), params.preconditioner, "preconditioner", params.where).needs;
  if (needs.diagonal_blocks && !A.has_diagonal_blocks())
    refuse(fmt::format("the preconditioner '{}' needs the diagonal blocks of the {} unknowns of a node, which the "
                       "format '{}' does not give",
                       params.preconditioner, A.block_size(), A.format()),
           "choose preconditioner = \"jacobi\" or \"chebyshev\"");
  if (needs.lower_orders && !A.lower_orders())
    refuse(fmt::format("the preconditioner '{}' needs operators of lower order, which nobody has made",
                       params.preconditioner),
           "choose preconditioner = \"amg\" or \"jacobi\"");
  if (needs.entries && !A.has_entries())
    refuse(fmt::format("the preconditioner '{}' needs the entries of the matrix in CRS, but its format is '{}'",
                       params.preconditioner, A.format()),
           "choose preconditioner = \"chebyshev\" or \"jacobi\", or matrix.format = \"crs\"");
}

template <class Exec>
void LinearSolver<Exec>::set_operator(const linalg::Operator<Exec>& A, Reuse reuse) {
  if (A.rows() != A.cols())
    throw Error(ExitCode::usage, fmt::format("a solver was given a matrix of {} x {}", A.rows(), A.cols()),
                "the matrix must be square", params_.where);
  require_what_is_needed(params_, A);
  const bool same_size = rows_ == A.rows();
  if (!same_size) {
    shifted_.reset();
    diagonal_ = {};
  }
  A_ = &A;
  rows_ = A.rows();
  method_->set_operator(A, same_size ? reuse : Reuse::nothing);
}

template <class Exec>
void LinearSolver<Exec>::check_sizes(View<const double> b, View<double> x) const {
  if (!A_) throw Error(ExitCode::internal, "a linear solver has no operator", "call set_operator before solve");
  if (b.size() != A_->rows() || x.size() != A_->rows())
    throw Error(ExitCode::usage,
                fmt::format("a solver was given a matrix of {} x {}, a right-hand side of {} and a solution of {}",
                            A_->rows(), A_->cols(), b.size(), x.size()),
                "the matrix must be square and the vectors as long as its rows", params_.where);
}

/// Makes `shifted_` of b.
template <class Exec>
void LinearSolver<Exec>::shift(View<const double> b, const Known& known) {
  constexpr double digit = std::numeric_limits<double>::epsilon();
  if (!shifted_) {
    shifted_ = std::make_unique<ShiftedSystem>();
    shifted_->b = Array<double, Space>(b.size());
    shifted_->row_sums = Array<double, Space>(b.size());
  }
  ShiftedSystem& result = *shifted_;
  if (diagonal_.size() != b.size()) diagonal_ = Array<double, Space>(b.size());
  // t = A 1 of the free rows ; c = (b, t) / (t, t) makes ||b - c t|| least. The ones of the free rows stand where b'
  // will.
  const View<double> free = result.b.view();
  linalg::fill(exec_, free, 1);
  linalg::set_entries(exec_, known.rows, 0, free);
  A_->apply(exec_, free, result.row_sums);
  A_->diagonal(exec_, diagonal_);
  linalg::clean_row_sums(exec_, row_sum_units * digit, diagonal_, b, result.row_sums.view(), sums_.data(),
                         sums_.data() + 1);
  const auto products = to_vector(sums_);
  const double c = products[0] / products[1];
  result.constant = 0;
  if (std::isfinite(c))
    result.constant = c;
  else
    linalg::fill(exec_, result.row_sums.view(), 0);  // values that are not finite are the method's to name
  // b' = b - c t
  linalg::shift_right_side(exec_, result.constant, free, result.row_sums, diagonal_, b, result.b.view(), sums_.data(),
                           sums_.data() + 1);
  const auto squares = to_vector(sums_);
  result.norm_b = std::sqrt(squares[0]);
  result.is_zero = std::isfinite(squares[1]) && squares[1] > std::numeric_limits<double>::min() / digit &&
                   result.norm_b <= 4 * digit * std::sqrt(squares[1]);
  if (!result.is_zero) return;
  // The system A y = 0, solved as any other: what a method keeps of A does not depend on b.
  linalg::fill(exec_, result.b.view(), 0);
  result.norm_b = 0;
}

template <class Exec>
double LinearSolver<Exec>::norm_of(View<const double> b) {
  linalg::dot(exec_, b, b, sums_.data());
  return std::sqrt(to_vector(sums_)[0]);
}

/// ||r|| over (||diag(A) y|| + ||b||): no less than the normwise backward error of rows, as |A| |y| is at least what
/// its diagonal makes of it.
template <class Exec>
double LinearSolver<Exec>::backward_error_of(View<const double> y, double residual, double norm_b) {
  if (diagonal_.size() != y.size()) diagonal_ = Array<double, Space>(y.size());
  A_->diagonal(exec_, diagonal_);
  linalg::product_square(exec_, View<const double>(diagonal_), y, sums_.data());
  return residual / (std::sqrt(to_vector(sums_)[0]) + norm_b);
}

/// (y, A y) = (y, b) but for the residual.
template <class Exec>
void LinearSolver<Exec>::relate_energy_error(View<const double> b, View<const double> y, Report& report) {
  if (!(report.energy_error > 0)) return;
  linalg::dot(exec_, y, b, sums_.data());
  const double energy = std::abs(to_vector(sums_)[0]);
  if (energy > 0) report.relative_energy_error = report.energy_error / std::sqrt(energy);
}

/// A method that missed the tolerance has solved the system all the same where its residual is rounding. A singular
/// system that contradicts itself leaves a part of b, however large y grows.
template <class Exec>
void LinearSolver<Exec>::accept_rounding(View<const double> y, double norm_b, Report& report) {
  if (report.converged && !is_direct(params_)) return;
  const double residual = report.relative_residual * report.reference;
  if (!std::isfinite(residual) || !(report.reference > 0)) return;
  if (report.backward_error == 0) report.backward_error = backward_error_of(y, residual, norm_b);
  if (report.converged || report.interrupted || params_.precision == "float" || residual > 1e-6 * norm_b) return;
  if (!(report.backward_error <= rounding_units * std::numeric_limits<double>::epsilon())) return;
  report.converged = true;
  report.failure.clear();
  const Apart apart(params_.tolerance, report.relative_residual);
  warn(
      fmt::format("solver.tolerance = {} is missed: the relative residual is {}, which is the rounding of double "
                  "precision (backward error {:.2g})",
                  apart.first, apart.second, report.backward_error));
}

template <class Exec>
void LinearSolver<Exec>::name(Report& report) const {
  report.type = params_.type;
  if (find_solver(params_.type)->kind == MethodKind::krylov) report.preconditioner = params_.preconditioner;
}

template <class Exec>
Report LinearSolver<Exec>::solve(View<const double> b, View<double> x, const Monitor& monitor) {
  check_sizes(b, x);
  Report report = method_->solve(exec_, b, x, monitor, {});
  if (!report.converged || is_direct(params_)) accept_rounding(x, norm_of(b), report);
  relate_energy_error(b, x, report);
  name(report);
  return report;
}

template <class Exec>
Report LinearSolver<Exec>::solve(View<const double> b, View<double> x, const Monitor& monitor, const Known& known) {
  check_sizes(b, x);
  if (known.rows.size() != known.values.size())
    throw Error(ExitCode::internal, fmt::format("{} fixed rows but {} values", known.rows.size(), known.values.size()),
                "give one value for each row");
  shift(b, known);
  const ShiftedSystem& shifted = *shifted_;
  // y = x - c, 0 where x is fixed
  if (known.start && !shifted.is_zero)
    linalg::add_constant(exec_, -shifted.constant, x);
  else
    linalg::fill(exec_, x, 0);
  linalg::set_entries(exec_, known.rows, 0, x);
  Report report = method_->solve(exec_, shifted.b, x, monitor, shifted.row_sums);
  accept_rounding(x, shifted.norm_b, report);
  relate_energy_error(shifted.b, x, report);
  linalg::add_constant(exec_, shifted.constant, x);
  linalg::set_entries(exec_, known.rows, known.values, x);
  name(report);
  return report;
}

}  // namespace tessera::solvers
