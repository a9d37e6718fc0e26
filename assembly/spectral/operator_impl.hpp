#pragma once
// SpectralOperator, written once; instantiate_threads.hpp and instantiate_cuda.cuh bring the passes over cells.
#include <algorithm>
#include <map>

#include "assembly/matrix_free/host_setup.hpp"
#include "assembly/spectral/operator.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {
namespace spectral {

template <class Space, class T>
Array<T, Space> as_numbers(const std::vector<double>& values) {
  return to_space<Space>(std::vector<T>(values.begin(), values.end()));
}

/// The material of some cells, [cells, components, places] or [cells, components].
template <class T>
std::vector<T> of_block(const Cells& cells, const Coefficients& material, Index first, Index count) {
  const int K = material.components, places = material.at_places ? cells.places : 1;
  std::vector<T> result(static_cast<std::size_t>(Offset{count} * K * places));
  for (Index c = 0; c < count; ++c)
    for (int m = 0; m < K; ++m)
      for (int q = 0; q < places; ++q)
        result[static_cast<std::size_t>((Offset{c} * K + m) * places + q)] =
            static_cast<T>(material.at(cells, first + c, q, m));
  return result;
}

/// The sums of the entries of nodes that have as many each, to the target or, scaled, to a [held nodes, components].
/// Everything is on its way before the first sum; `entries` 0: as many as the list has.
template <int components, int entries, class Exec, class T>
void gather_forces(Exec& exec, const GatherView list, const T* elements, const Target<T> target, T* a) {
  for_each(exec, Offset{list.nodes} * components, [=] TESSERA_HD(Offset number) {
    const Offset i = number / components;
    const int c = static_cast<int>(number % components);
    const Index dof = list.rows[i];
    const Offset row = Offset{dof} * components + c;
    const bool leaps = target.v && !a;
    const T scale = target.scale[dof], v = leaps ? target.v[row] : T(0), u = leaps ? target.u[row] : T(0);
    T sum = 0;
    for (int k = 0; k < (entries > 0 ? entries : list.each); ++k)
      sum += elements[Offset{list.entries[k * Offset{list.nodes} + i]} * entry_size(components) + c];
    if (a) {
      a[Offset{list.numbers[i]} * components + c] = scale * sum;
    } else if (!leaps) {
      target.to[row] = scale * sum;
    } else {
      const T moved = v + target.kick * (scale * sum);
      target.v[row] = moved;
      target.u[row] = u + target.drift * moved;
    }
  });
}

template <int components, class Exec, class T>
void gather_forces(Exec& exec, const GatherView list, const T* elements, const Target<T>& target, T* a) {
  switch (list.each) {
    case 1: return gather_forces<components, 1>(exec, list, elements, target, a);
    case 2: return gather_forces<components, 2>(exec, list, elements, target, a);
    case 4: return gather_forces<components, 4>(exec, list, elements, target, a);
    case 8: return gather_forces<components, 8>(exec, list, elements, target, a);
  }
  gather_forces<components, 0>(exec, list, elements, target, a);
}

/// Lists of nodes of as many entries each, in the order of `all`; of those that are in `held`, or of the others.
template <class Space>
std::vector<GatherList<Space>> gather_lists(const matrix_free::HostGatherList& all, std::span<const Index> held,
                                            bool of_held) {
  std::map<Index, std::vector<std::size_t>> nodes;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (std::binary_search(held.begin(), held.end(), all.rows[i]) == of_held)
      nodes[all.ptr[i + 1] - all.ptr[i]].push_back(i);
  std::vector<GatherList<Space>> lists;
  for (const auto& [each, which] : nodes) {
    std::vector<Index> rows, entries(which.size() * static_cast<std::size_t>(each)), numbers;
    for (std::size_t i = 0; i < which.size(); ++i) {
      rows.push_back(all.rows[which[i]]);
      for (Index k = 0; k < each; ++k)
        entries[static_cast<std::size_t>(k) * which.size() + i] =
            all.entries[static_cast<std::size_t>(all.ptr[which[i]] + k)];
    }
    lists.push_back({each, to_space<Space>(rows), to_space<Space>(entries), {}});
    if (!of_held) continue;
    for (const Index row : rows)
      numbers.push_back(static_cast<Index>(std::lower_bound(held.begin(), held.end(), row) - held.begin()));
    lists.back().numbers = to_space<Space>(numbers);
  }
  return lists;
}

}  // namespace spectral

template <class Exec, class Law, class T>
SpectralOperator<Exec, Law, T>::SpectralOperator(Exec&, const mesh::Mesh& mesh, const DofMap& dofs,
                                                 const spectral::Cells& cells, const spectral::Coefficients& material,
                                                 const SpectralOptions& options)
    : dim_(cells.dim), degree_(cells.n - 1), owned_(options.owned < 0 ? dofs.dofs : options.owned) {
  std::vector<matrix_free::Contributions> contributions;
  for (const mesh::CellBlock& block : mesh.blocks) {
    add_block(mesh, cells, block, material, options);
    contributions.push_back({.dofs = cells.cell(block.first_cell),
                             .cells = block.cells(),
                             .nodes = cells.places,
                             .first = blocks_.back().view.first,
                             .cell_stride = cells.places,
                             .node_stride = 1});
  }
  const matrix_free::HostGatherList list = matrix_free::gather_list(contributions, owned_);
  gather_ = spectral::gather_lists<Space>(list, options.held, false);
  gather_held_ = spectral::gather_lists<Space>(list, options.held, true);
  elements_ = Array<T, Space>(Offset{cells.cells} * cells.places * spectral::entry_size(Law::components(dim_)));
  count(cells);
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::add_block(const mesh::Mesh& mesh, const spectral::Cells& cells,
                                               const mesh::CellBlock& of, const spectral::Coefficients& material,
                                               const SpectralOptions& options) {
  const Offset before =
      blocks_.empty() ? 0 : blocks_.back().view.first + Offset{blocks_.back().view.cells} * cells.places;
  Block& block = blocks_.emplace_back();
  const Index first = of.first_cell, count = of.cells();
  block.dofs = to_space<Space>(
      std::span<const Index>(cells.cell(first), static_cast<std::size_t>(Offset{count} * cells.places)));
  const bool stored = options.stored || of.order > 1;
  if (stored)
    block.geometry = spectral::as_numbers<Space, T>(spectral::stored_geometry(mesh, cells, first, count));
  else
    block.map = spectral::as_numbers<Space, T>(matrix_free::multilinear_maps(mesh, of));
  block.coefficients = to_space<Space>(spectral::of_block<T>(cells, material, first, count));
  const int places = material.at_places ? cells.places : 1;
  block.view = {.dim = dim_,
                .n = cells.n,
                .cells = count,
                .first = before,
                .dofs = block.dofs.data(),
                .map = stored ? nullptr : block.map.data(),
                .geometry = stored ? block.geometry.data() : nullptr,
                .coefficients = block.coefficients.data(),
                .cell_stride = Offset{Law::coefficients(dim_)} * places,
                .component_stride = places,
                .place_stride = material.at_places ? 1 : 0};
  description_ += (description_.empty() ? "" : "; ") + spectral::describe(cells, of, stored, material);
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::count(const spectral::Cells& cells) {
  const double C = Law::components(dim_), N = cells.places, n = cells.n, all = cells.cells;
  double entries = 0;
  for (const auto* lists : {&gather_, &gather_held_})
    for (const spectral::GatherList<Space>& list : *lists) {
      entries += static_cast<double>(list.entries.size());
      bytes_of_lists_ += list.bytes();
    }
  bytes_per_apply_ =
      2 * entries * C * sizeof(T) + bytes_of_lists_ + static_cast<double>(owned_) * (2 * C + 1) * sizeof(T);
  for (const Block& block : blocks_)
    bytes_per_apply_ += static_cast<double>(block.dofs.bytes() + block.map.bytes() + block.geometry.bytes() +
                                            block.coefficients.bytes());
  // Of a node and component: derivatives and their transposes, 2 n - 1 along an axis each, and J^-1 twice.
  flops_per_apply_ = all * N * C * dim_ * (2 * (2 * n - 1) + 2 * (2 * dim_ - 1));
}

template <class Exec, class Law, class T>
double SpectralOperator<Exec, Law, T>::bytes() const {
  double sum = bytes_of_lists_ + static_cast<double>(elements_.bytes());
  for (const Block& block : blocks_)
    sum += static_cast<double>(block.dofs.bytes() + block.map.bytes() + block.geometry.bytes() +
                               block.coefficients.bytes());
  return sum;
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::apply_cells(Exec& exec, const T* u) {
  const spectral::Rule& rule = spectral::rule(degree_);
  for (const Block& block : blocks_) spectral::apply_cells<Law>(exec, rule, block.view, u, elements_.data());
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::gather(Exec& exec, const std::vector<spectral::GatherList<Space>>& lists,
                                            const spectral::Target<T>& target, T* a) {
  const T* const elements = elements_.data();
  for (const spectral::GatherList<Space>& list : lists) {
    if (Law::components(dim_) == 1)
      spectral::gather_forces<1>(exec, list.view(), elements, target, a);
    else if (dim_ == 2)
      spectral::gather_forces<2>(exec, list.view(), elements, target, a);
    else
      spectral::gather_forces<3>(exec, list.view(), elements, target, a);
  }
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::apply(Exec& exec, View<const T> u, View<const T> scale, View<T> f) {
  const spectral::Target<T> target{.scale = scale.data(), .to = f.data()};
  apply_cells(exec, u.data());
  gather(exec, gather_, target);
  gather(exec, gather_held_, target);
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u,
                                          View<T> a) {
  const spectral::Target<T> target{.scale = scale.data(), .v = v.data(), .u = u.data(), .kick = kick, .drift = drift};
  apply_cells(exec, u.data());
  gather(exec, gather_, target);
  gather(exec, gather_held_, target, a.data());
}

}  // namespace tessera::assembly
