#pragma once
#include <vector>

#include "solvers/amg/amg.hpp"
#include "solvers/amg/cycle_ops.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers::amg {

/// The levels of a hierarchy in values of type V, and what goes through them. A Level has what cycle_ops.hpp, or
/// node_ops.hpp for several unknowns a node, takes: A, inverse, P, R, vectors.
template <class Exec, class V, class Level>
class Cycle {
 public:
  explicit Cycle(const AmgParams& params) : params_(params) {}
  bool empty() const { return levels_.empty(); }

  /// z = M^-1 r. Only queues work.
  template <class T>
  void apply(Exec& exec, View<const T> r, View<T> z);

  /// Rows and entries of the matrix of each level.
  std::vector<MultigridLevel> sizes() const;

 protected:
  using Space = typename Exec::Space;

  bool is_last(std::size_t l) const { return l + 1 == levels_.size(); }
  void allocate_vectors(std::size_t l);

  const AmgParams params_;
  double scale_ = 1;  ///< of the matrices of the cycle: a power of two that brings them to the size of 1
  std::vector<Level> levels_;
  Array<double, Space> sums_;  ///< [levels, krylov_sums] of a K-cycle

 private:
  /// x = the solution of A x = b on level l, by a cycle or two; b and s = D^-1 b given, both are overwritten.
  void solve(Exec& exec, std::size_t l);
  /// `again`: x holds a guess.
  void cycle(Exec& exec, std::size_t l, bool again);
  void correct(Exec& exec, std::size_t l);
};

}  // namespace tessera::solvers::amg
