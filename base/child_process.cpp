#include "base/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "base/confine.hpp"
#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/memory.hpp"
#include "base/sanitized.hpp"
#include "base/thread_limit.hpp"

namespace tessera {

template <class Archive>
static void describe(Archive& archive, Position& p) {
  archive(p.file, p.line, p.column, p.text, p.length);
}

namespace {

using Clock = std::chrono::steady_clock;

// What a child says first of how its work ended, and last, behind a whole result.
constexpr char result_follows = 'R', error_follows = 'E', result_ended = '.';
// The exit status of a child that crashed with its memory used up; no program of ours returns it.
constexpr int exit_out_of_memory = 77;

struct Thrown {
  int code = 0;
  std::string message, help;
  bool placed = false;
  Position where;
};
template <class Archive>
void describe(Archive& archive, Thrown& t) {
  archive(t.code, t.message, t.help, t.placed, t.where);
}

Error out_of_memory(const std::string& program, const std::string& what) {
  const HostMemory memory = host_memory();
  return Error(ExitCode::memory,
               fmt::format("{}: {} ran out of memory ({} free of {} of {})", what, program,
                           human_bytes(static_cast<double>(memory.free)),
                           human_bytes(static_cast<double>(memory.total)), memory.what.data()),
               "use a coarser mesh, a machine with more memory, or a higher limit (ulimit -v, cgroup)");
}

// ---- in the child

// Crashes where memory is short, or behind a request that failed (errno), are want of memory: C libraries seldom look
// at what malloc returns.
extern "C" void end_after_crash(int signal) {
  if (errno == ENOMEM || !address_space_left(std::size_t{64} << 20)) _exit(exit_out_of_memory);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// exit() in a library ends the child only; nothing of the parent's clean-up (CUDA, files) may run in it. libgomp calls
// it where it gets no memory.
void end_at_exit(int status, void*) { _exit(status != 0 && errno == ENOMEM ? exit_out_of_memory : status); }

void set_limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_max = std::min(limit.rlim_max, hard);
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, soft});
  setrlimit(resource, &limit);
}

void limit_memory() {
#if !TESSERA_SANITIZED  // sanitizers reserve terabytes of addresses
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + host_bytes_available();
  set_limit(RLIMIT_AS, most, RLIM_INFINITY);
#endif
}

// A stack of its own, so that a stack overflow too reaches the handler.
void handle_crashes() {
  static char stack[64 * 1024];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = end_after_crash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

void prepare_child(const ChildTask& task, int words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(words, STDOUT_FILENO);
  dup2(words, STDERR_FILENO);
  on_exit(end_at_exit, nullptr);
  // Ctrl-C on a terminal reaches the child as well: it is the parent that decides.
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
  for (int signal : {SIGPIPE, SIGXCPU}) std::signal(signal, SIG_DFL);
  handle_crashes();
  set_limit(RLIMIT_CORE, 0, 0);
  limit_memory();
  if (task.cpu_seconds > 0) allow_cpu_seconds(task.cpu_seconds);
  if (!task.trusted) confine_process();
  static const ThreadLimit one(1);  // the parent's other threads do not exist here
  omp_set_num_threads(1);           // nor may libraries have any
  errno = 0;
}

struct BareSink {
  ChildSink& sink;
  void write(const void* bytes, std::size_t size) { sink.write_bare(bytes, size); }
};

void send_error(ChildSink& sink, const Error& error) {
  Thrown thrown{static_cast<int>(error.code()), error.what(), error.help(), error.where().has_value(),
                error.where().value_or(Position{})};
  sink.write_mark(error_follows);
  BareSink bare{sink};
  ArchiveWriter<BareSink> archive(bare);
  archive(thrown);
}

[[noreturn]] void run_child(const ChildTask& task, int results, int words) {
  prepare_child(task, words);
  ChildSink sink(results);
  try {
    task.work(sink);
    sink.write_mark(result_ended);
  } catch (const Error& error) {
    send_error(sink, error);
  } catch (const std::bad_alloc&) {
    send_error(sink, out_of_memory(task.program, task.what));
  } catch (const std::exception& error) {
    send_error(sink, Error(ExitCode::mesh, fmt::format("{}: {}", task.what, error.what()), task.crash_help));
  } catch (...) {
    send_error(sink, Error(ExitCode::mesh, task.what + ": no reason given", task.crash_help));
  }
  _exit(0);
}

}  // namespace

void allow_cpu_seconds(double seconds) {
  rlimit limit{};
  rusage used{};
  getrlimit(RLIMIT_CPU, &limit);
  getrusage(RUSAGE_SELF, &used);
  const double until = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + seconds;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(std::clamp(until, 1.0, 1e9)));
  setrlimit(RLIMIT_CPU, &limit);
}

bool address_space_left(std::size_t bytes) {
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, bytes);
  return true;
}

void ChildSink::write(const void* bytes, std::size_t size) {
  if (!started_) write_mark(result_follows);
  started_ = true;
  write_bare(bytes, size);
}

void ChildSink::write_mark(char mark) { write_bare(&mark, 1); }

void ChildSink::write_bare(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(handle_, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(0);
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

// ---- in the parent

/// A child and the two pipes from it: its result, and its words. Ends it with the scope.
class ChildProcess {
 public:
  explicit ChildProcess(const ChildTask& task) : task_(task) { start(); }
  ~ChildProcess() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      reap();
    }
    for (int handle : {results_, words_})
      if (handle >= 0) close(handle);
  }
  ChildProcess(const ChildProcess&) = delete;

  void read(void* bytes, std::size_t size) {
    char* at = static_cast<char*>(bytes);
    while (size > 0) {
      wait_for_bytes();
      const ssize_t got = ::read(results_, at, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail_of_end();
      at += got;
      size -= static_cast<std::size_t>(got);
    }
  }

 private:
  void start() {
    int results[2], words[2];
    if (pipe2(results, O_CLOEXEC) != 0) fail_to_start(errno);
    if (pipe2(words, O_CLOEXEC) != 0) {
      const int reason = errno;
      close(results[0]);
      close(results[1]);
      fail_to_start(reason);
    }
    fcntl(results[1], F_SETPIPE_SZ,
          1 << 20);     // fewer switches between the two for a large mesh; no matter where refused
    std::cout.flush();  // else the child has the same text to write once more
    std::fflush(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    const int reason = errno;
    if (pid_ == 0) {
      close(results[0]);
      close(words[0]);
      if (getppid() != parent) _exit(0);
      run_child(task_, results[1], words[1]);
    }
    close(results[1]);
    close(words[1]);
    results_ = results[0];
    words_ = words[0];
    if (pid_ < 0) fail_to_start(reason);
  }

  [[noreturn]] void fail_to_start(int reason) const {
    throw Error(
        reason == ENOMEM ? ExitCode::memory : ExitCode::internal,
        fmt::format("{}: no process for {} could be started: {}", task_.what, task_.program, std::strerror(reason)),
        "free memory, processes (ulimit -u) or open files (ulimit -n)");
  }

  // Until the result has bytes or its end; hears the child's words, looks at stop and at whether the child still lives.
  void wait_for_bytes() {
    for (;;) {
      pollfd handles[2] = {{results_, POLLIN, 0}, {words_, POLLIN, 0}};
      const int ready = poll(handles, words_ < 0 ? 1 : 2, 100);
      if (task_.stop && task_.stop()) throw Error(ExitCode::interrupted, task_.what + ": stopped", "");
      if (ready > 0 && words_ >= 0 && handles[1].revents != 0) hear();
      if (ready > 0 && handles[0].revents != 0) return;
      if (ready == 0) watch();
    }
  }

  void hear() {
    char buffer[4096];
    const ssize_t got = ::read(words_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      close(words_);
      words_ = -1;
      return;
    }
    for (char c : std::string_view(buffer, static_cast<std::size_t>(got))) {
      if (c != '\n') {
        if (unfinished_.size() < 1000) unfinished_ += c >= ' ' || c == '\t' ? c : ' ';
        continue;
      }
      if (unfinished_.find_first_not_of(' ') != std::string::npos) last_words_ = unfinished_;
      if (task_.line) task_.line(unfinished_);
      unfinished_.clear();
    }
  }

  // State (R running, S sleeping, ...) and CPU time in ticks of the child.
  std::pair<char, long> state() const {
    std::ifstream in(fmt::format("/proc/{}/stat", pid_));
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return {'?', 0};
    char letter = '?';
    long skipped, user = 0, system = 0;
    std::sscanf(text.c_str() + name_end + 1, " %c %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld", &letter, &skipped,
                &skipped, &skipped, &skipped, &skipped, &skipped, &skipped, &skipped, &skipped, &skipped, &user,
                &system);
    return {letter, user + system};
  }

  // A child that sleeps and is never woken (it reads from a pipe that nobody writes to) has no end of its own.
  void watch() {
    if (task_.trusted) return;
    const auto [letter, ticks] = state();
    if (letter != 'S' || ticks != ticks_) {
      ticks_ = ticks;
      awake_ = Clock::now();
    } else if (Clock::now() - awake_ > std::chrono::seconds(60)) {
      fail("waits for something that does not come", task_.crash_help);
    }
  }

  int reap() {
    int status = 0;
    while (wait4(pid_, &status, 0, &usage_) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }
  double cpu_seconds() const {
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage_.ru_utime) + seconds(usage_.ru_stime);
  }

  std::string words() const {
    const std::string& last = unfinished_.empty() ? last_words_ : unfinished_;
    return last.empty() ? "" : fmt::format("; its last words: \"{}\"", last);
  }

  [[noreturn]] void fail(const std::string& how, const std::string& help) const {
    throw Error(ExitCode::mesh, fmt::format("{}: {} {}{}", task_.what, task_.program, how, words()), help);
  }

  [[noreturn]] void fail_of_end() {
    const int status = reap();
    while (words_ >= 0) {  // what it said before its end
      pollfd handle{words_, POLLIN, 0};
      if (poll(&handle, 1, 0) <= 0) break;
      hear();
    }
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      rlimit own{};  // of this process, with the child under it
      getrlimit(RLIMIT_CPU, &own);
      if (signal == SIGXCPU || (signal == SIGKILL && cpu_seconds() + 1 > static_cast<double>(own.rlim_max)))
        fail(fmt::format("used up its time ({:.0f} s of CPU) and was ended", cpu_seconds()), task_.cpu_help);
      if (signal == SIGKILL) throw out_of_memory(task_.program, task_.what);  // the system's way when memory is short
      fail(fmt::format("crashed ({})", strsignal(signal)), task_.crash_help);
    }
    if (WEXITSTATUS(status) == exit_out_of_memory) throw out_of_memory(task_.program, task_.what);
    fail(fmt::format("ended with exit code {} and without a result", WEXITSTATUS(status)), task_.crash_help);
  }

  const ChildTask& task_;
  pid_t pid_ = -1;
  int results_ = -1, words_ = -1;
  std::string unfinished_, last_words_;
  rusage usage_{};
  long ticks_ = -1;
  Clock::time_point awake_ = Clock::now();
};

void ChildSource::read(void* bytes, std::size_t size) { child_.read(bytes, size); }

void run_in_child(const ChildTask& task) {
  ChildProcess child(task);
  ChildSource source(child);
  ArchiveReader<ChildSource> archive(source);
  char kind = 0;
  archive(kind);
  if (kind == error_follows) {
    Thrown thrown;
    archive(thrown);
    throw Error(static_cast<ExitCode>(thrown.code), thrown.message, thrown.help,
                thrown.placed ? std::optional(thrown.where) : std::nullopt);
  }
  if (kind == result_follows) {
    task.result(source);
    archive(kind);
  }
  if (kind != result_ended)
    throw Error(ExitCode::mesh, fmt::format("{}: {} gave a garbled result", task.what, task.program), task.crash_help);
}

}  // namespace tessera
