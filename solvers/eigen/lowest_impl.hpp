#pragma once
// lowest_eigenpairs, written once: eigen.cpp and eigen_cuda.cpp instantiate it.
#include "base/link.hpp"
#include "solvers/eigen/free_rows.hpp"
#include "solvers/eigen/lobpcg.hpp"

namespace tessera::solvers {

template <class Exec>
EigenReport lowest_eigenpairs(Exec& exec, const EigenProblem<Exec>& problem, const SolverParams& params,
                              Array<double, typename Exec::Space>& vectors, const Monitor& monitor) {
  const EigenParams& own = params.method.as<EigenParams>();
  Offset free = problem.A.rows() - problem.fixed.size();
  if (exec.link()) free = sum(exec.link()->ranks(), free);
  require_free_rows(params, free);
  return eigen::Lobpcg<Exec>(exec, problem, params, vectors_together(own, free)).run(vectors, monitor);
}

}  // namespace tessera::solvers
