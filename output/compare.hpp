#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::output {

struct CompareOptions {
  /// Two numbers agree when |a - b| <= absolute + relative * scale; the scale of a field is its largest magnitude in
  /// either file, that of a number in a summary the larger of the two.
  double relative = 1e-9;
  double absolute = 1e-12;
  /// Keys of a summary that are left out: a dotted key hides everything below it.
  std::vector<std::string> ignore = {"tessera",
                                     "deck",
                                     "phases",
                                     "memory",
                                     "backend",
                                     "time.seconds",
                                     "time.graph",
                                     "solver.seconds",
                                     "solver.multigrid.set_up_seconds",
                                     "solver.multigrid.cycle_seconds",
                                     "ranks",
                                     "output"};
};

/// One field, array or key that was looked at.
struct Comparison {
  std::string what;  ///< "point field u", "solver.iterations"
  bool agrees = true;
  double difference = 0;  ///< largest |a - b|
  double relative = 0;    ///< the same over the scale
  std::string note;       ///< where the largest difference is, or what is missing
};

struct CompareReport {
  std::vector<Comparison> items;
  int differences() const;
  bool agrees() const { return differences() == 0; }
  /// A table of the items that differ, or of all of them with those first, and a closing line.
  std::string table(bool all = true) const;
};

/// Compares two .vtu files (points, cells, every field), two .vtkhdf files (times, and of the last state the same), two
/// .json files (every key), two .csv files (every column), or two folders: all files of these kinds in them, by name. A
/// .pvtu file is the grid of its pieces, and is compared with another or with a .vtu file cell by cell, in whatever
/// order they stand; of folders its pieces are not compared by themselves. Throws Error(usage) where the files are of
/// different or unknown kinds, Error(file_system) where one cannot be read.
CompareReport compare(const std::filesystem::path& a, const std::filesystem::path& b,
                      const CompareOptions& options = {});

}  // namespace tessera::output
