#pragma once
// Keeps LastWords up to date while a run goes on.
#include <cstddef>
#include <functional>
#include <optional>

namespace tessera::output {
class Summary;
}

namespace tessera::app {

/// Makes the LastWords of a summary as phases come for the first time, and ten times a second where they come again:
/// the texts take .2 ms, more than a step of a small problem. Borrows the summary.
class LastWordsOf {
 public:
  explicit LastWordsOf(const output::Summary& summary);
  /// With a clock in the place of the steady one.
  LastWordsOf(const output::Summary& summary, std::function<double()> seconds);
  /// Called as a phase begins; whether they were made.
  bool operator()();

  static constexpr double between = 0.1;  ///< seconds

 private:
  const output::Summary& summary_;
  std::function<double()> seconds_;
  std::optional<double> made_at_;
  std::size_t phases_ = 0;  ///< that had begun then
};

}  // namespace tessera::app
