#include "base/thread_limit.hpp"

namespace tessera {

namespace {

thread_local int limit_of_thread = 0;

}  // namespace

ThreadLimit::ThreadLimit(int count) : before_(limit_of_thread) {
  if (count > 0) limit_of_thread = count;
}
ThreadLimit::~ThreadLimit() { limit_of_thread = before_; }

int thread_limit() noexcept { return limit_of_thread; }

}  // namespace tessera
