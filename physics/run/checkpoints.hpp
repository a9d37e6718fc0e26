#pragma once
// States of a run through time from which it goes on as if it had never stopped.
#include <chrono>

#include "output/checkpoint.hpp"
#include "physics/model.hpp"
#include "physics/module.hpp"
#include "physics/run/state.hpp"

namespace tessera::physics {

/// Writes the checkpoints of a run into its folder. Values are those of the whole in the order of its dofs, so that any
/// number of ranks goes on. All functions are collective where ranks share the run.
class Checkpoints {
 public:
  /// Throws Error(usage) where the deck asks for checkpoints and cannot have them: it came from standard input, or
  /// nobody has the whole mesh.
  Checkpoints(const CommonParams& params, const FieldInfo& field, const Discretisation& space, const Context& context);

  bool is_due(Offset step);
  void write(const State& state);

 private:
  bool can_write() const;

  const CommonParams& params_;
  const FieldInfo field_;
  const Discretisation& space_;
  const Context& context_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The state that a checkpoint holds, on this rank. Throws Error(file_system) where it is that of another mesh.
/// Collective.
State state_of(const output::Checkpoint& checkpoint, const Discretisation& space);

/// Throws Error(file_system) where the steps that a state counts do not lead to its time: all steps are as long as the
/// deck says, or, where `shorter`, at most that long. With a tolerance or a cfl nothing is known of their lengths.
void check_reached(const State& state, const TimeParams& time, bool shorter);

}  // namespace tessera::physics
