#pragma once
// The leapfrog of waves, in double or float.
#include <algorithm>
#include <utility>

#include "assembly/spectral/layers.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/motion.hpp"
#include "physics/wave/equal_steps.hpp"
#include "physics/wave/fluid_memory.hpp"
#include "physics/wave/peaks.hpp"
#include "physics/wave/problem.hpp"
#include "physics/wave/rayleigh_damping.hpp"
#include "physics/wave/squares.hpp"

namespace tessera::physics::wave {

/// A point source over the mass. Of its rows those at held nodes are numbered within these.
template <class Space, class T>
struct Source {
  Array<Index, Space> rows, held_rows, all_rows;
  Array<T, Space> weights, held_weights, all_weights;
  const deck::TimeFunction* function;
};

/// Nodes with damping or prescribed components, ascending.
template <class Space, class T>
struct Held {
  std::vector<Index> nodes;
  Array<Index, Space> dofs;
  Array<T, Space> damping;
  Array<unsigned char, Space> fixed;

  HeldNodes<T> view() const { return {dofs.view(), damping.view(), fixed.view()}; }
};

/// What a motion and its leapfrog have in common.
template <class Exec, class Law, class T>
struct Parts {
  using Space = typename Exec::Space;
  const Problem& problem;
  output::Summary& summary;
  typename assembly::ForceOfLaw<Exec, Law, T>::Type force;
  Array<T, Space> inverse_mass;
  Held<Space, T> held;
  std::vector<Source<Space, T>> sources;
  Array<double, Space> strengths;  ///< of the sources at the time of a step
  Prescribed prescribed, rates;    ///< of the rows that this rank owns
  Array<Index, Space> fixed;       ///< rows
  bool varies = false;
  PeakMaps* peaks = nullptr;  ///< of a medium by itself
  std::optional<DampingOf<Exec, Law, T>> damping;
  std::optional<FluidMemory<Exec, T>> memory;
};

/// Brings the strengths of the sources at time t to where the vectors live.
template <class Exec, class Law, class T>
void take_strengths(Exec& exec, Parts<Exec, Law, T>& parts, double t) {
  std::vector<double> now;
  for (const auto& source : parts.sources) now.push_back((*source.function)(t));
  if (parts.strengths.size() != static_cast<Offset>(now.size()))
    parts.strengths = Array<double, typename Exec::Space>(static_cast<Offset>(now.size()));
  put_numbers(exec, std::span<const double>(now), parts.strengths.view());
}

/// The force of a step, with a = M^-1 (f(t) - K u - C (v + h a)): v += kick a, u += drift v, where the sources have the
/// strengths that were taken. Of the nodes that are held it leaves what they have of the force in a. Collective where
/// ranks share the vectors.
template <class Exec, class Law, class T>
void push(Exec& exec, const OverRanks<Exec>& ranks, Parts<Exec, Law, T>& parts, double h, double kick, double drift,
          View<T> u, View<T> v, View<T> a) {
  const View<const T> scale = std::as_const(parts.inverse_mass).view();
  const T by = static_cast<T>(kick), along = static_cast<T>(drift);
  bool pushed = false;
  if constexpr (can_damp<Exec, Law, T>) {
    if (parts.damping) pushed = parts.damping->push(exec, ranks, parts.force, h, kick, drift, scale, v, u, a);
  }
  if (parts.memory) parts.memory->push(exec, h, kick, v);
  if (!pushed) parts.force.leap(exec, by, along, scale, v, u, a);
  if constexpr (can_damp<Exec, Law, T>)
    if (parts.damping) parts.damping->add_held(exec, a);
  if (parts.memory) parts.memory->add_held(exec, a);
  for (std::size_t s = 0; s < parts.sources.size(); ++s) {
    const Source<typename Exec::Space, T>& source = parts.sources[s];
    const double* const now = parts.strengths.data() + s;
    add_to_leap(exec, source.rows.view(), source.weights.view(), now, kick, drift, v, u);
    add_to_entries(exec, source.held_rows.view(), source.held_weights.view(), now, a);
  }
  if constexpr (can_damp<Exec, Law, T>)
    if (parts.damping) parts.damping->end(exec, h, drift, v, u);
  if (parts.memory) parts.memory->end(exec, h, drift, v, u);
}

/// Whether the force of a law remembers.
template <class Exec, class Law, class T>
inline constexpr bool remembers_of = assembly::ForceOfLaw<Exec, Law, T>::attenuates || forms::has_layers<Law>;

/// Whether its cells do.
template <class Law>
inline constexpr bool cells_remember = forms::has_layers<Law> || forms::has_coarse_memory<Law>;

/// What a medium remembers, its force before its fluids' nodes: vectors of rows of which it has so many.
template <class Exec, class Law, class T>
std::vector<std::vector<double>> memory_of(const Parts<Exec, Law, T>& parts) {
  std::vector<std::vector<double>> all;
  if constexpr (remembers_of<Exec, Law, T>) all = parts.force.memory();
  if (parts.memory)
    for (std::vector<double>& of_dofs : parts.memory->memory(parts.problem.space.dofs.dofs))
      all.push_back(std::move(of_dofs));
  return all;
}
template <class Exec, class Law, class T>
std::size_t vectors_of_force(const Parts<Exec, Law, T>& parts) {
  if constexpr (remembers_of<Exec, Law, T>) return parts.force.vectors_of_memory();
  return 0;
}
template <class Exec, class Law, class T>
std::size_t vectors_of_memory(const Parts<Exec, Law, T>& parts) {
  return vectors_of_force(parts) + (parts.memory ? parts.memory->vectors_of_memory() : 0);
}
/// From the first vectors of `memory`.
template <class Exec, class Law, class T>
void restore_memory(Parts<Exec, Law, T>& parts, const std::vector<std::vector<double>>& memory) {
  if constexpr (remembers_of<Exec, Law, T>) parts.force.restore_memory(memory);
  if (parts.memory) parts.memory->restore_memory(memory, vectors_of_force(parts));
}

/// Moves the rows of which the prescribed values change in time, of a leapfrog: their velocities, too, are those of
/// half steps, so that v(t) and a(t) are found of them as of all others.
template <class Exec, class Law, class T>
class MovedRows {
 public:
  using Space = typename Exec::Space;
  MovedRows(Exec& exec, const Parts<Exec, Law, T>& parts) : exec_(exec), parts_(parts) {}

  void set_u(double t, Array<T, Space>& u) { set(parts_.prescribed, t, u); }
  void set_v(double t, Array<T, Space>& v) { set(parts_.rates, t, v); }
  /// v(t - dt/2) = 2 v(t) - v(t + dt/2), which asks for nothing before the beginning.
  void start(double t, double dt, Array<T, Space>& v) {
    if (!parts_.varies) return;
    std::vector<double> values = values_at(parts_.problem, parts_.rates, t);
    const std::vector<double> after = values_at(parts_.problem, parts_.rates, t + dt / 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2 * values[i] - after[i];
    put(values, v);
  }

 private:
  void set(const Prescribed& of, double t, Array<T, Space>& x) {
    if (parts_.varies) put(values_at(parts_.problem, of, t), x);
  }
  void put(const std::vector<double>& values, Array<T, Space>& x) {
    const auto size = static_cast<Offset>(values.size());
    if (values_.size() != size) values_ = Array<double, Space>(size);
    copy_bytes(Host{}, values.data(), Space{}, values_.data(), values.size() * sizeof(double));
    set_values(exec_, View<const Index>(parts_.fixed.view()), std::as_const(values_).view(), x.view());
  }

  Exec& exec_;
  const Parts<Exec, Law, T>& parts_;
  Array<double, Space> values_;  ///< [rows], kept from step to step
};

template <class Exec, class Law, class T>
class WaveLeapfrog final : public Leapfrog<Exec> {
 public:
  using typename Leapfrog<Exec>::Space, typename Leapfrog<Exec>::Vector;
  static constexpr bool has_layers = forms::has_layers<Law>;
  static constexpr bool remembers = remembers_of<Exec, Law, T>;

  WaveLeapfrog(Exec& exec, Parts<Exec, Law, T>& parts, const OverRanks<Exec>& ranks)
      : exec_(exec),
        parts_(parts),
        ranks_(ranks),
        moved_(exec, parts),
        steps_(parts.summary),
        a_(Offset{static_cast<Index>(parts.held.nodes.size())} * parts.problem.components()),
        peaks_(exec, parts.peaks, parts.problem.components(), static_cast<Index>(parts.inverse_mass.size()),
               parts.problem.space.dofs.dofs) {
    if (ranks_)
      parts_.force.bring_others_by(
          {[this](Exec& aside) { start_exchange(aside); }, [this](Exec& aside) { receive_ghosts(aside); }});
  }
  ~WaveLeapfrog() override {
    if (ranks_) parts_.force.bring_no_others();
  }
  WaveLeapfrog(const WaveLeapfrog&) = delete;

  void start(double t, double dt, const std::vector<double>& u, const std::vector<double>& v) override {
    restore(u, v);
    peaks_.take(u_, v_);
    if constexpr (remembers) parts_.force.forget(exec_, View<const T>(u_.view()), dt);
    if (parts_.memory) parts_.memory->forget();
    Array<T, Space> at_start = copy(u_);
    take_strengths(exec_, parts_, t);
    steps_.forget();
    leap(0, -dt / 2, 0, at_start, v_);
    moved_.start(t, dt, v_);
  }
  void restore(const std::vector<double>& u, const std::vector<double>& v) override {
    steps_.forget();
    u_ = to_space<Space>(std::vector<T>(u.begin(), u.end()));
    stale_ = false;
    v_ = to_space<Space>(std::vector<T>(v.begin(), v.end()));
  }

  std::vector<std::vector<double>> others() const override {
    std::vector<std::vector<double>> all = memory_of(parts_);
    peaks_.add_kept(all);
    return all;
  }
  void restore_others(const std::vector<std::vector<double>>& others) override {
    steps_.forget();
    restore_memory(parts_, others);
    peaks_.restore(others, vectors_of_memory(parts_));
  }
  assembly::NumbersOfCells of_cells() const override {
    if constexpr (cells_remember<Law>) return parts_.force.memory_of_cells();
    return {};
  }
  void restore_of_cells(const assembly::NumbersOfCells& numbers) override {
    steps_.forget();
    if constexpr (cells_remember<Law>) parts_.force.restore_memory_of_cells(numbers);
  }

  void step(double t, double before, double dt) override {
    if constexpr (can_damp<Exec, Law, T>)
      if (parts_.damping) bring_ghosts();  // a damping exchanges vectors of its own beside the cells
    if constexpr (remembers) parts_.force.begin_step(before, dt, true);
    take_strengths(exec_, parts_, t);
    steps_.run(exec_, before, dt, ranks_ || parts_.varies, [&] {
      leap(before / 2, (before + dt) / 2, dt, u_, v_);
      moved_.set_u(t + dt, u_);
      moved_.set_v(t + dt / 2, v_);
      if (parts_.memory) parts_.memory->remember(exec_, dt, v_.view());
      peaks_.take(u_, v_);
    });
    stale_ = static_cast<bool>(ranks_);
  }

  void look_ahead(double t, double before, double dt) override {
    bring_ghosts();
    if constexpr (remembers) parts_.force.begin_step(before, dt, false);
    Array<T, Space> u = copy(u_);
    ahead_ = copy(v_);
    take_strengths(exec_, parts_, t);
    leap(before / 2, (before + dt) / 2, dt, u, ahead_);
    moved_.set_v(t + dt / 2, ahead_);
    peaks_.look();
  }
  void forget_ahead() override { ahead_ = {}; }

  std::vector<double> u() const override {
    bring_ghosts();
    return in_double(u_);
  }
  std::vector<double> v() const override { return in_double(v_); }
  std::vector<double> rate(double before, double dt) const override {
    std::vector<double> rate = in_double(v_);
    const std::vector<double> ahead = in_double(ahead_);
    const double part = before / (before + dt);
    for (std::size_t i = 0; i < rate.size(); ++i) rate[i] += part * (ahead[i] - rate[i]);
    return rate;
  }

  void add_sums(const linalg::Crs<Space>& weights, Vector of, double factor, View<double> values) override {
    const Array<T, Space>& x = of == Vector::u ? u_ : of == Vector::v ? v_ : ahead_.empty() ? v_ : ahead_;
    add_weighted_sums(exec_, View<const Offset>(weights.row_ptr.view()), View<const Index>(weights.col_ind.view()),
                      View<const double>(weights.values.view()), View<const T>(x.view()), factor, values);
  }
  void ask_square() override { squares_.ask(exec_, ranks_, {std::as_const(v_).view()}); }
  double square() override { return squares_.sum(); }

 private:
  static Array<T, Space> copy(const Array<T, Space>& from) {
    Array<T, Space> to(from.size());
    copy_bytes(Space{}, from.data(), Space{}, to.data(), from.bytes());
    return to;
  }
  /// The ghosts of u go to where they stand, beside the cells that have none. Those that go to others lie in cells with
  /// ghosts, which come after `receive_ghosts`: the others do not move them before their sums.
  void start_exchange(Exec& aside) const {
    if (!std::exchange(stale_, false)) return;
    linalg::Halo<Exec>& halo = *ranks_.halo();
    halo.start_into(exec_, aside, std::as_const(u_).view().part(0, ranks_.rows()),
                    u_.view().part(ranks_.rows(), halo.ghosts()));
    under_way_ = true;
  }
  void receive_ghosts(Exec& aside) const {
    if (std::exchange(under_way_, false)) ranks_.halo()->template finish<T>(aside);
  }
  void bring_ghosts() const {
    start_exchange(exec_);
    receive_ghosts(exec_);
  }
  static std::vector<double> in_double(const Array<T, Space>& x) {
    const std::vector<T> values = to_vector(x);
    return {values.begin(), values.end()};
  }
  /// With a = M^-1 (f(t) - K u - C (v + h a)): v += kick a, u += drift v, but where u is prescribed.
  void leap(double h, double kick, double drift, Array<T, Space>& u, Array<T, Space>& v) {
    const Linked alone(exec_, nullptr);
    push(exec_, ranks_, parts_, h, kick, drift, u.view(), v.view(), a_.view());
    if (!parts_.held.nodes.empty())
      leap_held(exec_, parts_.problem.components(), parts_.held.view(), a_.view(), h, kick, drift, v.view(), u.view());
  }

  Exec& exec_;
  Parts<Exec, Law, T>& parts_;
  const OverRanks<Exec>& ranks_;
  MovedRows<Exec, Law, T> moved_;
  EqualSteps<Exec> steps_;
  mutable Array<T, Space> u_;      ///< its ghosts come when they are asked for
  Array<T, Space> v_, ahead_, a_;  ///< a: of the held nodes
  Peaks<Exec, T> peaks_;
  Squares<Exec> squares_{1};
  mutable bool stale_ = false, under_way_ = false;  ///< ghosts of u: those of a step before; on their way
};

}  // namespace tessera::physics::wave
