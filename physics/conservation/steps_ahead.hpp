#pragma once
// Steps of stages that are queued before the host knows how long they are.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "base/posted.hpp"
#include "base/replay.hpp"
#include "physics/conservation/scheme.hpp"

namespace tessera::physics::conservation {

/// Nodes up to which runs on one GPU queue their steps ahead: of more, launches are little beside what they launch.
inline constexpr Index most_nodes_ahead = 2'000'000;

/// Keeps a backend at work: a step takes its length where the vectors are, by the rule by which the host takes it, and
/// the one after it is queued before the host reads what it has found. What a step queues is the same every time, so
/// that CUDA replays it as a graph; vectors go round in `turns` turns, each of which is recorded once. The host decides
/// of each step as it does of others: where it would have taken another one, those that are queued are dropped, and
/// whoever owns the vectors has the state that they began with.
template <class Exec>
class StepsAhead {
 public:
  static constexpr int turns = 3;

  /// `slots` of the scheme are read after each step. The scheme must outlive it.
  StepsAhead(Exec& exec, Scheme<Exec>& scheme, const StepRule& rule, int slots)
      : exec_(exec), scheme_(scheme), rule_(rule), slots_(slots) {}
  /// Waits for what is queued, whose vectors go next.
  ~StepsAhead() {
    try {
      exec_.synchronize();
    } catch (...) {  // the failing call itself reports it
    }
  }
  StepsAhead(const StepsAhead&) = delete;

  /// Whether a step from a state of this longest one would have the length dt.
  bool makes(double longest, double dt) const { return rule_.length(longest) == dt; }
  /// Whether a step from the state of now is queued; then one more goes behind it.
  bool is_queued() const { return queued_; }
  void drop() { queued_ = false; }
  /// Its length becomes that of the state that the scheme has looked at last, in slot 0.
  void begin() {
    scheme_.note(rule_, slots_, posted_[turn_].target());
    queued_ = true;
  }
  /// Queues the step from the state of now, or the one `behind` it: `stages` queue theirs.
  void queue(bool behind, const std::function<void()>& stages) {
    const std::size_t turn = behind ? after(turn_) : turn_;
    bool asked = false;
    replays_[turn].run(exec_, [&] {
      asked = true;
      stages();
      scheme_.note(rule_, slots_, posted_[turn].target());
    });
    replayed_ = replayed_ || !asked;
    posted_[turn].post(exec_);
  }
  /// Waits for the step from the state of now, of length dt: what it has found.
  std::vector<StepLimit> read(double dt) {
    const View<const double> note = posted_[turn_].read();
    if (note[0] != dt)
      throw Error(ExitCode::internal, fmt::format("a step of {:.17g} was made where {:.17g} was to be", note[0], dt));
    return limits_of(note.part(1, 2 * slots_));
  }
  /// The state of now is that after the step.
  void go_on() { turn_ = after(turn_); }

  /// Whether steps were launched as a graph.
  bool replayed() const { return replayed_; }

 private:
  static std::size_t after(std::size_t turn) { return (turn + 1) % turns; }

  Exec& exec_;
  Scheme<Exec>& scheme_;
  StepRule rule_;
  int slots_;
  std::size_t turn_ = 0;
  bool queued_ = false, replayed_ = false;
  std::array<Replay<Exec>, turns> replays_;
  std::array<Posted<Exec>, turns> posted_{Posted<Exec>{1 + 2 * slots_}, Posted<Exec>{1 + 2 * slots_},
                                          Posted<Exec>{1 + 2 * slots_}};
};

}  // namespace tessera::physics::conservation
