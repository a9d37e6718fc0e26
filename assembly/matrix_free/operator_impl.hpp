#pragma once
// The members of MatrixFree, put together from state_impl.hpp and fill_impl.hpp.
#include <optional>

#include "assembly/matrix_free/fill_impl.hpp"
#include "linalg/vector_ops.hpp"

namespace tessera::assembly {
namespace matrix_free {

/// What one application reads beside x.
template <class Space, class Form>
void count_bytes(MatrixFreeState<Space, Form>& state) {
  const auto bytes = [](const SharedIndices<Space>& list) { return list ? static_cast<double>(list->bytes()) : 0.0; };
  state.index_bytes = state.gather->bytes() + state.facet_gather->bytes() + bytes(state.fixed);
  state.values = state.fixed ? static_cast<double>(state.fixed->size()) : 0.0;
  for (const auto& block : state.tensors) {
    state.index_bytes += bytes(block.dofs) + bytes(block.region);
    state.values += static_cast<double>(block.map.size() + block.factors.size());
    for (const auto& field : block.fields) state.values += static_cast<double>(field.size());
  }
  for (const auto* blocks : {&state.locals, &state.facets})
    for (const auto& block : *blocks) {
      state.index_bytes += bytes(block.dofs);
      state.values += static_cast<double>(block.matrices.size());
    }
}

template <class Exec>
Array<float, typename Exec::Space> in_float(Exec& exec, const Array<double, typename Exec::Space>& from) {
  Array<float, typename Exec::Space> to(from.size());
  linalg::convert(exec, from.view(), to.view());
  return to;
}

template <class Exec, class Form>
TensorBlock<typename Exec::Space, typename Form::template With<float>> in_float(
    Exec& exec, const TensorBlock<typename Exec::Space, Form>& from) {
  TensorBlock<typename Exec::Space, typename Form::template With<float>> to;
  to.tables = from.tables;
  to.dofs = from.dofs, to.region = from.region;
  to.map = in_float(exec, from.map);
  to.factors = in_float(exec, from.factors);
  for (const auto& field : from.fields) to.fields.push_back(in_float(exec, field));
  const TensorView<Form>& view = from.view;
  to.view = {view.dim,  view.n,        view.cells,      view.first,    view.cell_stride,  view.place_stride,
             view.dofs, to.map.data(), view.map_stride, view.map_step, to.factors.data(), view.region,
             {},        view.has_value};
  to.view.form = without_fields<float>(view.form);
  if (view.map || forms::has_components<Form>) convert_form(view.form, to.fields, to.view.form);
  return to;
}

template <class Exec>
LocalBlock<typename Exec::Space, float> in_float(Exec& exec, const LocalBlock<typename Exec::Space, double>& from) {
  LocalBlock<typename Exec::Space, float> to;
  to.dofs = from.dofs;
  to.matrices = in_float(exec, from.matrices);
  const LocalView<double>& view = from.view;
  to.view = {view.nodes,         view.cells,        view.first, view.cell_stride,  view.node_stride,
             view.matrix_stride, view.entry_stride, view.dofs,  to.matrices.data()};
  return to;
}

}  // namespace matrix_free

template <class Exec, class Form>
MatrixFree<Exec, Form>::MatrixFree(Exec& exec, const mesh::Mesh& mesh, const DofMap& map,
                                   const MatrixFreeOptions& options, const Form& form)
    : state_(std::make_unique<MatrixFreeState<Space, Form>>()) {
  using namespace matrix_free;
  check_options(options);
  check_map(mesh, map);
  MatrixFreeState<Space, Form>& state = *state_;
  const int m = forms::components_of<Form>(mesh.dim);
  check_rows(map.dofs, m);
  state.mesh = &mesh, state.map = &map, state.options = options;
  state.form = without_fields<T>(form);
  state.components = m, state.dofs = map.dofs * m;
  std::vector<Contributions> list;
  Offset first = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& cells = mesh.blocks[b];
    const DofBlock& dofs = map.blocks[b];
    if (by_sum_factorisation(cells, map.order, options, std::is_same_v<Exec, Cuda> && !forms::has_components<Form>)) {
      state.tensors.push_back(place_tensor<Form>(exec, mesh, b, map, options, first));
      const TensorView<Form>& view = state.tensors.back().view;
      list.push_back(
          {view.dofs, view.cells, dofs.nodes * m, first, view.cell_stride, view.place_stride, view.n, view.dim});
      state.tensor_blocks.push_back(b);
    } else {
      state.locals.push_back(place_local<T>(exec, dofs.dofs.view(), dofs.nodes, m, first));
      list.push_back(contributions(state.locals.back().view));
    }
    first += Offset{cells.cells()} * dofs.nodes * m;
  }
  state.gather = share(gather_list_on(exec, list, state.dofs));
  state.elements = Array<T, Space>(first);
  state.diagonal = Array<T, Space>(state.dofs);
  for (int s = 1; s <= m / 2; ++s) state.wrapped.emplace_back(state.dofs);
}

template <class Exec, class Form>
MatrixFree<Exec, Form>::MatrixFree(std::unique_ptr<MatrixFreeState<Space, Form>> state) : state_(std::move(state)) {}

template <class Exec, class Form>
MatrixFree<Exec, Form>::~MatrixFree() = default;

template <class Exec, class Form>
void MatrixFree<Exec, Form>::assemble(Exec& exec, const Data& data, const BoundaryData& boundary, View<T> b,
                                      const ExpressionData& expressions) {
  using namespace matrix_free;
  using Wide = typename Form::template With<double>;
  MatrixFreeState<Space, Form>& state = *state_;
  const std::vector<Index>& regions = Wide::region(data);
  Coefficients<Wide> coefficients = Wide::coefficients(data);
  const ExpressedCoefficients expressed(expressions, coefficients);
  check_data(coefficients, regions, state.mesh->cells(), state.mesh->dim);
  forms::Coefficient zero;  // no tensor between gradients means zero
  for (forms::NamedCoefficient& coefficient : coefficients) {
    if (coefficient.rank != forms::Rank::scalar_or_tensor || !coefficient.values->values.empty()) continue;
    const Index last = regions.empty() ? 0 : *std::max_element(regions.begin(), regions.end());
    zero.values.assign(static_cast<std::size_t>(last) + 1, 0.0);
    coefficient.values = &zero;
  }
  mark_fixed(exec, state, nullptr);
  const bool with_loads = !b.empty();
  FacetTerms terms = facet_terms(*state.mesh, *state.map, boundary);
  check_terms(*state.map, state.components, terms);
  Array<double, Space> load(with_loads ? state.dofs : 0);
  std::vector<Array<double, Space>> diagonals;
  for (int s = 0; s <= state.components / 2; ++s) diagonals.emplace_back(state.dofs);
  std::optional<CoefficientEvaluator<Exec>> evaluator;
  if (!expressed.varying().empty())
    evaluator.emplace(exec, *state.mesh, *state.map, regions, expressed.of_varying(), expressed.definite());
  const Evaluated<Exec> evaluated{evaluator ? &*evaluator : nullptr, expressed.varying(), expressions.t};
  Numeric<Exec, Form>(exec, state, coefficients, regions, evaluated, with_loads).run(load.data(), diagonals);
  set_facets(exec, state, terms);
  if (with_loads) {
    state.load_sums = linalg::sums(exec, View<const double>(load.view()));
    const auto of_facets = to_space<Space>(terms.load);
    const double* from_load = load.data();
    const double* from_facets = terms.load.empty() ? nullptr : of_facets.data();
    for_each(exec, state.dofs,
             [=] TESSERA_HD(Offset i) { b[i] = static_cast<T>(from_load[i] + (from_facets ? from_facets[i] : 0.0)); });
    exec.synchronize();  // the loads are released here
  }
  for (int s = 0; s <= state.components / 2; ++s) {
    add_facet_diagonal(exec, state, s, diagonals[s].data());
    const double* from = diagonals[s].data();
    T* to = s == 0 ? state.diagonal.data() : state.wrapped[s - 1].data();
    for_each(exec, state.dofs, [=] TESSERA_HD(Offset i) { to[i] = static_cast<T>(from[i]); });
  }
  eliminate(exec, state, boundary, b);
  count_bytes(state);
  exec.synchronize();
}

template <class Exec, class Form>
linalg::VectorSums MatrixFree<Exec, Form>::load_sums() const {
  return state_->load_sums;
}

template <class Exec, class Form>
Index MatrixFree<Exec, Form>::rows() const {
  return state_->dofs;
}

template <class Exec, class Form>
Index MatrixFree<Exec, Form>::cols() const {
  return state_->dofs;
}

template <class Exec, class Form>
void MatrixFree<Exec, Form>::apply(Exec& exec, View<const T> x, View<T> y) const {
  matrix_free::apply_all(exec, *state_, x.data(), y.data());
  if (!state_->fixed) return;
  const View<const Index> fixed = std::as_const(*state_->fixed).view();
  const T* d = state_->diagonal.data();
  for_each(exec, fixed.size(), [=] TESSERA_HD(Offset i) { y[fixed[i]] = d[fixed[i]] * x[fixed[i]]; });
}

template <class Exec, class Form>
void MatrixFree<Exec, Form>::diagonal(Exec& exec, View<T> d) const {
  linalg::copy(exec, state_->diagonal.view(), d);
}

template <class Exec, class Form>
Index MatrixFree<Exec, Form>::block_size() const {
  return state_->components;
}

template <class Exec, class Form>
void MatrixFree<Exec, Form>::diagonal_blocks(Exec& exec, View<T> blocks) const {
  const int m = state_->components;
  const View<const T> d = state_->diagonal.view();
  for_each(exec, d.size(), [=] TESSERA_HD(Offset i) { blocks[i * m + i % m] = d[i]; });
  for (int s = 1; s <= m / 2; ++s) {
    const View<const T> entries = state_->wrapped[s - 1].view();
    for_each(exec, d.size(), [=] TESSERA_HD(Offset i) {
      const Offset c = i % m, e = (c + s) % m, first = i - c;
      if (2 * s == m && c >= s) return;  // another row has written both
      blocks[i * m + e] = blocks[(first + e) * m + c] = entries[i];
    });
  }
}

template <class Exec, class Form>
double MatrixFree<Exec, Form>::bytes() const {
  return state_->index_bytes + sizeof(T) * (state_->values + 2.0 * state_->dofs);
}

template <class Exec, class Form>
double MatrixFree<Exec, Form>::kept_bytes() const {
  const auto& state = *state_;
  const double more = static_cast<double>(state.elements.size() + state.facet_elements.size() +
                                          state.diagonal.size() * static_cast<Offset>(1 + state.wrapped.size()));
  return state.index_bytes + sizeof(T) * (state.values + more);
}

template <class Exec, class Form>
std::string MatrixFree<Exec, Form>::describe() const {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& block : state_->tensors)
    add("sum factorisation of " + std::to_string(block.view.cells) + (block.view.dim == 2 ? " quads" : " hexes") +
        " of order " + std::to_string(block.view.n - 1));
  const auto add_matrices = [&](const auto& blocks, const char* of) {
    for (const auto& block : blocks)
      add("matrices of " + std::to_string(block.view.cells) + of + " of " + std::to_string(block.view.nodes) + " dofs");
  };
  add_matrices(state_->locals, " elements");
  add_matrices(state_->facets, " facets");
  return text;
}

template <class Exec, class Form>
std::unique_ptr<linalg::Operator<Exec, float>> MatrixFree<Exec, Form>::to_float(Exec& exec) const {
  using namespace matrix_free;
  if constexpr (std::is_same_v<T, double>) {
    auto state = std::make_unique<MatrixFreeState<Space, typename Form::template With<float>>>();
    const auto& from = *state_;
    state->mesh = from.mesh, state->map = from.map, state->options = from.options, state->dofs = from.dofs;
    state->components = from.components, state->form = without_fields<float>(from.form);
    for (const auto& block : from.tensors) state->tensors.push_back(in_float(exec, block));
    for (const auto& block : from.locals) state->locals.push_back(in_float(exec, block));
    for (const auto& block : from.facets) state->facets.push_back(in_float(exec, block));
    state->gather = from.gather, state->facet_gather = from.facet_gather;
    state->elements = Array<float, Space>(from.elements.size());
    state->facet_elements = Array<float, Space>(from.facet_elements.size());
    state->fixed = from.fixed;
    state->diagonal = in_float(exec, from.diagonal);
    for (const auto& entries : from.wrapped) state->wrapped.push_back(in_float(exec, entries));
    state->index_bytes = from.index_bytes, state->values = from.values;
    using Single = MatrixFree<Exec, typename Form::template With<float>>;
    return std::unique_ptr<Single>(new Single(std::move(state)));
  } else {
    (void)exec;
    return nullptr;
  }
}

template <class Exec, class Form>
void MatrixFree<Exec, Form>::copy_cell_dofs(Exec& exec, View<Index> dofs) const {
  using namespace matrix_free;
  const MatrixFreeState<Space, Form>& state = *state_;
  const int m = state.components;
  std::size_t tensor = 0, local = 0;
  Index* to = dofs.data();
  for (std::size_t b = 0; b < state.map->blocks.size(); ++b) {
    const DofBlock& block = state.map->blocks[b];
    CopyDofs copy{nullptr, nullptr, block.nodes, m, {}, to};
    Array<int, Space> nodes;
    if (tensor < state.tensors.size() && state.tensor_blocks[tensor] == b) {
      const TensorView<Form>& view = state.tensors[tensor++].view;
      nodes = to_space<Space>(lexicographic_nodes(lagrange(block.shape, state.map->order)));
      copy.rows = view.dofs, copy.node_at = nodes.data(), copy.from = {view.cell_stride, view.place_stride};
    } else {
      const LocalView<T>& view = state.locals[local++].view;
      copy.rows = view.dofs, copy.from = {view.cell_stride, m * view.node_stride};
    }
    for_each(exec, Offset{block.cells()} * block.nodes, copy);
    if (!nodes.empty()) exec.synchronize();  // they are released here
    to += block.dofs.size();
  }
}

}  // namespace tessera::assembly
