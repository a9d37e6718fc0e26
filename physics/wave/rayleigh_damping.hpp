#pragma once
// Rayleigh's damping C = alpha M + beta K on a backend.
#include <limits>
#include <optional>

#include "assembly/spectral/layers.hpp"
#include "base/collective.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/wave/node_ops.hpp"
#include "physics/wave/rayleigh.hpp"

namespace tessera::physics::wave {

/// What a medium damps with. In a step of the leapfrog alpha M v is solved for, and beta K v is that of the velocity
/// half a step before. Where beta is the same everywhere, u + beta v takes the place of u, which costs two passes over
/// the nodes; else the operator of beta K is applied as well. Nodes that are held have alpha in their own damping.
template <class Exec, class Law, class T>
class RayleighDamping {
 public:
  using Space = typename Exec::Space;

  /// `inverse_mass` of the dofs that are owned. Of nodes in layers alpha is left to the force (rates_of_layers).
  RayleighDamping(Exec& exec, const Problem& problem, const std::vector<double>& inverse_mass,
                  const std::vector<Index>& held, const std::vector<Index>& in_layers)
      : components_(problem.components()) {
    const Media& media = problem.media;
    if (media.alpha.components > 0) {
      of_nodes_ = assembly::spectral::diagonal_mass(problem.mesh(), problem.space.dofs, problem.cells,
                                                    product(problem.cells, media.mass, media.alpha));
      of_nodes_.resize(inverse_mass.size());
      for (std::size_t i = 0; i < of_nodes_.size(); ++i) of_nodes_[i] *= inverse_mass[i];
      std::vector<T> free(of_nodes_.begin(), of_nodes_.end());
      for (const std::vector<Index>* const nodes : {&held, &in_layers})
        for (const Index dof : *nodes) free[static_cast<std::size_t>(dof)] = 0;
      alpha_ = to_space<Space>(free);
    }
    if (media.beta.components == 0) return;
    lag_ = of_all_ranks(problem);
    seen_ = Array<T, Space>(Offset{problem.space.dofs.dofs} * components_);
    owned_ = static_cast<Offset>(inverse_mass.size()) * components_;
    const auto owned = static_cast<Index>(inverse_mass.size());
    if (lag_.is_one()) {
      std::vector<T> free(inverse_mass.size(), 1);
      for (const Index dof : held) free[static_cast<std::size_t>(dof)] = 0;
      free_ = to_space<Space>(free);
      return;
    }
    beta_K_.emplace(exec, problem.mesh(), problem.space.dofs, problem.cells,
                    product(problem.cells, media.stiffness, media.beta),
                    assembly::SpectralOptions{.owned = owned, .held = held});
    a_ = Array<T, Space>(Offset{static_cast<Index>(held.size())} * components_);
    f_ = Array<T, Space>(owned_);
  }

  /// alpha of the dofs that are owned, or nothing.
  const std::vector<double>& alpha_of_nodes() const { return of_nodes_; }
  /// alpha of these nodes, or nothing.
  std::vector<double> rates_of_layers(const std::vector<Index>& in_layers) const {
    std::vector<double> rates;
    for (std::size_t i = 0; i < in_layers.size() && !of_nodes_.empty(); ++i)
      rates.push_back(of_nodes_[static_cast<std::size_t>(in_layers[i])]);
    return rates;
  }
  bool has_beta() const { return lag_.greatest > 0; }
  Range beta() const { return lag_; }
  double bytes() const {
    return (beta_K_ ? beta_K_->bytes() : 0) +
           static_cast<double>(alpha_.bytes() + free_.bytes() + seen_.bytes() + a_.bytes() + f_.bytes());
  }

  /// Moves v by what damps but for the nodes that are held, and by the force of u + beta v, where beta is one for all,
  /// which also moves u: then it is true, and the force is not to be taken once more. Collective where ranks share it.
  template <class Force>
  bool push(Exec& exec, const OverRanks<Exec>& ranks, Force& force, double h, double kick, double drift,
            View<const T> scale, View<T> v, View<T> u, View<T> a) {
    if (has_beta()) {
      const View<T> own = seen_.view().part(0, owned_);
      if (beta_K_)
        linalg::copy(exec, v, own);
      else
        combine(exec, 1, lag_.greatest, View<const T>(u).part(0, owned_), v, own);
      if (ranks) ranks.template update_ghosts<T>(seen_.view());
    }
    if (!alpha_.empty()) scale_by_nodes(exec, components_, View<const T>(alpha_.view()), h - kick, v);
    if (!has_beta()) return false;
    if (beta_K_) {
      // seen_ is u of this step, which is moved by 0 v.
      beta_K_->leap(exec, static_cast<T>(kick), T(0), scale, v, seen_.view(), a_.view());
      return false;
    }
    force.leap(exec, static_cast<T>(kick), T(0), scale, v, seen_.view(), a);
    move_by_nodes(exec, components_, View<const T>(free_.view()), drift, View<const T>(v), u);
    return true;
  }
  /// After the force and the sources have moved v and u.
  void end(Exec& exec, double h, double drift, View<T> v, View<T> u) {
    if (!alpha_.empty()) divide_leap(exec, components_, View<const T>(alpha_.view()), h, drift, v, u);
  }
  /// Adds what held nodes have of it, after the force has written theirs.
  void add_held(Exec& exec, View<T> a) {
    if (beta_K_ && a_.size() > 0) linalg::axpy(exec, 1, View<const T>(a_.view()), a);
  }

  /// Whether the force is that of u + beta v, of all rows that are seen.
  bool is_combined() const { return has_beta() && !beta_K_; }
  View<const T> combined(Exec& exec, View<const T> u, View<const T> v) {
    combine(exec, 1, lag_.greatest, u, v, seen_.view());
    return seen_.view();
  }
  /// a -= M^-1 C v but for what is in the force already, and for alpha of held nodes; v of the rows that are seen.
  void add_rest(Exec& exec, View<const T> scale, View<const T> v, View<T> a) {
    if (beta_K_) {
      beta_K_->apply(exec, v, scale, f_.view());
      linalg::axpy(exec, 1, View<const T>(f_.view()), a);
    }
    if (!alpha_.empty()) subtract_by_nodes(exec, components_, View<const T>(alpha_.view()), v, a);
  }

  /// a = a + rates beta K u over the mass, of a = -M^-1 K u.
  void add_stiffness(Exec& exec, double rates, View<const T> scale, View<const T> u, View<T> a) {
    if (!beta_K_) return linalg::scale(exec, 1 + rates * lag_.greatest, a);
    beta_K_->apply(exec, u, scale, f_.view());
    linalg::axpy(exec, rates, View<const T>(f_.view()), a);
  }

 private:
  /// to = a u + b v
  static void combine(Exec& exec, double a, double b, View<const T> u, View<const T> v, View<T> to) {
    linalg::combine(exec, to, {0}, {{a}, u}, {{b}, v});
  }
  /// Of all ranks, which must do the same.
  static Range of_all_ranks(const Problem& problem) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const std::vector<double>& values = problem.media.beta.values;
    const Range mine = range_of(problem.media.beta);
    double greatest = values.empty() ? none : mine.greatest, least = values.empty() ? none : -mine.least;
    if (problem.space.ranks) {
      greatest = maximum(*problem.space.ranks, greatest);
      least = maximum(*problem.space.ranks, least);
    }
    return {.least = -least, .greatest = greatest};
  }

  int components_;
  Offset owned_ = 0;              ///< rows
  Range lag_;                     ///< of beta
  std::vector<double> of_nodes_;  ///< alpha
  Array<T, Space> alpha_;         ///< [own dofs], 0 at those that are held
  Array<T, Space> free_;          ///< [own dofs], 1 but at those that are held
  Array<T, Space> seen_, f_, a_;  ///< [rows seen], [own rows], [held nodes, components]
  std::optional<assembly::SpectralOperator<Exec, typename forms::Inside<Law>::Type, T>> beta_K_;
};

/// Of laws that attenuate there is none.
struct NoDamping {};
template <class Exec, class Law, class T>
inline constexpr bool can_damp = !assembly::ForceOfLaw<Exec, Law, T>::attenuates;
template <class Exec, class Law, class T>
using DampingOf = std::conditional_t<can_damp<Exec, Law, T>, RayleighDamping<Exec, Law, T>, NoDamping>;

}  // namespace tessera::physics::wave
