#pragma once
// What a matrix-free operator keeps, how its blocks are made, and its application.
#include "assembly/matrix_free/element_tables.hpp"
#include "assembly/matrix_free/gather_list.hpp"
#include "assembly/matrix_free/local_impl.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/matrix_free/placement_impl.hpp"
#include "assembly/space/dirichlet_impl.hpp"

namespace tessera::assembly {

template <class Space, class Form>
struct MatrixFreeState {
  using T = typename Form::Number;
  const mesh::Mesh* mesh = nullptr;
  const DofMap* map = nullptr;
  MatrixFreeOptions options;
  Form form;  ///< without fields
  int components = 1;
  Index dofs = 0;  ///< rows: every unknown of a node is one
  std::vector<matrix_free::TensorBlock<Space, Form>> tensors;
  std::vector<matrix_free::LocalBlock<Space, T>> locals;
  std::vector<std::size_t> tensor_blocks;  ///< blocks of the mesh that `tensors` are; the others are `locals`
  matrix_free::SharedGatherList<Space> gather;
  Array<T, Space> elements;
  std::vector<matrix_free::LocalBlock<Space, T>> facets;  ///< with an element vector of their own
  matrix_free::SharedGatherList<Space> facet_gather;      ///< where there are `facets`
  Array<T, Space> facet_elements;
  matrix_free::SharedIndices<Space> fixed;  ///< never changed, only replaced
  Array<T, Space> diagonal;                 ///< [dofs]; of a fixed dof 1 where it is not positive
  /// Of the blocks on the diagonal the entries (c, c + s), s = 1 .. components / 2, the second modulo the components;
  /// each [dofs].
  std::vector<Array<T, Space>> wrapped;
  linalg::VectorSums load_sums;  ///< of the cells' part of b
  double index_bytes = 0;        ///< read by one application
  double values = 0;             ///< numbers that one application reads, x and y apart
};

namespace matrix_free {

/// y[row] = sum of its contributions, one after the other, or y[row] += it. A thread has `together` rows, 32 apart, and
/// reads `ahead` entries of each before it adds the first, as it would wait for each of them.
template <class T, int together, int ahead>
struct AddUp {
  GatherView list;
  const T* elements;
  T* y;
  bool add;
  TESSERA_HD void operator()(Offset i) const {
    Index row[together], at[together], end[together], most = 0;
    T sum[together];
    for (int j = 0; j < together; ++j) {
      const Offset r = together == 1 ? i : i / 32 * (32 * together) + j * 32 + i % 32;
      row[j] = r < list.count ? list.rows[r] : -1;
      at[j] = r < list.count ? list.ptr[r] : 0;
      end[j] = r < list.count ? list.ptr[r + 1] : 0;
    }
    for (int j = 0; j < together; ++j) {
      sum[j] = add && row[j] >= 0 ? y[row[j]] : T(0);
      if (end[j] - at[j] > most) most = end[j] - at[j];
    }
    for (Index k = 0; k < most; k += ahead) add_next(k, at, end, sum);
    for (int j = 0; j < together; ++j)
      if (row[j] >= 0) y[row[j]] = sum[j];
  }

 private:
  TESSERA_HD_INLINE void add_next(Index k, const Index (&at)[together], const Index (&end)[together],
                                  T (&sum)[together]) const {
    Index entry[together][ahead];
    T value[together][ahead];
    for (int j = 0; j < together; ++j)
      for (int a = 0; a < ahead; ++a) entry[j][a] = at[j] + k + a < end[j] ? list.entries[at[j] + k + a] : -1;
    for (int j = 0; j < together; ++j)
      for (int a = 0; a < ahead; ++a) value[j][a] = entry[j][a] >= 0 ? elements[entry[j][a]] : T(0);
    for (int j = 0; j < together; ++j)
      for (int a = 0; a < ahead; ++a)
        if (entry[j][a] >= 0) sum[j] += value[j][a];
  }
};

template <class Exec, class T>
void add_up(Exec& exec, const GatherView& list, const T* elements, T* y, bool add = false) {
  constexpr bool on_gpu = std::is_same_v<Exec, Cuda>;
  constexpr int together = on_gpu ? 4 : 1, ahead = on_gpu ? 2 : 1;
  const Offset warps = (Offset{list.count} + 32 * together - 1) / (32 * together);
  for_each(exec, on_gpu ? warps * 32 : Offset{list.count}, AddUp<T, together, ahead>{list, elements, y, add});
}

/// dofs = ~dof where it is fixed; `fixed` null: none is.
struct MarkFixed {
  Index* dofs;
  const unsigned char* fixed;
  TESSERA_HD void operator()(Offset i) const {
    const Index dof = dofs[i] < 0 ? ~dofs[i] : dofs[i];
    dofs[i] = fixed && fixed[dof] ? ~dof : dof;
  }
};

template <class Space>
SharedGatherList<Space> share(GatherList<Space> list) {
  return std::make_shared<const GatherList<Space>>(std::move(list));
}

/// The dofs of a block, to be changed: those of its own where others have them, too.
template <class Exec, class Block>
View<Index> own(Exec& exec, Block& block) {
  if (block.dofs.use_count() > 1) {
    Array<Index, typename Exec::Space> copied(block.dofs->size());
    const Index* from = block.dofs->data();
    Index* to = copied.data();
    for_each(exec, copied.size(), [=] TESSERA_HD(Offset i) { to[i] = from[i]; });
    exec.synchronize();  // the others may give theirs back
    block.dofs = share(std::move(copied));
    block.view.dofs = to;
  }
  return block.dofs->view();
}

/// Entry and cell strides: columns of cells on CUDA, so that neighbouring threads read neighbouring entries; rows on
/// threads.
template <class Space, class T>
void set_strides(LocalView<T>& view) {
  const int entries = view.nodes * (view.nodes + 1) / 2;
  const bool columns = std::is_same_v<Space, Device>;
  view.cell_stride = columns ? 1 : view.nodes;
  view.node_stride = columns ? view.cells : 1;
  view.matrix_stride = columns ? 1 : entries;
  view.entry_stride = columns ? view.cells : 1;
}

/// Lists and maps of a quad or hex block.
template <class Form, class Exec>
TensorBlock<typename Exec::Space, Form> place_tensor(Exec& exec, const mesh::Mesh& mesh, std::size_t b,
                                                     const DofMap& map, const MatrixFreeOptions& options,
                                                     Offset first) {
  using Space = typename Exec::Space;
  using T = typename Form::Number;
  const mesh::CellBlock& cells = mesh.blocks[b];
  const DofBlock& dofs = map.blocks[b];
  TensorBlock<Space, Form> block;
  block.tables = line_tables(map);
  TensorView<Form>& view = block.view;
  view.dim = mesh::dimension(cells.shape), view.n = map.order + 1, view.cells = cells.cells(), view.first = first;
  const bool columns =
      std::is_same_v<Space, Device> && one_thread_a_cell(view.n, view.dim) && !forms::has_components<Form>;
  view.cell_stride = columns ? 1 : view.places();
  view.place_stride = columns ? view.cells : 1;
  block.dofs = placed_rows(exec, dofs.dofs.view(), lexicographic_nodes(lagrange(dofs.shape, map.order)), dofs.nodes,
                           forms::components_of<Form>(view.dim), true, {view.cell_stride, view.place_stride});
  view.dofs = block.dofs->data();
  if (cells.order != 1 || options.geometry != "auto") return block;
  const int entries = map_numbers(view.dim);
  block.map = Array<T, Space>(Offset{view.cells} * entries);
  view.map = block.map.data();
  view.map_stride = columns ? 1 : entries;
  view.map_step = columns ? view.cells : 1;
  const Readable<Space, double> coordinates{std::span<const double>(mesh.points)};
  const Readable<Space, Index> geometry{std::span<const Index>(cells.nodes)};
  write_maps(exec, cells, coordinates.data(), geometry.data(), block.map.data(), view.map_stride, view.map_step);
  exec.synchronize();  // the copies are released here
  return block;
}

/// dofs [cells, nodes], of each a row for every component.
template <class T, class Exec>
LocalBlock<typename Exec::Space, T> place_local(Exec& exec, std::span<const Index> dofs, int nodes, int components,
                                                Offset first) {
  LocalBlock<typename Exec::Space, T> block;
  block.view.nodes = nodes * components;
  block.view.cells = static_cast<Index>(dofs.size() / static_cast<std::size_t>(nodes));
  block.view.first = first;
  set_strides<typename Exec::Space>(block.view);
  block.dofs = placed_rows(exec, dofs, {}, nodes, components, false, {block.view.cell_stride, block.view.node_stride});
  block.view.dofs = block.dofs->data();
  return block;
}

template <class T>
Contributions contributions(const LocalView<T>& view) {
  return {view.dofs, view.cells, view.nodes, view.first, view.cell_stride, view.node_stride, 0, 0};
}

template <class Exec, class Form>
void mark_fixed(Exec& exec, MatrixFreeState<typename Exec::Space, Form>& state, const unsigned char* fixed) {
  const auto mark = [&](auto& blocks) {
    for (auto& block : blocks) {
      const View<Index> dofs = own(exec, block);
      for_each(exec, dofs.size(), MarkFixed{dofs.data(), fixed});
    }
  };
  mark(state.tensors);
  mark(state.locals);
  mark(state.facets);
}

/// Element matrices of the facets, with a list of their own.
template <class Exec, class Form>
void set_facets(Exec& exec, MatrixFreeState<typename Exec::Space, Form>& state, const FacetTerms& terms) {
  using Space = typename Exec::Space;
  using T = typename Form::Number;
  state.facets.clear();
  std::vector<Contributions> list;
  Offset first = 0;
  for (const auto& [rows, shape] : terms.shapes) {
    LocalBlock<Space, T> block = place_local<T>(exec, std::span<const Index>(shape.rows), rows, 1, first);
    const std::size_t entries = shape.matrices.size() / static_cast<std::size_t>(block.view.cells);
    const std::vector<T> matrices(shape.matrices.begin(), shape.matrices.end());
    block.matrices =
        to_space<Space>(block.view.matrix_stride == 1 ? transposed(matrices, block.view.cells, entries) : matrices);
    block.view.matrices = block.matrices.data();
    first += Offset{block.view.cells} * rows;
    state.facets.push_back(std::move(block));
  }
  for (const auto& block : state.facets) list.push_back(contributions(block.view));
  state.facet_gather = share(gather_list_on(exec, list, state.dofs, true));
  state.facet_elements = Array<T, Space>(element_entries(list));
}

/// Adds to diagonal s: see Numeric.
template <class Exec, class Form>
void add_facet_diagonal(Exec& exec, MatrixFreeState<typename Exec::Space, Form>& state, int s, double* diagonal) {
  using T = typename Form::Number;
  Array<double, typename Exec::Space> elements(state.facet_elements.size());
  for (const auto& block : state.facets)
    for_each(exec, Offset{block.view.cells} * block.view.nodes,
             LocalDiagonal<T>{block.view, state.components, s, elements.data()});
  add_up(exec, state.facet_gather->view(), static_cast<const double*>(elements.data()), diagonal, true);
  exec.synchronize();
}

/// y = A x before fixed rows are set right.
template <class Exec, class Form>
void apply_all(Exec& exec, const MatrixFreeState<typename Exec::Space, Form>& state, const typename Form::Number* x,
               typename Form::Number* y) {
  using T = typename Form::Number;
  T* elements = const_cast<T*>(state.elements.data());  // scratch
  for (const auto& block : state.tensors) apply_tensor(exec, block.tables, block.view, x, y, elements);
  for (const auto& block : state.locals) apply_local(exec, block.view, x, elements);
  add_up(exec, state.gather->view(), static_cast<const T*>(elements), y);
  if (state.facets.empty()) return;
  T* of_facets = const_cast<T*>(state.facet_elements.data());
  for (const auto& block : state.facets) apply_local(exec, block.view, x, of_facets);
  add_up(exec, state.facet_gather->view(), static_cast<const T*>(of_facets), y, true);
}

/// b -= A g with g the prescribed values; b = d g on fixed rows, whose diagonal becomes 1 where it is not positive. An
/// empty b stays so.
template <class Exec, class Form>
void eliminate(Exec& exec, MatrixFreeState<typename Exec::Space, Form>& state, const BoundaryData& boundary,
               View<typename Form::Number> b) {
  using Space = typename Exec::Space;
  using T = typename Form::Number;
  state.fixed = {};
  if (boundary.fixed.empty() && boundary.values.empty()) return;
  const FixedDofs of_deck = fixed_dofs(state.dofs, boundary.fixed, boundary.values);
  state.fixed = share(to_space<Space>(of_deck.dofs));
  const auto marks = mark_fixed_rows<T>(exec, state.dofs, of_deck);
  const unsigned char* fixed = marks.fixed.data();
  const T* prescribed = marks.values.data();
  T* d = state.diagonal.data();
  const bool with_loads = !b.empty();
  Array<T, Space> lift(with_loads ? state.dofs : 0);
  if (with_loads) apply_all(exec, state, prescribed, lift.data());
  const T* lifted = lift.data();
  for_each(exec, state.dofs, [=] TESSERA_HD(Offset i) {
    if (fixed[i] && !(d[i] > 0)) d[i] = 1;
    if (with_loads) b[i] = fixed[i] ? d[i] * prescribed[i] : b[i] - lifted[i];
  });
  const int m = state.components;
  for (int s = 1; s <= m / 2; ++s) {
    T* entries = state.wrapped[s - 1].data();
    for_each(exec, state.dofs, [=] TESSERA_HD(Offset i) {
      if (fixed[i] || fixed[i - i % m + (i % m + s) % m]) entries[i] = 0;
    });
  }
  mark_fixed(exec, state, fixed);
  exec.synchronize();
}

}  // namespace matrix_free
}  // namespace tessera::assembly
