#pragma once
// Forces of spectral elements that remember.
#include <array>
#include <type_traits>

#include "assembly/spectral/operator.hpp"

namespace tessera::assembly {

namespace spectral {

inline constexpr int mechanisms = 3;

/// How nodes have what they remember: with the mechanisms of a node beside each other, or its components.
struct MemoryLayout {
  bool by_mechanism = false;  ///< z [mechanisms, dofs, components] in place of [dofs, mechanisms, components]
  bool in_patches = false;    ///< cells go by patches, which move what their own nodes remember
};

/// What nodes remember of their displacement: w_l = z_l + now_l u. A step makes z = kept z + taken u.
template <class T>
struct MemoryView {
  T* z = nullptr;
  Offset of_dof = 0, of_mechanism = 0;  ///< between nodes, and between mechanisms
  bool moves = false;                   ///< the step is kept
  T now[mechanisms] = {}, kept[mechanisms] = {}, taken[mechanisms] = {};

  TESSERA_HD_INLINE Offset at(Offset dof, int l, int c) const { return dof * of_dof + l * of_mechanism + c; }
  TESSERA_HD_INLINE void move(Offset dof, int l, int c, T u) const {
    T& number = z[at(dof, l, c)];
    number = kept[l] * number + taken[l] * u;
  }

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
    for (int l = 0; l < mechanisms; ++l) result -= numbers(l) * (z[at(dof, l, c)] + now[l] * value);
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
  double bytes() const { return Base::bytes() + static_cast<double>(memory_.bytes() + others_.bytes()); }

 protected:  // layers have a step of their own (LayeredOperator)
  /// What nodes remember in this step.
  spectral::MemoryView<T> memory_view() const;
  /// The forces of all blocks; of nodes of patches alone the step, too.
  void apply_blocks(Exec& exec, const T* u, const spectral::Target<T>& target);
  /// After the forces of u, before nodes move that are not of a patch alone: their memory goes on to the next time.
  void move_memory(Exec& exec, View<const T> u);

 private:
  spectral::MemoryLayout layout_;
  std::array<double, spectral::mechanisms> times_{};
  Array<T, Space> memory_;
  Array<Index, Space> others_;  ///< dofs that are not of a patch alone, where cells go by patches
  Offset dofs_;
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
