#pragma once
// AttenuatedOperator, written once; attenuated_threads.hpp and attenuated_cuda.cuh bring the passes over cells.
#include <cmath>

#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/operator_impl.hpp"

namespace tessera::assembly {
namespace spectral {

/// Of tau w' = u - w over a step dt, u straight from u_0 to u_1: w_1 = kept w_0 + before u_0 + now u_1.
struct Relaxation {
  double kept, before, now;
  Relaxation(double dt, double tau) {
    const double x = dt / tau, mean = -std::expm1(-x) / x;
    kept = std::exp(-x);
    before = mean - kept;
    now = 1 - mean;
  }
};

template <class T>
struct MemoryFactors {
  T kept[mechanisms], taken[mechanisms];
};
/// z = kept z + taken u
template <class Exec, class T>
void move_memory(Exec& exec, int components, const std::array<T, mechanisms>& kept,
                 const std::array<T, mechanisms>& taken, View<const T> u, View<T> z) {
  MemoryFactors<T> factors;
  for (std::size_t l = 0; l < mechanisms; ++l) factors.kept[l] = kept[l], factors.taken[l] = taken[l];
  for_each(exec, z.size(), [=] TESSERA_HD(Offset i) {
    const Offset dof = i / (mechanisms * components), rest = i % (mechanisms * components);
    const int l = static_cast<int>(rest / components);
    z[i] = factors.kept[l] * z[i] + factors.taken[l] * u[dof * components + rest % components];
  });
}

}  // namespace spectral

template <class Exec, class Law, class T>
AttenuatedOperator<Exec, Law, T>::AttenuatedOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs,
                                                     const spectral::Cells& cells,
                                                     const spectral::Coefficients& material,
                                                     const SpectralOptions& options)
    : Base(exec, mesh, dofs, cells, material, options.with_apart(std::vector<unsigned char>(mesh.blocks.size(), 1))),
      memory_(Offset{dofs.dofs} * spectral::mechanisms * Law::components(cells.dim)),
      components_(Law::components(cells.dim)) {
  static_assert(Law::coefficients(2) == Law::moduli(2) + Law::parts * spectral::mechanisms);
  memory_.set_zero();
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::forget(Exec& exec, View<const T> u, double dt) {
  std::array<T, spectral::mechanisms> kept{}, taken{};
  for (std::size_t l = 0; l < times_.size(); ++l) taken[l] = static_cast<T>(-spectral::Relaxation(dt, times_[l]).now);
  memory_.set_zero();
  spectral::move_memory(exec, components_, kept, taken, u, memory_.view());
  begin_step(dt, dt, false);
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::begin_step(double before, double dt, bool kept) {
  before_ = before;
  dt_ = dt;
  kept_ = kept;
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u,
                                            View<T> a) {
  const spectral::Target<T> target{.scale = scale.data(), .v = v.data(), .u = u.data(), .kick = kick, .drift = drift};
  spectral::MemoryView<T> memory{.z = memory_.data()};
  std::array<T, spectral::mechanisms> kept{}, taken{};
  for (std::size_t l = 0; l < times_.size(); ++l) {
    const spectral::Relaxation last(before_, times_[l]), next(dt_, times_[l]);
    memory.now[l] = static_cast<T>(last.now);
    kept[l] = static_cast<T>(next.kept);
    taken[l] = static_cast<T>(next.kept * last.now + next.before);
  }
  const spectral::Rule& rule = spectral::rule(this->degree_);
  for (const auto& block : this->blocks_)
    spectral::apply_attenuated<Law>(exec, rule, block.view, u.data(), memory, this->elements_.data());
  // z is w without what the displacement at its own time gives: that of u(t) now, that of the next one when it is
  // known.
  if (kept_) spectral::move_memory(exec, components_, kept, taken, View<const T>(u), memory_.view());
  this->gather(exec, this->gather_, target);
  this->gather(exec, this->gather_held_, target, a.data());
}

template <class Exec, class Law, class T>
std::vector<std::vector<double>> AttenuatedOperator<Exec, Law, T>::memory() const {
  const std::vector<T> z = to_vector(memory_);
  const auto C = static_cast<std::size_t>(components_);
  std::vector<std::vector<double>> result(spectral::mechanisms, std::vector<double>(z.size() / spectral::mechanisms));
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::size_t dof = i / (spectral::mechanisms * C), rest = i % (spectral::mechanisms * C);
    result[rest / C][dof * C + rest % C] = z[i];
  }
  return result;
}

template <class Exec, class Law, class T>
void AttenuatedOperator<Exec, Law, T>::restore_memory(const std::vector<std::vector<double>>& memory) {
  const auto C = static_cast<std::size_t>(components_);
  std::vector<T> z(static_cast<std::size_t>(memory_.size()));
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::size_t dof = i / (spectral::mechanisms * C), rest = i % (spectral::mechanisms * C);
    z[i] = static_cast<T>(memory.at(rest / C).at(dof * C + rest % C));
  }
  memory_ = to_space<Space>(z);
}

}  // namespace tessera::assembly
