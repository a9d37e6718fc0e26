#include "solvers/precondition/table.hpp"

#include "solvers/amg/amg.hpp"
#include "solvers/pmg/pmg.hpp"
#include "solvers/precondition/block_ilu.hpp"
#include "solvers/precondition/block_jacobi.hpp"
#include "solvers/precondition/chebyshev.hpp"
#include "solvers/precondition/jacobi.hpp"
#include "solvers/precondition/multicolour_ssor.hpp"
#include "solvers/registry.hpp"

namespace tessera::solvers {

const std::vector<PreconditionerEntry>& preconditioner_table() {
  static const std::vector<PreconditionerEntry> table = {
      identity_entry(),         jacobi_entry(),    block_jacobi_entry(), block_ilu_entry(), ssor_entry(),
      multicolour_ssor_entry(), chebyshev_entry(), amg_entry(),          pmg_entry(),
  };
  return table;
}

namespace {

template <class Exec, class T>
MakePreconditioner<Exec, T> column(const PreconditionerEntry& entry) {
  if constexpr (std::is_same_v<Exec, Threads>) {
    if constexpr (std::is_same_v<T, double>)
      return entry.make_threads;
    else
      return entry.make_threads_float;
  } else {
    if constexpr (std::is_same_v<T, double>)
      return entry.make_cuda;
    else
      return entry.make_cuda_float;
  }
}

}  // namespace

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_preconditioner(const SolverParams& params) {
  check(params, Exec::name);
  return column<Exec, T>(find(preconditioner_table(), params.preconditioner, "preconditioner", params.where))(params);
}

template std::unique_ptr<Preconditioner<Threads, double>> make_preconditioner(const SolverParams&);
template std::unique_ptr<Preconditioner<Threads, float>> make_preconditioner(const SolverParams&);
template std::unique_ptr<Preconditioner<Cuda, double>> make_preconditioner(const SolverParams&);
template std::unique_ptr<Preconditioner<Cuda, float>> make_preconditioner(const SolverParams&);

}  // namespace tessera::solvers
