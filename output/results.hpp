#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// The files that a run has written or is writing, so that one that is stopped leaves nothing that looks like a result.
/// What a signal handler calls neither allocates nor waits.
namespace tessera::output {

/// What becomes of a file where the run is stopped: a result goes, for half of the results would pass for all of them;
/// what is lasting stays, for it says by itself of which moment it is: checkpoints, series and their frames.
enum class Role { result, lasting };

/// From now on files that `atomic_write` finishes are results of this run; earlier ones are forgotten.
void begin_results();
/// What is written from now on is no result, and the results so far stay. Returns their names, and those of the lasting
/// files that are there.
std::vector<std::string> keep_results();

/// A file that lasts from now on: a frame that its series names, a series that is written row by row.
void make_lasting(const std::filesystem::path& path);

/// For a signal handler: removes what is being written and the results so far. Nothing gets its final name afterwards.
void remove_results_from_signal() noexcept;
/// The same where the run goes on to say that it was stopped.
void remove_results();
/// For a signal handler whose process ends at once while other threads write: removes the same, and what they were
/// about to open; from now on no thread opens any file.
void remove_results_for_good() noexcept;

/// One more file that the signal handler removes, until it is given another or none: the lock of a run.
void remove_from_signal_too(const std::filesystem::path& path);

/// Bytes so far of the files that are being written.
std::size_t bytes_being_written() noexcept;

/// A file that is being written under a temporary name; gone with the scope unless it was committed.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& path, Role role = Role::result);
  ~Temporary();
  Temporary(const Temporary&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  /// Gives it its final name. Returns 0 or the system's error.
  int commit();

 private:
  std::filesystem::path path_, temporary_;
  Role role_;
  int slot_ = -1;
  bool committed_ = false;
};

}  // namespace tessera::output
