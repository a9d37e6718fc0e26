#pragma once
// What direct solvers of a matrix do around a factor of theirs.
#include <fmt/format.h>

#include <algorithm>
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

/// Bytes of half of A for Eigen, and of its factor: fill of a 3-D mesh grows as n^(4/3) (George & Liu 1981), 12 B an
/// entry.
inline double factor_bytes(const ProblemSize& size) {
  return 12 * (0.5 * size.entries + std::max(size.entries, std::pow(size.rows, 4.0 / 3.0))) + 32 * size.rows;
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
