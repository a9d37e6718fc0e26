#include "app/signals.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "app/last_words.hpp"
#include "base/console.hpp"

namespace tessera::app {
namespace {

std::atomic<int> received{0};
std::atomic<pid_t> owner{0};
static_assert(std::atomic<int>::is_always_lock_free);

[[noreturn]] void end_program(int signal) {
  LastWords::write_of_signal(signal);
  _exit(128 + signal);
}

void on_alarm(int) {
  if (getpid() == owner && received != 0) end_program(received);
}

/// Calls only what POSIX allows in a handler, and setitimer, which is a bare system call here.
void on_signal(int signal) {
  if (getpid() != owner) _exit(128 + signal);  // a child before it has handlers of its own
  const int saved = errno;
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) end_program(received);
  constexpr char text[] = "interrupted: stopping; once more to end at once\n";
  console::say_from_signal(text, sizeof text - 1);
  itimerval timer{};
  timer.it_value.tv_usec = static_cast<suseconds_t>(StopOnSignals::patience * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
  errno = saved;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void stop_timer() {
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
}

}  // namespace

StopOnSignals::StopOnSignals() {
  received = 0;
  owner = getpid();
  handle(SIGALRM, on_alarm);
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
}

StopOnSignals::~StopOnSignals() {
  stop_timer();
  for (const int signal : {SIGINT, SIGTERM, SIGALRM}) handle(signal, SIG_DFL);
}

bool StopOnSignals::asked() { return received != 0; }

ExitCode StopOnSignals::exit_code() {
  if (received == SIGINT) return ExitCode::interrupted;
  return received == SIGTERM ? ExitCode::terminated : ExitCode::ok;
}

void StopOnSignals::finish() {
  stop_timer();
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, SIG_IGN);
}

}  // namespace tessera::app
