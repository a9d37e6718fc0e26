#include "app/signals.hpp"

#include <atomic>
#include <csignal>

namespace tessera::app {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int signal) { received = signal; }

}  // namespace

StopOnSignals::StopOnSignals() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

StopOnSignals::~StopOnSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool StopOnSignals::asked() { return received != 0; }

ExitCode StopOnSignals::exit_code() {
  if (received == SIGINT) return ExitCode::interrupted;
  return received == SIGTERM ? ExitCode::terminated : ExitCode::ok;
}

}  // namespace tessera::app
