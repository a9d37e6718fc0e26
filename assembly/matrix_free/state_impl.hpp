#pragma once
// What a matrix-free operator keeps, how its blocks are made and filled, and its application.
#include "assembly/cells/place_fields.hpp"
#include "assembly/matrix_free/host_setup.hpp"
#include "assembly/matrix_free/local_impl.hpp"
#include "assembly/matrix_free/numeric_impl.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/dirichlet_impl.hpp"

namespace tessera::assembly {

template <class Space, class Form>
struct MatrixFreeState {
  using T = typename Form::Number;
  const mesh::Mesh* mesh = nullptr;
  const DofMap* map = nullptr;
  MatrixFreeOptions options;
  Index dofs = 0;
  std::vector<matrix_free::TensorBlock<Space, Form>> tensors;
  std::vector<matrix_free::LocalBlock<Space, T>> locals;
  std::vector<std::size_t> tensor_blocks;  ///< blocks of the mesh that `tensors` are; the others are `locals`
  matrix_free::GatherList<Space> gather;
  Array<T, Space> elements;
  std::vector<matrix_free::LocalBlock<Space, T>> facets;  ///< with an element vector of their own
  matrix_free::GatherList<Space> facet_gather;
  Array<T, Space> facet_elements;
  Array<Index, Space> fixed;
  View<const Index> fixed_view;  ///< of `fixed`, or of that of the operator it was converted from
  Array<T, Space> diagonal;      ///< [dofs]; of a fixed dof 1 where it is not positive
  double index_bytes = 0;        ///< read by one application
  double values = 0;             ///< numbers that one application reads, x and y apart
};

namespace matrix_free {

/// y[row] = sum of its contributions, or y[row] += it.
template <class T>
struct AddUp {
  GatherView list;
  const T* elements;
  T* y;
  bool add;
  TESSERA_HD void operator()(Offset i) const {
    const Index last = list.ptr[i + 1];
    T sum = add ? y[list.rows[i]] : T(0);
    for (Index k = list.ptr[i]; k < last; ++k) sum += elements[list.entries[k]];
    y[list.rows[i]] = sum;
  }
};

template <class Exec, class T>
void add_up(Exec& exec, const GatherView& list, const T* elements, T* y, bool add = false) {
  for_each(exec, list.count, AddUp<T>{list, elements, y, add});
}

/// y of the dofs inside quads and hexes, which no list holds.
template <class Form>
struct CopyInterior {
  TensorView<Form> block;
  const double* elements;
  double* y;
  TESSERA_HD void operator()(Offset t) const {
    const int N = block.points();
    const int l = static_cast<int>(t % N);
    const Offset place = block.place(t / N, l);
    if (is_interior(l, block.n, block.dim)) y[block.dofs[place]] = elements[block.first + place];
  }
};

struct SetZero {
  double* values;
  TESSERA_HD void operator()(Offset i) const { values[i] = 0; }
};

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
GatherList<Space> place(const HostGatherList& host) {
  GatherList<Space> list{to_space<Space>(host.rows), to_space<Space>(host.ptr), to_space<Space>(host.entries), {}};
  list.view = {static_cast<Index>(list.rows.size()), list.rows.data(), list.ptr.data(), list.entries.data()};
  return list;
}

/// Entry and cell strides: columns of cells on CUDA, so that neighbouring threads read neighbouring entries; rows on threads.
template <class Space, class T>
void set_strides(LocalView<T>& view) {
  const int entries = view.nodes * (view.nodes + 1) / 2;
  const bool columns = std::is_same_v<Space, Device>;
  view.cell_stride = columns ? 1 : view.nodes;
  view.node_stride = columns ? view.cells : 1;
  view.matrix_stride = columns ? 1 : entries;
  view.entry_stride = columns ? view.cells : 1;
}

/// Lists and maps of a quad or hex block. `dofs`: [cells, n^dim]; turned into columns where the block is stored in columns.
template <class Space, class Form>
TensorBlock<Space, Form> place_tensor(const mesh::Mesh& mesh, const mesh::CellBlock& cells, int order,
                                      const MatrixFreeOptions& options, Offset first, std::vector<Index>& dofs) {
  using T = typename Form::Number;
  TensorBlock<Space, Form> block;
  block.tables = line_tables(order);
  TensorView<Form>& view = block.view;
  view.dim = mesh::dimension(cells.shape), view.n = order + 1, view.cells = cells.cells(), view.first = first;
  const bool columns = std::is_same_v<Space, Device> && one_thread_a_cell(view.n, view.dim);
  const std::size_t count = view.cells, places = view.points(), entries = view.dim * ((1 << view.dim) - 1);
  view.cell_stride = columns ? 1 : places;
  view.place_stride = columns ? count : 1;
  if (columns) dofs = transposed(dofs, count, places);
  block.dofs = to_space<Space>(dofs);
  view.dofs = block.dofs.data();
  if (cells.order == 1 && options.geometry == "auto") {
    const std::vector<double> maps = multilinear_maps(mesh, cells);
    const std::vector<T> converted(maps.begin(), maps.end());
    block.map = to_space<Space>(columns ? transposed(converted, count, entries) : converted);
    view.map = block.map.data();
    view.map_stride = columns ? 1 : entries;
    view.map_step = columns ? count : 1;
  }
  return block;
}

template <class Space, class T>
LocalBlock<Space, T> place_local(const std::vector<Index>& dofs, int nodes, Offset first) {
  LocalBlock<Space, T> block;
  block.view.nodes = nodes;
  block.view.cells = static_cast<Index>(dofs.size() / static_cast<std::size_t>(nodes));
  block.view.first = first;
  set_strides<Space>(block.view);
  block.dofs =
      block.view.cell_stride == 1 ? to_space<Space>(transposed(dofs, block.view.cells, nodes)) : to_space<Space>(dofs);
  block.view.dofs = block.dofs.data();
  return block;
}

/// Contributions of a block whose dofs are [cells, nodes] on the host, stored with the strides of `view`.
template <class T>
Contributions contributions(const LocalView<T>& view, const std::vector<Index>& dofs) {
  return {dofs.data(), view.cells, view.nodes, view.first, view.cell_stride, view.node_stride, 0, 0};
}

/// Everything the numeric set-up of one block of cells needs, on the backend.
template <class Space, class Form>
struct BlockPoints {
  PointTables host;
  Array<Index, Space> geometry, region;
  Array<double, Space> map, weights, basis;
  std::vector<Array<double, Space>> fields;
  PointsView view;
  Form form;  ///< in double

  BlockPoints(const mesh::CellBlock& cells, int order, const Coefficients<Form>& coefficients,
              const std::vector<Index>& regions, const Array<double, Space>& coordinates, bool with_basis,
              FieldCursor<Form>& first)
      : host(point_tables(cells, order, with_basis)),
        geometry(to_space<Space>(cells.nodes)),
        map(to_space<Space>(host.map)),
        weights(to_space<Space>(host.weights)),
        basis(to_space<Space>(host.basis)) {
    place_form(coefficients, Offset{cells.cells()} * host.points, first, fields, form);
    if (!regions.empty())
      region = to_space<Space>(std::span<const Index>(regions.data() + cells.first_cell, cells.cells()));
    view.dim = mesh::dimension(cells.shape);
    view.points = host.points;
    view.geometry_nodes = cells.nodes_per_cell;
    view.nodes = lagrange(cells.shape, order).nodes;
    view.coordinates = coordinates.data();
    view.geometry = geometry.data();
    view.map = map.data();
    view.weights = weights.data();
    view.basis = basis.data();
    view.region = region.empty() ? nullptr : region.data();
  }
};

/// Values in the type of the operator.
template <class Exec, class T>
Array<T, typename Exec::Space> converted(Exec& exec, const Array<double, typename Exec::Space>& from) {
  Array<T, typename Exec::Space> to(from.size());
  const double* in = from.data();
  T* out = to.data();
  for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { out[i] = static_cast<T>(in[i]); });
  return to;
}

/// The fields of a form in another type of numbers: `to` has their values, and the same components.
template <class From, class To, class Space>
void convert_form(const From& from, const std::vector<Array<typename To::Number, Space>>& fields, To& to) {
  constexpr auto members = From::members();
  constexpr auto members_to = To::members();
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto& field = from.*members[m];
    to.*members_to[m] = {field.empty() ? nullptr : fields[m].data(), field.components, field.per_point};
  }
}

template <class Exec, class Form, class Wide>
void refill(Exec& exec, TensorBlock<typename Exec::Space, Form>& block,
            BlockPoints<typename Exec::Space, Wide>& points) {
  using T = typename Form::Number;
  TensorView<Form>& view = block.view;
  view.has_value = forms::has(points.form, forms::value_value);
  if (view.map) {
    block.region = std::move(points.region);
    view.region = points.view.region;
    block.fields.clear();
    for (std::size_t m = 0; m < Form::members().size(); ++m)
      block.fields.push_back(Form::needed_by_tangent(m) ? converted<Exec, T>(exec, points.fields[m])
                                                        : Array<T, typename Exec::Space>());
    convert_form(points.form, block.fields, view.form);
  } else {
    block.factors =
        Array<T, typename Exec::Space>(view.cells * Offset{factor_count(points.form, view.dim)} * view.points());
    view.factors = block.factors.data();
    write_factors(exec, points.view, points.form, 0, view.cells, block.factors.data());
  }
  exec.synchronize();
}

/// Tables B, then B B, B D, D D entry by entry, each [points, nodes], of the diagonal.
inline std::vector<double> diagonal_tables(const LineTables& tables) {
  std::vector<double> result;
  const int size = tables.n * tables.n;
  const auto append = [&](const double* a, const double* b) {
    for (int i = 0; i < size; ++i) result.push_back(b ? a[i] * b[i] : a[i]);
  };
  append(tables.basis, nullptr);
  append(tables.basis, tables.basis);
  append(tables.basis, tables.derivative);
  append(tables.derivative, tables.derivative);
  return result;
}

/// Loads (to `load`) and diagonals (to `diagonal`) of the cells in the element vector of `entries`; both [dofs], overwritten.
template <class Exec, class Form>
class Numeric {
 public:
  using Space = typename Exec::Space;
  using T = typename Form::Number;
  using Wide = typename Form::template With<double>;
  Numeric(Exec& exec, MatrixFreeState<Space, Form>& state, const Coefficients<Wide>& coefficients,
          const std::vector<Index>& regions)
      : exec_(exec),
        state_(state),
        coefficients_(coefficients),
        regions_(regions),
        load_elements_(state.elements.size()),
        diagonal_elements_(state.elements.size()) {}

  void run(double* load, double* diagonal) {
    const auto coordinates = to_space<Space>(state_.mesh->points);
    FieldCursor<Wide> first{};
    std::size_t tensor = 0, local = 0;
    for (std::size_t b = 0; b < state_.mesh->blocks.size(); ++b) {
      const bool by_tensors = tensor < state_.tensors.size() && state_.tensor_blocks[tensor] == b;
      BlockPoints<Space, Wide> points(state_.mesh->blocks[b], state_.map->order, coefficients_, regions_, coordinates,
                                      !by_tensors, first);
      if (by_tensors)
        fill_tensor(state_.tensors[tensor++], points);
      else
        fill_local(state_.locals[local++], points);
    }
    gather(load_elements_, load);
    gather(diagonal_elements_, diagonal);
    exec_.synchronize();
  }

 private:
  void fill_tensor(TensorBlock<Space, Form>& block, BlockPoints<Space, Wide>& points) {
    const auto tables = to_space<Space>(diagonal_tables(block.tables));
    const int n = block.view.n;
    tensor_diagonal(exec_, points.view, points.form, block.view, tables.data() + n * n,
                    diagonal_elements_.data() + block.view.first);
    if (forms::has(points.form, forms::load_value))
      tensor_load(exec_, points.view, points.form, block.view, tables.data(), load_elements_.data() + block.view.first);
    else
      zero(load_elements_.data() + block.view.first, Offset{block.view.cells} * block.view.points());
    refill(exec_, block, points);
  }

  void fill_local(LocalBlock<Space, T>& block, BlockPoints<Space, Wide>& points) {
    const LocalView<T>& view = block.view;
    const auto pairs = to_space<Space>(packed_pairs(view.nodes));
    if (block.matrices.empty())
      block.matrices = Array<T, Space>(Offset{view.cells} * view.nodes * (view.nodes + 1) / 2);
    block.view.matrices = block.matrices.data();
    write_matrices(exec_, points.view, points.form, pairs.data(), view, block.matrices.data());
    for_each(exec_, Offset{view.cells} * view.nodes, LocalDiagonal<T>{view, diagonal_elements_.data()});
    if (forms::has(points.form, forms::load_value))
      local_load(exec_, points.view, points.form, view, load_elements_.data() + view.first);
    else
      zero(load_elements_.data() + view.first, Offset{view.cells} * view.nodes);
  }

  void zero(double* values, Offset count) { for_each(exec_, count, SetZero{values}); }

  void gather(const Array<double, Space>& elements, double* y) {
    add_up(exec_, state_.gather.view, elements.data(), y);
    for (const auto& block : state_.tensors)
      for_each(exec_, Offset{block.view.cells} * block.view.points(),
               CopyInterior<Form>{block.view, elements.data(), y});
  }

  Exec& exec_;
  MatrixFreeState<Space, Form>& state_;
  const Coefficients<Wide>& coefficients_;
  const std::vector<Index>& regions_;
  Array<double, Space> load_elements_, diagonal_elements_;
};

template <class Exec, class Form>
void mark_fixed(Exec& exec, MatrixFreeState<typename Exec::Space, Form>& state, const unsigned char* fixed) {
  for (auto& block : state.tensors) for_each(exec, block.dofs.size(), MarkFixed{block.dofs.data(), fixed});
  for (auto& block : state.locals) for_each(exec, block.dofs.size(), MarkFixed{block.dofs.data(), fixed});
  for (auto& block : state.facets) for_each(exec, block.dofs.size(), MarkFixed{block.dofs.data(), fixed});
}

/// Element matrices of the facets, with a list of their own; returns the loads, [dofs] on the host.
template <class Exec, class Form>
std::vector<double> set_facets(Exec&, MatrixFreeState<typename Exec::Space, Form>& state,
                               const std::vector<FacetIntegral>& integrals) {
  using Space = typename Exec::Space;
  using T = typename Form::Number;
  std::vector<double> load(static_cast<std::size_t>(state.dofs), 0.0);
  const std::vector<FacetMatrices> shapes = facet_matrices(*state.mesh, *state.map, integrals, load);
  state.facets.clear();
  std::vector<Contributions> list;
  Offset first = 0;
  for (const FacetMatrices& shape : shapes) {
    LocalBlock<Space, T> block = place_local<Space, T>(shape.dofs, shape.nodes, first);
    const std::size_t entries = shape.matrices.size() / static_cast<std::size_t>(block.view.cells);
    const std::vector<T> matrices(shape.matrices.begin(), shape.matrices.end());
    block.matrices =
        to_space<Space>(block.view.matrix_stride == 1 ? transposed(matrices, block.view.cells, entries) : matrices);
    block.view.matrices = block.matrices.data();
    first += Offset{block.view.cells} * shape.nodes;
    state.facets.push_back(std::move(block));
  }
  std::vector<std::vector<Index>> stored;
  for (std::size_t i = 0; i < shapes.size(); ++i) stored.push_back(to_vector(state.facets[i].dofs));
  for (std::size_t i = 0; i < shapes.size(); ++i) list.push_back(contributions(state.facets[i].view, stored[i]));
  state.facet_gather = place<Space>(gather_list(list, state.dofs, true));
  state.facet_elements = Array<T, Space>(element_entries(list));
  return load;
}

template <class Exec, class Form>
void add_facet_diagonal(Exec& exec, MatrixFreeState<typename Exec::Space, Form>& state, double* diagonal) {
  using T = typename Form::Number;
  Array<double, typename Exec::Space> elements(state.facet_elements.size());
  for (const auto& block : state.facets)
    for_each(exec, Offset{block.view.cells} * block.view.nodes, LocalDiagonal<T>{block.view, elements.data()});
  add_up(exec, state.facet_gather.view, static_cast<const double*>(elements.data()), diagonal, true);
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
  add_up(exec, state.gather.view, static_cast<const T*>(elements), y);
  if (state.facets.empty()) return;
  T* of_facets = const_cast<T*>(state.facet_elements.data());
  for (const auto& block : state.facets) apply_local(exec, block.view, x, of_facets);
  add_up(exec, state.facet_gather.view, static_cast<const T*>(of_facets), y, true);
}

/// b -= A g with g the prescribed values; b = d g on fixed rows, whose diagonal becomes 1 where it is not positive.
template <class Exec, class Form>
void eliminate(Exec& exec, MatrixFreeState<typename Exec::Space, Form>& state, const BoundaryData& boundary,
               View<typename Form::Number> b) {
  using Space = typename Exec::Space;
  using T = typename Form::Number;
  state.fixed = {};
  state.fixed_view = {};
  if (boundary.fixed.empty() && boundary.values.empty()) return;
  const FixedDofs marks = mark_fixed_dofs(state.dofs, boundary.fixed, boundary.values);
  std::vector<Index> list;
  for (Index dof = 0; dof < state.dofs; ++dof)
    if (marks.fixed[dof]) list.push_back(dof);
  state.fixed = to_space<Space>(list);
  state.fixed_view = state.fixed.view();
  const auto is_fixed = to_space<Space>(marks.fixed);
  const auto value = to_space<Space>(std::vector<T>(marks.prescribed.begin(), marks.prescribed.end()));
  Array<T, Space> lift(state.dofs);
  apply_all(exec, state, value.data(), lift.data());
  const unsigned char* fixed = is_fixed.data();
  const T* prescribed = value.data();
  const T* lifted = lift.data();
  T* d = state.diagonal.data();
  for_each(exec, state.dofs, [=] TESSERA_HD(Offset i) {
    if (!fixed[i]) {
      b[i] -= lifted[i];
      return;
    }
    if (!(d[i] > 0)) d[i] = 1;
    b[i] = d[i] * prescribed[i];
  });
  mark_fixed(exec, state, fixed);
  exec.synchronize();
}

}  // namespace matrix_free
}  // namespace tessera::assembly
