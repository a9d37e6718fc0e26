#pragma once

namespace tessera {

/// While it lives, loops of this thread where nobody says how many threads take `count`, as if default_threads() were
/// that; 0: as before. Not inside parallel calls. OpenMP is not told: where its library has no memory for the number
/// it ends the process.
class ThreadLimit {
 public:
  explicit ThreadLimit(int count);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

/// While it lives, parallel calls of this thread run their parts in order, alone, whoever says how many: the team is
/// left to the others.
class LeavesTeam {
 public:
  LeavesTeam();
  ~LeavesTeam();
  LeavesTeam(const LeavesTeam&) = delete;
  LeavesTeam& operator=(const LeavesTeam&) = delete;

 private:
  bool before_;
};
bool leaves_team() noexcept;

/// That of this thread; 0: there is none.
int thread_limit() noexcept;

}  // namespace tessera
