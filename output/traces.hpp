#pragma once
// Numbers of a run in time as a file of HDF5.
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::output {

/// A column of a table and where it comes from.
struct Trace {
  std::string name, of;
  std::vector<double> at;
};

/// Writes a table of ProbeSeries as a file of HDF5, as `atomic_write` does: the dataset "t" [rows], and in the group
/// "probes" one of each column, [rows], under its name ("_" in the place of "/"), with the attributes unit (where it is
/// known), of and at. `traces`: of all columns but the times. Throws Error(file_system) for a table that is missing or
/// has other columns, and where the file cannot be written; Error(usage) without HDF5.
void write_traces(const std::filesystem::path& table, const std::vector<Trace>& traces,
                  const std::filesystem::path& path, int compression);

}  // namespace tessera::output
