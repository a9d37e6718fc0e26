#pragma once
// A disk that is full after so many bytes.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/error.hpp"

namespace tessera::testing {

/// Runs `act` in a child process whose files may not grow beyond `bytes`, as on a full disk; its exit status.
inline int with_file_limit(rlim_t bytes, const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(act());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The exit code that `act` ends with there.
inline int code_with_file_limit(rlim_t bytes, const std::function<void()>& act) {
  return with_file_limit(bytes, [&] {
    try {
      act();
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
    return 0;
  });
}

}  // namespace tessera::testing
