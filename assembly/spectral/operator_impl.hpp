#pragma once
// SpectralOperator, written once; instantiate_threads.hpp and instantiate_cuda.cuh bring the passes over cells.
#include <algorithm>

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

/// The sums of the entries of nodes, to the target or, scaled, to a [nodes of the list, components].
template <int components, class Exec, class T>
void gather_forces(Exec& exec, const matrix_free::GatherView list, const T* elements, const Target<T> target, T* a) {
  for_each(exec, Offset{list.count} * components, [=] TESSERA_HD(Offset number) {
    const Offset i = number / components;
    const int c = static_cast<int>(number % components);
    T sum = 0;
    for (Index k = list.ptr[i]; k < list.ptr[i + 1]; ++k) sum += elements[Offset{list.entries[k]} * components + c];
    const Index dof = list.rows[i];
    if (a)
      a[number] = target.scale[dof] * sum;
    else
      target.take(dof, Offset{dof} * components + c, sum);
  });
}

/// The nodes of `list` that are in `rows` go to a list of their own, in the same order.
inline matrix_free::HostGatherList take_out(matrix_free::HostGatherList& list, std::span<const Index> rows) {
  if (rows.empty()) return {};
  matrix_free::HostGatherList rest{{}, {0}, {}}, taken{{}, {0}, {}};
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    matrix_free::HostGatherList& to = std::binary_search(rows.begin(), rows.end(), list.rows[i]) ? taken : rest;
    to.rows.push_back(list.rows[i]);
    to.entries.insert(to.entries.end(), list.entries.begin() + list.ptr[i], list.entries.begin() + list.ptr[i + 1]);
    to.ptr.push_back(static_cast<Index>(to.entries.size()));
  }
  list = std::move(rest);
  return taken;
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
                             .node_stride = 1,
                             .n = cells.n,
                             .dim = cells.dim});
  }
  matrix_free::HostGatherList list = matrix_free::gather_list(contributions, owned_);
  const matrix_free::HostGatherList held = spectral::take_out(list, options.held);
  if (held.rows.size() != options.held.size())
    throw Error(ExitCode::internal, "held nodes of a spectral operator must be at sides of cells");
  gather_ = {to_space<Space>(list.rows), to_space<Space>(list.ptr), to_space<Space>(list.entries)};
  gather_held_ = {to_space<Space>(held.rows), to_space<Space>(held.ptr), to_space<Space>(held.entries)};
  elements_ = Array<T, Space>(matrix_free::element_entries(contributions) * Law::components(dim_));
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
                .owned = owned_,
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
  const double entries = static_cast<double>(gather_.entries.size() + gather_held_.entries.size());
  bytes_per_apply_ = 2 * entries * C * sizeof(T) + gather_.bytes() + gather_held_.bytes() +
                     static_cast<double>(owned_) * (2 * C + 1) * sizeof(T);
  for (const Block& block : blocks_)
    bytes_per_apply_ += static_cast<double>(block.dofs.bytes() + block.map.bytes() + block.geometry.bytes() +
                                            block.coefficients.bytes());
  // Of a node and component: derivatives and their transposes, 2 n - 1 along an axis each, and J^-1 twice.
  flops_per_apply_ = all * N * C * dim_ * (2 * (2 * n - 1) + 2 * (2 * dim_ - 1));
}

template <class Exec, class Law, class T>
double SpectralOperator<Exec, Law, T>::bytes() const {
  double sum = gather_.bytes() + gather_held_.bytes() + static_cast<double>(elements_.bytes());
  for (const Block& block : blocks_)
    sum += static_cast<double>(block.dofs.bytes() + block.map.bytes() + block.geometry.bytes() +
                               block.coefficients.bytes());
  return sum;
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::apply_cells(Exec& exec, const T* u, const spectral::Target<T>& target) {
  const spectral::Rule& rule = spectral::rule(degree_);
  for (const Block& block : blocks_) spectral::apply_cells<Law>(exec, rule, block.view, u, target, elements_.data());
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::gather(Exec& exec, const matrix_free::GatherList<Space>& list,
                                            const spectral::Target<T>& target, T* a) {
  if (list.rows.size() == 0) return;
  if (Law::components(dim_) == 1)
    return spectral::gather_forces<1>(exec, list.view(), std::as_const(elements_).data(), target, a);
  if (dim_ == 2) return spectral::gather_forces<2>(exec, list.view(), std::as_const(elements_).data(), target, a);
  spectral::gather_forces<3>(exec, list.view(), std::as_const(elements_).data(), target, a);
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::apply(Exec& exec, View<const T> u, View<const T> scale, View<T> f) {
  const spectral::Target<T> target{.scale = scale.data(), .f = f.data()};
  apply_cells(exec, u.data(), target);
  gather(exec, gather_, target);
  gather(exec, gather_held_, target);
}

template <class Exec, class Law, class T>
void SpectralOperator<Exec, Law, T>::leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u,
                                          View<T> a) {
  const spectral::Target<T> target{.scale = scale.data(), .v = v.data(), .u = u.data(), .kick = kick, .drift = drift};
  apply_cells(exec, u.data(), target);
  gather(exec, gather_, target);
  gather(exec, gather_held_, target, a.data());
}

}  // namespace tessera::assembly
