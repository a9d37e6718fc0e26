#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "app/signals.hpp"
#include "base/console.hpp"
#include "base/error.hpp"
#include "output/results.hpp"

namespace tessera::app {
namespace {

/// What a phase is to the user, and what more is to be said of it.
struct Words {
  const char *phase, *word, *detail;
};
constexpr std::array<Words, 17> all_words{{{"mesh.generate", "mesh", "generating"},
                                           {"mesh.read", "mesh", "reading"},
                                           {"mesh.refine", "mesh", "refining"},
                                           {"mesh.number", "mesh", "numbering"},
                                           {"mesh.check", "check", "cells"},
                                           {"mesh", "mesh", ""},
                                           {"dofs", "assemble", "unknowns"},
                                           {"assemble.setup", "assemble", "set-up"},
                                           {"assemble", "assemble", "cells"},
                                           {"coefficients", "assemble", "coefficients"},
                                           {"right_hand_side", "assemble", "right-hand side"},
                                           {"boundary", "assemble", "boundaries"},
                                           {"convert", "assemble", "format of the matrix"},
                                           {"solve.factorise", "factorise", "matrix"},
                                           {"solve", "solve", ""},
                                           {"post", "evaluate", "errors and quantities"},
                                           {"output", "write", ""}}};

/// The first whose phase the name starts with; a name that is in no table stands for itself.
Words words_of(const std::string& phase) {
  for (const Words& words : all_words)
    if (phase.starts_with(words.phase)) return words;
  return {phase.c_str(), phase.c_str(), ""};
}

std::size_t print_time(char* text, std::size_t size, double seconds) {
  const long s = std::lround(seconds);
  const int count = s >= 3600 ? std::snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60)
                              : std::snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
  return static_cast<std::size_t>(std::max(count, 0));
}

}  // namespace

ProgressOutput ProgressOutput::standard(bool quiet) {
  return {.silent = quiet,
          .terminal = !quiet && console::has_live_line(),
          .show_live = console::show_live,
          .clear_live = console::clear_live,
          .write_line =
              [](std::string_view line) {
                const console::Hold hold;
                std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
              },
          .seconds =
              [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
          .own_thread = true};
}

Progress::Progress(ProgressOutput output) : output_(std::move(output)), owner_(getpid()) {
  profile().listen(this);
  if (output_.silent || !output_.own_thread) return;
  // A small stack: the thread only puts a line together. Without it, where the system has no thread to give, lines are
  // drawn by those who report.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  has_ticker_ = pthread_create(
                    &ticker_, &attributes,
                    [](void* self) -> void* {
                      static_cast<Progress*>(self)->run_ticker();
                      return nullptr;
                    },
                    this) == 0;
  pthread_attr_destroy(&attributes);
}

Progress::~Progress() {
  profile().listen(nullptr);
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (has_ticker_) pthread_join(ticker_, nullptr);
  if (output_.terminal) output_.clear_live();
}

void Progress::run_ticker() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(mutex_);
  while (!ending_) {
    changed_.wait_for(lock, std::chrono::milliseconds(output_.terminal ? 250 : 1000));
    if (!ending_) draw(false);
  }
}

void Progress::begin(const std::string& phase) {
  if (getpid() != owner_) return;  // a child process of a library: its parent shows what it does
  if (StopOnSignals::asked() && ends_phases)
    throw Error(StopOnSignals::exit_code(), fmt::format("interrupted before the phase '{}'", phase));
  if (at_phase) at_phase();
  const std::lock_guard lock(mutex_);
  const double time = output_.seconds();
  open_.push_back({phase, time});
  detail_ = words_of(phase).detail;
  fraction_ = -1;
  detailed_ = false;
  if (steps_) return;
  drawn_ = time;
  if (output_.terminal) draw(true);
}

void Progress::end(const std::string&) noexcept {
  if (getpid() != owner_) return;
  const std::lock_guard lock(mutex_);
  if (!open_.empty()) open_.pop_back();
  detail_.clear();
  fraction_ = -1;
  if (output_.terminal && !steps_) output_.clear_live();
}

void Progress::operator()(double fraction, const std::string& what) {
  if (getpid() != owner_) return;
  const std::lock_guard lock(mutex_);
  if (open_.empty()) return step(std::min(fraction, 1.0), what);
  fraction_ = std::min(fraction, 1.0);
  detail_ = what;
  draw(output_.terminal && !detailed_ && !steps_);
  detailed_ = true;
}

void Progress::step(double fraction, const std::string& what) {
  const bool is_first = !steps_;
  if (is_first) {
    drawn_ = output_.seconds();
    steps_ = {.start = drawn_, .from = fraction, .fraction = fraction, .what = what};
  }
  steps_->fraction = fraction;
  steps_->what = what;
  draw(output_.terminal && is_first);
  if (fraction < 1) return;
  steps_.reset();
  if (output_.terminal) output_.clear_live();
}

void Progress::tick() {
  const std::lock_guard lock(mutex_);
  draw(false);
}

void Progress::draw(bool now) {
  if (output_.silent || (open_.empty() && !steps_)) return;
  const double time = output_.seconds();
  if (!now && time - drawn_ < (output_.terminal ? redraw_seconds : line_seconds)) return;
  drawn_ = time;
  char line[320];
  const std::string_view text(line, compose(line, sizeof line, time - (steps_ ? steps_->start : open_.back().start)));
  output_.terminal ? output_.show_live(text) : output_.write_line(text);
}

/// Allocates nothing: a run that is out of memory still shows where it is.
std::size_t Progress::compose(char* line, std::size_t size, double elapsed) const {
  std::size_t used = 0;
  auto add = [&](const char* format, auto... values) {
    const int count = std::snprintf(line + used, size - used, format, values...);
    used = std::min(size - 1, used + static_cast<std::size_t>(std::max(count, 0)));
  };
  const char* const word = steps_ ? "steps" : words_of(open_.back().phase).word;
  const double fraction = steps_ ? steps_->fraction : fraction_, done = steps_ ? fraction - steps_->from : fraction;
  add("%-9s %.150s", word, (steps_ ? steps_->what : detail_).c_str());
  const std::size_t bytes = !steps_ && open_.back().phase == "output" ? output::bytes_being_written() : 0;
  if (bytes > 0) add("%s%.1f MB", detail_.empty() ? "" : "  ", 1e-6 * static_cast<double>(bytes));
  if (fraction >= 0) {
    char bar[21] = "                    ";
    std::fill_n(bar, static_cast<std::size_t>(20 * fraction), '#');
    if (output_.terminal)
      add("  [%s] %3.0f %%", bar, 100 * fraction);
    else
      add("  %.0f %%", 100 * fraction);
  }
  if (elapsed >= 1) {
    add("%s", "  ");
    used = std::min(size - 1, used + print_time(line + used, size - used, elapsed));
    if (done > 0.02 && fraction < 1) {
      add("%s", ", about ");
      used = std::min(size - 1, used + print_time(line + used, size - used, elapsed * (1 - fraction) / done));
      add("%s", " left");
    }
  }
  return used;
}

}  // namespace tessera::app
