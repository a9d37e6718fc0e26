#pragma once
// The states of a run through time that become files.
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/beside.hpp"
#include "output/probe_series.hpp"
#include "output/series.hpp"
#include "output/vtkhdf.hpp"
#include "physics/module.hpp"
#include "physics/run/results.hpp"

namespace tessera::physics {

/// Whether a state is written: after every so many steps, where a multiple of an interval of time is reached, and the
/// first and the last one always.
bool is_shown(const OutputParams& params, double start, Offset step, double t_before, double t, bool last);

/// The files of a series: solution_000010.vtu of step 10 and so on, solution.pvd, which lists them with their times,
/// solution.vtkhdf, and quantities.csv, with a row for each. Files of the whole are written by a thread of their own
/// while the run goes on; at most two states wait for it, in the values of the solution and of fields that are not
/// LaterFields. What it finds wrong the next call throws.
class Frames {
 public:
  /// `t`: the time at which a run goes on with the series that is there. `free_team`: a device computes while files are
  /// written, so that what they show may be made and compressed by all threads.
  Frames(const CommonParams& params, const Context& context, std::optional<double> t, bool free_team);
  /// The names of the files of the next state. The first one makes the grid, which the others find there. On all ranks.
  FileNames begin(Offset step, double t);
  /// The state of this step, which `make` makes of u later and on another thread: what it refers to must stay as it is
  /// until `flush`. It is written and listed, and lasts from then on, where the run is stopped. What of it is not
  /// finite is a warning of the next call. On the root.
  void write(Offset step, double t, const FileNames& names, MakeSolution make, std::vector<double> u);
  /// A vector of this length, of any values, to hand over: one of a state that is written, where there is one.
  std::vector<double> spare(std::size_t length);
  /// The state of this step, of which each rank has written a piece, is listed by the root. All its files last from now
  /// on; each rank says so of its own.
  void add_pieces(Offset step, double t, int rank, int pieces);
  /// Whether fields of the next state may need du/dt. LaterFields do not; which results there are the first state says.
  bool may_need_rates() const { return may_need_rates_; }
  void has_derived_from(const Results& results);
  /// The quantities of a state, as the summary has them. On the root.
  void add_quantities(Offset step, double t, const output::Summary& summary);
  /// What was added is in the files.
  void flush();
  /// Fills "output" of the summary: how long files were written and waited for.
  void summarise(output::Summary& summary) const;

 private:
  void wait(const std::function<void()>& call);
  void warn_of_what_was_found();
  void keep_spare(std::vector<output::Field>& fields, std::size_t length);
  std::filesystem::path file(Offset step, const char* extension) const;

  const CommonParams& params_;
  std::filesystem::path directory_;
  output::Series series_;                          ///< until `flush` the thread's
  std::optional<output::VtkhdfSeries> hdf_;        ///< the same, where the deck asks for it
  std::optional<output::ProbeSeries> quantities_;  ///< on the root, where there are any
  FileState state_;                                ///< the last one, without its fields; the thread's
  bool has_begun_ = false;                         ///< a state brings the grid
  bool may_need_rates_ = true;
  std::mutex mutex_;                         ///< of
  std::vector<NotFinite> not_finite_;        ///< what the thread has found, and
  std::vector<std::vector<double>> spares_;  ///< what it needs no more
  Beside beside_;                            ///< the last one: it ends before what it writes to
};

}  // namespace tessera::physics
