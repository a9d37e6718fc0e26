#pragma once
// Which element type computes a block, and launches with shared memory.
#include "assembly/cells/component_elements.cuh"
#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Throws Error(usage) where a block of threads cannot have `shared` bytes on this device.
inline void check_shared(std::size_t shared,
                         const char* help =
                             "choose another assembly.strategy (two_pass and colour take least), a lower "
                             "order, or backend threads") {
  int device = 0, most = 0;
  TESSERA_CUDA_CHECK(cudaGetDevice(&device));
  TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (shared > static_cast<std::size_t>(most))
    throw Error(ExitCode::usage,
                "an element of this order takes " + human_bytes(static_cast<double>(shared)) +
                    " of shared memory in this strategy, the GPU has " + human_bytes(most),
                help);
}

/// launch() with `shared` bytes of dynamic shared memory. Throws Error(usage) where the device has less.
template <class... Params, class... Args>
void launch_with_shared(Cuda& exec, void (*kernel)(Params...), Offset blocks, int threads, std::size_t shared,
                        Args&&... args) {
  if (blocks <= 0) return;
  if (shared > 48 * 1024) {
    check_shared(shared);
    TESSERA_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  }
  kernel<<<static_cast<unsigned>(blocks), threads, shared, exec.stream()>>>(std::forward<Args>(args)...);
  TESSERA_CUDA_CHECK(cudaGetLastError());
#ifndef NDEBUG
  exec.synchronize();
#endif
}

namespace kernels {

/// Groups of lanes in a block of at most `cells_block` threads: fewer where their shared memory would not fit a
/// multiprocessor (227 KB on the architectures that have most, 99 KB kept to).
template <class Element>
int groups_of_block(const Element& element) {
  constexpr std::size_t most_shared = 99 * 1024;
  int groups = cells_block / Element::lanes;
  while (groups > 1 && element.table_bytes() + groups * element.work_bytes() > most_shared) groups /= 2;
  return groups;
}

/// Isoparametric cells of so few dofs that a thread keeps the matrix in registers.
inline bool is_small(const BlockData<Device>& block) { return block.by_columns && !block.straight_simplex; }

template <int dim, class Form, class F>
void with_unsymmetric(const BlockData<Device>& block, const Form& form, F& f) {
  const BlockView& view = block.view;
  if (is_thread_a_cell(block) && view.nodes == dim + 1) return f(SmallUnsymmetric<dim, dim + 1, Form>{view, form});
  if constexpr (dim == 2)
    if (is_thread_a_cell(block)) return f(SmallUnsymmetric<2, 4, Form>{view, form});
  if constexpr (dim > 1)
    if (view.nodes <= ColumnElement<dim, Form>::lanes) return f(ColumnElement<dim, Form>{view, form});
  if constexpr (dim > 1)
    if (view.nodes > 32) return f(TiledElement<dim, 16, Form>(view, form));
  f(TiledElement < dim, dim == 1 ? 2 : 4, Form > (view, form));
}

template <bool adds, int dim, class Form, class F>
void with_symmetric(const BlockData<Device>& block, const Form& form, F& f) {
  const BlockView& view = block.view;
  if (block.kernel == Kernel::linear_simplex) return f(LinearSimplex<dim, Form>{view, form});
  if constexpr (!adds)
    if (block.kernel == Kernel::affine_simplex) return f(AffineSimplex<dim, Form>{view, form});
  if constexpr (dim == 2 && !adds)
    if (is_small(block)) return f(SmallElement<2, 4, Form>{view, form});
  if constexpr (dim == 3) {
    if constexpr (!adds) {
      if (is_small(block) && view.nodes == 6) return f(SmallElement<3, 6, Form>{view, form});
      if (is_small(block)) return f(SmallElement<3, 8, Form>{view, form});
    }
  }
  if constexpr (dim > 1)
    if (view.nodes > 32) return f(TiledElement<dim, 16, Form>(view, form));
  f(TiledElement < dim, dim == 1 ? 2 : 4, Form > (view, form));
}

template <int dim, class Form, class F>
void with_components(const BlockData<Device>& block, const Form& form, F& f) {
  if constexpr (dim > 1)
    if (block.view.nodes > 32) return f(ComponentElement<dim, 16, Form>(block.view, form));
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

/// Calls f(element) with the element type of the block for a form; `adds`: values are added into the matrix, where a
/// warp a cell has its additions side by side, else they are stored.
template <bool adds = false, class Form, class F>
void with_element(const BlockData<Device>& block, const Form& form, F f) {
  if (block.dim == 1) with_element_of<adds, 1>(block, form, f);
  if (block.dim == 2) with_element_of<adds, 2>(block, form, f);
  if (block.dim == 3) with_element_of<adds, 3>(block, form, f);
}

}  // namespace kernels
}  // namespace tessera::assembly
