#pragma once
// LayeredOperator, written once; layers_threads.hpp and layers_cuda.cuh bring the passes over cells.
#include <algorithm>
#include <cmath>
#include <utility>

#include "assembly/spectral/attenuated_impl.hpp"
#include "assembly/spectral/layers.hpp"
#include "assembly/spectral/operator_impl.hpp"

namespace tessera::assembly {
namespace spectral {

/// a of nodes in layers becomes A = a - sum_l rate_l (V + h A - R_l).
template <int components, class Exec, class T>
void damp_layer_nodes(Exec& exec, const LayerNodesView<T> nodes, const LayerRatesView<T> of, Pass pass, T h,
                      View<const T> v, View<T> a) {
  for_each(exec, nodes.dofs.size() * components, [=] TESSERA_HD(Offset k) {
    const Offset i = k / components, c = k % components;
    const T V = pass == Pass::begin ? v[Offset{nodes.dofs[i]} * components + c] : nodes.V[k];
    T lost = 0, sum = 0;
    for (int l = 0; l < of.count; ++l) {
      const T rate = of.rates[i * of.count + l];
      sum += rate;
      lost += rate * (of.R.empty() || pass == Pass::begin ? V : V - of.R[(i * of.count + l) * components + c]);
    }
    a[k] = (a[k] - lost) / (1 + h * sum);
  });
}

/// R of nodes in layers after the step of V: while it lasts V is one number, for which R is exact.
template <int components, class Exec, class T>
void follow_layer_nodes(Exec& exec, const LayerNodesView<T> nodes, const LayerRatesView<T> of) {
  for_each(exec, of.R.size(), [=] TESSERA_HD(Offset k) {
    const Offset row = k / components;
    const T kept = of.kept[row % of.count];
    of.R[k] = kept * of.R[k] + (1 - kept) * nodes.V[row / of.count * components + k % components];
  });
}

/// The step of nodes in layers: V += kick a, v = S^-1 V, u += drift v and, where it is kept, U += dt V, where the step
/// of V is kick long.
template <int components, class Exec, class T>
void leap_layer_nodes(Exec& exec, int dim, const LayerNodesView<T> nodes, Pass pass, T kick, T drift, T dt, View<T> v,
                      View<T> u) {
  for_each(exec, nodes.dofs.size(), [=] TESSERA_HD(Offset i) {
    const Offset row = Offset{nodes.dofs[i]} * components;
    for (int c = 0; c < components; ++c) {
      T before = pass == Pass::begin ? v[row + c] : nodes.V[i * components + c];
      T now = before + kick * nodes.a[i * components + c];
      if (pass != Pass::look) nodes.V[i * components + c] = now;
      if (!nodes.U.empty() && pass == Pass::move) nodes.U[i * components + c] += dt * now;
      // of each axis y = x - m with m' = -(alpha + d) m + d x
      for (int axis = 0; axis < dim; ++axis) {
        T& m = nodes.m[(i * dim + axis) * components + c];
        if (pass == Pass::begin) {
          m = 0;
          continue;
        }
        const T d = nodes.profile[(i * dim + axis) * 2], alpha = nodes.profile[(i * dim + axis) * 2 + 1];
        const forms::Follower<T> of(alpha + d, d, kick, kick);
        const T next = of.at(of.next(m, before), now);
        before -= m;
        now -= next;
        if (pass == Pass::move) m = next;
      }
      v[row + c] = now;
      u[row + c] += drift * now;
    }
  });
}

/// U = u at nodes, where nothing has been stretched yet.
template <class Exec, class T>
void take_layer_nodes(Exec& exec, int components, View<const Index> dofs, View<const T> u, View<T> U) {
  for_each(exec, U.size(),
           [=] TESSERA_HD(Offset k) { U[k] = u[Offset{dofs[k / components]} * components + k % components]; });
}

/// Of some lists the rows that are in `rows`, which are ascending, numbered within these.
template <class Space>
std::vector<GatherList<Space>> part_of_lists(const std::vector<GatherList<Space>>& lists, std::span<const Index> of) {
  std::vector<GatherList<Space>> result;
  for (const GatherList<Space>& list : lists) {
    const std::vector<Index> all = to_vector(list.rows), all_entries = to_vector(list.entries);
    std::vector<Index> rows, numbers, entries;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto found = std::lower_bound(of.begin(), of.end(), all[i]);
      if (found == of.end() || *found != all[i]) continue;
      which.push_back(i);
      rows.push_back(all[i]);
      numbers.push_back(static_cast<Index>(found - of.begin()));
    }
    if (rows.empty()) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(list.each); ++k)
      for (const std::size_t i : which) entries.push_back(all_entries[k * all.size() + i]);
    result.push_back({list.each, to_space<Space>(rows), to_space<Space>(entries), to_space<Space>(numbers)});
  }
  return result;
}

/// numbers [nodes, each] of dofs as a vector [dofs, each], 0 elsewhere.
template <class T>
std::vector<double> spread(const std::vector<Index>& dofs, Offset rows, int each, const std::vector<T>& numbers) {
  std::vector<double> result(static_cast<std::size_t>(rows), 0.0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto width = static_cast<std::size_t>(each);
    result[static_cast<std::size_t>(dofs[i / width]) * width + i % width] = numbers[i];
  }
  return result;
}

}  // namespace spectral

template <class Exec, class Law, class T>
LayeredOperator<Exec, Law, T>::LayeredOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs,
                                               const spectral::Cells& cells, const spectral::Coefficients& material,
                                               const spectral::Layers& layers, const SpectralOptions& options)
    : LayeredOperator(exec, dofs, cells,
                      spectral::order_by_layers(mesh, cells, material, layers,
                                                options.owned < 0 ? dofs.dofs : options.owned, options.held),
                      layers, options) {}

template <class Exec, class Law, class T>
LayeredOperator<Exec, Law, T>::LayeredOperator(Exec& exec, const DofMap& dofs, const spectral::Cells& cells,
                                               const spectral::OrderedCells& ordered, const spectral::Layers& layers,
                                               const SpectralOptions& options)
    : Base(exec, ordered.mesh, dofs, ordered.cells, ordered.material,
           {.stored = options.stored, .owned = options.owned, .held = ordered.held, .apart = ordered.axes}),
      components_(Law::components(cells.dim)),
      rows_(Offset{dofs.dofs} * components_),
      nodes_(ordered.nodes),
      dofs_(to_space<Space>(ordered.nodes)),
      pushed_(layers.pushed) {
  // What neither follows the force alone nor is held is gathered by itself.
  gather_nodes_ = spectral::part_of_lists<Space>(this->gather_held_, nodes_);
  this->gather_held_ = spectral::part_of_lists<Space>(this->gather_held_, options.held);
  for (std::size_t block = 0; block < ordered.axes.size(); ++block)
    if (ordered.axes[block] != 0) add_layer(cells, ordered, block, layers);
  std::size_t next = 0;
  std::erase_if(this->blocks_, [&](const auto&) { return next < ordered.axes.size() && ordered.axes[next++] != 0; });
  std::vector<double> profile;
  for (const Index dof : nodes_)
    for (int a = 0; a < cells.dim; ++a)
      for (const auto* of : {&layers.damping, &layers.relaxation})
        profile.push_back((*of)[static_cast<std::size_t>(Offset{dof} * cells.dim + a)]);
  profile_ = spectral::as_numbers<Space, T>(profile);
  const Offset numbers = static_cast<Offset>(nodes_.size()) * components_;
  (pushed_ ? U_ : a_) = Array<T, Space>(numbers);
  V_ = Array<T, Space>(numbers);
  m_ = Array<T, Space>(numbers * cells.dim);
  if (pushed_) U_.set_zero();
  V_.set_zero();
  m_.set_zero();
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::add_layer(const spectral::Cells& cells, const spectral::OrderedCells& ordered,
                                              std::size_t block, const spectral::Layers& layers) {
  Layer& layer = layers_.emplace_back();
  const mesh::CellBlock& of = ordered.mesh.blocks[block];
  const unsigned axes = ordered.axes[block];
  const int dim = cells.dim, active = spectral::active_axes(axes);
  const auto first = ordered.number.begin() + of.first_cell;
  layer.block = std::move(this->blocks_[block]);
  layer.cells.assign(first, first + of.cells());
  std::vector<double> profile, lag;
  for (const Index cell : layer.cells) {
    lag.push_back(layers.lag[static_cast<std::size_t>(cell)]);
    for (int a = 0; a < dim; ++a) {
      if ((axes >> a & 1U) == 0) continue;
      for (const auto* numbers : {&layers.damping, &layers.relaxation})
        for (int q = 0; q < cells.places; ++q)
          profile.push_back((*numbers)[static_cast<std::size_t>(Offset{cells.cell(cell)[q]} * dim + a)]);
    }
  }
  layer.profile = spectral::as_numbers<Space, T>(profile);
  layer.lag = spectral::as_numbers<Space, T>(lag);
  const int slots = forms::PartsOf<Law>::count * spectral::slots_of(components_, dim, active);
  layer.memory = Array<T, Space>(Offset{of.cells()} * slots * cells.places);
  layer.memory.set_zero();
  layer.view = {.block = layer.block.view,
                .axes = axes,
                .profile = layer.profile.data(),
                .lag = layer.lag.data(),
                .memory = layer.memory.data(),
                .slots = slots};
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::set_rates(const std::vector<double>& rates, std::size_t count,
                                              std::vector<double> times) {
  rates_each_ = count;
  times_ = std::move(times);
  rates_ = spectral::as_numbers<Space, T>(rates);
  R_ = Array<T, Space>(V_.size() * static_cast<Offset>(times_.size()));
  R_.set_zero();
}

template <class Exec, class Law, class T>
spectral::LayerRatesView<T> LayeredOperator<Exec, Law, T>::rates_view() {
  spectral::LayerRatesView<T> view{.count = static_cast<int>(rates_each_), .rates = rates_.view(), .R = R_.view()};
  for (std::size_t l = 0; l < times_.size(); ++l) view.kept[l] = static_cast<T>(std::exp(-next_ / times_[l]));
  return view;
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::forget(Exec& exec, View<const T> u, double dt) {
  if constexpr (attenuates) Base::forget(exec, u, dt);
  before_ = next_ = dt;
  pass_ = spectral::Pass::begin;
  R_.set_zero();
  if (pushed_) spectral::take_layer_nodes(exec, components_, std::as_const(dofs_).view(), u, U_.view());
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::begin_step(double before, double dt, bool kept) {
  if constexpr (attenuates) Base::begin_step(before, dt, kept);
  before_ = before;
  next_ = dt;
  pass_ = kept ? spectral::Pass::move : spectral::Pass::look;
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::apply(Exec& exec, View<const T> u, View<const T> scale, View<T> f) {
  for (Layer& layer : layers_) this->blocks_.push_back(std::move(layer.block));
  Base::apply(exec, u, scale, f);
  for (std::size_t i = layers_.size(); i-- > 0; this->blocks_.pop_back())
    layers_[i].block = std::move(this->blocks_.back());
  this->gather(exec, {&gather_nodes_}, {.scale = scale.data(), .to = f.data()});
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u,
                                         View<T> a) {
  const spectral::Target<T> target{.scale = scale.data(), .v = v.data(), .u = u.data(), .kick = kick, .drift = drift};
  const spectral::Rule& rule = spectral::rule(this->degree_);
  T* const elements = this->elements_.data();
  spectral::MemoryView<T> memory;
  if constexpr (attenuates) memory = this->memory_view();
  if constexpr (attenuates)
    this->apply_blocks(exec, u.data(), target);
  else
    this->apply_cells(exec, u.data(), target);
  for (const Layer& layer : layers_) {
    spectral::LayerView<T> view = layer.view;
    view.before = static_cast<T>(before_);
    view.next = static_cast<T>(next_);
    view.pass = pass_;
    spectral::apply_layer<Law>(exec, rule, view, u.data(), memory, elements);
  }
  if constexpr (attenuates) this->move_memory(exec, View<const T>(u));
  this->gather(exec, {&this->gather_, &this->gather_held_}, target, a.data());
  if (pushed_) return this->gather(exec, {&gather_nodes_}, target, a.data() + (a.size() - V_.size()));
  this->gather(exec, {&gather_nodes_}, target, a_.data());
  damp(exec, View<const T>(v), a_.view());
  move_nodes(exec, kick, drift, View<const T>(a_.view()), v, u);
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::leap_nodes(Exec& exec, T kick, T drift, View<const T> a, View<T> v, View<T> u) {
  move_nodes(exec, kick, drift, a.part(a.size() - V_.size(), V_.size()), v, u);
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::damp_nodes(Exec& exec, View<const T> v, View<T> a) {
  damp(exec, v, a.part(a.size() - V_.size(), V_.size()));
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::damp(Exec& exec, View<const T> v, View<T> a) {
  if (rates_.empty()) return;
  const spectral::LayerNodesView<T> nodes{
      .dofs = dofs_.view(), .profile = {}, .a = {}, .V = V_.view(), .m = {}, .U = {}};
  const T h = pass_ == spectral::Pass::begin ? T(0) : static_cast<T>(before_ / 2);
  if (components_ == 1) return spectral::damp_layer_nodes<1>(exec, nodes, rates_view(), pass_, h, v, a);
  if (components_ == 2) return spectral::damp_layer_nodes<2>(exec, nodes, rates_view(), pass_, h, v, a);
  spectral::damp_layer_nodes<3>(exec, nodes, rates_view(), pass_, h, v, a);
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::move_nodes(Exec& exec, T kick, T drift, View<const T> a, View<T> v, View<T> u) {
  const spectral::LayerNodesView<T> nodes{dofs_.view(), profile_.view(), a, V_.view(), m_.view(), U_.view()};
  const auto leap = [&](auto components) {
    spectral::leap_layer_nodes<components()>(exec, this->dim_, nodes, pass_, kick, drift, static_cast<T>(next_), v, u);
    if (!R_.empty() && pass_ == spectral::Pass::move)
      spectral::follow_layer_nodes<components()>(exec, nodes, rates_view());
  };
  if (components_ == 1) return leap(std::integral_constant<int, 1>());
  if (components_ == 2) return leap(std::integral_constant<int, 2>());
  leap(std::integral_constant<int, 3>());
}

template <class Exec, class Law, class T>
std::vector<std::vector<double>> LayeredOperator<Exec, Law, T>::memory() const {
  std::vector<std::vector<double>> result{spectral::spread(nodes_, rows_, components_, to_vector(V_))};
  const auto C = static_cast<std::size_t>(components_);
  // [nodes, each, components]
  const auto add = [&](const std::vector<T>& all, std::size_t each) {
    for (std::size_t k = 0; k < each; ++k) {
      std::vector<T> part(nodes_.size() * C);
      for (std::size_t i = 0; i < part.size(); ++i) part[i] = all[((i / C) * each + k) * C + i % C];
      result.push_back(spectral::spread(nodes_, rows_, components_, part));
    }
  };
  add(to_vector(m_), static_cast<std::size_t>(this->dim_));
  if (pushed_) add(to_vector(U_), 1);
  add(to_vector(R_), times_.size());
  if constexpr (attenuates)
    for (std::vector<double>& of_rows : Base::memory()) result.push_back(std::move(of_rows));
  return result;
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::restore_memory(const std::vector<std::vector<double>>& memory) {
  const auto C = static_cast<std::size_t>(components_);
  std::size_t next = 0;
  const auto take = [&](std::size_t each) {
    std::vector<T> all(nodes_.size() * C * each);
    for (std::size_t k = 0; k < each; ++k, ++next)
      for (std::size_t i = 0; i < nodes_.size() * C; ++i)
        all[((i / C) * each + k) * C + i % C] =
            static_cast<T>(memory.at(next).at(static_cast<std::size_t>(nodes_[i / C]) * C + i % C));
    return to_space<Space>(all);
  };
  V_ = take(1);
  m_ = take(static_cast<std::size_t>(this->dim_));
  U_ = take(pushed_ ? 1 : 0);
  R_ = take(times_.size());
  if constexpr (attenuates) {
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(own_vectors());
    Base::restore_memory({first, first + spectral::mechanisms});
  }
}

template <class Exec, class Law, class T>
NumbersOfCells LayeredOperator<Exec, Law, T>::memory_of_cells() const {
  // Cells that are stretched along fewer axes than others have zeros behind their numbers: every cell of any rank has
  // as many.
  const int places = spectral::power(this->degree_ + 1, this->dim_);
  const int slots = forms::PartsOf<Law>::count * spectral::slots_of(components_, this->dim_, this->dim_);
  NumbersOfCells result{
      .width = static_cast<std::size_t>(places) * static_cast<std::size_t>(slots), .cells = {}, .values = {}};
  for (const Layer& layer : layers_) {
    const std::vector<T> numbers = to_vector(layer.memory);
    const std::size_t each = numbers.size() / layer.cells.size();
    for (std::size_t c = 0; c < layer.cells.size(); ++c) {
      result.cells.push_back(layer.cells[c]);
      result.values.insert(result.values.end(), &numbers[c * each], &numbers[c * each] + each);
      result.values.resize(result.cells.size() * result.width, 0.0);
    }
  }
  return result;
}

template <class Exec, class Law, class T>
void LayeredOperator<Exec, Law, T>::restore_memory_of_cells(const NumbersOfCells& numbers) {
  const CellsOfNumbers cells(numbers);
  for (Layer& layer : layers_) {
    std::vector<T> memory(static_cast<std::size_t>(layer.memory.size()));
    const std::size_t each = memory.size() / layer.cells.size();
    for (std::size_t c = 0; c < layer.cells.size(); ++c) {
      const double* const of_cell = cells.find(layer.cells[c]);
      if (!of_cell || each > numbers.width)
        throw Error(ExitCode::file_system, "the checkpoint has other perfectly matched layers than this run",
                    "a run goes on with the deck and the mesh that it began with; run the deck from its start");
      for (std::size_t i = 0; i < each; ++i) memory[c * each + i] = static_cast<T>(of_cell[i]);
    }
    copy_bytes(Host{}, memory.data(), Space{}, layer.memory.data(), memory.size() * sizeof(T));
  }
}

template <class Exec, class Law, class T>
double LayeredOperator<Exec, Law, T>::bytes() const {
  double sum = Base::bytes() + static_cast<double>(dofs_.bytes() + profile_.bytes() + a_.bytes() + V_.bytes() +
                                                   m_.bytes() + U_.bytes() + rates_.bytes() + R_.bytes());
  for (const Layer& layer : layers_)
    sum += layer.block.bytes() + static_cast<double>(layer.profile.bytes() + layer.lag.bytes() + layer.memory.bytes());
  return sum;
}

}  // namespace tessera::assembly
