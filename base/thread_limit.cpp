#include "base/thread_limit.hpp"

namespace tessera {

namespace {

thread_local int limit_of_thread = 0;
thread_local bool team_is_left = false;

}  // namespace

ThreadLimit::ThreadLimit(int count) : before_(limit_of_thread) {
  if (count > 0) limit_of_thread = count;
}
ThreadLimit::~ThreadLimit() { limit_of_thread = before_; }

LeavesTeam::LeavesTeam() : before_(team_is_left) { team_is_left = true; }
LeavesTeam::~LeavesTeam() { team_is_left = before_; }
bool leaves_team() noexcept { return team_is_left; }

int thread_limit() noexcept { return limit_of_thread; }

}  // namespace tessera
