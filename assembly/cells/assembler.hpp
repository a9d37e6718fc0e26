#pragma once
#include <memory>
#include <span>
#include <vector>

#include "assembly/cells/coefficient.hpp"
#include "assembly/cells/strategy.hpp"
#include "assembly/space/dof_map.hpp"
#include "base/backend.hpp"
#include "linalg/crs.hpp"
#include "linalg/row_layout.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// What was chosen and what the set-up amounts to.
struct AssemblyReport {
  std::string strategy;
  std::string why;            ///< why this strategy
  bool deterministic = true;  ///< bitwise repeatable
  Offset elements = 0;
  int colours = 0;              ///< colours of all blocks; 0 where there are none
  Index partitions = 0;         ///< partitions of colour_blocks and shared; ranges of two_pass
  Index partition_size = 0;     ///< most cells of a partition
  double setup_bytes = 0;       ///< kept on the backend beside the matrix
  double sparsity_seconds = 0;  ///< of make_matrix: the pattern
  double setup_seconds = 0;     ///< everything else that refills use: orders, colours, partitions, lists
};

template <class Space>
struct AssemblerState;

/// What is assembled from cells.
enum class Form : std::uint8_t { diffusion, convection, convection_supg };

/// What every assembler does: into compressed rows, or straight into another format that RowLayout describes. The set-up (order of cells,
/// sparsity, slots, colours, partitions, lists, tables and geometry on the backend) is apart from the numeric refill and is kept for all
/// refills. Every strategy but "atomic" is bitwise repeatable; on threads results do not depend on the number of threads. Every element
/// type of a mixed mesh is one launch per step of the strategy.
/// Sources: C. Cecka, A. Lew, E. Darve, Assembly of finite element methods on graphics processors, Int. J. Numer. Methods Eng. 85
/// (2011); G. Markall et al., Finite element assembly strategies on multi-core and many-core architectures, Int. J. Numer. Methods
/// Fluids 71 (2013); D. Goeddeke, D. Komatitsch, M. Moeller, section 9.4.
/// Mesh and map must outlive the assembler. Throws Error(internal) where sizes do not fit together, Error(usage) for an unknown
/// strategy.
template <class Exec>
class CellAssembler {
 public:
  using Space = typename Exec::Space;
  CellAssembler(const CellAssembler&) = delete;

  /// Physical points of the coefficients given per point: [cells of all blocks, points of its block, 3].
  std::vector<double> quadrature_points() const;
  /// Quadrature points of each cell of block `block`.
  int points_per_cell(int block) const;

  /// The sparsity of the space, built on the backend; all values zero. Column indices ascend; the diagonal is in every row
  /// of a dof that a cell has.
  linalg::Crs<Space> make_matrix();

  /// Fills A (from make_matrix) and b [dofs] anew with the data set before: no copies, no allocations.
  void refill(linalg::Crs<Space>& A, View<double> b);
  /// The same into the values of another format: entry k of a row of `pattern` (from make_matrix; its values are neither read nor
  /// written) goes where `layout` says. Padding of the format keeps its value or becomes zero.
  void refill(const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout, View<double> values, View<double> b);
  /// Least traffic of a refill: dofs, geometry, slots and coefficients read once, values and b written once.
  double refill_bytes(const linalg::Crs<Space>& A) const;

  /// Physical points of facet integrals over a group of dimension dim-1: [facets, points, 3]; `points` is the largest number
  /// that a side of the group needs, the rest repeats the last point.
  std::vector<double> facet_points(const mesh::Group& group) const;
  /// A += int alpha u v ds, b += int g v ds. alpha, g: [facets, points] as in facet_points; empty: 0.
  void add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                  linalg::Crs<Space>& A, View<double> b);
  /// The same into the values of another format.
  void add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                  const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout, View<double> values,
                  View<double> b);

  const AssemblyReport& report() const;

 protected:
  CellAssembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, Form form, const AssemblyOptions& options);
  ~CellAssembler();

  Exec& exec_;
  std::unique_ptr<AssemblerState<Space>> state_;
};

/// Assembles  int k grad u . grad v + c u v  and  int f v.
template <class Exec>
class Assembler : public CellAssembler<Exec> {
 public:
  using typename CellAssembler<Exec>::Space;

  Assembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const AssemblyOptions& options = {});

  /// Fills A (from make_matrix) and b [dofs] anew. Same as set_data and refill.
  void assemble(const DiffusionData& data, linalg::Crs<Space>& A, View<double> b);
  /// Copies coefficients to the backend.
  void set_data(const DiffusionData& data);
  /// Fills b [dofs] alone, with the data set before; needs no matrix. Every strategy does so in the same way: rows gather, repeatably.
  /// The first call sets up lists of 4 B a dof of each cell, and 8 B a point of cells that are not straight simplices.
  void refill_vector(View<double> b);

 private:
  using CellAssembler<Exec>::exec_;
  using CellAssembler<Exec>::state_;
};

}  // namespace tessera::assembly
