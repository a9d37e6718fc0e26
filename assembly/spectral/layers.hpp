#pragma once
// Forces of spectral elements of which some cells are perfectly matched layers.
//
// In a layer coordinates are complex, dx_a -> s_a dx_a with s_a = 1 + d_a / (alpha_a + i omega), and the weak form is
//   -omega^2 S M u + sum_a D_a^T (S / s_a) sigma_a = 0,   sigma = C : grad u with d/dx_a -> 1/s_a d/dx_a,   S = prod
//   s_a.
// Each 1 / s_a and s_a is a number that follows another (forms::Follower): of slopes and fluxes at the points of cells,
// and of the nodes' rate, which is S^-1 of the V that the force moves, M V' = f. Steps are those of the leapfrog,
// and those numbers see the tangent of its frequency: discrete layers match as exact ones do. J. P. Berenger, J.
// Comput. Phys. 114 (1994) 185-200; D. Komatitsch & R. Martin, Geophysics 72 (2007) SM155-SM167; Z. Xie, D. Komatitsch,
// R. Martin & R. Matzen, Geophys. J. Int. 198 (2014) 1714-1747.
//
// What attenuates is linear and the same at all times, as what is stretched is, so that one may come before the other:
// each part of such a law acts in layers on the displacement that it is given elsewhere, u - sum_l Y_l w_l, with what
// follows its own slopes and fluxes. So it is with a mass that remembers, M V' + sum_l C_l (V - R_l) = f with tau_l
// R_l' = V - R_l (LayeredOperator::set_rates).
#include "assembly/space/numbers_of_cells.hpp"
#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/layer_cells.hpp"
#include "forms/attenuation.hpp"
#include "forms/layers.hpp"

namespace tessera::assembly {

namespace spectral {

/// What a pass does with what is remembered.
enum class Pass {
  begin,  ///< it is nothing, and the step begins with it
  look,   ///< it stays as it is
  move,   ///< it goes on to the next time
};

/// Cells of a block that are stretched along the same axes, and what they remember.
template <class T>
struct LayerView {
  BlockView<T> block;
  unsigned axes = 0;           ///< bit a: stretched along axis a
  const T* profile = nullptr;  ///< [cells, axes, 2, places]: d, alpha
  const T* lag = nullptr;      ///< [cells], a time
  T* memory = nullptr;         ///< [cells, slots, places], of each part: slopes, fluxes, the force of the last step
  int slots = 0;
  T before = 0, next = 0;
  Pass pass = Pass::look;

  TESSERA_HD_INLINE const T* profile_of(Offset cell, int axis, int which, int places, int active) const {
    return profile + ((cell * active + axis) * 2 + which) * places;
  }
};

/// Of a part along m of dim axes: m slopes of each component, m (dim - 1) fluxes of each, and its force.
constexpr int slots_of(int components, int dim, int m) { return components * (dim * m + 1); }

TESSERA_HD_INLINE constexpr int active_axes(unsigned axes) {
  return static_cast<int>((axes & 1U) + (axes >> 1 & 1U) + (axes >> 2 & 1U));
}

/// Slopes g[c][d] = d u_c / d x_d at a point become fluxes there. `profile(axis, which)` gives d and alpha of the m-th
/// axis that is stretched, `take(slot)` and `give(slot, z)` what is remembered.
template <int dim, class Law, class V, class T, class Profile, class Take, class Give>
TESSERA_HD_INLINE inline void stretched_flux(const LayerView<T>& layer, const V* k, V (&g)[Law::components(dim)][dim],
                                             V (&s)[Law::components(dim)][dim], Profile profile, Take take, Give give) {
  constexpr int C = Law::components(dim);
  int slot = 0;
  // x +- what follows it
  const auto follow = [&](const forms::Follower<V>& of, V& x, bool adds) {
    V m{};
    if (layer.pass != Pass::begin) m = of.at(take(slot), x);
    if (layer.pass == Pass::begin) give(slot, of.without(x));
    if (layer.pass == Pass::move) give(slot, of.next(m, x));
    if (adds)
      x += m;
    else
      x -= m;
    ++slot;
  };
  int number = 0;
  for (int a = 0; a < dim; ++a) {
    if ((layer.axes >> a & 1U) == 0) continue;
    const V d = profile(number, 0), alpha = profile(number, 1);
    ++number;
    const forms::Follower<V> slopes(alpha + d, d, layer.before, layer.next);
    for (int c = 0; c < C; ++c) follow(slopes, g[c][a], false);
  }
  Law::template flux<dim, V>(k, g, s);
  number = 0;
  for (int a = 0; a < dim; ++a) {
    if ((layer.axes >> a & 1U) == 0) continue;
    const V d = profile(number, 0), alpha = profile(number, 1);
    ++number;
    const forms::Follower<V> fluxes(alpha, d, layer.before, layer.next);
    for (int c = 0; c < C; ++c)
      for (int x = 0; x < dim; ++x)
        if (x != a) follow(fluxes, s[c][x], true);
  }
}

/// Nodes of layers that a rank moves.
template <class T>
struct LayerNodesView {
  View<const Index> dofs;
  View<const T> profile;  ///< [nodes, dim, 2]: d, alpha
  View<const T> a;        ///< [nodes, components], the force over the mass
  View<T> V;              ///< [nodes, components]
  View<T> m;              ///< [nodes, dim, components]: what follows V and what is left of it
  View<T> U;              ///< [nodes, components]: S u, which V moves; empty: it is not asked for
};

inline constexpr int most_rates = mechanisms;
/// What damps V: V' loses sum_l rate_l (V - R_l), where R_l follows V, or is 0.
template <class T>
struct LayerRatesView {
  int count = 0;
  View<const T> rates;      ///< [nodes, count]
  View<T> R;                ///< [nodes, count, components]; empty: it is 0
  T kept[most_rates] = {};  ///< R = kept R + (1 - kept) V
};

}  // namespace spectral

/// The leapfrog of a law with layers. Every rank moves what the cells that it sees remember, and V of its own nodes.
/// `apply` is that of a body without layers.
///
/// Where another medium pushes nodes of layers, Layers::pushed, it does so between `leap` and `leap_nodes`. An integral
/// over its sides, n_a dA, becomes (S / s_a) n_a dA; where no n_a is along an axis that is stretched that is S n_a dA,
/// so that the force of a displacement is that of S u, which is here, and V' pushes back.
template <class Exec, class Law, class T = double>
class LayeredOperator : public ForceOfLaw<Exec, Law, T>::Type {
 public:
  using Base = typename ForceOfLaw<Exec, Law, T>::Type;
  using typename Base::Space;
  static constexpr bool attenuates = forms::PartsOf<Law>::attenuates;

  LayeredOperator(Exec& exec, const mesh::Mesh& mesh, const DofMap& dofs, const spectral::Cells& cells,
                  const spectral::Coefficients& material, const spectral::Layers& layers,
                  const SpectralOptions& options = {});

  /// Rates [nodes(), count] of damping, over the mass, whose memory has these times; without times it has none.
  void set_rates(const std::vector<double>& rates, std::size_t count, std::vector<double> times);

  /// Nothing is remembered at a displacement u, before a step of this length.
  void forget(Exec& exec, View<const T> u, double dt);
  /// The next call of `leap` is a step dt after one of `before`. Unless it is `kept`, memory stays as it is.
  void begin_step(double before, double dt, bool kept);
  void apply(Exec& exec, View<const T> u, View<const T> scale, View<T> f);
  /// Of layers that are pushed the forces over the mass of their nodes go to `a`, behind those of nodes that are held.
  void leap(Exec& exec, T kick, T drift, View<const T> scale, View<T> v, View<T> u, View<T> a);
  /// Of layers that are pushed what damps takes its part of a.
  void damp_nodes(Exec& exec, View<const T> v, View<T> a);
  /// The step of the nodes of layers that are pushed, with the same a.
  void leap_nodes(Exec& exec, T kick, T drift, View<const T> a, View<T> v, View<T> u);
  /// Ascending: nodes that are stretched, owned and not held.
  const std::vector<Index>& nodes() const { return nodes_; }
  /// S u of these nodes, [nodes, components], of layers that are pushed.
  View<const T> stretched() const { return U_.view(); }

  /// On the host: V, what follows it and, of layers that are pushed, S u; R; what attenuates. Vectors [dofs,
  /// components], but for the last ones 0 at all other nodes.
  std::vector<std::vector<double>> memory() const;
  std::size_t vectors_of_memory() const { return own_vectors() + (attenuates ? spectral::mechanisms : 0); }
  void restore_memory(const std::vector<std::vector<double>>& memory);
  /// What cells remember: those in layers that this rank sees, and their numbers [cells, width].
  NumbersOfCells memory_of_cells() const;
  void restore_memory_of_cells(const NumbersOfCells& numbers);
  double bytes() const;

 private:
  struct Layer {
    typename Base::Block block;
    std::vector<Index> cells;  ///< their numbers in the mesh
    Array<T, Space> profile, lag, memory;
    spectral::LayerView<T> view;
  };

  LayeredOperator(Exec& exec, const DofMap& dofs, const spectral::Cells& cells, const spectral::OrderedCells& ordered,
                  const spectral::Layers& layers, const SpectralOptions& options);
  /// Takes a block of Base.
  void add_layer(const spectral::Cells& cells, const spectral::OrderedCells& ordered, std::size_t block,
                 const spectral::Layers& layers);
  void move_nodes(Exec& exec, T kick, T drift, View<const T> a, View<T> v, View<T> u);
  void damp(Exec& exec, View<const T> v, View<T> a);
  spectral::LayerRatesView<T> rates_view();
  std::size_t own_vectors() const { return static_cast<std::size_t>(this->dim_) + (pushed_ ? 2 : 1) + times_.size(); }

  int components_;
  Offset rows_;
  std::vector<spectral::GatherList<Space>> gather_nodes_;  ///< of nodes_
  std::vector<Layer> layers_;                              ///< Base has all other blocks
  std::vector<Index> nodes_;
  Array<Index, Space> dofs_;
  bool pushed_;
  Array<T, Space> profile_, a_, V_, m_, U_;
  std::vector<double> times_;  ///< of R_
  std::size_t rates_each_ = 0;
  Array<T, Space> rates_, R_;
  double before_ = 0, next_ = 0;
  spectral::Pass pass_ = spectral::Pass::look;
};

template <class Exec, class Law, class T>
struct ForceOfLaw<Exec, forms::InLayers<Law>, T> {
  static constexpr bool attenuates = forms::PartsOf<Law>::attenuates;
  using Type = LayeredOperator<Exec, Law, T>;
};

}  // namespace tessera::assembly
