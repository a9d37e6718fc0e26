#pragma once
#include <memory>

#include "base/backend.hpp"

namespace tessera {

/// Short work that waits for others, beside the work of an execution: what is queued in `exec()` after `begin` begins
/// when all before it is done and goes on beside what is queued in the execution meanwhile; what the execution is given
/// after `end` waits for it. On threads it is the execution itself.
template <class Exec>
class Aside;

template <>
class Aside<Threads> {
 public:
  Threads& begin(Threads& exec) { return exec; }
  void end(Threads&) {}
};

/// An urgent stream of its own, so that it does not wait for a kernel that fills the chip to end. Graphs record it with
/// the execution's.
template <>
class Aside<Cuda> {
 public:
  Aside();
  ~Aside();
  Aside(Aside&&) noexcept;
  Cuda& begin(Cuda& exec);
  void end(Cuda& exec);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
