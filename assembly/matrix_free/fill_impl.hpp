#pragma once
// The numeric set-up of a matrix-free operator: its blocks are filled, loads and diagonals summed.
#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/cells/place_fields.hpp"
#include "assembly/matrix_free/element_tables.hpp"
#include "assembly/matrix_free/numeric_components_impl.hpp"
#include "assembly/matrix_free/state_impl.hpp"

namespace tessera::assembly::matrix_free {

/// y of the dofs inside quads and hexes, which no list holds.
template <class Form>
struct CopyInterior {
  TensorView<Form> block;
  const double* elements;
  double* y;
  TESSERA_HD void operator()(Offset t) const {
    const int N = block.places();
    const int l = static_cast<int>(t % N);
    const Offset place = block.place(t / N, l);
    if (is_interior(l, block.n, block.dim)) y[block.dofs[place]] = elements[block.first + place];
  }
};

struct SetZero {
  double* values;
  TESSERA_HD void operator()(Offset i) const { values[i] = 0; }
};

/// Members of a form that are evaluated, and by what; none without.
template <class Exec>
struct Evaluated {
  CoefficientEvaluator<Exec>* evaluator = nullptr;
  std::span<const std::size_t> members = {};
  double t = 0;
};

/// Everything the numeric set-up of one block of cells needs, on the backend.
template <class Space, class Form>
struct BlockPoints {
  PointTables host;
  Array<Index, Space> geometry, region;
  Array<double, Space> maps, weights, basis;
  std::vector<Array<double, Space>> fields;
  PointsView view;
  Form form;  ///< in double

  BlockPoints(const mesh::CellBlock& cells, const DofMap& map, const Coefficients<Form>& coefficients,
              const std::vector<Index>& regions, const Array<double, Space>& coordinates, bool with_basis,
              FieldCursor<Form>& first, const Form& empty, std::span<const std::size_t> evaluated)
      : host(point_tables(cells, map, with_basis)),
        geometry(to_space<Space>(cells.nodes)),
        maps(to_space<Space>(host.map)),
        weights(to_space<Space>(host.weights)),
        basis(to_space<Space>(host.basis)),
        form(empty) {
    place_form(coefficients, Offset{cells.cells()} * host.points, first, fields, form, evaluated);
    if (!regions.empty())
      region = to_space<Space>(std::span<const Index>(regions.data() + cells.first_cell, cells.cells()));
    view.dim = mesh::dimension(cells.shape);
    view.points = host.points;
    view.geometry_nodes = cells.nodes_per_cell;
    view.nodes = map.element(cells.shape).nodes;
    view.coordinates = coordinates.data();
    view.geometry = geometry.data();
    view.map = maps.data();
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

/// What is no field of a form, in another type of numbers.
template <class Number, class Form>
typename Form::template With<Number> without_fields(const Form& form) {
  if constexpr (forms::has_components<Form>)
    return form.template without_fields<Number>();
  else
    return {};
}

/// The fields of a form that C needs in another type of numbers: `to` has their values, and the same components. The
/// others, of loads, are empty there: they may vary in a cell where C does not.
template <class From, class To, class Space>
void convert_form(const From& from, const std::vector<Array<typename To::Number, Space>>& fields, To& to) {
  constexpr auto members = From::members();
  constexpr auto members_to = To::members();
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto& field = from.*members[m];
    to.*members_to[m] = {};
    if (From::needed_by_tangent(m))
      to.*members_to[m] = {field.empty() ? nullptr : fields[m].data(), field.components, field.per_point};
  }
}

template <class Exec, class Form, class Wide>
void refill(Exec& exec, TensorBlock<typename Exec::Space, Form>& block,
            BlockPoints<typename Exec::Space, Wide>& points) {
  using T = typename Form::Number;
  TensorView<Form>& view = block.view;
  constexpr bool components = forms::has_components<Form>;
  if constexpr (components)
    view.has_value = points.form.tests_values();
  else
    view.has_value = forms::has(points.form, forms::value_value);
  if (view.map || components) {
    block.region = points.region.empty() ? nullptr : share(std::move(points.region));
    view.region = points.view.region;
    block.fields.clear();
    for (std::size_t m = 0; m < Form::members().size(); ++m)
      block.fields.push_back(Form::needed_by_tangent(m) ? converted<Exec, T>(exec, points.fields[m])
                                                        : Array<T, typename Exec::Space>());
    view.form = without_fields<T>(points.form);
    convert_form(points.form, block.fields, view.form);
  }
  if (view.map) return exec.synchronize();
  if constexpr (components) {
    block.factors = Array<T, typename Exec::Space>(view.cells * Offset{inverse_count(view.dim)} * view.points());
    write_inverses(exec, points.view, 0, view.cells, block.factors.data());
  } else {
    block.factors =
        Array<T, typename Exec::Space>(view.cells * Offset{factor_count(points.form, view.dim)} * view.points());
    write_factors(exec, points.view, points.form, 0, view.cells, block.factors.data());
  }
  view.factors = block.factors.data();
  exec.synchronize();
}

/// Tables B, then B B, B D, D D entry by entry of the diagonal, then D, each [points, nodes].
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
  append(tables.derivative, nullptr);
  return result;
}

/// Loads (to `load`, where they are asked for) and diagonals of the cells, [dofs], overwritten. Diagonal s has the
/// entries (c, c + s) of the blocks of the nodes: see MatrixFreeState::wrapped.
template <class Exec, class Form>
class Numeric {
 public:
  using Space = typename Exec::Space;
  using T = typename Form::Number;
  using Wide = typename Form::template With<double>;
  Numeric(Exec& exec, MatrixFreeState<Space, Form>& state, const Coefficients<Wide>& coefficients,
          const std::vector<Index>& regions, const Evaluated<Exec>& evaluated, bool with_loads)
      : exec_(exec),
        state_(state),
        coefficients_(coefficients),
        regions_(regions),
        evaluated_(evaluated),
        form_(without_fields<double>(state.form)),
        with_loads_(with_loads),
        load_elements_(with_loads ? state.elements.size() : 0) {
    for (int s = 0; s <= state.components / 2; ++s) diagonal_elements_.emplace_back(state.elements.size());
  }

  void run(double* load, std::vector<Array<double, Space>>& diagonals) {
    const auto coordinates = to_space<Space>(state_.mesh->points);
    FieldCursor<Wide> first{};
    std::size_t tensor = 0, local = 0;
    for (std::size_t b = 0; b < state_.mesh->blocks.size(); ++b) {
      const bool by_tensors = tensor < state_.tensors.size() && state_.tensor_blocks[tensor] == b;
      BlockPoints<Space, Wide> points(state_.mesh->blocks[b], *state_.map, coefficients_, regions_, coordinates,
                                      !by_tensors, first, form_, evaluated_.members);
      evaluate(b, points);
      if (by_tensors)
        fill_tensor(state_.tensors[tensor++], points);
      else
        fill_local(state_.locals[local++], points);
    }
    if (with_loads_) gather(load_elements_, load);
    for (std::size_t s = 0; s < diagonal_elements_.size(); ++s) gather(diagonal_elements_[s], diagonals[s].data());
    exec_.synchronize();
  }

 private:
  void fill_tensor(TensorBlock<Space, Form>& block, BlockPoints<Space, Wide>& points) {
    const auto tables = to_space<Space>(diagonal_tables(block.tables));
    const int n = block.view.n;
    for (std::size_t s = 0; s < diagonal_elements_.size(); ++s)
      tensor_diagonal(exec_, points.view, points.form, block.view, tables.data() + n * n, static_cast<int>(s),
                      diagonal_elements_[s].data() + block.view.first);
    fill_load(block.view.first, Offset{block.view.cells} * block.view.places(), points,
              [&](double* to) { tensor_load(exec_, points.view, points.form, block.view, tables.data(), to); });
    refill(exec_, block, points);
  }

  void fill_local(LocalBlock<Space, T>& block, BlockPoints<Space, Wide>& points) {
    const LocalView<T>& view = block.view;
    const auto pairs = to_space<Space>(packed_pairs(view.nodes));
    if (block.matrices.empty())
      block.matrices = Array<T, Space>(Offset{view.cells} * view.nodes * (view.nodes + 1) / 2);
    block.view.matrices = block.matrices.data();
    write_matrices(exec_, points.view, points.form, pairs.data(), view, block.matrices.data());
    for (std::size_t s = 0; s < diagonal_elements_.size(); ++s)
      for_each(exec_, Offset{view.cells} * view.nodes,
               LocalDiagonal<T>{view, state_.components, static_cast<int>(s), diagonal_elements_[s].data()});
    fill_load(view.first, Offset{view.cells} * view.nodes, points,
              [&](double* to) { local_load(exec_, points.view, points.form, view, to); });
  }

  template <class Fill>
  void fill_load(Offset first, Offset count, const BlockPoints<Space, Wide>& points, Fill fill) {
    if (!with_loads_) return;
    double* const to = load_elements_.data() + first;
    if (forms::has(points.form, forms::load_value))
      fill(to);
    else
      for_each(exec_, count, SetZero{to});
  }

  void evaluate(std::size_t b, BlockPoints<Space, Wide>& points) {
    if (!evaluated_.evaluator || state_.mesh->blocks[b].cells() == 0) return;
    std::vector<double*> values;
    for (const std::size_t member : evaluated_.members) values.push_back(points.fields[member].data());
    const PointsView& view = points.view;
    evaluated_.evaluator->evaluate(exec_, b, {view.coordinates, view.geometry, view.geometry_nodes}, evaluated_.t,
                                   values);
  }

  void gather(const Array<double, Space>& elements, double* y) {
    add_up(exec_, state_.gather->view(), elements.data(), y);
    for (const auto& block : state_.tensors)
      for_each(exec_, Offset{block.view.cells} * block.view.places(),
               CopyInterior<Form>{block.view, elements.data(), y});
  }

  Exec& exec_;
  MatrixFreeState<Space, Form>& state_;
  const Coefficients<Wide>& coefficients_;
  const std::vector<Index>& regions_;
  const Evaluated<Exec>& evaluated_;
  Wide form_;
  const bool with_loads_;
  Array<double, Space> load_elements_;
  std::vector<Array<double, Space>> diagonal_elements_;
};

}  // namespace tessera::assembly::matrix_free
