#pragma once
#include <memory>
#include <span>
#include <vector>

#include "assembly/coefficient.hpp"
#include "assembly/dof_map.hpp"
#include "base/backend.hpp"
#include "linalg/crs.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// What a set-up amounts to.
struct AssemblyReport {
  Offset elements = 0;
  int colours = 0;         ///< launches of one refill: colours of all blocks
  double setup_bytes = 0;  ///< kept on the backend beside the matrix
};

template <class Space>
struct AssemblerState;

/// Assembles  int k grad u . grad v + c u v  and  int f v  into compressed rows. The set-up (colours, slots, tables,
/// geometry on the backend) is apart from the numeric refill. Results are bitwise repeatable; on threads they do not depend
/// on the number of threads: blocks of consecutive cells are coloured, and blocks of one colour share no dof.
/// On CUDA the cells themselves are coloured, and stored colour by colour.
/// Mesh and map must outlive the assembler. Throws Error(internal) where sizes do not fit together.
template <class Exec>
class Assembler {
 public:
  using Space = typename Exec::Space;

  Assembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map);
  ~Assembler();
  Assembler(const Assembler&) = delete;

  /// Physical points of the coefficients given per point: [cells of all blocks, points of its block, 3].
  std::vector<double> quadrature_points() const;
  /// Quadrature points of each cell of block `block`.
  int points_per_cell(int block) const;

  /// The sparsity of the space, built on the backend; all values zero. Column indices ascend; the diagonal is in every row
  /// of a dof that a cell has.
  linalg::Crs<Space> make_matrix();

  /// Refill: zeroes A (from make_matrix) and b [dofs], then assembles. Same as set_data and refill.
  void assemble(const DiffusionData& data, linalg::Crs<Space>& A, View<double> b);
  /// Copies coefficients to the backend.
  void set_data(const DiffusionData& data);
  /// Zeroes and assembles with the data set before: no copies, no allocations.
  void refill(linalg::Crs<Space>& A, View<double> b);
  /// Least traffic of a refill: dofs, geometry, slots and coefficients read once, values and b written once.
  double refill_bytes(const linalg::Crs<Space>& A) const;

  /// Physical points of facet integrals over a group of dimension dim-1: [facets, points, 3]; `points` is the largest number
  /// that a side of the group needs, the rest repeats the last point.
  std::vector<double> facet_points(const mesh::Group& group) const;
  /// A += int alpha u v ds, b += int g v ds. alpha, g: [facets, points] as in facet_points; empty: 0.
  void add_facets(const mesh::Group& group, std::span<const double> alpha, std::span<const double> g,
                  linalg::Crs<Space>& A, View<double> b);

  const AssemblyReport& report() const;

 private:
  Exec& exec_;
  std::unique_ptr<AssemblerState<Space>> state_;
};

}  // namespace tessera::assembly
