#pragma once
// The frames of a transient run as one collection that ParaView opens: a .pvd file that names the file of each time.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "output/vtk_writer.hpp"

namespace tessera::output {

/// The entries of a .pvd file as write_pvd writes it, with paths below its folder. Throws Error(file_system) for a file
/// that is missing or another.
std::vector<PvdEntry> read_pvd(const std::filesystem::path& path);

/// The files that a .pvtu file names, with paths below its folder; none where it names none. Throws Error(file_system)
/// for a file that is missing.
std::vector<std::filesystem::path> pieces_of(const std::filesystem::path& path);

/// "solution_000012.vtu": so names sort as frames do.
std::string frame_name(const std::string& stem, std::int64_t number, const std::string& extension);

/// A collection that is whole after every frame. It and its frames last where the run is stopped.
class Series {
 public:
  /// A new collection. Its file is written with the first frame, in the place of one that was there.
  explicit Series(std::filesystem::path path) : path_(std::move(path)) {}
  /// Goes on with the collection of a run that continues at time t: later frames are dropped, and their files removed,
  /// of a .pvtu file its pieces too, as far as they lie in the folder of the collection. One that is not there begins
  /// anew. Throws Error(file_system).
  static Series resume(std::filesystem::path path, double t);

  /// Adds a frame whose file is written, and writes the collection, as `atomic_write` does. Times ascend.
  void add(double t, const std::filesystem::path& file);
  const std::vector<PvdEntry>& frames() const { return frames_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<PvdEntry> frames_;
};

}  // namespace tessera::output
