#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/operator.hpp"
#include "solvers/method.hpp"

namespace tessera::solvers {

/// z = M^-1 r in type T. Made once from [solver], and set up for an operator after the other.
template <class Exec, class T = double>
class Preconditioner {
 public:
  using Space = typename Exec::Space;
  virtual ~Preconditioner() = default;

  /// Makes M of A, which must outlive it; `A_in_type` is A itself or its copy in float. For Reuse::all M stays, but A
  /// may be another object with the same arrays. Where the numbers of A do not admit M (a diagonal entry that `sign`
  /// excludes), returns a sentence that names the row; M is then not to be applied. Throws Error(usage) where A is
  /// stored without what it needs.
  virtual std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>& A_in_type,
                             linalg::Sign sign, Reuse reuse) = 0;
  /// Only queues work, the same for the same vectors as long as it is not set up again.
  virtual void apply(Exec& exec, View<const T> r, View<T> z) = 0;
  /// M^-1 where M is a diagonal, [rows]; empty where M = 1. A method may then form z in a pass of its own and never
  /// store it.
  virtual std::optional<View<const T>> diagonal() const { return std::nullopt; }
  /// Whether set_up takes more memory for a moment than what is kept, so that others had better give theirs back.
  virtual bool set_up_takes_room() const { return false; }
  /// Adds to the report of a solve what it has to say of itself. May wait.
  virtual void describe(Report& report) const { (void)report; }
};

/// Of what form M is, as `diagonal` will say.
enum class Form { identity, diagonal, general };

template <class Exec, class T>
using MakePreconditioner = std::unique_ptr<Preconditioner<Exec, T>> (*)(const SolverParams&);

/// A row of the table of preconditioners. Each makes its own, beside its code.
struct PreconditionerEntry {
  std::string name, help;
  Form form = Form::general;
  Needs needs = {};
  /// Bytes that it keeps, with values of `value` bytes.
  double (*bytes)(const SolverParams&, const ProblemSize&, double value) = nullptr;
  /// Bytes while it is set up; nullptr: not more than that.
  double (*set_up_bytes)(const SolverParams&, const ProblemSize&) = nullptr;
  /// Iterations between two looks at the residual on CUDA where the deck does not say `check_every`; 0: as many as
  /// usual. Few where iterations are few and long: those after the last that was needed are in vain.
  int check_every = 0;
  OwnKeys own = {};
  bool threads = true, cuda = TESSERA_HAS_CUDA;
  MakePreconditioner<Threads, double> make_threads = nullptr;
  MakePreconditioner<Threads, float> make_threads_float = nullptr;
  MakePreconditioner<Cuda, double> make_cuda = nullptr;
  MakePreconditioner<Cuda, float> make_cuda_float = nullptr;
};

/// The last columns of a preconditioner that every backend has in both types: Class is a template of Exec and T.
#define TESSERA_MAKERS(make)                                                         \
  .make_threads = make<Threads, double>, .make_threads_float = make<Threads, float>, \
  .make_cuda = TESSERA_ON_CUDA(make<Cuda, double>), .make_cuda_float = TESSERA_ON_CUDA(make<Cuda, float>)

/// "the diagonal entry of row 7 is 0 ..." for the first entry that `sign` excludes; empty when there is none.
std::string describe_bad_diagonal(const std::vector<double>& diagonal, linalg::Sign sign);

/// inverse [rows] = 1 / diag(A) of A in double, rounded to T; keeps the array where it has its size. Returns a sentence
/// where the diagonal does not admit it.
template <class Exec, class T>
std::string invert_diagonal_of(Exec& exec, const linalg::Operator<Exec>& A, linalg::Sign sign,
                               Array<T, typename Exec::Space>& inverse);

}  // namespace tessera::solvers
