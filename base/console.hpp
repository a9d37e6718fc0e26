#pragma once
#include <string_view>

/// The terminal's one owner: messages, and a live line that is drawn over and over, never share a line.
namespace tessera::console {

/// Whether standard error is a terminal on which a line can be drawn again.
bool has_live_line();

/// Draws `text` (one line, cut at the terminal's width) in place of the last live line. Allocates nothing.
/// Nothing happens where there is no terminal.
void show_live(std::string_view text);
/// Takes the live line away.
void clear_live();

/// Writes whole lines to standard error, below no live line.
void say(std::string_view lines);

/// While it lives, the live line is gone and nobody else writes: for writers with a way of their own, such as the log.
class Hold {
 public:
  Hold();
  ~Hold();
  Hold(const Hold&) = delete;
};

/// For a signal handler: writes `line` on a line of its own, without waiting for anybody.
void say_from_signal(const char* line, unsigned long length);

}  // namespace tessera::console
