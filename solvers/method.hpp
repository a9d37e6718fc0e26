#pragma once
// What a method of [solver] is to the table of methods and to LinearSolver.
#include <memory>
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "base/on_cuda.hpp"
#include "linalg/operator.hpp"
#include "solvers/keys.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// What of the last operator still holds for the next one.
enum class Reuse {
  nothing,  ///< not even its size
  pattern,  ///< where its entries stand; values are new
  all,      ///< its values too, or they differ so little that a preconditioner or factor made of the old ones serves
};

/// What a method or preconditioner takes for granted of the operator, and what it asks it for.
struct Needs {
  bool symmetric = false;
  bool definite = false;         ///< positive definite, or its symmetric part: so the diagonal is positive
  bool entries = false;          ///< in CRS
  bool diagonal_blocks = false;  ///< of the unknowns of a node
  bool lower_orders = false;     ///< Operator::lower_orders
  bool near_kernel = false;      ///< of several unknowns a node, where whoever made it knows one
  bool grid = false;             ///< of a uniform grid with constant coefficients
  bool mass = false;             ///< beside it a mass matrix: eigen/eigen.hpp
  bool nodes = false;      ///< no operator, but coefficients at the nodes of a rectangle: relaxations, grid/lmsor.hpp
  bool two_point = false;  ///< no operator, but f at the nodes of an interval: two_point/two_point.hpp

  bool of_operator() const { return !nodes && !two_point; }
};

/// Of what memory is a function.
struct ProblemSize {
  double rows = 0, entries = 0;
  bool on_cuda = false;
  double block = 1;             ///< unknowns a node
  bool copies_entries = false;  ///< the operator stores block rows, of which readers of entries make a copy in CRS
  int dim = 3;                  ///< of the mesh or grid that the rows come from: the fill of a factor depends on it
  double all_rows = 0;          ///< of all ranks, where several share the system; 0: one has it
};

/// A method made for one [solver]. It keeps what it has made of an operator, and its vectors, from one solve to the
/// next.
template <class Exec>
class Method {
 public:
  virtual ~Method() = default;
  /// From now on A, which must outlive the solves: it is of the size of the last one but for Reuse::nothing. Nothing is
  /// made of it before the first solve.
  virtual void set_operator(const linalg::Operator<Exec>& A, Reuse reuse) = 0;
  /// x holds the initial guess and receives the solution of A x = b; `row_sums` A 1 or empty, see reference_norm.
  virtual Report solve(Exec& exec, View<const double> b, View<double> x, const Monitor& monitor,
                       View<const double> row_sums) = 0;
};

template <class Exec>
using MakeMethod = std::unique_ptr<Method<Exec>> (*)(const SolverParams&);

enum class MethodKind { krylov, direct, relaxation, two_point, eigen };

/// Whether methods of the kind take a preconditioner.
inline bool is_preconditioned(MethodKind kind) { return kind == MethodKind::krylov || kind == MethodKind::eigen; }

struct TwoPointMakers;  // two_point/two_point.hpp

/// A row of the table of methods. Each method makes its own, beside its code.
struct MethodEntry {
  std::string name, help;
  MethodKind kind = MethodKind::krylov;
  Needs needs = {};
  /// Bytes that it takes on the backend beside A, b and x, at their peak, but for a few kB of scalars.
  double (*bytes)(const SolverParams&, const ProblemSize&) = nullptr;
  /// Seconds until its first iteration, of the order of magnitude; nullptr: not worth a word.
  double (*set_up_seconds)(const ProblemSize&) = nullptr;
  OwnKeys own = {};
  /// Where its own keys take the place of shared ones: copies them there, for reports.
  void (*take_shared)(SolverParams&) = nullptr;
  bool threads = true, cuda = TESSERA_HAS_CUDA;
  MakeMethod<Threads> make_threads = nullptr;
  MakeMethod<Cuda> make_cuda = nullptr;
  const TwoPointMakers* two_point = nullptr;  ///< of a method of two-point problems, in the place of these

  /// Whether it reads the key of [solver], but for those of its preconditioner.
  bool reads(const std::string& key) const;
};

/// The table: Krylov methods, direct ones, those of grids, relaxations, those of two-point problems.
const std::vector<MethodEntry>& solver_table();
/// Its row of that name; nullptr: none.
const MethodEntry* find_solver(const std::string& name);
/// The iterative method to choose in its stead: "cg", or "gmres" where it does not take the matrix for symmetric.
inline const char* instead_of(const MethodEntry& entry) { return entry.needs.symmetric ? "cg" : "gmres"; }

}  // namespace tessera::solvers
