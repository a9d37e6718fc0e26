#pragma once
#include <functional>

#include "base/replay.hpp"
#include "output/summary.hpp"

namespace tessera::physics::wave {

/// Runs the work of steps. On CUDA those of one length are launched as one, from the second of them on: what a step
/// queues is the same then, but for what is put where the vectors live before. The summary says that it was so
/// (`time.graph`).
template <class Exec>
class EqualSteps {
 public:
  explicit EqualSteps(output::Summary& summary) : summary_(summary) {}

  /// `apart`: a step that does more than queue kernels with the same arguments.
  void run(Exec& exec, double before, double dt, bool apart, const std::function<void()>& work) {
    if (apart) return work();
    if (before != before_ || dt != dt_) forget();
    before_ = before;
    dt_ = dt;
    bool queued = false;
    replay_.run(exec, [&] {
      queued = true;
      work();
    });
    if (!queued && !said_) summary_.set("time.graph", said_ = true);
  }
  /// Vectors lie elsewhere now.
  void forget() { replay_.forget(); }

 private:
  output::Summary& summary_;
  Replay<Exec> replay_;
  double before_ = 0, dt_ = 0;
  bool said_ = false;
};

}  // namespace tessera::physics::wave
