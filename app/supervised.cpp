#include "app/supervised.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "base/console.hpp"
#include "base/error.hpp"

namespace tessera::app {
namespace {

using Clock = std::chrono::steady_clock;
/// The exit code of a shell whose command is not found.
constexpr int not_started = 127;

/// How long a launcher may take to end its ranks.
constexpr std::chrono::seconds patience(10);

[[noreturn]] void end_of(int signal) {
  console::say("interrupted: the runs are ended, their files removed\n");
  throw Error(signal == SIGTERM ? ExitCode::terminated : ExitCode::interrupted, "interrupted");
}

/// In a group of its own: what a terminal sends to this program's group reaches it once, from here.
pid_t start(std::vector<std::string>& words, const std::filesystem::path& log, const sigset_t& mask) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return failed == 0 ? child : -1;
}

/// In the group of this program, and told where it has ended.
pid_t start_in_place(std::vector<std::string>& words, const sigset_t& mask) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  const pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);
  // What it finds is what this program found.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  execv(argv[0], argv.data());
  _exit(not_started);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Supervised::Supervised() {
  sigemptyset(&waited_for_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    // A signal that waits is delivered whether it is ignored or not.
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&waited_for_, signal);
  }
  struct sigaction told {};
  told.sa_handler = SIG_DFL;  // where it is ignored, children leave no exit code
  sigaction(SIGCHLD, &told, &of_children_);
  sigaddset(&waited_for_, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &waited_for_, &before_);
}

Supervised::~Supervised() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  sigaction(SIGCHLD, &of_children_, nullptr);
}

int Supervised::run(std::vector<std::string> words, const std::filesystem::path& log) const {
  check();
  const pid_t child = start(words, log, before_);
  if (child < 0) return -1;
  int status = 0, asked = 0;
  auto end = Clock::time_point::max();
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) return -1;
    if (asked != 0) {
      if (Clock::now() >= end) kill(-child, SIGKILL);
      const timespec a_while{0, 100'000'000};
      (void)sigtimedwait(&waited_for_, nullptr, &a_while);  // more signals change nothing
      continue;
    }
    const int signal = sigwaitinfo(&waited_for_, nullptr);
    if (signal <= 0 || signal == SIGCHLD) continue;
    asked = signal;
    end = Clock::now() + patience;
    kill(child, SIGTERM);
  }
  if (asked != 0) end_of(asked);
  return code_of(status);
}

int Supervised::run_in_place(std::vector<std::string> words) const {
  const pid_t child = start_in_place(words, before_);
  if (child < 0) return -1;
  int status = 0, asked = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) return -1;
    siginfo_t info{};
    const int signal = sigwaitinfo(&waited_for_, &info);
    if (signal <= 0 || signal == SIGCHLD) continue;
    if (asked == 0) asked = signal;
    if (info.si_code <= 0) kill(child, signal == SIGHUP ? SIGTERM : signal);  // of a process, not of the terminal
  }
  const int code = code_of(status);
  if (code == not_started) return -1;
  return asked != 0 && code != 0 ? 128 + asked : code;
}

void Supervised::check() const {
  sigset_t ends = waited_for_;
  sigdelset(&ends, SIGCHLD);
  const timespec at_once{0, 0};
  if (const int signal = sigtimedwait(&ends, nullptr, &at_once); signal > 0) end_of(signal);
}

}  // namespace tessera::app
