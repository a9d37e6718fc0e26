#pragma once
// Runge-Kutta steps of the scheme that stay in its invariant domain.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "linalg/vector_ops.hpp"
#include "physics/conservation/scheme.hpp"
#include "physics/conservation/stages.hpp"
#include "physics/conservation/steps_ahead.hpp"

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
    for (int k = 0; k < 3; ++k) u_[k] = Array<double, Space>(scheme.numbers() * scheme.nodes());
  }
  virtual ~SchemeSteps() = default;
  SchemeSteps(const SchemeSteps&) = delete;

  /// The state [numbers, nodes seen], to be filled before `begin`.
  View<double> state() { return u_[0].view(); }
  View<const double> state() const { return u_[0].view(); }
  /// Looks at the state, which is that of time t. Waits for the backend. Whether it is one that the equation has.
  bool begin(double t = 0) {
    if (ahead_) ahead_->drop();
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
      const bool ahead = attempt == 0 && ahead_ && ahead_->makes(limits_[0].longest, dt);
      if (!ahead) drop(t);
      const int last = ahead ? step_ahead() : run_stages(t, dt);
      const bool inside = ahead ? keep(ahead_->read(dt)) : read(static_cast<int>(stages_.size()));
      evaluations_ += static_cast<Offset>(stages_.size());
      double longest = dt;
      for (std::size_t s = 1; s < stages_.size(); ++s)
        longest = std::min(longest, limits_[s].longest / stages_[s].length);
      if (inside && dt <= longest) {
        go_on(last);
        done.dt = dt;
        return done;
      }
      ++done.rejected;
      constexpr double safety = 0.95;
      dt = inside ? std::max(0.5 * dt, safety * longest) : 0.5 * dt;
      if (ahead_) ahead_->drop();
      take(0, t, 0);
    }
    drop(t);
    (void)read(1);
    return done;
  }

  /// From now on steps of `cfl` that are at most `most` long are queued ahead, see StepsAhead. They and all else that
  /// is done at a state must be the same at any time, and only queue work. Takes the memory of a state.
  void go_ahead(double cfl, double most) {
    ahead_ = std::make_unique<StepsAhead<Exec>>(exec_, scheme_, StepRule{cfl, most, stages_[0].length},
                                                static_cast<int>(stages_.size()));
    u_[3] = Array<double, Space>(u_[0].size());
  }
  /// Whether steps were replayed as a graph.
  bool replayed() const { return ahead_ && ahead_->replayed(); }

  /// A step of each node by cfl times its own longest one, in each stage: for steady states, which it leaves as they
  /// are; of stages that have the length of the step. False: a state was lost, and that before the step stays.
  virtual bool step_locally(double t, double cfl) {
    cfl_ = local_cfl_ = cfl;
    const int last = run_stages(t, cfl * limits_[0].longest);
    evaluations_ += static_cast<Offset>(stages_.size());
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
    if (ahead_) ahead_->drop();
    take(0, t, 0);
    return scheme_.limits(1).front().longest > limits_[0].longest ? -1 : scheme_.slowest();
  }
  /// The longest step from this state.
  double longest() const { return limits_[0].longest / stages_[0].length; }

 protected:
  /// Looks at a vector as the state of time t.
  void take(std::size_t which, double t, int slot) {
    const View<const double> u = std::as_const(u_[which]).view();
    if (prepare_) prepare_(t, u);
    scheme_.take(u, slot);
  }

  /// Vectors of a step by what they are to it: the state that it begins with, and two for those after its stages.
  using Vectors = std::array<std::size_t, 3>;

  /// Returns which of `of` has the state after the step, of which slot 0 knows the limit.
  int run_stages(double t, StepLength dt, const Vectors& of = {0, 1, 2}) {
    const auto vector = [&](int which) { return of[static_cast<std::size_t>(which)]; };
    const View<const double> start = std::as_const(u_[of[0]]).view();
    int now = 0;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const int to = now == 1 ? 2 : 1;
      const Stage& stage = stages_[s];
      if (s > 0) take(vector(now), t + stages_[s - 1].at * dt.value, static_cast<int>(s));
      const View<const double> from = u_[vector(now)].view();
      const View<double> made = u_[vector(to)].view();
      if (stage.length < 1)
        scheme_.advance_stage(from, dt.part(stage.length), stage.weights, s + 1 == stages_.size(), made);
      else
        scheme_.advance(from, dt, stage.share, start, made);
      if (cfl_ > 0) scheme_.stretch(from, dt.value, cfl_, stage.share, start, made);
      constrain_(t + stage.at * dt.value, made);
      now = to;
    }
    take(vector(now), t + dt.value, 0);
    if (!scheme_.corrects()) return now;
    const int to = now == 1 ? 2 : 1;
    scheme_.correct(std::as_const(u_[vector(now)]).view(), dt, u_[vector(to)].view());
    constrain_(t + dt.value, u_[vector(to)].view());
    take(vector(to), t + dt.value, 0);
    return to;
  }

  /// The step from the state of now is queued, if it was not, and the one behind it; returns which vector has the state
  /// between them.
  int step_ahead() {
    // No time is said, as none may matter.
    constexpr double any_time = std::numeric_limits<double>::quiet_NaN();
    const StepLength noted{1, scheme_.noted_length()};
    const std::size_t made = stages_.size() + (scheme_.corrects() ? 1 : 0);
    const int last = made % 2 == 1 ? 1 : 2;
    if (!ahead_->is_queued()) {
      ahead_->begin();
      ahead_->queue(false, [&] { run_stages(any_time, noted); });
    }
    Vectors behind{static_cast<std::size_t>(last), 1, 2};
    behind[static_cast<std::size_t>(last)] = 3;
    ahead_->queue(true, [&] { run_stages(any_time, noted, behind); });
    return last;
  }
  /// Steps that are queued were not the ones to be taken, if there are some: the scheme looks at the state of now anew.
  void drop(double t) {
    if (!ahead_ || !ahead_->is_queued()) return;
    ahead_->drop();
    take(0, t, 0);
  }
  /// The state becomes that of a vector.
  void go_on(int last) {
    std::swap(u_[0], u_[last]);
    if (!ahead_) return;
    std::swap(u_[last], u_[3]);  // what a step behind that one keeps of it
    ahead_->go_on();
  }

  /// Limits of the slots below `count`, over all ranks; whether all states were some.
  bool read(int count) { return keep(scheme_.limits(count)); }
  bool keep(const std::vector<StepLimit>& limits) {
    std::vector<double> numbers;
    const std::size_t count = limits.size();
    for (std::size_t s = 0; s < count; ++s) {
      limits_[s] = limits[s];
      numbers.push_back(limits_[s].longest);
      numbers.push_back(limits_[s].bad < 0 ? 1 : 0);
    }
    if (least_) least_(numbers);
    bool inside = true;
    const double* of_stage = numbers.data();
    for (std::size_t s = 0; s < count; ++s, of_stage += 2) {
      limits_[s].longest = of_stage[0];
      inside = inside && of_stage[1] > 0;
    }
    if (!inside) {
      bad_ = -1;
      for (std::size_t s = 0; s < count; ++s) bad_ = std::max(bad_, limits_[s].bad);
    }
    return inside;
  }

  Exec& exec_;
  Scheme<Exec>& scheme_;
  std::vector<Stage> stages_;
  Constrain constrain_;
  Least least_;
  Prepare prepare_;
  Array<double, Space> u_[4];  ///< the last one where steps are queued ahead
  std::unique_ptr<StepsAhead<Exec>> ahead_;
  StepLimit limits_[3];
  Index bad_ = -1;
  Offset evaluations_ = 0;
  double cfl_ = 0;  ///< of steps of each node by itself; 0: all have one
  double local_cfl_ = 0;
  double square_of_rates_ = 0;
};

}  // namespace tessera::physics::conservation
