#pragma once
// The leapfrog of fluids beside solids: first the fluids, with the displacements of the solids' nodes, then the solids,
// with the pressure of the fluids' nodes at the same time. Both accelerations are those of one moment, so the scheme is
// that of a symmetric system and keeps its energy.
#include "forms/attenuation.hpp"
#include "forms/layers.hpp"
#include "forms/spectral.hpp"
#include "linalg/halo.hpp"
#include "physics/wave/coupled.hpp"
#include "physics/wave/coupling_ops.hpp"
#include "physics/wave/leapfrog_impl.hpp"

namespace tessera::physics::wave {

/// Nodes of the interface on a backend.
template <class Space, class T>
struct InterfaceNodes {
  Array<Index, Space> dofs, in_fluid, in_solid;
  Array<T, Space> over_fluid, over_solid;

  InterfaceView<T> view() const {
    return {dofs.view(), in_fluid.view(), in_solid.view(), over_fluid.view(), over_solid.view()};
  }
};

template <class Exec, class Law, class T>
struct CoupledParts {
  using Space = typename Exec::Space;
  using FluidLaw =
      std::conditional_t<forms::has_layers<Law>, forms::InLayers<forms::GradientFlux>, forms::GradientFlux>;
  const CoupledProblem& problem;
  Parts<Exec, FluidLaw, T>& fluid;
  Parts<Exec, Law, T>& solid;
  InterfaceNodes<Space, T> interface;
  InterfaceNodes<Space, T> in_layers;  ///< of the interface, where both are stretched
  FluidState& state;                   ///< of the fluids, where the host looks
  Index owned;                         ///< dofs
  PeakMaps& peaks;                     ///< of the solids

  int dim() const { return problem.solid.cells.dim; }
};

template <class Exec, class Law, class T>
class CoupledLeapfrog final : public Leapfrog<Exec> {
 public:
  using typename Leapfrog<Exec>::Space, typename Leapfrog<Exec>::Vector;
  using Vectors = std::vector<double>;
  static constexpr bool has_layers = forms::has_layers<Law>;
  static constexpr bool remembers = remembers_of<Exec, Law, T>;

  CoupledLeapfrog(Exec& exec, CoupledParts<Exec, Law, T>& parts, const OverRanks<Exec>& ranks)
      : exec_(exec),
        parts_(parts),
        ranks_(ranks),
        moved_(exec, parts.solid),
        steps_(parts.solid.summary),
        peaks_(exec, &parts.peaks, parts.dim(), parts.owned, parts.problem.space.dofs.dofs) {
    a_fluid_ = Array<T, Space>(nodes_with_force(parts.fluid));
    a_solid_ = Array<T, Space>(nodes_with_force(parts.solid) * parts.dim());
    if (ranks) halo_ = std::make_unique<linalg::Halo<Exec>>(*ranks.link(), space().index_map, 1);
  }

  void start(double t, double dt, const Vectors& u, const Vectors& v) override {
    ranks_.each([&] { refuse_moved_fluid(parts_.problem, u, v, parts_.owned); });
    restore(u, v);
    peaks_.take(now_.u, now_.v);
    now_.chi = zeros(space().dofs.dofs);
    now_.w = zeros(parts_.owned);
    if constexpr (remembers) parts_.solid.force.forget(exec_, View<const T>(now_.u.view()), dt);
    if constexpr (has_layers) parts_.fluid.force.forget(exec_, View<const T>(now_.chi.view()), dt);
    if (parts_.fluid.memory) parts_.fluid.memory->forget();
    State at_start = copy(now_);
    take_strengths(t);
    leap(0, -dt / 2, 0, at_start);
    steps_.forget();
    now_.v = std::move(at_start.v);
    now_.w = std::move(at_start.w);
    moved_.start(t, dt, now_.v);
  }
  /// What states have of fluids alone is not of the solids' unknowns.
  void restore(const Vectors& u, const Vectors& v) override {
    steps_.forget();
    std::vector<T> of_solids(u.begin(), u.end());
    const std::vector<char> only = of_fluids_alone();
    for (std::size_t row = 0; row < of_solids.size(); ++row)
      if (only[row / static_cast<std::size_t>(parts_.dim())]) of_solids[row] = 0;
    now_.u = to_space<Space>(of_solids);
    now_.v = to_space<Space>(std::vector<T>(v.begin(), v.end()));
  }
  /// One vector of rows: chi in the first component of each dof, chi' half a step before in the second. Then what
  /// fluids remember, in the first components of a vector each, what solids do, and peaks.
  std::vector<Vectors> others() const override {
    const Vectors chi = in_double(now_.chi), w = in_double(now_.w);
    const auto dim = static_cast<std::size_t>(parts_.dim());
    Vectors both(chi.size() * dim, 0.0);
    for (std::size_t i = 0; i < chi.size(); ++i) both[i * dim] = chi[i];
    for (std::size_t i = 0; i < w.size(); ++i) both[i * dim + 1] = w[i];
    std::vector<Vectors> all{both};
    for (const Vectors& of_dofs : memory_of_fluids()) {
      Vectors of_rows(both.size(), 0.0);
      for (std::size_t i = 0; i < of_dofs.size(); ++i) of_rows[i * dim] = of_dofs[i];
      all.push_back(std::move(of_rows));
    }
    for (Vectors& of_rows : memory_of(parts_.solid)) all.push_back(std::move(of_rows));
    peaks_.add_kept(all);
    return all;
  }
  void restore_others(const std::vector<Vectors>& others) override {
    steps_.forget();
    const auto dim = static_cast<std::size_t>(parts_.dim());
    std::vector<T> chi(static_cast<std::size_t>(space().dofs.dofs)), w(static_cast<std::size_t>(parts_.owned));
    for (std::size_t i = 0; i < chi.size(); ++i) chi[i] = static_cast<T>(others.at(0)[i * dim]);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<T>(others.at(0)[i * dim + 1]);
    now_.chi = to_space<Space>(chi);
    now_.w = to_space<Space>(w);
    peaks_.restore(others, restore_memory(others));
    update_ghosts();
  }

  /// Of both media, by the numbers of cells in the whole.
  assembly::NumbersOfCells of_cells() const override {
    if constexpr (has_layers)
      return united(parts_.problem, parts_.fluid.force.memory_of_cells(), parts_.solid.force.memory_of_cells());
    if constexpr (forms::has_coarse_memory<Law>)
      return united(parts_.problem, {}, parts_.solid.force.memory_of_cells());
    return {};
  }
  void restore_of_cells(const assembly::NumbersOfCells& numbers) override {
    steps_.forget();
    if constexpr (has_layers) parts_.fluid.force.restore_memory_of_cells(part_of(parts_.problem.fluid, numbers));
    if constexpr (cells_remember<Law>)
      parts_.solid.force.restore_memory_of_cells(part_of(parts_.problem.solid, numbers));
  }

  void step(double t, double before, double dt) override {
    begin_step(before, dt, true);
    take_strengths(t);
    steps_.run(exec_, before, dt, ranks_ || parts_.solid.varies, [&] {
      leap(before / 2, (before + dt) / 2, dt, now_);
      moved_.set_u(t + dt, now_.u);
      moved_.set_v(t + dt / 2, now_.v);
      if (parts_.fluid.memory) parts_.fluid.memory->remember(exec_, dt, now_.w.view());
      peaks_.take(now_.u, now_.v);
    });
    update_ghosts();
  }

  void look_ahead(double t, double before, double dt) override {
    begin_step(before, dt, false);
    ahead_ = copy(now_);
    take_strengths(t);
    leap(before / 2, (before + dt) / 2, dt, ahead_);
    moved_.set_v(t + dt / 2, ahead_.v);
    ahead_.u = {};
    ahead_.chi = {};
    peaks_.look();
  }
  void forget_ahead() override { ahead_ = {}; }

  /// Of the solids; in fluids grad chi / rho.
  Vectors u() const override {
    parts_.state.chi = in_double(now_.chi);
    Vectors u = in_double(now_.u);
    take_fluid(parts_.state.chi, u);
    update_ghosts_on_host(u, parts_.dim());
    return u;
  }
  Vectors v() const override { return in_double(now_.v); }
  Vectors rate(double before, double dt) const override {
    const double part = before / (before + dt);
    Vectors rate = between(now_.v, ahead_.v, part);
    FluidState& state = parts_.state;
    state.rate = between(now_.w, ahead_.w, part);
    state.second = in_double(now_.w);
    const Vectors after = in_double(ahead_.w);
    for (std::size_t i = 0; i < after.size(); ++i) state.second[i] = (after[i] - state.second[i]) / ((before + dt) / 2);
    for (Vectors* of : {&state.rate, &state.second}) {
      of->resize(static_cast<std::size_t>(space().dofs.dofs));
      update_ghosts_on_host(*of, 1);
    }
    take_fluid(state.rate, rate);
    return rate;
  }

  /// Columns behind the rows are dofs of chi.
  void add_sums(const linalg::Crs<Space>& weights, Vector of, double factor, View<double> values) override {
    const bool next = of == Vector::next_v && !ahead_.v.empty();
    const Array<T, Space>& x = of == Vector::u ? now_.u : next ? ahead_.v : now_.v;
    const Array<T, Space>& y = of == Vector::u ? now_.chi : next ? ahead_.w : now_.w;
    add_weighted_sums_of_two(exec_, View<const Offset>(weights.row_ptr.view()),
                             View<const Index>(weights.col_ind.view()), View<const double>(weights.values.view()),
                             View<const T>(x.view()), space().rows(), View<const T>(y.view()), factor, values);
  }
  void ask_square() override {
    squares_.ask(exec_, ranks_, {std::as_const(now_.v).view(), std::as_const(now_.w).view()});
  }
  double square() override { return squares_.sum(); }

 private:
  /// u(t), chi(t) and their rates half a step before.
  struct State {
    Array<T, Space> u, v;    ///< [rows seen], [own rows]
    Array<T, Space> chi, w;  ///< [dofs seen], [own dofs]
  };

  const Discretisation& space() const { return parts_.problem.space; }
  template <class OfMedium>
  static Offset nodes_with_force(const OfMedium& parts) {
    const auto held = static_cast<Offset>(parts.held.nodes.size());
    if constexpr (has_layers)
      return held + static_cast<Offset>(parts.force.nodes().size());
    else
      return held;
  }
  void begin_step(double before, double dt, bool kept) {
    if constexpr (remembers) parts_.solid.force.begin_step(before, dt, kept);
    if constexpr (has_layers) parts_.fluid.force.begin_step(before, dt, kept);
  }
  /// Vectors [dofs] of fluids that attenuate, or that have layers.
  std::vector<Vectors> memory_of_fluids() const { return memory_of(parts_.fluid); }
  /// How many vectors of others() were not those of peaks.
  std::size_t restore_memory(const std::vector<Vectors>& others) {
    std::size_t next = 1;
    const auto dim = static_cast<std::size_t>(parts_.dim());
    std::vector<Vectors> of_fluids(vectors_of_memory(parts_.fluid));
    for (Vectors& of_dofs : of_fluids) {
      const Vectors& of_rows = others.at(next++);
      for (std::size_t i = 0; i < of_rows.size(); i += dim) of_dofs.push_back(of_rows[i]);
    }
    wave::restore_memory(parts_.fluid, of_fluids);
    const std::size_t count = vectors_of_memory(parts_.solid);
    const auto first = others.begin() + static_cast<std::ptrdiff_t>(next);
    wave::restore_memory(parts_.solid, {first, first + static_cast<std::ptrdiff_t>(count)});
    return next + count;
  }
  Array<T, Space> zeros(Offset size) const {
    Array<T, Space> x(size);
    x.set_zero();
    return x;
  }
  static Array<T, Space> copy(const Array<T, Space>& from) {
    Array<T, Space> to(from.size());
    copy_bytes(Space{}, from.data(), Space{}, to.data(), from.bytes());
    return to;
  }
  static State copy(const State& from) { return {copy(from.u), copy(from.v), copy(from.chi), copy(from.w)}; }
  static Vectors in_double(const Array<T, Space>& x) {
    const std::vector<T> values = to_vector(x);
    return {values.begin(), values.end()};
  }
  static Vectors between(const Array<T, Space>& before, const Array<T, Space>& after, double part) {
    Vectors result = in_double(before);
    const Vectors next = in_double(after);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += part * (next[i] - result[i]);
    return result;
  }

  /// [dofs seen]
  std::vector<char> of_fluids_alone() const {
    const Problem& fluid = parts_.problem.fluid;
    std::vector<char> only(static_cast<std::size_t>(space().dofs.dofs), 0);
    for (const Index dof : fluid.cells.dofs) only[static_cast<std::size_t>(dof)] = 1;
    for (const Index dof : fluid.interface) only[static_cast<std::size_t>(dof)] = 0;
    return only;
  }
  /// At nodes of fluids alone x [dofs of x, dim] becomes grad chi / rho.
  void take_fluid(const Vectors& chi, Vectors& x) const {
    const Problem& fluid = parts_.problem.fluid;
    const Vectors of_fluid = fluid_displacements(fluid, chi);
    const auto dim = static_cast<std::size_t>(parts_.dim());
    const std::vector<char> only = of_fluids_alone();
    for (std::size_t dof = 0; dof * dim < x.size(); ++dof)
      for (std::size_t d = 0; only[dof] && d < dim; ++d) x[dof * dim + d] = of_fluid[dof * dim + d];
  }
  void update_ghosts_on_host(Vectors& x, int components) const {
    if (ranks_) linalg::update_ghosts(ranks_.ranks(), space().index_map, components, x);
  }
  void update_ghosts() {
    if (!ranks_) return;
    ranks_.update_ghosts(now_.u.view());
    halo_->start(exec_, View<const T>(now_.chi.view()).part(0, parts_.owned));
    const View<const T> ghosts = halo_->template finish<T>(exec_);
    linalg::copy(exec_, ghosts, now_.chi.view().part(parts_.owned, halo_->ghosts()));
  }

  void take_strengths(double t) {
    wave::take_strengths(exec_, parts_.fluid, t);
    wave::take_strengths(exec_, parts_.solid, t);
  }
  /// With chi'' = (f - K chi + n.u) / m and u'' = M^-1 (f - K u - n chi'') at t: rates += kick times these, and what
  /// they are of += drift times the rates.
  void leap(double h, double kick, double drift, State& of) {
    const Linked alone(exec_, nullptr);
    const InterfaceView<T> interface = parts_.interface.view();
    const int dim = parts_.dim();
    push(exec_, ranks_, parts_.fluid, h, kick, drift, of.chi.view(), of.w.view(), a_fluid_.view());
    push_fluid(exec_, dim, interface, View<const T>(of.u.view()), a_fluid_.view());
    if constexpr (has_layers) {
      push_fluid(exec_, dim, parts_.in_layers.view(), parts_.solid.force.stretched(), a_fluid_.view());
      parts_.fluid.force.damp_nodes(exec_, View<const T>(of.w.view()), a_fluid_.view());
    }
    push(exec_, ranks_, parts_.solid, h, kick, drift, of.u.view(), of.v.view(), a_solid_.view());
    push_solid(exec_, dim, interface, parts_.fluid.held.view(), h, View<const T>(of.w.view()),
               View<const T>(a_fluid_.view()), a_solid_.view());
    if constexpr (has_layers) {
      push_solid(exec_, dim, parts_.in_layers.view(), View<const T>(a_fluid_.view()), a_solid_.view());
      parts_.solid.force.damp_nodes(exec_, View<const T>(of.v.view()), a_solid_.view());
    }
    leap_held(exec_, 1, parts_.fluid.held.view(), a_fluid_.view(), h, kick, drift, of.w.view(), of.chi.view());
    leap_held(exec_, dim, parts_.solid.held.view(), a_solid_.view(), h, kick, drift, of.v.view(), of.u.view());
    if constexpr (has_layers) {
      const T by = static_cast<T>(kick), along = static_cast<T>(drift);
      parts_.fluid.force.leap_nodes(exec_, by, along, View<const T>(a_fluid_.view()), of.w.view(), of.chi.view());
      parts_.solid.force.leap_nodes(exec_, by, along, View<const T>(a_solid_.view()), of.v.view(), of.u.view());
    }
  }

  Exec& exec_;
  CoupledParts<Exec, Law, T>& parts_;
  const OverRanks<Exec>& ranks_;
  MovedRows<Exec, Law, T> moved_;  ///< of the solids
  EqualSteps<Exec> steps_;
  std::unique_ptr<linalg::Halo<Exec>> halo_;  ///< of a number a dof
  State now_, ahead_;
  Array<T, Space> a_fluid_, a_solid_;  ///< of the held nodes
  Peaks<Exec, T> peaks_;
  Squares<Exec> squares_{2};
};

}  // namespace tessera::physics::wave
