#include "bench/support/hypre_peer.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <numeric>
#include <thread>

#include "base/error.hpp"

namespace tessera::bench {
namespace {

/// Parameters of BoomerAMG as its manual numbers them. All interpolate by "extended+i" with four entries a row.
struct Configuration {
  const char* name;
  int coarsening;         ///< 10: HMIS, 8: PMIS
  int aggressive_levels;  ///< that are coarsened twice
  double strong;
  int smoother;  ///< 8: hybrid symmetric Gauss-Seidel with l1 norms; 18: Jacobi with l1 norms
};
constexpr Configuration all_configurations[] = {
    {"HMIS 0.5", 10, 0, 0.5, 8},
    {"HMIS 0.25", 10, 0, 0.25, 8},
    {"HMIS 0.5 aggressive", 10, 1, 0.5, 8},
    {"PMIS 0.5 l1-Jacobi", 8, 0, 0.5, 18},
};

void check(HYPRE_Int flag, const char* call) {
  if (flag != 0) throw Error(ExitCode::internal, fmt::format("{} returned {}", call, flag), "look at the matrix");
}

/// Milliseconds of the clock and of the cores of all ranks for `work`.
void time(const std::function<void()>& work, double& ms, double& core_ms) {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::clock_t core = std::clock();
  const auto start = std::chrono::steady_clock::now();
  work();
  double mine = 1e3 * static_cast<double>(std::clock() - core) / CLOCKS_PER_SEC;
  MPI_Allreduce(&mine, &core_ms, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The rows [first, last) of the matrix, of b, and of x = 0, as hypre stores them.
struct Slab {
  HYPRE_IJMatrix A = nullptr;
  HYPRE_IJVector b = nullptr, x = nullptr;

  Slab(const linalg::Crs<Host>& from, const View<const double>& right, Index first, Index last) {
    const HYPRE_Int rows = last - first;
    std::vector<HYPRE_BigInt> numbers(static_cast<std::size_t>(rows));
    std::iota(numbers.begin(), numbers.end(), first);
    std::vector<HYPRE_Int> lengths(numbers.size());
    for (Index row = 0; row < rows; ++row)
      lengths[static_cast<std::size_t>(row)] =
          static_cast<HYPRE_Int>(from.row_ptr[first + row + 1] - from.row_ptr[first + row]);
    const Offset begin = from.row_ptr[first];
    const std::vector<HYPRE_BigInt> columns(from.col_ind.data() + begin, from.col_ind.data() + from.row_ptr[last]);
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last - 1, first, last - 1, &A);
    HYPRE_IJMatrixSetObjectType(A, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(A, lengths.data());
    HYPRE_IJMatrixInitialize(A);
    HYPRE_IJMatrixSetValues(A, rows, lengths.data(), numbers.data(), columns.data(), from.values.data() + begin);
    check(HYPRE_IJMatrixAssemble(A), "HYPRE_IJMatrixAssemble");
    const std::vector<double> zero(numbers.size());
    for (const auto& [vector, values] : {std::pair{&b, right.data() + first}, {&x, zero.data()}}) {
      HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last - 1, vector);
      HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
      HYPRE_IJVectorInitialize(*vector);
      HYPRE_IJVectorSetValues(*vector, rows, numbers.data(), values);
      check(HYPRE_IJVectorAssemble(*vector), "HYPRE_IJVectorAssemble");
    }
  }
  ~Slab() {
    HYPRE_IJMatrixDestroy(A);
    HYPRE_IJVectorDestroy(b);
    HYPRE_IJVectorDestroy(x);
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  HYPRE_ParCSRMatrix matrix() const { return static_cast<HYPRE_ParCSRMatrix>(object(HYPRE_IJMatrixGetObject, A)); }
  HYPRE_ParVector right() const { return static_cast<HYPRE_ParVector>(object(HYPRE_IJVectorGetObject, b)); }
  HYPRE_ParVector solution() const { return static_cast<HYPRE_ParVector>(object(HYPRE_IJVectorGetObject, x)); }

 private:
  template <class Get, class Of>
  static void* object(Get get, Of of) {
    void* result = nullptr;
    get(of, &result);
    return result;
  }
};

HYPRE_Solver make_multigrid(const Configuration& how) {
  HYPRE_Solver multigrid = nullptr;
  HYPRE_BoomerAMGCreate(&multigrid);
  HYPRE_BoomerAMGSetCoarsenType(multigrid, how.coarsening);
  HYPRE_BoomerAMGSetAggNumLevels(multigrid, how.aggressive_levels);
  HYPRE_BoomerAMGSetStrongThreshold(multigrid, how.strong);
  HYPRE_BoomerAMGSetInterpType(multigrid, 6);
  HYPRE_BoomerAMGSetPMaxElmts(multigrid, 4);
  HYPRE_BoomerAMGSetRelaxType(multigrid, how.smoother);
  HYPRE_BoomerAMGSetTol(multigrid, 0);
  HYPRE_BoomerAMGSetMaxIter(multigrid, 1);
  HYPRE_BoomerAMGSetPrintLevel(multigrid, 0);
  return multigrid;
}

}  // namespace

HyprePeer::HyprePeer() {
  int before = 0;
  MPI_Initialized(&before);
  if (!before) MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  HYPRE_Init();
}
HyprePeer::~HyprePeer() {
  HYPRE_Finalize();
  MPI_Finalize();
}

void HyprePeer::meet() const {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void HyprePeer::give_up(const std::string& why) const {
  if (ranks_ == 1) return;
  fmt::print(stderr, "error: rank {}: {}\n", rank_, why);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::solver));
}

std::vector<std::string> HyprePeer::configurations() {
  std::vector<std::string> result;
  for (const Configuration& one : all_configurations) result.emplace_back(one.name);
  return result;
}

HypreTimes HyprePeer::solve(const linalg::Crs<Host>& A, View<const double> b, const std::string& configuration) const {
  const auto border = [&](int rank) { return static_cast<Index>(Offset{A.rows} * rank / ranks_); };
  const Slab slab(A, b, border(rank_), border(rank_ + 1));
  const Configuration* how = all_configurations;
  while (how->name != configuration) ++how;
  HYPRE_Solver multigrid = make_multigrid(*how), cg = nullptr;
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg);
  HYPRE_ParCSRPCGSetTol(cg, 1e-8);
  HYPRE_ParCSRPCGSetTwoNorm(cg, 1);
  HYPRE_ParCSRPCGSetMaxIter(cg, 1000);
  HYPRE_ParCSRPCGSetPrecond(cg, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, multigrid);
  HypreTimes times;
  time([&] { check(HYPRE_ParCSRPCGSetup(cg, slab.matrix(), slab.right(), slab.solution()), "HYPRE_ParCSRPCGSetup"); },
       times.set_up_ms, times.set_up_core_ms);
  time([&] { check(HYPRE_ParCSRPCGSolve(cg, slab.matrix(), slab.right(), slab.solution()), "HYPRE_ParCSRPCGSolve"); },
       times.solve_ms, times.solve_core_ms);
  HYPRE_Int iterations = 0;
  HYPRE_ParCSRPCGGetNumIterations(cg, &iterations);
  times.iterations = iterations;
  HYPRE_ParCSRPCGDestroy(cg);
  HYPRE_BoomerAMGDestroy(multigrid);
  return times;
}

}  // namespace tessera::bench
