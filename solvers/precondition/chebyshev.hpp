#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

struct ChebyshevParams {
  int degree = 2;  ///< products an application
};

/// M^-1 = p(D^-1 A) D^-1, p the Chebyshev polynomial of `degree` on [b / (4 (degree + 1)^2), b], b an upper bound of
/// the spectrum of D^-1 A. Needs products only. Saad, Iterative Methods for Sparse Linear Systems, sections 12.3.1 and
/// 12.3.2.
PreconditionerEntry chebyshev_entry();

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_chebyshev(const SolverParams& params);

}  // namespace tessera::solvers
