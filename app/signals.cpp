#include "app/signals.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>

#include "app/last_words.hpp"
#include "base/communicator.hpp"
#include "base/console.hpp"

namespace tessera::app {
namespace {

std::atomic<int> received{0};
std::atomic<pid_t> owner{0};
std::atomic<pid_t> launcher{0};  ///< of a rank; 0: it is none
std::atomic<bool> by_launcher{false};
std::string words_of_launcher;
static_assert(std::atomic<int>::is_always_lock_free);

[[noreturn]] void end_program(int signal) {
  LastWords::write_of_signal(signal, by_launcher);
  _exit(128 + signal);
}

void on_alarm(int) {
  if (getpid() == owner && received != 0) end_program(received);
}

/// Calls only what POSIX allows in a handler, and setitimer, which is a bare system call here.
void on_signal(int signal, siginfo_t* info, void*) {
  if (getpid() != owner) _exit(128 + signal);  // a child before it has handlers of its own
  const int saved = errno;
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) end_program(received);
  by_launcher = info && info->si_pid != 0 && info->si_pid == launcher;
  static constexpr std::string_view of_user = "interrupted: stopping; once more to end at once\n";
  const std::string_view text = by_launcher ? words_of_launcher : of_user;
  console::say_from_signal(text.data(), text.size());
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
void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
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
  by_launcher = false;
  launcher = is_launched_as_rank() ? getppid() : 0;
  words_of_launcher = std::string(ended_by_launcher) + '\n';
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
