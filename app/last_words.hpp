#pragma once
// summary.json of a run that has to end at once: made beforehand, and written where nothing may be allocated.
#include <filesystem>
#include <string>

namespace tessera::app {

/// Texts of the summary as it would be if the run ended now. What is `noexcept` neither allocates nor waits: a signal
/// handler may call it. A child of this process writes nothing.
class LastWords {
 public:
  /// From now on a run writes into this folder. Without other texts its summary says the status, the error and the exit
  /// code.
  static void begin(const std::filesystem::path& folder) noexcept;
  /// `interrupted`, and `ended` of a rank that its launcher ends: with `"exit_code": 130`, which a handler sets right.
  /// `failed`: with `"error": "<message>"`, which becomes the message.
  static void set(std::string interrupted, std::string ended, std::string failed);
  static constexpr const char* message = "<message>";
  /// The summary is written: there is no more to say.
  static void end() noexcept;

  /// Removes what the run has written, and writes the summary of a run that a signal ends. The process must end then.
  static void write_of_signal(int signal, bool by_launcher) noexcept;
  /// The same of a run without memory, whose threads beside this one have ended.
  static void write_of_failure(const char* what) noexcept;
};

}  // namespace tessera::app
