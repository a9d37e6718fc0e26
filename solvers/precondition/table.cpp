#include "solvers/precondition/table.hpp"

#include "solvers/precondition/entries.hpp"
#include "solvers/registry.hpp"
#include "solvers/solve.hpp"

namespace tessera::solvers {
namespace {

template <class Exec, class T>
using Make = std::unique_ptr<Preconditioner<Exec, T>> (*)(Exec&, const linalg::Operator<Exec>&,
                                                          const linalg::Operator<Exec, T>&, const SolverParams&,
                                                          linalg::Sign, std::string&);

struct Entry {
  std::string name, help;
  Make<Threads, double> threads;
  Make<Threads, float> threads_float;
  Make<Cuda, double> cuda;
  Make<Cuda, float> cuda_float;
  std::vector<std::string> keys = {};  ///< of [solver], those that it reads
};

/// The columns of a preconditioner that every backend has in both types.
#define TESSERA_EVERYWHERE(make) \
  make<Threads, double>, make<Threads, float>, TESSERA_ON_CUDA(make<Cuda, double>), TESSERA_ON_CUDA(make<Cuda, float>)

const std::vector<Entry>& table() {
  // clang-format off
  static const std::vector<Entry> entries = {
      {"none", "the plain method", TESSERA_EVERYWHERE(make_identity)},
      {"jacobi", "division by the diagonal; helps where coefficients or cell sizes differ", TESSERA_EVERYWHERE(make_jacobi)},
      {"ssor", "a forward and a backward Gauss-Seidel sweep with `relaxation`; fewest iterations, serial", make_ssor<Threads, double>, make_ssor<Threads, float>, nullptr, nullptr, {"relaxation"}},
      {"multicolour_ssor", "the same sweeps in parallel, colour after colour; about half the iterations of jacobi, each about three times as long", TESSERA_EVERYWHERE(make_multicolour_ssor), {"relaxation"}},
      {"chebyshev", "`degree` steps of the Chebyshev iteration with the diagonal; products only, so it suits operators without entries; for cg", TESSERA_EVERYWHERE(make_chebyshev), {"degree"}},
  };
  // clang-format on
  return entries;
}

template <class Exec, class T>
Make<Exec, T> column(const Entry& entry) {
  if constexpr (std::is_same_v<Exec, Threads>) {
    if constexpr (std::is_same_v<T, double>)
      return entry.threads;
    else
      return entry.threads_float;
  } else {
    if constexpr (std::is_same_v<T, double>)
      return entry.cuda;
    else
      return entry.cuda_float;
  }
}

}  // namespace

const std::vector<NamedHelp>& preconditioner_table() {
  static const std::vector<NamedHelp> result = [] {
    std::vector<NamedHelp> rows;
    for (const Entry& e : table()) rows.push_back({e.name, e.help, e.threads != nullptr, e.cuda != nullptr, e.keys});
    return rows;
  }();
  return result;
}

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_preconditioner(Exec& exec, const linalg::Operator<Exec>& A,
                                                             const linalg::Operator<Exec, T>& A_in_type,
                                                             const SolverParams& params, linalg::Sign sign,
                                                             std::string& failure) {
  check(params, Exec::name);
  const Entry& entry = find(table(), params.preconditioner, "preconditioner", params.where);
  return column<Exec, T>(entry)(exec, A, A_in_type, params, sign, failure);
}

TESSERA_INSTANTIATE_PRECONDITIONER(make_preconditioner, Threads, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_preconditioner, Threads, float);
TESSERA_INSTANTIATE_PRECONDITIONER(make_preconditioner, Cuda, double);
TESSERA_INSTANTIATE_PRECONDITIONER(make_preconditioner, Cuda, float);

}  // namespace tessera::solvers
