#pragma once
// SpectralOperator, written once; instantiate_threads.hpp and instantiate_cuda.cuh bring the passes over cells.
#include <algorithm>

#include "assembly/matrix_free/host_setup.hpp"
#include "assembly/spectral/gather_impl.hpp"

namespace tessera::assembly {
namespace spectral {

template <class Space, class T>
Array<T, Space> as_numbers(const std::vector<double>& values) {
  return to_space<Space>(std::vector<T>(values.begin(), values.end()));
}

/// The material of some cells, [cells, components, places] or [cells, components], in the order of lanes (in_order).
template <class T>
std::vector<T> of_block(const Cells& cells, const Coefficients& material, Index first, std::span<const Index> order,
                        int lanes) {
  const auto K = static_cast<std::size_t>(material.components),
             places = static_cast<std::size_t>(material.at_places ? cells.places : 1),
             width = static_cast<std::size_t>(lanes), padded = (order.size() + width - 1) / width * width;
  std::vector<T> result(padded * K * places);
  for (std::size_t i = 0; i < padded; ++i)
    for (std::size_t m = 0; m < K; ++m)
      for (std::size_t q = 0; q < places; ++q)
        result[((i / width * K + m) * places + q) * width + i % width] = static_cast<T>(
            material.at(cells, first + order[std::min(i, order.size() - 1)], static_cast<int>(q), static_cast<int>(m)));
  return result;
}

}  // namespace spectral

template <class Exec, class Law, class T>
SpectralOperator<Exec, Law, T>::SpectralOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs,
                                                 const spectral::Cells& cells, const spectral::Coefficients& material,
                                                 const SpectralOptions& options)
    : dim_(cells.dim), degree_(cells.n - 1), owned_(options.owned < 0 ? dofs.dofs : options.owned) {
  const spectral::PatchLayout layout = spectral::patch_layout<Law, T>(exec, dim_, cells.n);
  spectral::PatchNodes nodes;
  if (layout.cells > 0) nodes = spectral::patch_nodes(cells, dofs.dofs, options.held);
  std::vector<matrix_free::Contributions> contributions;
  std::vector<std::vector<Index>> of_patches;
  Offset entries = 0;
  const auto add = [&](const mesh::CellBlock& of, std::span<const Index> order, bool in_patches, bool waits) {
    add_block(mesh, cells, of, material, options.stored || of.order > 1, order, layout.lanes);
    Block& block = blocks_.back();
    block.waits = waits;
    block.view.first = entries;
    matrix_free::Contributions& part = contributions.emplace_back();
    if (in_patches) {
      const std::vector<Index> own = spectral::in_order(cells.of_block(of), of.cells(), order);
      spectral::HostPatches patches = spectral::make_patches(own, cells.places, layout, owned_, nodes);
      block.patches = {to_space<Space>(patches.patches), to_space<Space>(patches.words), patches.most_words};
      block.view.patches = block.patches.view();
      of_patches.push_back(std::move(patches.outer));
      part = {.dofs = of_patches.back().data(), .cells = static_cast<Index>(of_patches.back().size()), .nodes = 1};
    } else {
      part = {.dofs = cells.cell(of.first_cell), .cells = of.cells(), .nodes = cells.places};
    }
    part.first = entries;
    part.cell_stride = part.nodes;
    part.node_stride = 1;
    entries += Offset{part.cells} * part.nodes;
  };
  std::vector<std::vector<Index>> waiting(mesh.blocks.size());
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& of = mesh.blocks[b];
    description_ += (b == 0 ? "" : "; ") + spectral::describe(cells, of, options.stored || of.order > 1, material);
    const bool in_patches = layout.cells > 0 && of.cells() > 0 && (options.apart.empty() || options.apart[b] == 0);
    const int each = in_patches ? layout.cells : 0;
    const bool has_others = owned_ < dofs.dofs;
    const std::vector<Index> order = spectral::order_in_patches(
        of, cells.n, each,
        in_patches && has_others ? spectral::cells_of_others(cells, of, owned_) : std::vector<char>());
    if (!in_patches || !has_others) {
      add(of, order, in_patches, has_others);
      continue;
    }
    spectral::SplitOrder split = spectral::split_order(cells, of, order, each, owned_);
    add(of, split.free, true, false);
    waiting[b] = std::move(split.waiting);
  }
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b)
    if (!waiting[b].empty()) add(mesh.blocks[b], waiting[b], true, true);
  const matrix_free::HostGatherList list = matrix_free::gather_list(contributions, owned_);
  gather_ = spectral::gather_lists<Space>(list, options.held, false, nodes.cells);
  gather_held_ = spectral::gather_lists<Space>(list, options.held, true, nodes.cells);
  elements_ = Array<T, Space>(entries * spectral::entry_size(Law::components(dim_)));
  count(cells);
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::add_block(const mesh::Mesh& mesh, const spectral::Cells& cells,
                                               const mesh::CellBlock& of, const spectral::Coefficients& material,
                                               bool stored, std::span<const Index> order, int lanes) {
  Block& block = blocks_.emplace_back();
  const Index first = of.first_cell, count = static_cast<Index>(order.size());
  for (const Index cell : order) block.cells.push_back(first + cell);
  block.dofs = to_space<Space>(spectral::in_order(cells.of_block(of), of.cells(), order, lanes));
  if (stored)
    block.geometry = spectral::as_numbers<Space, T>(
        spectral::in_order(spectral::stored_geometry(mesh, cells, first, of.cells()), of.cells(), order, lanes));
  else
    block.map = spectral::as_numbers<Space, T>(
        spectral::in_order(matrix_free::multilinear_maps(mesh, of), of.cells(), order, lanes));
  block.coefficients = to_space<Space>(spectral::of_block<T>(cells, material, first, order, lanes));
  const int places = material.at_places ? cells.places : 1;
  spectral::BlockView<T>& view = block.view;
  view.dim = dim_;
  view.n = cells.n;
  view.cells = count;
  view.dofs = block.dofs.data();
  view.map = stored ? nullptr : block.map.data();
  view.geometry = stored ? block.geometry.data() : nullptr;
  view.coefficients = block.coefficients.data();
  view.cell_stride = Offset{Law::coefficients(dim_)} * places;
  view.component_stride = places;
  view.place_stride = material.at_places ? 1 : 0;
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
  for (const Block& block : blocks_) bytes_per_apply_ += block.bytes();
  // Of a node and component: derivatives and their transposes, 2 n - 1 along an axis each, and J^-1 twice.
  flops_per_apply_ = all * N * C * dim_ * (2 * (2 * n - 1) + 2 * (2 * dim_ - 1));
}

template <class Exec, class Law, class T>
double SpectralOperator<Exec, Law, T>::bytes() const {
  double sum = bytes_of_lists_ + static_cast<double>(elements_.bytes());
  for (const Block& block : blocks_) sum += block.bytes();
  return sum;
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::apply_cells(Exec& exec, const T* u, const spectral::Target<T>& target) {
  const spectral::Rule& rule = spectral::rule(degree_);
  for_blocks(exec, [&](Exec& where, const Block& block) {
    spectral::apply_cells<Law>(where, rule, block.view, u, elements_.data(), target);
  });
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::gather(Exec& exec, std::initializer_list<const GatherLists*> of,
                                            const spectral::Target<T>& target, T* a) {
  std::vector<spectral::GatherView> lists;
  for (const GatherLists* const some : of)
    for (const spectral::GatherList<Space>& list : *some) lists.push_back(list.view());
  const auto add_up = [&](auto components) {
    spectral::add_up_lists(exec, std::span<const spectral::GatherView>(lists),
                           spectral::SumOfNode<components(), T>{elements_.data(), target, a});
  };
  if (Law::components(dim_) == 1) return add_up(std::integral_constant<int, 1>());
  if (dim_ == 2) return add_up(std::integral_constant<int, 2>());
  add_up(std::integral_constant<int, 3>());
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::apply(Exec& exec, View<const T> u, View<const T> scale, View<T> f) {
  const spectral::Target<T> target{.scale = scale.data(), .to = f.data()};
  apply_cells(exec, u.data(), target);
  gather(exec, {&gather_, &gather_held_}, target);
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u,
                                          View<T> a) {
  const spectral::Target<T> target{.scale = scale.data(), .v = v.data(), .u = u.data(), .kick = kick, .drift = drift};
  apply_cells(exec, u.data(), target);
  gather(exec, {&gather_, &gather_held_}, target, a.data());
}

}  // namespace tessera::assembly
