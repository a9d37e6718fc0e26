#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// The preconditioner that `params` names, from the table in table.cpp, for a method of type T; `A_in_type` is A or its copy in
/// float. Throws Error(usage) when this backend lacks it or A is stored without what it needs; where the numbers of A do not
/// admit it, returns nullptr and sets `failure`.
template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_preconditioner(Exec& exec, const linalg::Operator<Exec>& A,
                                                             const linalg::Operator<Exec, T>& A_in_type,
                                                             const SolverParams& params, linalg::Sign sign,
                                                             std::string& failure);

}  // namespace tessera::solvers
