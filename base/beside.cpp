#include "base/beside.hpp"

#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "base/signals_held.hpp"
#include "base/thread_limit.hpp"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Beside::~Beside() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Beside::start() {
  if (std::exchange(has_started_, true)) return;
  const SignalsHeld held;
  try {
    thread_ = std::thread([this] { attend(); });
  } catch (const std::system_error&) {  // no more threads: the work is done by the caller
  }
}

void Beside::hand_over(std::function<void()> work) {
  start();
  std::unique_lock lock(mutex_);
  if (thread_.joinable()) {
    wait(lock, [this] { return waiting_.size() < most_waiting_ || failure_; });
    if (failure_) std::rethrow_exception(failure_);
    waiting_.push_back(std::move(work));
    changed_.notify_all();
    return;
  }
  lock.unlock();
  if (!failure_) run(work);
  if (failure_) std::rethrow_exception(failure_);
}

void Beside::finish() {
  std::unique_lock lock(mutex_);
  wait(lock, [this] { return waiting_.empty() && !working_; });
  if (failure_) std::rethrow_exception(failure_);
}

double Beside::seconds_waited() const {
  const std::lock_guard lock(mutex_);
  return waited_;
}

double Beside::seconds_worked() const {
  const std::lock_guard lock(mutex_);
  return worked_;
}

void Beside::wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& until) {
  const Clock::time_point start = Clock::now();
  changed_.wait(lock, until);
  waited_ += seconds_since(start);
}

void Beside::run(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  worked_ += seconds_since(start);
  if (failure) failure_ = failure;
}

void Beside::attend() {
  // Loops that took the team would leave those of the caller to one thread.
  const ThreadLimit alone(1);
  std::optional<LeavesTeam> leaves;
  if (!free_team_) leaves.emplace();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !waiting_.empty() || ends_; });
    if (waiting_.empty()) return;
    {
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      working_ = true;
      const bool fails = failure_ != nullptr;
      changed_.notify_all();
      lock.unlock();
      if (!fails) run(work);
    }
    lock.lock();
    working_ = false;
    changed_.notify_all();
  }
}

}  // namespace tessera
