#pragma once
// Numbers of a run in time, as a table that grows with it.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "output/file_descriptor.hpp"

namespace tessera::output {

/// A column of a series: "T_chip [K]", or its name alone where the unit is not known.
struct SeriesColumn {
  std::string name;
  std::string unit = {};
};

struct ProbeSeriesOptions {
  std::string time_unit = {};
  int every = 1;           ///< steps: those that it divides have a row
  int rows_at_once = 100;  ///< rows that are kept before they are written
};

/// A file of comma-separated values: the names of time and columns, then one row a step, in the shortest form that
/// reads back as the same bits. The file lasts where the run is stopped. A run that goes on from a checkpoint ends with
/// the same bytes as one that never stopped, if it calls `flush` before it writes the checkpoint.
class ProbeSeries {
 public:
  /// A new file with the line of names. Throws Error(file_system).
  ProbeSeries(const std::filesystem::path& path, const std::vector<SeriesColumn>& columns,
              const ProbeSeriesOptions& options = {});
  /// Goes on with the file of a run that continues at time t: rows of later times go, and what a kill left of a row. A
  /// file that is not there begins anew. Throws Error(file_system) for one with other columns or rows that are none.
  static ProbeSeries resume(const std::filesystem::path& path, const std::vector<SeriesColumn>& columns, double t,
                            const ProbeSeriesOptions& options = {});
  /// Writes what is kept, and says nothing where it cannot: whoever wants to know calls `flush`.
  ~ProbeSeries();
  ProbeSeries(ProbeSeries&&) = default;

  /// A row of the values [columns], where the step is one of those that have rows. Times ascend. Throws
  /// Error(file_system) where rows cannot be written; whole ones stay, the file ends with one, and these are still
  /// kept.
  void add(std::int64_t step, double t, std::span<const double> values);
  /// Writes what is kept, to the disk. Throws as `add`.
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  ProbeSeries(const std::filesystem::path& path, std::size_t columns, const ProbeSeriesOptions& options, double last);
  void write_rows();

  std::filesystem::path path_;
  std::size_t columns_;
  ProbeSeriesOptions options_;
  double last_;  ///< time of the last row
  FileDescriptor file_;
  std::string rows_;  ///< not yet written
  int count_ = 0;     ///< of them
};

}  // namespace tessera::output
