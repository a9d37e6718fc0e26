#pragma once
// Solutions and series of states in one HDF5 file each, as VTK lays them out: the format VTKHDF, of version 2.0, an
// UnstructuredGrid (docs.vtk.org, "VTKHDF file format"). VTK 9.1 reads the first state; series are
// described for VTK 9.3 (ParaView 5.12).
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "output/vtk_reader.hpp"
#include "output/vtk_writer.hpp"

namespace tessera::output {

/// "1.10.8"; empty where the program was built without HDF5, and the functions below throw Error(usage).
std::string hdf5_version();

struct VtkhdfOptions {
  int compression = 1;  ///< of deflate behind a shuffle of bytes, 1 to 9; 0: none
  int threads = 1;      ///< that compress; files do not depend on it
  Precision precision = Precision::of_double;
};

/// Writes a file without times, as `atomic_write` does. Cells, their order of nodes and numbers are those of write_vtu;
/// an attribute "title" of the group VTKHDF has the title. Names of fields are HDF5's: "_" in the place of "/". Throws
/// Error(file_system) where it cannot be written whole, Error(internal) where the sizes in `data` disagree.
void write_vtkhdf(const VtkData& data, const std::filesystem::path& path, const VtkhdfOptions& options = {});

/// The states of a run through time in one file, with one grid for all of them, which is that of the first. It is
/// closed between two frames, so that others may read it, and whole whenever the process ends; only who reads in the
/// moment in which a frame is entered may have to read again. It lasts where the run is stopped. Values are stored in
/// chunks of at most 1 MiB, and none that are those of the state before.
class VtkhdfSeries {
 public:
  /// A new series. Its file is written with the first frame, in the place of one that was there.
  explicit VtkhdfSeries(std::filesystem::path path, const VtkhdfOptions& options = {});
  /// Goes on with the file of a run that continues at time t: later frames are cut off, and what a kill has left of
  /// one. A file that is not there begins anew. Throws Error(file_system) for one that is damaged, or none.
  static VtkhdfSeries resume(std::filesystem::path path, double t, const VtkhdfOptions& options = {});

  /// Adds a state. Times ascend, grid and fields are those of the frames before. Throws Error(file_system) where it
  /// cannot be written; the file is then as before. `cells_stay`: fields of cells are those of the frames before.
  void add(double t, const VtkData& data, bool cells_stay = false);
  const std::filesystem::path& path() const { return path_; }
  const std::vector<double>& times() const { return times_; }

  /// Where the values of a field are in its dataset, and their hash.
  struct Stored {
    std::uint64_t row = 0, hash = 0;
  };

 private:
  std::filesystem::path path_;
  VtkhdfOptions options_;
  std::vector<double> times_;
  std::map<std::string, Stored> last_;  ///< of the last frame, by the path in the file
  std::vector<float> floats_;           ///< room for a field
};

/// A state of a file, by its number; left out: the last one. Of a series TimeValue among field_data is its time.
struct VtkhdfFile {
  std::vector<double> times;  ///< of all states; empty: a file without times
  VtuFile state;
};
/// Throws Error(file_system) for a file that is missing, unreadable, cut off, damaged or another, and for a state that
/// is not there. HDF5 works in a child process (run_in_child), for there are files that it crashes on.
VtkhdfFile read_vtkhdf(const std::filesystem::path& path, std::optional<std::size_t> number = {});

}  // namespace tessera::output
