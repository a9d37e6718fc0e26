#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::output {

/// The folder of a run's results, made and held for this run: another run into the same folder is refused while it
/// lives. What an earlier run has left is removed, results included: they must not lie beside a newer summary.
class RunFolder {
 public:
  /// Throws Error(file_system) where the folder cannot be made or written to, or another run holds it.
  /// `goes_on`: a run that goes on from a checkpoint leaves what is there.
  explicit RunFolder(const std::filesystem::path& directory, bool goes_on = false);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return directory_; }

 private:
  void lock();
  void remove_leftovers() const;
  void remove_results() const;

  std::filesystem::path directory_, lock_path_;
  int lock_ = -1;
};

}  // namespace tessera::output
