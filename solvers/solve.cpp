#include "solvers/solve.hpp"

#include <fmt/format.h>

#include "solvers/direct/ldlt.hpp"
#include "solvers/direct/lu.hpp"
#include "solvers/direct/on_host.hpp"
#include "solvers/grid/solve_grid.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/registry.hpp"
#include "solvers/shift.hpp"

namespace tessera::solvers {
namespace {

using Keys = std::vector<std::string>;

struct Entry {
  std::string name, help;
  Method<Threads> threads;
  Method<Cuda> cuda;
  Keys keys;  ///< of [solver], those that the method reads, but for `type`
};

Keys operator+(Keys keys, const char* more) {
  keys.push_back(more);
  return keys;
}

const std::vector<Entry>& table() {
  const Keys direct = {"tolerance", "absolute_tolerance"};
  const Keys iteration = {"preconditioner", "tolerance",      "absolute_tolerance",
                          "max_iterations", "residual_every", "check_every"};
  // clang-format off
  static const std::vector<Entry> entries = {
      {"cg", "conjugate gradients for symmetric positive definite matrices, preconditioned", solve_cg<Threads>, TESSERA_ON_CUDA(solve_cg<Cuda>), iteration + "variant"},
      {"minres", "minimal residuals for symmetric matrices, also indefinite ones", solve_minres<Threads>, TESSERA_ON_CUDA(solve_minres<Cuda>), iteration},
      {"bicgstab", "stabilised biconjugate gradients for matrices that need not be symmetric; two products an iteration, little memory", solve_bicgstab<Threads>, TESSERA_ON_CUDA(solve_bicgstab<Cuda>), iteration},
      {"gmres", "generalised minimal residuals with `restart`, for matrices that need not be symmetric; robust, keeps `restart` vectors", solve_gmres<Threads>, TESSERA_ON_CUDA(solve_gmres<Cuda>), iteration + "restart"},
      {"direct", "sparse L D L^T factorisation (Eigen, approximate minimum degree); for small and middling systems; on CUDA the host factors", solve_ldlt, TESSERA_ON_CUDA(solve_on_host<solve_ldlt>), direct},
      {"lu", "sparse L U factorisation with pivoting (Eigen, COLAMD order), for matrices that need not be symmetric; small and middling systems; on CUDA the host factors", solve_lu, TESSERA_ON_CUDA(solve_on_host<solve_lu>), direct},
      {"bcr", "block cyclic reduction with `radix` 2 or 4: direct, for constant coefficients on a box mesh with Dirichlet data; see docs/methods/fast_poisson.md", grid::solve_grid<Threads>, TESSERA_ON_CUDA(grid::solve_grid<Cuda>), direct + "radix"},
      {"fft", "sine transforms (FFTW, cuFFT): direct, for the same problems as bcr, on grids of any size", grid::solve_grid<Threads>, TESSERA_ON_CUDA(grid::solve_grid<Cuda>), direct},
  };
  // clang-format on
  return entries;
}

}  // namespace

const std::vector<NamedHelp>& solver_table() {
  static const std::vector<NamedHelp> result = [] {
    std::vector<NamedHelp> rows;
    for (const Entry& e : table()) rows.push_back({e.name, e.help, e.threads != nullptr, e.cuda != nullptr, e.keys});
    return rows;
  }();
  return result;
}

namespace {

/// The entry of the solver that the deck names, on this backend; checks sizes.
template <class Exec>
std::pair<Method<Exec>, std::string> method_of(const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
                                               const SolverParams& params) {
  check(params, Exec::name);
  const Entry& entry = find(table(), params.type, "solver", params.where);
  Method<Exec> method = nullptr;
  if constexpr (std::is_same_v<Exec, Threads>)
    method = entry.threads;
  else
    method = entry.cuda;
  if (A.rows() != A.cols() || b.size() != A.rows() || x.size() != A.rows())
    throw Error(ExitCode::usage,
                fmt::format("a solver was given a matrix of {} x {}, a right-hand side of {} and a solution of {}",
                            A.rows(), A.cols(), b.size(), x.size()),
                "the matrix must be square and the vectors as long as its rows", params.where);
  return {method, entry.name};
}

void name_solver(const std::string& type, const SolverParams& params, Report& report) {
  report.type = type;
  if (!is_direct(params) && !is_grid_solver(params)) report.preconditioner = params.preconditioner;
}

}  // namespace

template <class Exec>
Report solve(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor) {
  const auto [method, type] = method_of(A, b, x, params);
  SolvePlain<Exec> plain = nullptr;
  if constexpr (std::is_same_v<Exec, Threads>)
    plain = solve_plain<Threads>;
  else
    plain = TESSERA_ON_CUDA(solve_plain<Cuda>);
  Report report = plain(exec, method, A, b, x, params, monitor);
  name_solver(type, params, report);
  return report;
}

template <class Exec>
Report solve(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
             const SolverParams& params, const Monitor& monitor, const Known& known) {
  const auto [method, type] = method_of(A, b, x, params);
  if (known.rows.size() != known.values.size())
    throw Error(ExitCode::internal, fmt::format("{} fixed rows but {} values", known.rows.size(), known.values.size()),
                "give one value for each row");
  SolveShifted<Exec> shifted = nullptr;
  if constexpr (std::is_same_v<Exec, Threads>)
    shifted = solve_shifted<Threads>;
  else
    shifted = TESSERA_ON_CUDA(solve_shifted<Cuda>);
  Report report = shifted(exec, method, A, b, x, params, monitor, known);
  name_solver(type, params, report);
  return report;
}

template Report solve(Threads&, const linalg::Operator<Threads>&, View<const double>, View<double>, const SolverParams&,
                      const Monitor&);
template Report solve(Cuda&, const linalg::Operator<Cuda>&, View<const double>, View<double>, const SolverParams&,
                      const Monitor&);
template Report solve(Threads&, const linalg::Operator<Threads>&, View<const double>, View<double>, const SolverParams&,
                      const Monitor&, const Known&);
template Report solve(Cuda&, const linalg::Operator<Cuda>&, View<const double>, View<double>, const SolverParams&,
                      const Monitor&, const Known&);

}  // namespace tessera::solvers
