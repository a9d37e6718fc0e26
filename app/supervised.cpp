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

/// A program that stands for this one: its process, or the number of the system's error.
struct Begun {
  pid_t child = -1;
  int failure = 0;
};

/// What the process does that is to become the program.
[[noreturn]] void become(char* const* argv, Supervised::Input input, pid_t parent, const sigset_t& mask, int failed) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);
  if (input == Supervised::Input::none) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)dup2(nothing, STDIN_FILENO);
  }
  // What it finds is what this program found.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  execv(argv[0], argv);
  const int failure = errno;
  (void)!write(failed, &failure, sizeof failure);
  _exit(1);
}

/// In a group of its own, as above, and told where this program has ended. Returns when it has begun.
Begun start_in_place(std::vector<std::string>& words, Supervised::Input input, const sigset_t& mask) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];  // of a pipe that is closed where the program begins
  if (pipe2(ends, O_CLOEXEC) != 0) return {.failure = errno};
  std::fflush(stdout);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) become(argv.data(), input, parent, mask, ends[1]);
  int failure = child < 0 ? errno : 0;
  close(ends[1]);
  ssize_t count = -1;
  while (child > 0 && (count = read(ends[0], &failure, sizeof failure)) < 0 && errno == EINTR) continue;
  close(ends[0]);
  if (count > 0) waitpid(child, nullptr, 0);
  return failure == 0 ? Begun{.child = child} : Begun{.failure = failure};
}

/// A terminal stops both, and both go on together.
void pause_with(pid_t child) {
  kill(child, SIGTSTP);
  sigset_t pause, before;
  sigemptyset(&pause);
  sigaddset(&pause, SIGTSTP);
  (void)raise(SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &pause, &before);  // here it stops, where there is a shell that lets it go on
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  kill(child, SIGCONT);
}

/// The end that a program is told of which stands for this one. A launcher that hears of it twice within some seconds
/// ends without its ranks, so it is told once, and at once only by a terminal, which cannot have told it: whoever ends
/// all processes of a job has.
class ToldOnce {
 public:
  explicit ToldOnce(pid_t child) : child_(child) {}

  int asked() const { return asked_; }
  void hear(int signal, bool of_process) {
    if (asked_ == 0) {
      asked_ = signal;
      due_ = Clock::now() + (of_process ? for_all_to_end : std::chrono::seconds(0));
    } else if (is_told_ && Clock::now() > due_ + patience) {
      kill(-child_, SIGKILL);  // it does not end, and somebody asks again
    }
    tell_if_due();
  }
  void tell_if_due() {
    if (asked_ == 0 || is_told_ || Clock::now() < due_) return;
    is_told_ = true;
    kill(child_, SIGTERM);
  }

 private:
  /// Ranks that were told, too, have ended by then.
  static constexpr std::chrono::seconds for_all_to_end{1};

  pid_t child_;
  int asked_ = 0;
  bool is_told_ = false;
  Clock::time_point due_;
};

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

Supervised::InPlace Supervised::run_in_place(std::vector<std::string> words, Input input) const {
  if (const int signal = waiting(); signal > 0) return {.code = 128 + signal, .asked = signal};
  const Begun begun = start_in_place(words, input, before_);
  if (begun.child < 0) return {.failure = begun.failure};
  sigset_t heard = waited_for_, before;
  sigaddset(&heard, SIGTSTP);
  pthread_sigmask(SIG_BLOCK, &heard, &before);
  ToldOnce end(begun.child);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(begun.child, &status, WNOHANG)) == 0) {
    siginfo_t info{};
    const timespec a_while{0, 100'000'000};
    const int signal = end.asked() != 0 ? sigtimedwait(&heard, &info, &a_while) : sigwaitinfo(&heard, &info);
    if (signal == SIGTSTP)
      pause_with(begun.child);
    else if (signal > 0 && signal != SIGCHLD)
      end.hear(signal, info.si_code <= 0);
    end.tell_if_due();
  }
  const int failure = ended < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure != 0) return {.failure = failure};
  const int code = code_of(status);
  return {.code = end.asked() != 0 && code != 0 ? 128 + end.asked() : code, .asked = end.asked()};
}

int Supervised::waiting() const {
  sigset_t ends = waited_for_;
  sigdelset(&ends, SIGCHLD);
  const timespec at_once{0, 0};
  return sigtimedwait(&ends, nullptr, &at_once);
}

void Supervised::check() const {
  if (const int signal = waiting(); signal > 0) end_of(signal);
}

}  // namespace tessera::app
