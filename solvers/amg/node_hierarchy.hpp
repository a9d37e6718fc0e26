#pragma once
#include <optional>
#include <string>

#include "linalg/near_kernel.hpp"
#include "solvers/amg/cycle.hpp"
#include "solvers/amg/node_setup.hpp"

namespace tessera::solvers::amg {

/// One level of a hierarchy whose nodes have several unknowns, with what takes it to the next one.
template <class Space, class V>
struct NodeLevel {
  // What the cycle reads, as in Level.
  NodeValues<Space, V> A;
  NodeDiagonal<Space, V> inverse;
  Smoother<V> smoother;
  NodeMatrix<Space, V> P, R;
  /// In double, with b: what is float of the inverse of a slender body has lost all stiff motions beside the soft ones.
  LevelMatrix<Space, double> solver;
  Array<double, Space> wide;
  Array<V, Space> b, s, x, t, direction, image;

  // What other numbers of the same pattern need.
  NodeMatrix<Space, double> matrix;  ///< of a coarse level; its values are there during the set-up only
  Array<double, Space> kernel;       ///< [rows and ghosts, modes] during the set-up of the level
  int modes = 0;                     ///< of the kernel
  Array<Index, Space> aggregate;     ///< [nodes]
  double theta_square = 0;
  Index nodes = 0, rows = 0;
  Offset entries = 0;
};

/// Smoothed aggregation of nodes with several unknowns, in values of type V: an aggregate has an unknown for each
/// vector of the near kernel. Over ranks as Hierarchy, in nodes.
template <class Exec, class V>
class NodeHierarchy : public Cycle<Exec, V, NodeLevel<typename Exec::Space, V>> {
  using Base = Cycle<Exec, V, NodeLevel<typename Exec::Space, V>>;
  using Space = typename Exec::Space;
  using Kernel = linalg::NearKernel<Space>;
  using Matrix = NodeMatrixView<const double>;
  using Shared = RowsOfRanks<Exec>;

 public:
  explicit NodeHierarchy(const AmgParams& params) : Base(params) {}

  /// Makes all levels of A, whose pattern must outlive the hierarchy. `kernel`: nullptr, the constants of each unknown.
  /// Returns a sentence where A does not admit a hierarchy. With `ranks` A is the part within this rank, and everything
  /// is collective over the ranks of the execution's link.
  std::string set_up(Exec& exec, const Matrix& A, const Kernel* kernel, const std::optional<Shared>& ranks = {});
  /// Other numbers in the pattern of the last A: aggregates and patterns stay.
  std::string refresh(Exec& exec, const Matrix& A, const Kernel* kernel, const std::optional<Shared>& ranks = {});

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

  std::string fill(Exec& exec, const Matrix& A, const Kernel* kernel, const std::optional<Shared>& ranks, bool fresh);
  std::string fill_level(Exec& exec, const Matrix& A, std::size_t l, bool fresh);
  std::string scale_level(Exec& exec, const Matrix& A, const DiagonalBlocks<Space>& diagonal, std::size_t l,
                          bool fresh);
  std::string invert_coarsest(Exec& exec, const Matrix& A, std::size_t l);
  void take_kernel(Exec& exec, const Matrix& A, const Kernel* kernel);
  void coarsen(Exec& exec, const Matrix& A, View<const double> inverse, double omega, std::size_t l, bool fresh);
  bool aggregate_nodes(Exec& exec, const linalg::CrsView<const double>& condensed, const RowScales<Space>& scales,
                       const Strength& strength, std::size_t l);
  /// `pattern`: of A P, empty where it is not known.
  void multiply_level(Exec& exec, const Matrix& A, std::size_t l, bool fresh, linalg::Crs<Space> pattern);

  // Where ranks share the level.
  void share_finest(Exec& exec, const Matrix& A, const Shared& ranks, bool fresh);
  void gather(Exec& exec, const Matrix& A, std::size_t l, bool fresh);
  bool aggregate_shared_nodes(Exec& exec, const linalg::CrsView<const double>& condensed,
                              const RowScales<Space>& scales, const Strength& strength, std::size_t l,
                              linalg::Crs<Space>& pattern);
  void bring_kernels(Exec& exec, std::size_t l);
};

}  // namespace tessera::solvers::amg
