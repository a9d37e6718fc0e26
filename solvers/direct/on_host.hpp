#pragma once
#include "solvers/method.hpp"

namespace tessera::solvers {

/// A direct solver for systems on the GPU: matrix and right-hand side are copied to the host, which factors and solves,
/// and the solution is copied back. `method` of the report says so. A matrix of the same pattern is copied by its
/// values alone.
std::unique_ptr<Method<Cuda>> on_host(std::unique_ptr<Method<Threads>> method, const SolverParams& params);

template <MakeMethod<Threads> make>
std::unique_ptr<Method<Cuda>> make_on_host(const SolverParams& params) {
  return on_host(make(params), params);
}

}  // namespace tessera::solvers
