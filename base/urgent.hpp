#pragma once

namespace tessera {

/// While it lives, executions that this thread makes on a GPU are urgent: where work of several waits for room there,
/// theirs goes first.
class Urgent {
 public:
  Urgent() : before_(now_) { now_ = true; }
  ~Urgent() { now_ = before_; }
  Urgent(const Urgent&) = delete;
  static bool now() { return now_; }

 private:
  static inline thread_local bool now_ = false;
  bool before_;
};

}  // namespace tessera
