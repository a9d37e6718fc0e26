#pragma once
#include <memory>
#include <string>
#include <vector>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/facets/facet_terms.hpp"
#include "assembly/space/cell_lists.hpp"
#include "assembly/space/dof_map.hpp"
#include "linalg/operator.hpp"
#include "linalg/shift_ops.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

namespace matrix_free {
/// Points whose factors are in memory at a time during the set-up.
inline constexpr Offset points_per_chunk = Offset{1} << 22;
}  // namespace matrix_free

/// How quads and hexes are applied; other shapes, and geometry of a higher order than the solution's, always keep their
/// element matrices.
struct MatrixFreeOptions {
  /// "sum_factorisation"; "local_matrices": element matrices kept, multiplied by gather, product and scatter. "auto":
  /// the faster one, which is sum factorisation but for order 1 on CUDA.
  std::string method = "auto";
  /// Of sum factorisation. "auto": the Jacobian is computed again from the vertices at every application where cells
  /// are of geometric order 1; "stored": the tensor w |det J| J^-1 C J^-T is kept at every point.
  std::string geometry = "auto";
};

/// int alpha u v ds and int g v ds over a group of facets; alpha, g: [facets, points] as in facet_quadrature_points;
/// empty: 0.
struct FacetIntegral {
  const mesh::Group* group = nullptr;
  std::vector<double> alpha;
  std::vector<double> g;
};

/// Boundary conditions of an operator: terms over facets, and rows with prescribed values (the last of a row given
/// twice holds). Of several unknowns a node each has a row of its own, dof * components + component.
struct BoundaryData {
  std::vector<FacetIntegral> facets;  ///< of operators with one unknown a node
  std::vector<Index> fixed;
  std::vector<double> values;
  FacetTerms terms = {};  ///< of any forms over facets: add_facet_terms
};

template <class Space, class Form>
struct MatrixFreeState;

/// The operator of a symmetric form (see cells/assembler.hpp) and boundary terms without an assembled matrix. Equal to
/// what Assembler, add_facets and eliminate_dirichlet give, up to round-off: a fixed dof keeps its own diagonal entry
/// (1 where that is not positive) and nothing else in its row and column.
///
/// Quads and hexes of order 1 to 8 by sum factorisation at the k + 1 Gauss points an axis (Orszag 1980; Deville,
/// Fischer, Mund 2002, chapter 4): interpolate axis by axis, differentiate there, multiply by the tensor of the point,
/// and all that transposed. Bytes a dof beside x and y: 4 (n/p)^dim for the dof list; 8 * 21 / p^3 for the map of a
/// trilinear hex, or 48 (n/p)^3 for stored tensors; 4 to 12 for the list that adds up neighbours. Everything else, and
/// facet terms: element matrices, packed. Bitwise repeatable; on threads independent of their number. Of forms with
/// several unknowns a node (forms/components.hpp) all of it holds for each component: vectors are [dofs, components],
/// lists have a number for each component of a dof, J^-1 and w |det J| stand where tensors stand. The type of its
/// numbers is that of the form's: Form::With<float> for single precision. A form says which of its fields an
/// application needs: needed_by_tangent(member).
template <class Exec, class Form>
class MatrixFree final : public linalg::Operator<Exec, typename Form::Number>, public HasCellDofs<Exec> {
 public:
  using T = typename Form::Number;
  using Data = typename Form::Data;
  using Space = typename Exec::Space;

  /// Set-up: lists and maps, no coefficients yet. Mesh and map must outlive the operator; `form` brings what is no
  /// coefficient.
  /// Throws Error(usage) for unknown options, Error(mesh) where the element vector exceeds 32-bit numbers.
  MatrixFree(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const MatrixFreeOptions& options = {},
             const Form& form = {});
  ~MatrixFree() override;

  /// Numeric part, as often as coefficients change. b [rows] becomes the right-hand side with the prescribed values
  /// eliminated symmetrically: the lift is one application. An empty b is not asked for: the operator alone is made,
  /// loads and prescribed values are not looked at. Coefficients that are expressions are evaluated on the backend.
  /// Throws Error(internal) where lengths do not fit, Error(usage) where an expression is not finite.
  void assemble(Exec& exec, const Data& data, const BoundaryData& boundary, View<T> b,
                const ExpressionData& expressions = {});
  /// Sums over the rows of what the cells had in b then, without facets and prescribed values.
  linalg::VectorSums load_sums() const;

  Index rows() const override;
  Index cols() const override;
  Index block_size() const override;
  void apply(Exec& exec, View<const T> x, View<T> y) const override;
  void diagonal(Exec& exec, View<T> d) const override;
  bool has_diagonal_blocks() const override { return true; }
  void diagonal_blocks(Exec& exec, View<T> blocks) const override;
  double bytes() const override;
  std::string format() const override { return "matrix_free"; }
  /// Keeps what this assembly has made, whatever becomes of the operator: lists that both have in common are copied by
  /// the next assembly, where there is one while the copy lives.
  std::unique_ptr<linalg::Operator<Exec, float>> to_float(Exec& exec) const override;
  void copy_cell_dofs(Exec& exec, View<Index> dofs) const override;

  /// Bytes kept on the backend.
  double kept_bytes() const;
  /// "sum factorisation of 64 hexes of order 4, matrices of 24 facets of 25 dofs".
  std::string describe() const;

 private:
  template <class, class>
  friend class MatrixFree;
  explicit MatrixFree(std::unique_ptr<MatrixFreeState<Space, Form>> state);
  std::unique_ptr<MatrixFreeState<Space, Form>> state_;
};

/// Set-up and numeric part in one; b as in MatrixFree::assemble.
template <class Form, class Exec>
std::unique_ptr<linalg::Operator<Exec>> make_matrix_free(Exec& exec, const mesh::Mesh& mesh, const DofMap& map,
                                                         const typename Form::Data& data, const BoundaryData& boundary,
                                                         const MatrixFreeOptions& options, View<double> b) {
  auto result = std::make_unique<MatrixFree<Exec, Form>>(exec, mesh, map, options);
  result->assemble(exec, data, boundary, b);
  return result;
}

}  // namespace tessera::assembly
