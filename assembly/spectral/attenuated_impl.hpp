#pragma once
// AttenuatedOperator, written once; attenuated_threads.hpp and attenuated_cuda.cuh bring the passes over cells.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/operator_impl.hpp"
#include "assembly/spectral/relaxation.hpp"

namespace tessera::assembly {
namespace spectral {

/// The memory of so many nodes, or without a list of the first dofs, goes on to the next time.
template <class Exec, class T>
void move_memory(Exec& exec, int components, const MemoryView<T>& memory, const Index* nodes, Offset count,
                 View<const T> u) {
  for_each(exec, count * components, [=] TESSERA_HD(Offset i) {
    const Offset dof = nodes ? Offset{nodes[i / components]} : i / components;
    const int c = static_cast<int>(i % components);
    const T value = u[dof * components + c];
    for (int l = 0; l < mechanisms; ++l) memory.move(dof, l, c, value);
  });
}

/// The dofs that lists of nodes have, and those from `owned` on.
template <class Space>
std::vector<Index> nodes_of_lists(std::initializer_list<const std::vector<GatherList<Space>>*> of, Index owned,
                                  Index dofs) {
  std::vector<Index> nodes;
  for (const std::vector<GatherList<Space>>* const lists : of)
    for (const GatherList<Space>& list : *lists) {
      const std::vector<Index> rows = to_vector(list.rows);
      nodes.insert(nodes.end(), rows.begin(), rows.end());
    }
  std::sort(nodes.begin(), nodes.end());
  for (Index dof = owned; dof < dofs; ++dof) nodes.push_back(dof);
  return nodes;
}

}  // namespace spectral

template <class Exec, class Law, class T>
AttenuatedOperator<Exec, Law, T>::AttenuatedOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs,
                                                     const spectral::Cells& cells,
                                                     const spectral::Coefficients& material,
                                                     const SpectralOptions& options)
    : Base(exec, mesh, dofs, cells, material,
           spectral::memory_layout(exec).in_patches
               ? options
               : options.with_apart(std::vector<unsigned char>(mesh.blocks.size(), 1))),
      layout_(spectral::memory_layout(exec)),
      memory_(Offset{dofs.dofs} * spectral::mechanisms * Law::components(cells.dim)),
      dofs_(dofs.dofs),
      components_(Law::components(cells.dim)) {
  static_assert(Law::coefficients(2) == Law::moduli(2) + Law::parts * spectral::mechanisms);
  memory_.set_zero();
  if (layout_.in_patches)
    others_ = to_space<Space>(
        spectral::nodes_of_lists<Space>({&this->gather_, &this->gather_held_}, this->owned_, dofs.dofs));
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::forget(Exec& exec, View<const T> u, double dt) {
  memory_.set_zero();
  begin_step(dt, dt, false);
  spectral::MemoryView<T> memory = memory_view();
  for (std::size_t l = 0; l < times_.size(); ++l) memory.taken[l] = -memory.now[l];
  spectral::move_memory(exec, components_, memory, static_cast<const Index*>(nullptr), dofs_, u);
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::begin_step(double before, double dt, bool kept) {
  before_ = before;
  dt_ = dt;
  kept_ = kept;
}

template <class Exec, class Law, class T>
spectral::MemoryView<T> AttenuatedOperator<Exec, Law, T>::memory_view() const {
  constexpr int L = spectral::mechanisms;
  const bool apart = layout_.by_mechanism;
  spectral::MemoryView<T> memory{.z = const_cast<T*>(memory_.data()),
                                 .of_dof = apart ? components_ : Offset{L} * components_,
                                 .of_mechanism = apart ? dofs_ * components_ : components_,
                                 .moves = kept_};
  for (std::size_t l = 0; l < times_.size(); ++l) {
    const spectral::Relaxation last(before_, times_[l]), next(dt_, times_[l]);
    memory.now[l] = static_cast<T>(last.now);
    memory.kept[l] = static_cast<T>(next.kept);
    memory.taken[l] = static_cast<T>(next.kept * last.now + next.before);
  }
  return memory;
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::apply_blocks(Exec& exec, const T* u, const spectral::Target<T>& target) {
  const spectral::MemoryView<T> memory = memory_view();
  const spectral::Rule& rule = spectral::rule(this->degree_);
  this->for_blocks(exec, [&](Exec& where, const auto& block) {
    spectral::apply_attenuated<Law>(where, rule, block.view, u, memory, this->elements_.data(), target);
  });
}

/// z is w without what the displacement at its own time gives: that of u(t) now, that of the next one when it is known.
template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::move_memory(Exec& exec, View<const T> u) {
  if (!kept_) return;
  if (layout_.in_patches)
    spectral::move_memory(exec, components_, memory_view(), std::as_const(others_).data(), others_.size(), u);
  else
    spectral::move_memory(exec, components_, memory_view(), static_cast<const Index*>(nullptr), dofs_, u);
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u,
                                            View<T> a) {
  const spectral::Target<T> target{.scale = scale.data(), .v = v.data(), .u = u.data(), .kick = kick, .drift = drift};
  apply_blocks(exec, u.data(), target);
  move_memory(exec, View<const T>(u));
  this->gather(exec, {&this->gather_, &this->gather_held_}, target, a.data());
}

template <class Exec, class Law, class T>
std::vector<std::vector<double>> AttenuatedOperator<Exec, Law, T>::memory() const {
  const std::vector<T> z = to_vector(memory_);
  const spectral::MemoryView<T> view = memory_view();
  std::vector<std::vector<double>> result(spectral::mechanisms);
  for (int l = 0; l < spectral::mechanisms; ++l)
    for (Offset dof = 0; dof < dofs_; ++dof)
      for (int c = 0; c < components_; ++c)
        result[static_cast<std::size_t>(l)].push_back(z[static_cast<std::size_t>(view.at(dof, l, c))]);
  return result;
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::restore_memory(const std::vector<std::vector<double>>& memory) {
  std::vector<T> z(static_cast<std::size_t>(memory_.size()));
  const spectral::MemoryView<T> view = memory_view();
  for (int l = 0; l < spectral::mechanisms; ++l)
    for (Offset dof = 0; dof < dofs_; ++dof)
      for (int c = 0; c < components_; ++c)
        z[static_cast<std::size_t>(view.at(dof, l, c))] =
            static_cast<T>(memory.at(static_cast<std::size_t>(l)).at(static_cast<std::size_t>(dof * components_ + c)));
  memory_ = to_space<Space>(z);
}

}  // namespace tessera::assembly
