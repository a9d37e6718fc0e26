#pragma once
#include <optional>
#include <string>
#include <vector>

#include "solvers/amg/aggregation.hpp"
#include "solvers/amg/cycle.hpp"

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

/// Smoothed aggregation on one backend, in values of type V, for one unknown a node. Of a matrix that is not symmetric
/// the symmetric part makes aggregates and prolongations.
///
/// Of a matrix whose rows ranks share, levels are shared until all ranks together have at most `gathered_rows`: the
/// rest is the same on all of them. There aggregates end at the borders of ranks; prolongations, smoothers and coarse
/// matrices do not. P has the rows of ghosts, too, and R their columns.
template <class Exec, class V>
class Hierarchy : public Cycle<Exec, V, Level<typename Exec::Space, V>> {
  using Base = Cycle<Exec, V, Level<typename Exec::Space, V>>;
  using Space = typename Exec::Space;

 public:
  Hierarchy(const AmgParams& params, bool symmetric) : Base(params), symmetric_(symmetric) {}

  using Shared = RowsOfRanks<Exec>;

  /// Makes all levels of A, whose pattern must outlive the hierarchy. Returns a sentence where A does not admit one.
  /// With `ranks` A is the part within this rank, and everything is collective over the ranks of the execution's link.
  std::string set_up(Exec& exec, const linalg::CrsView<const double>& A, const std::optional<Shared>& ranks = {});
  /// Other numbers in the pattern of the last A: aggregates and patterns stay.
  std::string refresh(Exec& exec, const linalg::CrsView<const double>& A, const std::optional<Shared>& ranks = {});

 private:
  using Base::allocate_vectors;
  using Base::bringing;
  using Base::depth;
  using Base::is_last;
  using Base::levels_;
  using Base::params_;
  using Base::scale_;
  using Base::shared;
  using Base::shared_;
  using Base::should_gather;
  using Base::sum_of_level;
  using Base::sums_;

  std::string fill(Exec& exec, const linalg::CrsView<const double>& A, const std::optional<Shared>& ranks, bool fresh);
  std::string fill_level(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l, bool fresh);
  std::string invert_coarsest(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l);
  /// D^-1 of the cycle and what level l is among others.
  std::string scale_level(Exec& exec, const linalg::CrsView<const double>& A, RowScales<Space>& scales, std::size_t l,
                          bool fresh);
  /// The largest eigenvalue of D^-1 A, A symmetric, about; more rather than less.
  double find_rho(Exec& exec, const LevelMatrixView<V>& A, std::size_t l);
  /// `symmetric`: the symmetric part of A, which is A itself where that is symmetric.
  void coarsen(Exec& exec, const linalg::CrsView<const double>& A, const linalg::CrsView<const double>& symmetric,
               const RowScales<Space>& scales, double omega, std::size_t l, bool fresh);

  // Where ranks share the level.
  void share_finest(Exec& exec, const linalg::CrsView<const double>& A, const Shared& ranks, bool fresh);
  Array<double, Space> symmetric_part_of(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l, bool fresh);
  void gather(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l, bool fresh);
  void coarsen_shared(Exec& exec, const linalg::CrsView<const double>& A,
                      const linalg::CrsView<const double>& symmetric, const RowScales<Space>& scales, double omega,
                      std::size_t l, bool fresh);
  linalg::Crs<Space> multiply_shared(Exec& exec, const linalg::CrsView<const double>& A, std::size_t l, bool fresh);

  const bool symmetric_;
};

}  // namespace tessera::solvers::amg
