#pragma once
// Assembler, written once: what it does with a form. Which elements and kernels there are is the business of the
// numeric steps add_colours, gather_rows, store_cells ..., which are included before.
#include "assembly/cells/block.hpp"
#include "assembly/cells/place_fields.hpp"
#include "assembly/cells/setup_impl.hpp"
#include "assembly/cells/vector_impl.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Regions in the order of the places; on threads borrowed where that is the order of the cells.
template <class Space>
void place_regions(const std::vector<Index>& region, const DofBlock& dofs, BlockData<Space>& block) {
  block.view.region = nullptr;
  if (region.empty()) return;
  const std::span<const Index> of_block(region.data() + dofs.first_cell, static_cast<std::size_t>(block.cells));
  if (std::is_same_v<Space, Host> && block.order.empty()) {
    block.view.region = of_block.data();
    return;
  }
  if (block.order.empty()) {
    block.region = to_space<Space>(of_block);
  } else {
    std::vector<Index> placed(of_block.size());
    for (Index place = 0; place < block.cells; ++place) placed[place] = of_block[block.order[place]];
    block.region = to_space<Space>(placed);
  }
  block.view.region = block.region.data();
}

/// Rows of the non-zeros, which reductions need where the layout is not that of the pattern.
template <class Exec>
void make_row_of(Exec& exec, AssemblerState<typename Exec::Space>& state,
                 const linalg::CrsView<const double>& pattern) {
  if (state.row_of.size() == pattern.col_ind.size()) return;
  state.row_of = Array<Index, typename Exec::Space>(pattern.col_ind.size());
  const View<Index> row_of = state.row_of.view();
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = pattern.row_ptr[row]; k < pattern.row_ptr[row + 1]; ++k) row_of[k] = static_cast<Index>(row);
  });
}

template <class Exec, class Form>
void Assembler<Exec, Form>::refill(const linalg::CrsView<const double>& pattern, const linalg::RowLayout& layout,
                                   View<double> values, View<double> b) {
  check_system(state_->map->dofs, state_->components, pattern.rows, b.size(), state_->has_slots);
  const Target target{layout, values.data(), b.data(), pattern};
  // Only one block that writes every entry needs no zeroing; entries of couplings are none of its own.
  bool add = false, sums_lists = false;
  with_strategy(state_->strategy, [&](auto strategy) { add = strategy.adds, sums_lists = strategy.sums_lists; });
  const bool as_pattern = layout.slice == 1 && layout.starts == pattern.row_ptr.data();
  if (sums_lists && !as_pattern) make_row_of(exec_, *state_, target.pattern);
  const Index* const row_of = as_pattern ? nullptr : state_->row_of.data();
  std::size_t filled = 0;
  for (const BlockData<Space>& block : state_->blocks) filled += block.cells > 0;
  add = add || filled != 1 || !state_->coupled.blocks.empty();
  if (add) {
    set_zero(exec_, values);
    set_zero(exec_, b);
  }
  for (std::size_t k = 0; k < state_->blocks.size(); ++k)
    if (state_->blocks[k].cells > 0)
      with_strategy(state_->strategy, [&](auto strategy) {
        strategy.refill(exec_, *state_, state_->blocks[k], forms_[k], target, row_of, add);
      });
}

template <class Exec, class Form>
void Assembler<Exec, Form>::refill(const linalg::Crs<Space>& pattern, const linalg::RowLayout& layout,
                                   View<double> values, View<double> b) {
  check_components(1, state_->components);
  refill(pattern.view(), layout, values, b);
}

template <class Exec, class Form>
void Assembler<Exec, Form>::refill(linalg::Crs<Space>& A, View<double> b) {
  refill(A, {A.row_ptr.data(), 1}, A.values.view(), b);
}

template <class Exec, class Form>
void Assembler<Exec, Form>::refill(linalg::BlockCrs<Space>& A, View<double> b) {
  check_components(A.block, state_->components);
  refill(std::as_const(A).pattern(), {A.row_ptr.data(), 1}, A.values.view(), b);
}

template <class Exec, class Form>
double Assembler<Exec, Form>::refill_bytes(const linalg::Crs<Space>& A) const {
  return refill_bytes(A.values.bytes(), A.rows);
}

template <class Exec, class Form>
double Assembler<Exec, Form>::refill_bytes(const linalg::BlockCrs<Space>& A) const {
  return refill_bytes(A.values.bytes(), A.rows);
}

template <class Exec, class Form>
double Assembler<Exec, Form>::refill_bytes(std::size_t of_values, Index rows) const {
  double bytes = static_cast<double>(of_values) + 8.0 * rows * 2 + static_cast<double>(state_->coordinates.bytes());
  for (const auto& block : state_->blocks) {
    bytes += 4.0 * block.cells * (block.view.nodes + (block.geometry_is_dofs ? 0 : block.view.geometry_nodes)) +
             (block.view.region ? 4.0 * block.cells : 0.0) + static_cast<double>(block.slots.bytes());
    for (const auto& field : block.fields) bytes += static_cast<double>(field.bytes());
  }
  for (const forms::NamedCoefficient& of_data : Form::coefficients(data_))
    bytes += static_cast<double>(sizeof(double) * of_data.values->values.size());
  return bytes;
}

template <class Exec, class Form>
Assembler<Exec, Form>::Assembler(Exec& exec, const mesh::Mesh& mesh, const DofMap& map, const AssemblyOptions& options,
                                 const Form& form)
    : CellAssembler<Exec>(exec, mesh, map, traits_of(form, mesh.dim), partition_bytes<Form>, options),
      forms_(mesh.blocks.size(), form) {}

template <class Exec, class Form>
void Assembler<Exec, Form>::set_data(const Data& data) {
  if constexpr (std::is_same_v<Space, Host>)
    set_data(Data(data));
  else
    set_data(data, {});
}

template <class Exec, class Form>
void Assembler<Exec, Form>::set_data(Data&& data) {
  if constexpr (std::is_same_v<Space, Host>) {
    check_form_data<Form>(data, state_->report.elements, state_->mesh->dim);
    data_ = std::move(data);
    evaluator_.reset();
    evaluated_.clear();
    place(Form::coefficients(data_), Form::region(data_), true, 0, nullptr);
  } else {
    set_data(data, {});
  }
}

template <class Exec, class Form>
void Assembler<Exec, Form>::set_data(const Data& data, const ExpressionData& expressions) {
  Coefficients<Form> coefficients = Form::coefficients(data);
  const ExpressedCoefficients expressed(expressions, coefficients);
  check_data(coefficients, Form::region(data), state_->report.elements, state_->mesh->dim);
  if constexpr (std::is_same_v<Space, Host>) data_ = data;  // for its regions
  evaluated_ = expressed.varying();
  evaluator_.reset();
  if (!evaluated_.empty())
    evaluator_ = std::make_shared<CoefficientEvaluator<Exec>>(exec_, *state_->mesh, *state_->map, Form::region(data),
                                                              expressed.of_varying(), expressed.definite());
  place(coefficients, Form::region(std::is_same_v<Space, Host> ? data_ : data), false, expressions.t, expressions.u);
}

template <class Exec, class Form>
void Assembler<Exec, Form>::place(const std::array<forms::NamedCoefficient, Form::members().size()>& coefficients,
                                  const std::vector<Index>& region, bool borrows, double t, const double* u) {
  FieldCursor<Form> first{};
  for (std::size_t b = 0; b < state_->blocks.size(); ++b) {
    BlockData<Space>& block = state_->blocks[b];
    place_regions(region, state_->map->blocks[b], block);
    const Offset points = Offset{block.cells} * block.view.points;
    if (borrows) {
      block.fields.clear();
      borrow_form(coefficients, points, first, forms_[b]);
    } else {
      place_form(coefficients, points, first, block.fields, forms_[b], evaluated_);
      evaluate(b, t, u);
    }
    if constexpr (Form::symmetric && !forms::has_components<Form>) {
      // On CUDA linear simplices take means over the points.
      const bool varies = !forms_[b].constant(forms::gradient_gradient) || !forms_[b].constant(forms::value_value);
      const bool at_points = varies && !(state_->map->order == 1 && std::is_same_v<Space, Device>);
      if (block.straight_simplex)
        block.kernel = at_points                 ? Kernel::general
                       : state_->map->order == 1 ? Kernel::linear_simplex
                                                 : Kernel::affine_simplex;
    }
  }
}

template <class Exec, class Form>
void Assembler<Exec, Form>::set_time(double t, const double* u) {
  for (std::size_t b = 0; b < state_->blocks.size(); ++b) evaluate(b, t, u);
}

template <class Exec, class Form>
void Assembler<Exec, Form>::evaluate(std::size_t b, double t, const double* u) {
  BlockData<Space>& block = state_->blocks[b];
  if (evaluated_.empty() || block.cells == 0) return;
  std::vector<double*> values;
  for (const std::size_t member : evaluated_)
    values.push_back(member < block.fields.size() ? block.fields[member].data() : nullptr);
  const BlockView& view = block.view;
  evaluator_->evaluate(exec_, b,
                       {view.coordinates, view.geometry, view.geometry_stride, view.geometry_step, view.cell,
                        std::span(block.order), view.dofs, view.cell_stride, view.node_stride, u},
                       t, values);
}

template <class Exec, class Form>
void Assembler<Exec, Form>::assemble(const Data& data, linalg::Crs<Space>& A, View<double> b) {
  set_data(data);
  refill(A, b);
}

template <class Exec, class Form>
void Assembler<Exec, Form>::assemble(const Data& data, linalg::BlockCrs<Space>& A, View<double> b) {
  set_data(data);
  refill(A, b);
}

template <class Exec, class Form>
void Assembler<Exec, Form>::refill_vector(View<double> b) {
  check_system(state_->map->dofs, state_->components, state_->map->dofs, b.size(), true);
  set_zero(exec_, b);
  for (std::size_t k = 0; k < state_->blocks.size(); ++k) {
    BlockData<Space>& block = state_->blocks[k];
    const Form& form = forms_[k];
    if (block.cells == 0 || !forms::has(form, forms::load_value)) continue;
    if (block.dim == 1) add_loads<1>(exec_, block, form, b);
    if (block.dim == 2) add_loads<2>(exec_, block, form, b);
    if (block.dim == 3) add_loads<3>(exec_, block, form, b);
  }
}

}  // namespace tessera::assembly
