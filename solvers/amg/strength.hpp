#pragma once
#include "linalg/crs.hpp"

namespace tessera::solvers::amg {

/// (A + A^T) / 2 in the pattern of A, [nnz]: an entry whose mirror image is not stored is halved.
template <class Exec>
Array<double, typename Exec::Space> symmetric_part(Exec& exec, const linalg::CrsView<const double>& A);

/// What part of the smoothing of prolongations each row of a matrix A takes, [rows]; `mean` is its symmetric part S. Of
/// smoothed prolongations the coarse matrices of a flow oscillate, as central differences on coarse meshes do; without
/// smoothing M-matrices stay M-matrices. So it is all where the sum of |a_ij - s_ij| is at most `flow_begins` of that
/// of |s_ij|, i and j distinct, and nothing from `flow_rules` on, linear between.
inline constexpr double flow_begins = 0.25, flow_rules = 0.75;
template <class Exec>
Array<double, typename Exec::Space> smoothed_parts(Exec& exec, const linalg::CrsView<const double>& A,
                                                   View<const double> mean);

/// What the entries of a row are held against. 16 B a row.
template <class Space>
struct RowScales {
  Array<double, Space> diagonal;  ///< [rows]
  Array<double, Space> largest;   ///< [rows] max_j -a_ij over j != i, 0 where there is none
  double bad = 0;                 ///< rows whose diagonal is not positive, not finite, or too small to be inverted
  double sum = 0;                 ///< of the diagonal of the others
};
/// One pass over A. Waits.
template <class Exec>
RowScales<typename Exec::Space> find_scales(Exec& exec, const linalg::CrsView<const double>& A);

/// Which entries of a matrix couple their row and column strongly: a_ij < 0 and a_ij^2 > theta^2 m_i m_j, m_i the
/// largest -a_ik of row i. Symmetric where A is. Vanek, Mandel & Brezina 1996, section 4, has the diagonal in the place
/// of m, with which theta depends on how many neighbours a node has, and positive entries count, which stretched
/// hexahedra have towards neighbours that couple weakly (docs/decisions/0022).
struct Strength {
  View<const double> largest;  ///< [rows]
  double theta_square = 0;

  /// Entries that lie exactly at theta, as those of regular grids may, are strong on every backend, though these round
  /// differently.
  static double square(double theta) { return theta * theta * (1 - 1e-9); }
  TESSERA_HD bool is_strong(double a, Offset row, Index col) const {
    return a < 0 && col != row && a * a > theta_square * largest[row] * largest[col];
  }
};

/// The strong entries of a matrix. 4 B an entry and 8 B a row.
template <class Space>
struct StrongGraph {
  Index rows = 0;
  Array<Offset, Space> row_ptr;  ///< [rows + 1]
  Array<Index, Space> col_ind;   ///< ascending within a row
};
template <class Exec>
StrongGraph<typename Exec::Space> make_strong_graph(Exec& exec, const linalg::CrsView<const double>& A,
                                                    const Strength& strength);
/// Those of its first `cols` columns.
template <class Exec>
StrongGraph<typename Exec::Space> first_columns(Exec& exec, const StrongGraph<typename Exec::Space>& graph, Index cols);

}  // namespace tessera::solvers::amg
