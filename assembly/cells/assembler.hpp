#pragma once
#include <memory>
#include <span>
#include <vector>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/cells/strategy.hpp"
#include "assembly/space/dof_map.hpp"
#include "base/backend.hpp"
#include "linalg/block_crs.hpp"
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
template <class Space>
struct BlockData;

struct FormTraits;

/// What an assembler does whatever the form: set-up and facets. The set-up (order of cells,
/// sparsity, slots, colours, partitions, lists, tables and geometry on the backend) is apart from the numeric refill
/// and is kept for all refills. Every strategy but "atomic" is bitwise repeatable; on threads results do not depend on
/// the number of threads. Every element type of a mixed mesh is one launch per step of the strategy. Sources: C. Cecka,
/// A. Lew, E. Darve, Assembly of finite element methods on graphics processors, Int. J. Numer. Methods Eng. 85 (2011);
/// G. Markall et al., Finite element assembly strategies on multi-core and many-core architectures, Int. J. Numer.
/// Methods Fluids 71 (2013); D. Goeddeke, D. Komatitsch, M. Moeller, section 9.4. Mesh and map must outlive the
/// assembler. Throws Error(internal) where sizes do not fit together, Error(usage) for an unknown strategy or "shared"
/// with cells of too many nodes, Error(memory) where a GPU cannot hold one, Error(mesh) where rows exceed 32 bits.
template <class Exec>
class CellAssembler {
 public:
  using Space = typename Exec::Space;
  CellAssembler(const CellAssembler&) = delete;

  /// Physical points of the coefficients given per point: [cells of all blocks, points of its block, 3].
  std::vector<double> quadrature_points() const;
  /// Quadrature points of each cell of block `block`.
  int points_per_cell(int block) const;

  /// The sparsity of the space, built on the backend; all values zero. Column indices ascend; the diagonal is in every
  /// row of a dof that a cell has. Of forms of one unknown a node.
  linalg::Crs<Space> make_matrix();
  /// The same of a form with several unknowns a node: block rows of nodes. The vector is [dofs, components].
  linalg::BlockCrs<Space> make_block_matrix();

  /// Physical points of facet integrals over a group of dimension dim-1: [facets, points, 3]; `points` is the largest
  /// number that a side of the group needs, the rest repeats the last point.
  std::vector<double> facet_points(const mesh::Group& group) const;
  /// Adds the integrals of a form over the facets of a group. Its data are [facets, points] as in facet_points;
  /// empty: 0. Facets are coloured, so the result is repeatable. Throws Error(internal) where lengths do not fit.
  template <class Facet>
  void add_facets(const Facet& form, const mesh::Group& group, const typename Facet::Data& data, linalg::Crs<Space>& A,
                  View<double> b);
  /// The same of a form with as many unknowns a node as the assembler's.
  template <class Facet>
  void add_facets(const Facet& form, const mesh::Group& group, const typename Facet::Data& data,
                  linalg::BlockCrs<Space>& A, View<double> b);
  /// The same into the values of another format.
  template <class Facet>
  void add_facets(const Facet& form, const mesh::Group& group, const typename Facet::Data& data,
                  const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout, View<double> values,
                  View<double> b);

  const AssemblyReport& report() const;

 protected:
  using PartitionBytes = std::size_t (*)(Exec&, const BlockData<Space>&);

  /// `partition_bytes`: fast memory that the values of a partition may take, for the elements of the form.
  CellAssembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const FormTraits& traits,
                PartitionBytes partition_bytes, const AssemblyOptions& options);
  ~CellAssembler();

  Exec& exec_;
  std::unique_ptr<AssemblerState<Space>> state_;
};

/// Assembles a form (forms/): into compressed rows, or straight into another format that RowLayout describes; a form
/// with several unknowns a node (forms/components.hpp) into block rows. A form is a type with
///   Number, Data, components, symmetric, couples      what it is made of, see forms/tangent.hpp
///   at_point(place, C, l), present(block)             what it says at a point, and which of its blocks have data
///   constant(block), tensor_components()              of a symmetric form: what chooses the element
///   constant(), needs_second()                        of one that is not
///   members(), coefficients(data), region(data)       how data on the host become fields
/// Instantiated for a form by one source for threads (instantiate_threads.hpp) and one for CUDA (instantiate_cuda.cuh).
template <class Exec, class Form>
class Assembler : public CellAssembler<Exec> {
 public:
  using typename CellAssembler<Exec>::Space;
  using Data = typename Form::Data;

  /// `form` has what data do not say, such as which variant of the form it is.
  Assembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const AssemblyOptions& options = {},
            const Form& form = {});

  /// Coefficients go to the backend; on threads those that are given away stay where they are. Those given per point
  /// belong to quadrature_points().
  void set_data(const Data& data);
  void set_data(Data&& data);
  /// The same with coefficients as expressions, which are evaluated on the backend at the quadrature points, in place.
  /// Throws Error(usage) naming expression and point where a value is not finite.
  void set_data(const Data& data, const ExpressionData& expressions);
  /// Evaluates the expressions again at another time, and where they depend on the solution at a state u [dofs] on the
  /// backend: no allocations there.
  void set_time(double t, const double* u = nullptr);
  /// Fills A (from make_matrix) and b [dofs] anew with the data set before: no copies, no allocations.
  void refill(linalg::Crs<Space>& A, View<double> b);
  /// The same into the values of another format: entry k of a row of `pattern` (from make_matrix; its values are
  /// neither read nor written) goes where `layout` says. Padding of the format keeps its value or becomes zero.
  void refill(const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout, View<double> values, View<double> b);
  /// Of a form with several unknowns a node: A from make_block_matrix, b [dofs, components].
  void refill(linalg::BlockCrs<Space>& A, View<double> b);
  /// set_data and refill.
  void assemble(const Data& data, linalg::Crs<Space>& A, View<double> b);
  void assemble(const Data& data, linalg::BlockCrs<Space>& A, View<double> b);
  /// Fills b [dofs] or [dofs, components] alone, with the data set before; needs no matrix. Of symmetric forms. Every
  /// strategy does so in the same way: rows gather, repeatably. The first call sets up lists of 4 B a dof of each cell,
  /// and 8 B a point of cells that are not straight simplices.
  void refill_vector(View<double> b);
  /// Least traffic of a refill: dofs, geometry, slots and coefficients read once, values and b written once.
  double refill_bytes(const linalg::Crs<Space>& A) const;
  double refill_bytes(const linalg::BlockCrs<Space>& A) const;

 private:
  void refill(const linalg::CrsView<const double>& pattern, const linalg::RowLayout& layout, View<double> values,
              View<double> b);
  double refill_bytes(std::size_t of_values, Index rows) const;
  /// Puts the fields of the form in place; those of `evaluated_` are evaluated at time t and state u. `borrows`: the
  /// others stay where they are, on the host.
  void place(const std::array<forms::NamedCoefficient, Form::members().size()>& coefficients,
             const std::vector<Index>& region, bool borrows, double t, const double* u);
  /// Values of the coefficients that are expressions, of block b.
  void evaluate(std::size_t b, double t, const double* u);

  using CellAssembler<Exec>::exec_;
  using CellAssembler<Exec>::state_;
  std::vector<Form> forms_;                                ///< of each block
  Data data_;                                              ///< on threads, where forms_ borrow from it
  std::shared_ptr<CoefficientEvaluator<Exec>> evaluator_;  ///< of the coefficients that vary
  std::vector<std::size_t> evaluated_;                     ///< which of the form's members these are, or behind them
};

}  // namespace tessera::assembly
