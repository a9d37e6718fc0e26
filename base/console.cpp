#include "base/console.hpp"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace tessera::console {

namespace {

constexpr char erase[] = "\r\033[K";

std::atomic<bool> shown{false};

std::mutex& owner() {
  static std::mutex mutex;
  // A child of a fork must not inherit a mutex that another thread held at that moment.
  static const int registered =
      pthread_atfork([] { owner().lock(); }, [] { owner().unlock(); }, [] { owner().unlock(); });
  (void)registered;
  return mutex;
}

/// A message that cannot be shown is lost: there is nobody left to tell.
void write_all(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(STDERR_FILENO, text, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text += count;
    size -= static_cast<std::size_t>(count);
  }
}

void erase_shown() {
  if (shown.exchange(false)) write_all(erase, sizeof erase - 1);
}

std::size_t columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

}  // namespace

bool has_live_line() {
  static const bool dumb = [] {
    const char* terminal = std::getenv("TERM");
    return terminal && std::strcmp(terminal, "dumb") == 0;
  }();
  return !dumb && isatty(STDERR_FILENO) == 1;
}

void show_live(std::string_view text) {
  if (!has_live_line()) return;
  char line[512];
  const std::size_t size = std::min({text.size(), columns() - 1, sizeof line - sizeof erase});
  std::memcpy(line, erase, sizeof erase - 1);
  std::memcpy(line + sizeof erase - 1, text.data(), size);
  const std::lock_guard lock(owner());
  // Said before the line is there: a signal in between then erases too much rather than too little.
  shown = true;
  write_all(line, sizeof erase - 1 + size);
}

void clear_live() {
  const std::lock_guard lock(owner());
  erase_shown();
}

void say(std::string_view lines) {
  const std::lock_guard lock(owner());
  erase_shown();
  write_all(lines.data(), lines.size());
}

Hold::Hold() {
  owner().lock();
  erase_shown();
}
Hold::~Hold() { owner().unlock(); }

void say_from_signal(const char* line, unsigned long length) {
  // A terminal has echoed ^C behind the live line or on an empty one: both are erased.
  if (isatty(STDERR_FILENO) == 1) write_all(erase, sizeof erase - 1);
  shown = false;
  write_all(line, length);
}

}  // namespace tessera::console
