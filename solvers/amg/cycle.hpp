#pragma once
#include <vector>

#include "linalg/shared_rows.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/amg/cycle_ops.hpp"
#include "solvers/amg/shared_level.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers::amg {

/// Where the rows of a matrix stand among those of all ranks, and what is beside those of this rank.
template <class Exec>
struct RowsOfRanks {
  linalg::SharedRows<Exec, double> beside;
  Offset first_row = 0, rows = 0;
};

/// The levels of a hierarchy in values of type V, and what goes through them. A Level has what cycle_ops.hpp, or
/// node_ops.hpp for several unknowns a node, takes: A, inverse, P, R, vectors. Ranks may share the first levels:
/// vectors of these have the entries of ghosts behind those of rows. Then the others are the same on all ranks, each of
/// which goes through them alone.
template <class Exec, class V, class Level>
class Cycle {
 public:
  explicit Cycle(const AmgParams& params) : params_(params) {}
  bool empty() const { return levels_.empty(); }

  /// z = M^-1 r, of the rows of this rank. Only queues work.
  template <class T>
  void apply(Exec& exec, View<const T> r, View<T> z);

  /// Rows and entries of the matrix of each level, of all ranks that share it.
  std::vector<MultigridLevel> sizes() const;

 protected:
  using Space = typename Exec::Space;

  bool is_last(std::size_t l) const { return l + 1 == levels_.size(); }
  void allocate_vectors(std::size_t l);
  /// nullptr: ranks do not share level l.
  SharedLevel<Exec>* shared(std::size_t l) const { return l < shared_.size() ? shared_[l].get() : nullptr; }
  /// Whether level l + 1 is level l with the rows of all ranks.
  bool is_gathered(std::size_t l) const { return shared(l) && shared(l)->is_gathered(); }
  /// How many coarsenings level l is below the finest.
  std::size_t depth(std::size_t l) const { return l > gathered_at() ? l - 1 : l; }
  /// Whether ranks should go on alone from the shared level l on.
  bool should_gather(std::size_t l) const;
  /// A number of the rows of level l as the sum of those of the ranks that share it.
  double sum_of_level(const Exec& exec, std::size_t l, double mine) const;
  Bring<V> bringing(Exec& exec, std::size_t l) const;

  const AmgParams params_;
  double scale_ = 1;  ///< of the matrices of the cycle: a power of two that brings them to the size of 1
  std::vector<Level> levels_;
  std::vector<std::unique_ptr<SharedLevel<Exec>>> shared_;  ///< of the first levels
  Array<double, Space> sums_;                               ///< [levels, krylov_sums] of a K-cycle

 private:
  /// The shared level that is gathered; where there is none, some level that is not there.
  std::size_t gathered_at() const {
    return !shared_.empty() && shared_.back()->is_gathered() ? shared_.size() - 1 : levels_.size();
  }
  /// x = the solution of A x = b on level l, by a cycle or two; b and s = D^-1 b given, both are overwritten.
  void solve(Exec& exec, std::size_t l);
  /// `again`: x holds a guess.
  void cycle(Exec& exec, std::size_t l, bool again);
  void correct(Exec& exec, std::size_t l);
  void solve_gathered(Exec& exec, std::size_t l);
  void improve(Exec& exec, std::size_t l);
  void bring(Exec& exec, std::size_t l, View<V> x) const {
    if (shared(l)) bringing(exec, l)(x);
  }
};

}  // namespace tessera::solvers::amg
