#include "app/last_words_of.hpp"

#include <chrono>
#include <utility>

#include "app/last_words.hpp"
#include "app/signals.hpp"
#include "base/error.hpp"
#include "base/profile.hpp"
#include "output/summary.hpp"

namespace tessera::app {

LastWordsOf::LastWordsOf(const output::Summary& summary)
    : LastWordsOf(summary, [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
      }) {}

LastWordsOf::LastWordsOf(const output::Summary& summary, std::function<double()> seconds)
    : summary_(summary), seconds_(std::move(seconds)) {}

bool LastWordsOf::operator()() {
  if (StopOnSignals::asked()) return false;  // a handler may be reading
  const double now = seconds_();
  const std::size_t phases = profile().phases().size();
  if (made_at_ && phases == phases_ && now - *made_at_ < between) return false;
  made_at_ = now;
  phases_ = phases;
  constexpr int interrupted = static_cast<int>(ExitCode::interrupted), memory = static_cast<int>(ExitCode::memory);
  LastWords::set(summary_.text_if_ended("interrupted", "", interrupted),
                 summary_.text_if_ended("error", StopOnSignals::ended_by_launcher, interrupted),
                 summary_.text_if_ended("error", LastWords::message, memory));
  return true;
}

}  // namespace tessera::app
