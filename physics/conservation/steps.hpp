#pragma once
// Runge-Kutta steps of the scheme that stay in its invariant domain.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "linalg/vector_ops.hpp"
#include "physics/conservation/scheme.hpp"
#include "physics/conservation/stages.hpp"

namespace tessera::physics::conservation {

/// Takes a state through time by explicit steps. `constrain(t, u)` makes of u a state that the boundary lets be at time
/// t, and brings its ghosts; `least` makes numbers of ranks the least of all; `prepare(t, u)` makes what else the
/// equation needs that of time t and of the state u, before that is looked at.
template <class Exec>
class SchemeSteps {
 public:
  using Space = typename Exec::Space;
  using Constrain = std::function<void(double t, View<double> u)>;
  using Least = std::function<void(std::vector<double>&)>;
  using Prepare = std::function<void(double t, View<const double> u)>;

  /// The scheme must outlive it.
  SchemeSteps(Exec& exec, Scheme<Exec>& scheme, std::vector<Stage> stages, Constrain constrain, Least least = {},
              Prepare prepare = {})
      : exec_(exec),
        scheme_(scheme),
        stages_(std::move(stages)),
        constrain_(std::move(constrain)),
        least_(std::move(least)),
        prepare_(std::move(prepare)) {
    for (Array<double, Space>& u : u_) u = Array<double, Space>(scheme.numbers() * scheme.nodes());
  }
  virtual ~SchemeSteps() = default;
  SchemeSteps(const SchemeSteps&) = delete;

  /// The state [numbers, nodes seen], to be filled before `begin`.
  View<double> state() { return u_[0].view(); }
  View<const double> state() const { return u_[0].view(); }
  /// Looks at the state, which is that of time t. Waits for the backend. Whether it is one that the equation has.
  bool begin(double t = 0) {
    take(0, t, 0);
    return read(1);
  }

  struct Done {
    double dt = 0;        ///< of the step; 0: there was none
    Offset rejected = 0;  ///< steps that were tried before with twice the length
  };
  /// A step of which each stage has at most cfl times its longest length, at most `most` together; the scheme preserves
  /// its domain for cfl <= 1. Where a stage would not, since its waves are faster than those before, the step is taken
  /// again with the length that it allows, at least half of it. The state stays as it was where none is short enough,
  /// or where it would have to be below `least`, or too short to change t: such a run would not end.
  virtual Done step(double t, double cfl, double most, double least = 0) {
    constexpr int halvings = 20;
    Done done;
    bad_ = -1;
    double dt = std::min(cfl * longest(), most);
    for (int attempt = 0; attempt < halvings; ++attempt) {
      if ((dt < least && dt < most) || t + dt == t) break;
      const int last = run_stages(t, dt);
      const bool inside = read(static_cast<int>(stages_.size()));
      double longest = dt;
      for (std::size_t s = 1; s < stages_.size(); ++s)
        longest = std::min(longest, limits_[s].longest / stages_[s].length);
      if (inside && dt <= longest) {
        std::swap(u_[0], u_[static_cast<std::size_t>(last)]);
        done.dt = dt;
        return done;
      }
      ++done.rejected;
      constexpr double safety = 0.95;
      dt = inside ? std::max(0.5 * dt, safety * longest) : 0.5 * dt;
      take(0, t, 0);
    }
    (void)read(1);
    return done;
  }

  /// A step of each node by cfl times its own longest one, in each stage: for steady states, which it leaves as they
  /// are; of stages that have the length of the step. False: a state was lost, and that before the step stays.
  virtual bool step_locally(double t, double cfl) {
    cfl_ = local_cfl_ = cfl;
    const int last = run_stages(t, cfl * limits_[0].longest);
    cfl_ = 0;
    const bool inside = read(1);
    if (inside) {
      square_of_rates_ = scheme_.square_of_rates(u_[0].view(), u_[static_cast<std::size_t>(last)].view(), cfl);
      std::swap(u_[0], u_[static_cast<std::size_t>(last)]);
    } else {
      take(0, t, 0);
    }
    return inside;
  }
  /// Of that step, the integral of the square of the first number's rate of change over the own nodes.
  double square_of_rates() const { return square_of_rates_; }

  /// Its cfl, which may be less than what was asked for.
  double local_cfl() const { return local_cfl_; }

  Offset evaluations() const { return evaluations_; }
  /// The first own node where the last state that was looked at is none, -1: there is none here.
  Index bad() const { return bad_; }
  /// The own node that lets steps be no longer than they are, -1 where it is that of another rank.
  Index slowest(double t) {
    take(0, t, 0);
    return scheme_.limits(1).front().longest > limits_[0].longest ? -1 : scheme_.slowest();
  }
  /// The longest step from this state.
  double longest() const { return limits_[0].longest / stages_[0].length; }

 protected:
  /// Looks at a vector as the state of time t.
  void take(int which, double t, int slot) {
    const View<const double> u = u_[static_cast<std::size_t>(which)].view();
    if (prepare_) prepare_(t, u);
    scheme_.take(u, slot);
  }

  /// Returns which vector has the state after the step, of which slot 0 knows the limit.
  int run_stages(double t, double dt) {
    int now = 0;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const int to = now == 1 ? 2 : 1;
      const Stage& stage = stages_[s];
      if (s > 0) take(now, t + stages_[s - 1].at * dt, static_cast<int>(s));
      const View<const double> from = u_[static_cast<std::size_t>(now)].view();
      const View<double> made = u_[static_cast<std::size_t>(to)].view();
      if (stage.length < 1)
        scheme_.advance_stage(from, stage.length * dt, stage.weights, s + 1 == stages_.size(), made);
      else
        scheme_.advance(from, dt, stage.share, u_[0].view(), made);
      if (cfl_ > 0) scheme_.stretch(from, dt, cfl_, stage.share, u_[0].view(), made);
      constrain_(t + stage.at * dt, made);
      ++evaluations_;
      now = to;
    }
    take(now, t + dt, 0);
    if (!scheme_.corrects()) return now;
    const int to = now == 1 ? 2 : 1;
    scheme_.correct(u_[static_cast<std::size_t>(now)].view(), dt, u_[static_cast<std::size_t>(to)].view());
    constrain_(t + dt, u_[static_cast<std::size_t>(to)].view());
    take(to, t + dt, 0);
    return to;
  }

  /// Limits of the slots below `count`, over all ranks; whether all states were some.
  bool read(int count) {
    std::vector<double> numbers;
    const std::vector<StepLimit> limits = scheme_.limits(count);
    for (int s = 0; s < count; ++s) {
      limits_[s] = limits[static_cast<std::size_t>(s)];
      numbers.push_back(limits_[s].longest);
      numbers.push_back(limits_[s].bad < 0 ? 1 : 0);
    }
    if (least_) least_(numbers);
    bool inside = true;
    const double* of_stage = numbers.data();
    for (int s = 0; s < count; ++s, of_stage += 2) {
      limits_[s].longest = of_stage[0];
      inside = inside && of_stage[1] > 0;
    }
    if (!inside) {
      bad_ = -1;
      for (int s = 0; s < count; ++s) bad_ = std::max(bad_, limits_[s].bad);
    }
    return inside;
  }

  Exec& exec_;
  Scheme<Exec>& scheme_;
  std::vector<Stage> stages_;
  Constrain constrain_;
  Least least_;
  Prepare prepare_;
  Array<double, Space> u_[3];
  StepLimit limits_[3];
  Index bad_ = -1;
  Offset evaluations_ = 0;
  double cfl_ = 0;  ///< of steps of each node by itself; 0: all have one
  double local_cfl_ = 0;
  double square_of_rates_ = 0;
};

}  // namespace tessera::physics::conservation
