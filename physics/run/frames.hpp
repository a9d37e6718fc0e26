#pragma once
// The states of a run through time that become files.
#include <filesystem>
#include <optional>

#include "output/probe_series.hpp"
#include "output/series.hpp"
#include "physics/module.hpp"
#include "physics/run/report.hpp"

namespace tessera::physics {

/// Whether a state is written: after every so many steps, where a multiple of an interval of time is reached, and the
/// first and the last one always.
bool is_shown(const OutputParams& params, double start, Offset step, double t_before, double t, bool last);

/// The files of a series: solution_000010.vtu of step 10 and so on, solution.pvd, which lists them with their times,
/// and quantities.csv, with a row for each.
class Frames {
 public:
  /// `t`: the time at which a run goes on with the series that is there.
  Frames(const CommonParams& params, const Context& context, std::optional<double> t);
  FileNames names(Offset step) const;
  /// The state of this step, whose files are there, is listed, by the root. All its files last from now on, where the
  /// run is stopped; where each rank has written a piece, it says so of its own.
  void add(Offset step, double t, int rank, int pieces);
  /// The quantities of a state, as the summary has them. On the root.
  void add_quantities(Offset step, double t, const output::Summary& summary);
  /// What was added is in the files.
  void flush();

 private:
  const CommonParams& params_;
  std::filesystem::path directory_;
  output::Series series_;
  std::optional<output::ProbeSeries> quantities_;  ///< on the root, where there are any
};

}  // namespace tessera::physics
