#pragma once
// What of a block of cells and of a form decides which element computes it.
#include <cstdint>

#include "assembly/cells/view.hpp"
#include "forms/components.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// Which kind of element a block takes, by its geometry and by what the form has constant on a cell.
enum class Kernel : std::uint8_t {
  linear_simplex,  ///< P1 on straight simplices: closed form, one thread or vector lane per element
  affine_simplex,  ///< straight simplices, constant on regions: sums of reference matrices
  general          ///< anything: loops over the quadrature points
};

/// What set-up needs to know of a form.
struct FormTraits {
  int components = 1;           ///< unknowns a node
  bool block_rows = false;      ///< the form has several, in some dimension
  bool symmetric = true;        ///< of one unknown a node
  bool second = false;          ///< second derivatives of the basis are asked for
  std::size_t point_bytes = 0;  ///< of forms::AtPoint, where it is not symmetric
  int second_doubles = 0;       ///< what second derivatives of a point take, where they are asked for
};

namespace detail {
template <class Form, int dim>
void add_point_traits(FormTraits& traits) {
  using Point = forms::AtPoint<Form, dim>;
  traits.point_bytes = sizeof(Point);
  if constexpr (Point::has_second) traits.second_doubles = Point::second_size;
}
}  // namespace detail

template <class Form>
FormTraits traits_of(const Form& form, int dim) {
  FormTraits traits{.components = forms::components_of<Form>(dim),
                    .block_rows = forms::has_components<Form>,
                    .symmetric = Form::symmetric};
  if constexpr (requires { form.needs_second(); }) traits.second = form.needs_second();
  if constexpr (!Form::symmetric && !forms::has_components<Form>) {
    if (dim == 1) detail::add_point_traits<Form, 1>(traits);
    if (dim == 2) detail::add_point_traits<Form, 2>(traits);
    if (dim == 3) detail::add_point_traits<Form, 3>(traits);
  }
  return traits;
}

/// A block of cells without its arrays: numbers alone, the pointers of `view` may be null.
struct BlockShape {
  mesh::Shape shape = mesh::Shape::tet;
  int dim = 3;
  Index cells = 0;
  bool straight_simplex = false;
  Kernel kernel = Kernel::general;
  bool geometry_is_dofs = false;
  bool adds = false;        ///< the strategy adds into the matrix; else element values are stored or gathered
  bool block_rows = false;  ///< of a form with several unknowns a node, in some dimension
  bool by_columns = false;  ///< CUDA: threads take cells, so arrays are column-major: neighbours read neighbours
  BlockView view;

  bool is_linear_simplex() const { return straight_simplex && view.nodes == dim + 1; }
};

/// The block of elements of `order`; `adds` and `by_columns` are left as they are.
BlockShape shape_of(const mesh::CellBlock& cells, const DofBlock& dofs, int order, const FormTraits& form);

/// Elements that are not symmetric which a thread of CUDA computes alone.
inline bool is_thread_a_cell(const BlockShape& block) {
  return block.view.nodes <= 4 && block.view.nodes == mesh::vertex_count(block.shape);
}

/// BlockShape::by_columns on CUDA.
bool threads_take_cells(const BlockShape& block);

/// The elements that CUDA has.
enum class ElementKind : std::uint8_t {
  linear_simplex,     ///< see LinearSimplex of elements.cuh, a thread each
  affine_simplex,     ///< AffineSimplex, a thread each
  small,              ///< SmallElement, a thread each
  thread_a_cell,      ///< SmallUnsymmetric, a thread each
  columns,            ///< ColumnElement, eight lanes each
  tiled,              ///< TiledElement and ComponentElement of at most 32 dofs, a warp each
  large,              ///< TiledElement of more
  large_unsymmetric,  ///< the same of forms that are not symmetric, or have several unknowns a node
};
constexpr int lanes_of(ElementKind kind) {
  if (kind == ElementKind::columns) return 8;
  return kind < ElementKind::columns ? 1 : 32;
}
/// Which of them computes the block.
ElementKind element_kind(const BlockShape& block);

}  // namespace tessera::assembly
