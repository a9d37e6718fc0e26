#pragma once
// What direct solvers of a matrix do around a factor of theirs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/profile.hpp"
#include "solvers/direct/refine.hpp"
#include "solvers/entries.hpp"
#include "solvers/method.hpp"

namespace tessera::solvers {

/// Entries of the factor of a symmetric matrix: n log n in the plane and n^(4/3) in space (George & Liu 1981); the
/// constants are those of minimum degree on box meshes of order 1 (2-D: 63 k unknowns, 3-D: 20 k).
inline double factor_entries(const ProblemSize& size) {
  const double n = size.rows;
  const double fill = size.dim == 1   ? 2 * n
                      : size.dim == 2 ? 2.6 * n * std::log2(std::max(n, 2.0))
                                      : 12 * std::pow(n, 4.0 / 3.0);
  return std::max(size.entries, fill);
}

/// Bytes of the factor, of half of A for Eigen and of what it reads of A. On CUDA the host has all of them.
inline double factor_bytes(const ProblemSize& size, double entries) {
  if (size.on_cuda) return 0;
  return 12 * (entries + 0.5 * size.entries) + 32 * size.rows + copied_entries_bytes(size);
}

/// Seconds of a factorisation: about entries^2 / n multiplications and additions, 1e9 a second.
inline double factor_seconds(const ProblemSize& size, double entries) {
  return size.rows > 0 ? 1.5e-9 * entries * entries / size.rows : 0;
}

/// Factorisation has: `analyse(A, params)`, which looks at the pattern, `factorise(A)`, which takes its values
/// and returns why the factor cannot be used, or nothing, and `solve(r)`. What `analyse` has found is kept for matrices
/// of the same pattern.
template <class Factorisation>
class DirectMethod final : public Method<Threads> {
 public:
  DirectMethod(const SolverParams& params, const char* instead) : params_(params), instead_(instead) {}

  void set_operator(const linalg::Operator<Threads>& A, Reuse reuse) override {
    A_ = &A;
    valid_ = std::min(valid_, reuse);
    read_ = std::min({read_, reuse, Reuse::pattern});  // the residual is that of the new values
  }

  Report solve(Threads& exec, View<const double> b, View<double> x, const Monitor& monitor,
               View<const double> row_sums) override {
    Report report;
    if (A_->rows() == 0) {
      report.converged = true;
      return report;
    }
    report.relative_residual = std::numeric_limits<double>::quiet_NaN();
    const linalg::CrsView<const double> A = entries_.of(exec, *A_, std::exchange(read_, Reuse::all));
    try {
      if (valid_ != Reuse::all) {
        const Reuse before = std::exchange(valid_, Reuse::nothing);
        Scope scope(exec, "solve.factorise");
        if (before == Reuse::nothing) {
          factorisation_.emplace();
          factorisation_->analyse(A, params_);
        }
        failure_ = factorisation_->factorise(A);
        valid_ = Reuse::all;
      }
      report.failure = failure_;
      if (failure_.empty()) solve_and_refine(exec, *factorisation_, A, b, x, params_, monitor, row_sums, report);
    } catch (const std::bad_alloc&) {
      factorisation_.reset();
      throw Error(ExitCode::memory,
                  fmt::format("{}; the factor of {} unknowns does not fit", out_of_host_memory().what(), A.rows),
                  fmt::format("choose type = \"{}\", or a coarser mesh", instead_), params_.where);
    }
    return report;
  }

 private:
  const SolverParams params_;
  const char* instead_;
  const linalg::Operator<Threads>* A_ = nullptr;
  Reuse valid_ = Reuse::nothing;  ///< of the factorisation, for A_
  Reuse read_ = Reuse::nothing;   ///< of the entries, for A_
  Entries<Threads> entries_;
  std::optional<Factorisation> factorisation_;
  std::string failure_;
};

}  // namespace tessera::solvers
