#pragma once
// The front function: chooses a method, runs it, looks at the result. Only calls declared functions.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "solvers/tridiagonal/methods.hpp"
#include "solvers/tridiagonal/sizes.hpp"

namespace tessera::solvers {

namespace tridiagonal {

/// "row 3" or "row 3 of system 7", counted from 0.
std::string describe_row(Index n, Index systems, bool interleaved, Offset i);

/// The first row at which Gaussian elimination meets a pivot that is zero or not finite, with row interchanges or
/// without; -1: none. Sequential, for messages.
template <class T>
Offset first_bad_pivot(const Tridiagonal<T>& A, bool pivoting);

template <class T, class Space>
std::vector<T> to_host(View<const T> from) {
  std::vector<T> result(static_cast<std::size_t>(from.size()));
  copy_bytes(Space{}, from.data(), Host{}, result.data(), result.size() * sizeof(T));
  return result;
}

inline bool pivots(TridiagonalMethod method) {
  return method == TridiagonalMethod::lu_pivoting || method == TridiagonalMethod::spike_pivoting ||
         method == TridiagonalMethod::spike_diagonal_pivoting;
}

/// Interleaved systems from which on one thread a system fills the machine.
inline Offset enough_systems(const Threads& exec) { return exec.count(); }
inline Offset enough_systems(const Cuda&) { return 8192; }

}  // namespace tridiagonal

template <class Exec, class T>
TridiagonalMethod TridiagonalSolver<Exec, T>::choose(Exec& exec, const Tridiagonal<T>& A, TridiagonalReport& report) {
  const bool interleaved = A.layout == TridiagonalLayout::interleaved && A.systems > 1;
  const bool by_system = interleaved && A.systems >= tridiagonal::enough_systems(exec);
  if (report.weak_rows == 0) {
    report.note = "every row is diagonally dominant, so no pivoting is needed";
    return by_system ? TridiagonalMethod::thomas : TridiagonalMethod::spike_cr;
  }
  report.note = report.weak_rows < 0
                    ? "the matrix was not looked at, so pivoting is on the safe side"
                    : fmt::format("{} of {} rows are not diagonally dominant, so rows are interchanged",
                                  report.weak_rows, A.rows());
  return by_system ? TridiagonalMethod::lu_pivoting : TridiagonalMethod::spike_pivoting;
}

template <class Exec, class T>
void TridiagonalSolver<Exec, T>::run(Exec& exec, TridiagonalMethod method, const Tridiagonal<T>& A, View<const T> rhs,
                                     View<T> x) {
  const bool partitions = method == TridiagonalMethod::spike_cr || method == TridiagonalMethod::spike_pivoting ||
                          method == TridiagonalMethod::spike_diagonal_pivoting;
  if (partitions && A.layout == TridiagonalLayout::interleaved && A.systems > 1 && A.n > 1) {
    auto turn = [&](View<const T> from) {
      const View<T> to = workspace_.template take<T>(A.rows());
      tridiagonal::to_contiguous(exec, A.systems, A.n, from, to);
      return to;
    };
    const Tridiagonal<T> turned{turn(A.lower), turn(A.diag), turn(A.upper), A.n, A.systems};
    const View<T> solution = turn(rhs);
    run(exec, method, turned, solution, solution);
    return tridiagonal::to_interleaved(exec, A.systems, A.n, View<const T>(solution), x);
  }
  switch (method) {
    case TridiagonalMethod::thomas: return tridiagonal::thomas(exec, workspace_, A, rhs, x);
    case TridiagonalMethod::automatic:
    case TridiagonalMethod::lu_pivoting: return tridiagonal::lu_pivoting(exec, workspace_, A, rhs, x);
    case TridiagonalMethod::cyclic_reduction:
      return tridiagonal::cyclic_reduction(exec, workspace_, A, rhs, x, Offset{1});
    case TridiagonalMethod::parallel_cyclic_reduction:
      return tridiagonal::cyclic_reduction(exec, workspace_, A, rhs, x, Offset{A.n});
    case TridiagonalMethod::cr_pcr:
      return tridiagonal::cyclic_reduction(exec, workspace_, A, rhs, x, Offset{tridiagonal::cr_pcr_rows});
    case TridiagonalMethod::spike_cr: return tridiagonal::spike_cr(exec, workspace_, A, rhs, x);
    case TridiagonalMethod::spike_pivoting: return tridiagonal::spike_pivoting(exec, workspace_, A, rhs, x);
    case TridiagonalMethod::spike_diagonal_pivoting:
      return tridiagonal::spike_diagonal_pivoting(exec, workspace_, A, rhs, x);
  }
}

template <class Exec, class T>
void TridiagonalSolver<Exec, T>::check_result(Exec& exec, const Tridiagonal<T>& A, View<const T> rhs, View<T> x,
                                              TridiagonalReport& report) {
  const double limit = params_.tolerance * std::numeric_limits<T>::epsilon() / 2;
  auto bad = [&] {
    report.backward_error = tridiagonal::residual(exec, workspace_, A, rhs, View<const T>(x)).backward_error(A.rows());
    return !(report.backward_error <= limit);
  };
  if (!bad()) return;
  const bool pivoted = tridiagonal::pivots(report.method);
  const bool interleaved = A.layout == TridiagonalLayout::interleaved && A.systems > 1;
  const auto lower = tridiagonal::to_host<T, Space>(A.lower), diag = tridiagonal::to_host<T, Space>(A.diag),
             upper = tridiagonal::to_host<T, Space>(A.upper);
  auto view = [](const std::vector<T>& v) { return View<const T>(v.data(), static_cast<Offset>(v.size())); };
  const Offset row =
      tridiagonal::first_bad_pivot<T>({view(lower), view(diag), view(upper), A.n, A.systems, A.layout}, pivoted);
  const std::string where =
      row < 0 ? ""
              : ": elimination meets a zero pivot in " + tridiagonal::describe_row(A.n, A.systems, interleaved, row);
  const std::string found = std::isfinite(report.backward_error)
                                ? fmt::format("solved with a backward error of {:.1e}", report.backward_error)
                                : "found no solution of finite numbers";
  report.failure = fmt::format("{} {}{}; {}", name_of(report.method), found, where,
                               pivoted ? "the matrix is singular, or close to it"
                                       : "without pivoting it is not safe for this matrix, spike_pivoting is");
}

template <class Exec, class T>
TridiagonalReport TridiagonalSolver<Exec, T>::solve(Exec& exec, const Tridiagonal<T>& A, View<const T> rhs, View<T> x) {
  const Offset rows = A.rows();
  if (A.n < 1 || A.systems < 1)
    throw Error(ExitCode::usage, fmt::format("a tridiagonal system of {} rows, {} times", A.n, A.systems),
                "n and systems are at least 1");
  if (A.lower.size() != rows || A.diag.size() != rows || A.upper.size() != rows || rhs.size() != rows ||
      x.size() != rows)
    throw Error(ExitCode::usage,
                fmt::format("tridiagonal system of {} x {} rows: lower, diag, upper, right-hand side and solution have "
                            "{}, {}, {}, {}, {} entries",
                            A.systems, A.n, A.lower.size(), A.diag.size(), A.upper.size(), rhs.size(), x.size()),
                "each has n entries a system; the first of lower and the last of upper are not used");
  if (rows > std::numeric_limits<Index>::max())
    throw Error(ExitCode::usage, fmt::format("{} rows are more than 32-bit indices hold", rows),
                "solve the batch in parts");

  TridiagonalReport report;
  workspace_.restart();
  if (params_.check != TridiagonalCheck::none) {
    const tridiagonal::Inspection found = tridiagonal::inspect(exec, workspace_, A, rhs);
    report.weak_rows = static_cast<Offset>(found.weak_rows);
    if (found.broken_rows > 0) {
      const bool interleaved = A.layout == TridiagonalLayout::interleaved && A.systems > 1;
      Offset row = tridiagonal::first_fault(exec, workspace_, A, rhs, tridiagonal::RowFault::not_finite);
      const bool zero = row == rows;
      if (zero) row = tridiagonal::first_fault(exec, workspace_, A, rhs, tridiagonal::RowFault::zero);
      report.method = params_.method;
      report.failure = fmt::format("{} holds {}", tridiagonal::describe_row(A.n, A.systems, interleaved, row),
                                   zero ? "only zeros: the matrix is singular" : "a value that is not finite");
      return report;
    }
  }
  const bool automatic = params_.method == TridiagonalMethod::automatic;
  report.method = automatic ? choose(exec, A, report) : params_.method;
  if (!automatic && report.weak_rows > 0 && !tridiagonal::pivots(report.method))
    report.note =
        fmt::format("{} does not pivot and {} of {} rows are not diagonally dominant: it is not safe for this matrix",
                    name_of(report.method), report.weak_rows, rows);

  // The result may overwrite the right-hand side, which the residual and a second attempt need.
  const bool look = params_.check == TridiagonalCheck::residual;
  View<const T> kept = rhs;
  if (look && rhs.data() == x.data()) {
    const View<T> copy = workspace_.template take<T>(rows);
    copy_bytes(Space{}, rhs.data(), Space{}, copy.data(), static_cast<std::size_t>(rows) * sizeof(T));
    kept = copy;
  }
  run(exec, report.method, A, rhs, x);
  if (!look) return report;
  check_result(exec, A, kept, x, report);
  // A weakly dominant matrix can be so ill-conditioned that PCR's independent rows lose the residual.
  if (!report.solved() && automatic && !tridiagonal::pivots(report.method)) {
    report.note += fmt::format("; {} left a backward error of {:.1e}, so it was solved again with pivoting",
                               name_of(report.method), report.backward_error);
    report.failure.clear();
    report.method =
        report.method == TridiagonalMethod::thomas ? TridiagonalMethod::lu_pivoting : TridiagonalMethod::spike_pivoting;
    run(exec, report.method, A, kept, x);
    check_result(exec, A, kept, x, report);
  }
  return report;
}

}  // namespace tessera::solvers
