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
/// solution.vtkhdf, and quantities.csv, with a row for each. While the run goes on one thread makes of a solution what
/// files have, and another one writes it, so that disk and processors are busy at a time. At most two states wait: one
/// in the values of the solution and of fields that are not LaterFields for the first thread, one in all of its fields
/// for the second, so that fields that are not LaterFields are there of four states. What they find wrong a later call
/// throws, `flush` at the latest.
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
  void write_files(Offset step, double t, const FileNames& names, output::VtkData made, std::size_t length);
  void keep(std::vector<output::Field>& fields, std::size_t length);
  void finish();
  std::filesystem::path file(Offset step, const char* extension) const;

  const CommonParams& params_;
  std::filesystem::path directory_;
  output::Series series_;                          ///< until `flush` that of the thread that writes
  std::optional<output::VtkhdfSeries> hdf_;        ///< the same, where the deck asks for it
  std::optional<output::ProbeSeries> quantities_;  ///< on the root, where there are any
  FileState state_;                                ///< of the thread that makes states, without their values
  output::VtkData data_;                           ///< of the thread that writes them, the grid of all
  bool has_begun_ = false;                         ///< a state brings the grid
  bool may_need_rates_ = true;
  std::mutex mutex_;                                  ///< of
  std::vector<NotFinite> not_finite_;                 ///< what the threads have found, and
  std::vector<std::vector<double>> spares_, memory_;  ///< what they need no more: solutions, other fields
  double held_up_ = 0;  ///< seconds that the thread that makes states has waited for the other one; that thread's
  // The last ones: they end before what they write to, and the first to hand over before the other.
  Beside writer_;  ///< work comes from that of maker_ alone; others call `finish`, once maker_ is finished
  Beside maker_;   ///< work comes from the run
};

}  // namespace tessera::physics
