#pragma once
#include <string>
#include <vector>

#include "solvers/amg/aggregation.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/amg/cycle_ops.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers::amg {

/// One level of a hierarchy, with what takes it to the next one.
template <class Space, class V>
struct Level {
  // What the cycle reads; empty where there is a dense inverse, or no level below.
  LevelMatrix<Space, V> A;
  Array<V, Space> inverse;  ///< [rows] of the diagonal
  Smoother<V> smoother;
  linalg::Crs<Space, V> P, R;        ///< to and from the next level
  LevelMatrix<Space, V> solver;      ///< of the coarsest level: its dense inverse
  Array<V, Space> b, s, x, t;        ///< [rows]
  Array<V, Space> direction, image;  ///< [rows] of a K-cycle

  // What other numbers of the same pattern need.
  linalg::Crs<Space> matrix;  ///< of a coarse level; its values are there during the set-up only
  Array<Index, Space> aggregate;
  double theta_square = 0;
  Index rows = 0;
  Offset entries = 0;
};

/// Smoothed aggregation on one backend, in values of type V. Nothing of it speaks to other ranks.
template <class Exec, class V>
class Hierarchy {
  using Space = typename Exec::Space;

 public:
  explicit Hierarchy(const AmgParams& params) : params_(params) {}

  /// Makes all levels of A, whose pattern must outlive the hierarchy. Returns a sentence where A does not admit one.
  std::string set_up(Exec& exec, const linalg::CrsView<const double>& A);
  /// Other numbers in the pattern of the last A: aggregates and patterns stay.
  std::string refresh(Exec& exec, const linalg::CrsView<const double>& A);
  bool empty() const { return levels_.empty(); }

  /// z = M^-1 r. Only queues work.
  template <class T>
  void apply(Exec& exec, View<const T> r, View<T> z);

  /// Rows and entries of the matrix of each level.
  std::vector<MultigridLevel> sizes() const;

 private:
  std::string fill(Exec& exec, const linalg::CrsView<const double>& A, bool fresh);
  std::string fill_level(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l, bool fresh);
  std::string invert_coarsest(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l);
  void coarsen(Exec& exec, const linalg::CrsView<const double>& A, const RowScales<Space>& scales, double omega,
               std::size_t l, bool fresh);
  void allocate_vectors(std::size_t l);

  bool is_last(std::size_t l) const { return l + 1 == levels_.size(); }
  /// x = the solution of A x = b on level l, by a cycle or two; b and s = D^-1 b given, both are overwritten.
  void solve(Exec& exec, std::size_t l);
  /// `again`: x holds a guess.
  void cycle(Exec& exec, std::size_t l, bool again);
  void correct(Exec& exec, std::size_t l);

  const AmgParams params_;
  double scale_ = 1;  ///< of the matrices of the cycle: a power of two that brings them to the size of 1
  std::vector<Level<Space, V>> levels_;
  Array<double, Space> sums_;  ///< [levels, krylov_sums] of a K-cycle
};

}  // namespace tessera::solvers::amg
