#pragma once
// CoarseOperator, written once; coarse_threads.hpp and coarse_cuda.cuh bring the passes over cells.
#include <algorithm>
#include <utility>

#include "assembly/spectral/coarse.hpp"
#include "assembly/spectral/operator_impl.hpp"
#include "assembly/spectral/relaxation.hpp"

namespace tessera::assembly {

template <class Exec, class Law, class T>
CoarseOperator<Exec, Law, T>::CoarseOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs,
                                             const spectral::Cells& cells, const spectral::Coefficients& material,
                                             const SpectralOptions& options)
    : Base(exec, mesh, dofs, cells, material, options) {
  static_assert(Law::coefficients(2) == Law::moduli(2) + Law::parts * spectral::mechanisms);
  const spectral::PatchLayout layout = spectral::patch_layout<Law, T>(exec, cells.dim, cells.n);
  lanes_ = layout.lanes;
  for (const auto& block : this->blocks_) {
    const Offset batches = (Offset{block.view.cells} + lanes_ - 1) / lanes_;
    memory_.emplace_back(batches * lanes_ * static_cast<Offset>(numbers_of_cell())).set_zero();
  }
}

template <class Exec, class Law, class T>
std::size_t CoarseOperator<Exec, Law, T>::numbers_of_cell() const {
  const int points = spectral::power(spectral::coarse_points(this->degree_ + 1), this->dim_);
  return static_cast<std::size_t>(spectral::mechanisms * Law::strains(this->dim_) * points);
}

template <class Exec, class Law, class T>
void CoarseOperator<Exec, Law, T>::forget(Exec&, View<const T>, double dt) {
  for (Memory& of_block : memory_) of_block.set_zero();
  begin_step(dt, dt, false);
  begins_ = true;
}

template <class Exec, class Law, class T>
void CoarseOperator<Exec, Law, T>::begin_step(double before, double dt, bool kept) {
  before_ = before;
  dt_ = dt;
  kept_ = kept;
  begins_ = false;
}

/// z is e_l without what the strain at its own time gives: that of u(t) now, that of the next one when it is known.
/// Where a body begins it is less that, so that e_l is 0.
template <class Exec, class Law, class T>
spectral::CoarseView<T> CoarseOperator<Exec, Law, T>::view_of(std::size_t block) const {
  spectral::CoarseView<T> view;
  view.z = const_cast<T*>(memory_[block].data());
  view.moves = kept_ || begins_;
  for (std::size_t l = 0; l < times_.size(); ++l) {
    const spectral::Relaxation last(before_, times_[l]), next(dt_, times_[l]);
    view.now[l] = begins_ ? T(0) : static_cast<T>(last.now);
    view.kept[l] = begins_ ? T(0) : static_cast<T>(next.kept);
    view.taken[l] = static_cast<T>(begins_ ? -last.now : next.kept * last.now + next.before);
  }
  const spectral::CoarseRule& rule = spectral::coarse_rule(this->degree_);
  for (int i = 0; i < rule.points; ++i) view.ratio[i] = static_cast<T>(rule.ratio[i]);
  return view;
}

template <class Exec, class Law, class T>
void CoarseOperator<Exec, Law, T>::apply_blocks(Exec& exec, const T* u, const spectral::Target<T>& target) {
  const spectral::Rule& rule = spectral::rule(this->degree_);
  this->for_blocks(exec, [&](Exec& where, const auto& block) {
    const auto b = static_cast<std::size_t>(&block - this->blocks_.data());
    spectral::apply_coarse<Law>(where, rule, block.view, u, view_of(b), this->elements_.data(), target);
  });
  begins_ = false;
}

template <class Exec, class Law, class T>
void CoarseOperator<Exec, Law, T>::leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u,
                                        View<T> a) {
  const spectral::Target<T> target{.scale = scale.data(), .v = v.data(), .u = u.data(), .kick = kick, .drift = drift};
  apply_blocks(exec, u.data(), target);
  this->gather(exec, {&this->gather_, &this->gather_held_}, target, a.data());
}

template <class Exec, class Law, class T>
template <class Visit>
void CoarseOperator<Exec, Law, T>::each_cell(std::size_t block, Visit visit) const {
  const std::vector<Index>& order = this->blocks_[block].cells;
  const auto width = static_cast<std::size_t>(lanes_);
  for (std::size_t i = 0; i < order.size(); ++i) visit(order[i], i / width * width * numbers_of_cell() + i % width);
}

template <class Exec, class Law, class T>
NumbersOfCells CoarseOperator<Exec, Law, T>::memory_of_cells() const {
  NumbersOfCells result{.width = numbers_of_cell(), .cells = {}, .values = {}};
  for (std::size_t b = 0; b < memory_.size(); ++b) {
    const std::vector<T> z = to_vector(memory_[b]);
    each_cell(b, [&](Index cell, std::size_t first) {
      result.cells.push_back(cell);
      for (std::size_t k = 0; k < result.width; ++k)
        result.values.push_back(z[first + k * static_cast<std::size_t>(lanes_)]);
    });
  }
  return result;
}

template <class Exec, class Law, class T>
void CoarseOperator<Exec, Law, T>::restore_memory_of_cells(const NumbersOfCells& numbers) {
  const CellsOfNumbers cells(numbers);
  for (std::size_t b = 0; b < memory_.size(); ++b) {
    std::vector<T> z(static_cast<std::size_t>(memory_[b].size()));
    each_cell(b, [&](Index cell, std::size_t first) {
      const double* const of_cell = cells.find(cell);
      if (!of_cell || numbers.width != numbers_of_cell())
        throw Error(ExitCode::file_system, "the checkpoint has not what the cells of this run remember",
                    "a run goes on with the deck and the mesh that it began with; run the deck from its start");
      for (std::size_t k = 0; k < numbers.width; ++k)
        z[first + k * static_cast<std::size_t>(lanes_)] = static_cast<T>(of_cell[k]);
    });
    memory_[b] = to_space<Space>(z);
  }
}

template <class Exec, class Law, class T>
double CoarseOperator<Exec, Law, T>::bytes() const {
  double sum = Base::bytes();
  for (const Memory& of_block : memory_) sum += static_cast<double>(of_block.bytes());
  return sum;
}

}  // namespace tessera::assembly
