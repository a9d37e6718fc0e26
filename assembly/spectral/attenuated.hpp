#pragma once
// Forces of spectral elements that remember.
#include <array>
#include <type_traits>

#include "assembly/spectral/operator.hpp"

namespace tessera::assembly {

namespace spectral {

inline constexpr int mechanisms = 3;

/// What nodes remember of their displacement: w_l = z_l + now_l u with z [dofs, mechanisms, components].
template <class T>
struct MemoryView {
  const T* z = nullptr;
  T now[mechanisms] = {};

  /// u - sum_l Y_l w_l of vectors of rows: `value` of u, `z_of(l)` of z_l, and Y.
  template <class V, class Memory>
  V combined(V value, Memory z_of, const V (&Y)[mechanisms]) const {
    V result = value;
    for (int l = 0; l < mechanisms; ++l) result -= Y[l] * (z_of(l) + now[l] * value);
    return result;
  }
  /// The same of row dof * components + c, of which `numbers(l)` is Y_l.
  template <int components, class Numbers>
  TESSERA_HD_INLINE T combined(const T* u, Index dof, int c, Numbers numbers) const {
    const T value = u[Offset{dof} * components + c];
    T result = value;
    for (int l = 0; l < mechanisms; ++l)
      result -= numbers(l) * (z[(Offset{dof} * mechanisms + l) * components + c] + now[l] * value);
    return result;
  }
};

}  // namespace spectral

/// The leapfrog of a law with parts (forms/attenuation.hpp). Relaxation times are those of the whole mesh, so that
/// memory belongs to nodes, as displacements do: mechanisms x components numbers a node, which every rank moves for
/// all nodes that it sees. Between two steps u is taken as straight, for which w is exact. `apply` is that of a body
/// without memory.
template <class Exec, class Law, class T = double>
class AttenuatedOperator : public SpectralOperator<Exec, Law, T> {
 public:
  using Base = SpectralOperator<Exec, Law, T>;
  using typename Base::Space;

  AttenuatedOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs, const spectral::Cells& cells,
                     const spectral::Coefficients& material, const SpectralOptions& options = {});

  void set_times(const std::array<double, spectral::mechanisms>& times) { times_ = times; }
  /// w = 0 at a displacement u [dofs, components], before a step of this length.
  void forget(Exec& exec, View<const T> u, double dt);
  /// The next call of `leap` is a step dt after one of `before`. Unless it is `kept`, memory stays as it is.
  void begin_step(double before, double dt, bool kept);
  void leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u, View<T> a);

  /// z, on the host: of each mechanism [dofs, components].
  std::vector<std::vector<double>> memory() const;
  std::size_t vectors_of_memory() const { return spectral::mechanisms; }
  void restore_memory(const std::vector<std::vector<double>>& memory);
  double bytes() const { return Base::bytes() + static_cast<double>(memory_.bytes()); }

 private:
  std::array<double, spectral::mechanisms> times_{};
  Array<T, Space> memory_;
  int components_;
  double before_ = 0, dt_ = 0;
  bool kept_ = false;
};

/// The operator of a law, with memory or without.
template <class Exec, class Law, class T>
struct ForceOfLaw {
  static constexpr bool attenuates = false;
  using Type = SpectralOperator<Exec, Law, T>;
};
template <class Exec, class Law, class T>
requires(Law::parts > 0) struct ForceOfLaw<Exec, Law, T> {
  static constexpr bool attenuates = true;
  using Type = AttenuatedOperator<Exec, Law, T>;
};

}  // namespace tessera::assembly
