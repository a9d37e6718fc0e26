#pragma once
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// The preconditioner that `params` names, from the table in table.cpp. Throws Error(usage) when this backend lacks it;
/// where A does not admit it, returns nullptr and sets `failure`.
template <class Exec>
std::unique_ptr<Preconditioner<Exec>> make_preconditioner(Exec& exec, const linalg::Crs<typename Exec::Space>& A,
                                                          const SolverParams& params, std::string& failure);

}  // namespace tessera::solvers
