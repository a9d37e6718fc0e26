#pragma once
// Which element type computes a block.
#include "assembly/cells/component_elements.cuh"
#include "assembly/cells/shared_launch.cuh"

namespace tessera::assembly {

namespace kernels {

template <int dim, class Form, class F>
void with_unsymmetric(const BlockData<Device>& block, const Form& form, F& f) {
  const BlockView& view = block.view;
  const ElementKind kind = element_kind(block);
  if (kind == ElementKind::thread_a_cell && view.nodes == dim + 1)
    return f(SmallUnsymmetric<dim, dim + 1, Form>{view, form});
  if constexpr (dim == 2)
    if (kind == ElementKind::thread_a_cell) return f(SmallUnsymmetric<2, 4, Form>{view, form});
  if constexpr (dim > 1) {
    if (kind == ElementKind::columns) return f(ColumnElement<dim, Form>{view, form});
    if (kind == ElementKind::large_unsymmetric) return f(TiledElement<dim, 16, Form>(view, form));
  }
  f(TiledElement < dim, dim == 1 ? 2 : 4, Form > (view, form));
}

template <bool adds, int dim, class Form, class F>
void with_symmetric(const BlockData<Device>& block, const Form& form, F& f) {
  const BlockView& view = block.view;
  const ElementKind kind = element_kind(block);
  if (kind == ElementKind::linear_simplex) return f(LinearSimplex<dim, Form>{view, form});
  if constexpr (!adds) {
    if (kind == ElementKind::affine_simplex) return f(AffineSimplex<dim, Form>{view, form});
    if constexpr (dim == 2)
      if (kind == ElementKind::small) return f(SmallElement<2, 4, Form>{view, form});
    if constexpr (dim == 3) {
      if (kind == ElementKind::small && view.nodes == 6) return f(SmallElement<3, 6, Form>{view, form});
      if (kind == ElementKind::small) return f(SmallElement<3, 8, Form>{view, form});
    }
  }
  if constexpr (dim > 1)
    if (kind == ElementKind::large) return f(TiledElement<dim, 16, Form>(view, form));
  f(TiledElement < dim, dim == 1 ? 2 : 4, Form > (view, form));
}

template <int dim, class Form, class F>
void with_components(const BlockData<Device>& block, const Form& form, F& f) {
  if constexpr (dim > 1)
    if (element_kind(block) == ElementKind::large_unsymmetric)
      return f(ComponentElement<dim, 16, Form>(block.view, form));
  f(ComponentElement < dim, dim == 1 ? 2 : 4, Form > (block.view, form));
}

template <bool adds, int dim, class Form, class F>
void with_element_of(const BlockData<Device>& block, const Form& form, F& f) {
  if constexpr (forms::has_components<Form>)
    with_components<dim>(block, form, f);
  else if constexpr (Form::symmetric)
    with_symmetric<adds, dim>(block, form, f);
  else
    with_unsymmetric<dim>(block, form, f);
}

/// Calls f(element) with the element type of the block for a form; `adds`, which is that of the block: values are added
/// into the matrix, where a warp a cell has its additions side by side, else they are stored.
template <bool adds = false, class Form, class F>
void with_element(const BlockData<Device>& block, const Form& form, F f) {
  if (block.dim == 1) with_element_of<adds, 1>(block, form, f);
  if (block.dim == 2) with_element_of<adds, 2>(block, form, f);
  if (block.dim == 3) with_element_of<adds, 3>(block, form, f);
}

}  // namespace kernels
}  // namespace tessera::assembly
