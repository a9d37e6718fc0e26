#include "solvers/precondition/table.hpp"

#include "solvers/registry.hpp"
#include "solvers/solve.hpp"

namespace tessera::solvers {
namespace {

template <class Exec>
using Make = std::unique_ptr<Preconditioner<Exec>> (*)(Exec&, const linalg::Crs<typename Exec::Space>&,
                                                       const SolverParams&, std::string&);

struct Entry {
  std::string name, help;
  Make<Threads> threads;
  Make<Cuda> cuda;
};

const std::vector<Entry>& table() {
  // clang-format off
  static const std::vector<Entry> entries = {
      {"none", "plain conjugate gradients", make_identity<Threads>, TESSERA_ON_CUDA(make_identity<Cuda>)},
      {"jacobi", "division by the diagonal; helps where coefficients or cell sizes differ", make_jacobi<Threads>, TESSERA_ON_CUDA(make_jacobi<Cuda>)},
      {"ssor", "a forward and a backward Gauss-Seidel sweep with `relaxation`; fewest iterations, serial", make_ssor, nullptr},
  };
  // clang-format on
  return entries;
}

}  // namespace

const std::vector<NamedHelp>& preconditioner_table() {
  static const std::vector<NamedHelp> result = [] {
    std::vector<NamedHelp> rows;
    for (const Entry& e : table()) rows.push_back({e.name, e.help, e.threads != nullptr, e.cuda != nullptr});
    return rows;
  }();
  return result;
}

template <class Exec>
std::unique_ptr<Preconditioner<Exec>> make_preconditioner(Exec& exec, const linalg::Crs<typename Exec::Space>& A,
                                                          const SolverParams& params, std::string& failure) {
  const Entry& entry = find(table(), params.preconditioner, "preconditioner", params.where);
  Make<Exec> make = nullptr;
  if constexpr (std::is_same_v<Exec, Threads>)
    make = entry.threads;
  else
    make = entry.cuda;
  if (!make)
    throw Error(ExitCode::usage, "the preconditioner '" + entry.name + "' does not run on the backend '" + Exec::name + "'",
                std::string("choose preconditioner = \"jacobi\", or --backend threads"), params.where);
  return make(exec, A, params, failure);
}

template std::unique_ptr<Preconditioner<Threads>> make_preconditioner(Threads&, const linalg::Crs<Host>&,
                                                                      const SolverParams&, std::string&);
template std::unique_ptr<Preconditioner<Cuda>> make_preconditioner(Cuda&, const linalg::Crs<Device>&,
                                                                   const SolverParams&, std::string&);

}  // namespace tessera::solvers
