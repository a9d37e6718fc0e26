#pragma once
#include "solvers/amg/aggregation.hpp"
#include "solvers/amg/node_matrix.hpp"

namespace tessera::solvers::amg {

// What a level of nodes with several unknowns is made of. Strength, aggregates and patterns are those of a matrix of
// one number a block.

/// numbers [blocks]: that matrix in the pattern of A. Of the `leading` rows and columns of a block, which translations
/// are the unknowns of: tr A_ij / sqrt(leading), less half of the norm of what is left of the block beside the
/// diagonal. The trace of isotropic elasticity is (lambda + (dim + 1) mu) times the entry of the Laplacian, so that
/// strength has a sign and knows stretched cells.
template <class Exec>
void condense(Exec& exec, const NodeMatrixView<const double>& A, int leading, View<double> numbers);

/// What the blocks on the diagonal say. 8 block B a row.
template <class Space>
struct DiagonalBlocks {
  Array<double, Space> inverse;  ///< [nodes, block, block]
  double bad = 0;                ///< nodes whose block is not finite, not positive definite
  double trace = 0;              ///< of all
};
/// A row whose pivot is rounding, as unknowns of a coarse level that its aggregate has no column for, gets zeros;
/// `whole`: its node is bad. Waits.
template <class Exec>
DiagonalBlocks<typename Exec::Space> invert_diagonal(Exec& exec, const NodeMatrixView<const double>& A, bool whole);

/// Zeros in the rows of `kernel` [rows, modes] that have nothing in A but their diagonal, as those of Dirichlet
/// conditions.
template <class Exec>
void leave_out_fixed(Exec& exec, const NodeMatrixView<const double>& A, int modes, View<double> kernel);

/// The kernel [nodes, height, modes] becomes T: in each aggregate the orthonormal columns Q of its rows, Q R, by Gram's
/// and Schmidt's method done twice, with zeros where a column depends on those before it; rows outside of aggregates
/// become zero. factors [aggregates, modes, modes] = R, which is the kernel of the coarse level (Vanek, Mandel &
/// Brezina 1996, algorithm 4.1). `aggregate` [nodes].
template <class Exec>
void orthonormalise(Exec& exec, View<const Index> aggregate, Index aggregates, int height, int modes,
                    View<double> kernel, View<double> factors);

/// Its part within the aggregates, of which `a` has the nodes [starts[a] .. starts[a + 1]); factors are zero on entry.
void orthonormalise_rows(Threads& exec, View<const Offset> starts, View<const Index> nodes, int height, int modes,
                         View<double> kernel, View<double> factors);
void orthonormalise_rows(Cuda& exec, View<const Offset> starts, View<const Index> nodes, int height, int modes,
                         View<double> kernel, View<double> factors);

/// What T of a level consists of.
struct Tentative {
  int modes = 1;
  View<const Index> aggregate;  ///< [nodes]
  View<const double> T;         ///< [nodes, height, modes]
  View<const double> factors;   ///< [aggregates, modes, modes]
};
/// P = (I - omega D^-1 A_F) T in its pattern, one row of it for a node that is in no aggregate. What a weak entry makes
/// of the kernel stays: it counts as if its column's node were in the aggregate of the row, which is what lumping it is
/// for a matrix of numbers. `numbers` [blocks] as `condense` makes them.
template <class Exec, class V>
void prolongation_values(Exec& exec, const NodeMatrixView<const double>& A, View<const double> numbers,
                         const Strength& strength, View<const double> inverse, double omega, const Tentative& tentative,
                         NodeMatrixView<V> P);
/// R = P^T in its pattern, whose columns ascend in each row.
template <class Exec, class V>
void transpose_values(Exec& exec, const NodeMatrixView<const V>& P, NodeMatrixView<V> R);

/// C = A B in its pattern, each number summed in double in the order of A's blocks.
template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const NodeMatrixView<const TA>& A, const NodeMatrixView<const TB>& B,
                     NodeMatrixView<double> C);

/// values = scale A, rounded to V.
template <class Exec, class V>
void scale_values(Exec& exec, double scale, View<const double> from, View<V> to);
/// dense [rows height, cols width] = A.
template <class Exec>
void spread(Exec& exec, const NodeMatrixView<const double>& A, View<double> dense);
/// kernel [nodes, unknowns, unknowns]: the constants of each unknown.
template <class Exec>
void fill_constants(Exec& exec, int unknowns, View<double> kernel);

/// Block rows out of CRS whose rows have all columns of each block: to.row_ptr, col_ind and values are made.
template <class Exec>
void gather_blocks(Exec& exec, const linalg::CrsView<const double>& from, int block,
                   NodeMatrix<typename Exec::Space, double>& to);

}  // namespace tessera::solvers::amg
