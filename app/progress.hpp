#pragma once
#include <pthread.h>
#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/profile.hpp"

namespace tessera::app {

/// Where progress is shown, and by which clock.
struct ProgressOutput {
  bool silent = false;                               ///< nothing is shown
  bool terminal = false;                             ///< lines can be drawn again
  std::function<void(std::string_view)> show_live;   ///< a line in place of the last one
  std::function<void()> clear_live;                  ///< takes it away
  std::function<void(std::string_view)> write_line;  ///< a line that stays
  std::function<double()> seconds;                   ///< a clock
  bool own_thread = true;                            ///< draws again while nobody reports
  /// Standard error and the steady clock.
  static ProgressOutput standard(bool quiet);
};

/// Shows what a run is at, one live line a phase: what, how far, since when, how long still. Where standard error
/// is no terminal, phases that last get a plain line every ten seconds. What is reported between phases are steps that
/// have several phases each: their line stays while these come and go. A phase that begins after Ctrl-C is not
/// begun: that ends the run.
class Progress final : public PhaseListener {
 public:
  explicit Progress(ProgressOutput output);
  ~Progress() override;

  /// Called as each phase begins.
  std::function<void()> at_phase;
  /// Whether a phase does not begin once the user asked to stop: it throws.
  bool ends_phases = true;

  void begin(const std::string& phase) override;
  void end(const std::string& phase) noexcept override;
  /// How far the phase is, or between phases how far the steps are: fraction in [0, 1], below 0 where it is not known.
  void operator()(double fraction, const std::string& what);
  /// Draws again where it is time to.
  void tick();

  static constexpr double redraw_seconds = 0.1;  ///< of a terminal's line
  static constexpr double line_seconds = 10;     ///< between plain lines

 private:
  void step(double fraction, const std::string& what);
  void draw(bool now);
  std::size_t compose(char* line, std::size_t size, double elapsed) const;
  void run_ticker();

  ProgressOutput output_;
  pid_t owner_;
  std::mutex mutex_;  ///< of all below
  std::condition_variable changed_;
  struct Open {
    std::string phase;
    double start = 0;
  };
  std::vector<Open> open_;  ///< phases, the innermost last
  struct Steps {
    double start = 0, from = 0;  ///< when the first one was reported, and how far it was
    double fraction = 0;
    std::string what;
  };
  std::optional<Steps> steps_;  ///< until they are through
  std::string detail_;
  double fraction_ = -1, drawn_ = 0;
  bool detailed_ = false, ending_ = false;
  bool has_ticker_ = false;
  pthread_t ticker_{};
};

}  // namespace tessera::app
