#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tessera::app {
namespace {

std::string human_time(double seconds) {
  const long s = static_cast<long>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void Progress::operator()(double fraction, const std::string& what) {
  if (quiet_) return;
  const auto now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_).count();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  // A terminal is redrawn ten times a second; a log gets a line every ten seconds.
  if (last_ != Clock::time_point{} && since < (terminal_ ? 0.1 : 10)) return;
  if (!terminal_ && elapsed < 10) return;
  last_ = now;
  fraction = std::min(fraction, 1.0);
  std::string text = what;
  if (fraction >= 0) {
    const std::string left = fraction > 0.02 ? ", " + human_time(elapsed * (1 - fraction) / fraction) + " left" : "";
    const int filled = static_cast<int>(24 * fraction);
    const std::string bar =
        terminal_ ? fmt::format("[{:<24}] ", std::string(static_cast<std::size_t>(filled), '#')) : "";
    text = fmt::format("{}{:3.0f} %  {}  ({}{})", bar, 100 * fraction, what, human_time(elapsed), left);
  }
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", text);
    std::fflush(stderr);
    shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", text);
  }
}

}  // namespace tessera::app
