#include "app/signals.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/console.hpp"
#include "output/results.hpp"

namespace tessera::app {
namespace {

std::atomic<int> received{0};
std::atomic<pid_t> owner{0};
static_assert(std::atomic<int>::is_always_lock_free);

/// A text that a handler may read while the next is made: it is never changed, and lives until the one after it is set.
struct LastWords {
  char file[PATH_MAX] = "", temporary[PATH_MAX] = "";
  std::string text;
  std::size_t code_at = std::string::npos;  ///< where "130" stands
};
std::array<LastWords, 2> last_words;
std::atomic<int> current_words{-1};

constexpr std::string_view code_of_sigint = "\"exit_code\": 130";

bool write_all(int file, const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(file, text, size);
    if (count <= 0) return false;
    text += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

void write_last_words(int signal) {
  const int current = current_words;
  if (current < 0) return;
  const LastWords& words = last_words[static_cast<std::size_t>(current)];
  const int file = ::open(words.temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  const char* text = words.text.data();
  const std::size_t size = words.text.size(), at = std::min(words.code_at, size);
  bool whole = write_all(file, text, at);
  if (at < size) whole = whole && write_all(file, signal == SIGTERM ? "143" : "130", 3);
  if (at < size) whole = whole && write_all(file, text + at + 3, size - at - 3);
  ::close(file);
  if (!whole || ::rename(words.temporary, words.file) != 0) ::unlink(words.temporary);
}

[[noreturn]] void end_program(int signal) {
  output::remove_results_from_signal();
  write_last_words(signal);
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
  current_words = -1;
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

void StopOnSignals::set_last_words(const std::filesystem::path& file, std::string text) {
  if (asked()) return;  // a handler may be reading
  const int next = current_words == 0 ? 1 : 0;
  LastWords& words = last_words[static_cast<std::size_t>(next)];
  const std::filesystem::path hidden = file.parent_path() / ("." + file.filename().string() + ".last.tmp");
  if (hidden.native().size() >= PATH_MAX) return;
  std::strcpy(words.file, file.c_str());
  std::strcpy(words.temporary, hidden.c_str());
  words.text = std::move(text);
  const std::size_t at = words.text.find(code_of_sigint);
  words.code_at = at == std::string::npos ? at : at + code_of_sigint.size() - 3;
  current_words = next;
}

void StopOnSignals::finish() {
  stop_timer();
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, SIG_IGN);
}

}  // namespace tessera::app
