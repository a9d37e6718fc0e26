#pragma once
#include <pthread.h>

#include <csignal>

namespace tessera {

/// As long as it lives, threads that this one starts begin without the signals of the process, which are for the main
/// thread; those of a fault and of a profiler come where they are caused.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigfillset(&held);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF}) sigdelset(&held, signal);
    pthread_sigmask(SIG_SETMASK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace tessera
