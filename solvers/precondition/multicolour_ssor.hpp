#pragma once
#include "solvers/precondition/ssor.hpp"

namespace tessera::solvers {

/// SSOR with the rows in the order of their colours: rows of one colour do not meet, so each sweep is one pass a
/// colour. Bytes a row of its own: see multicolour.hpp.
PreconditionerEntry multicolour_ssor_entry();

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_multicolour_ssor(const SolverParams& params);

}  // namespace tessera::solvers
