#pragma once
// The states of a run through time that become files.
#include <filesystem>
#include <functional>
#include <vector>

#include "output/vtk_writer.hpp"
#include "physics/run/report.hpp"
#include "physics/run/steps.hpp"

namespace tessera::physics {

/// Which states of a run are written: those after every so many steps, or where a multiple of an interval of time is
/// reached; the first and the last one always.
class Frames {
 public:
  Frames(const OutputParams& params, const TimeParams& time);
  bool shows(Offset step, double t) const;
  const Steps& steps() const { return steps_; }

 private:
  const OutputParams& params_;
  Steps steps_;
  double start_;
};

/// The files of a series: solution_000010.vtu of step 10 and so on, and solution.pvd, which lists them with their
/// times.
class Series {
 public:
  Series(const OutputParams& params, std::filesystem::path directory);
  FileNames names(Offset step) const;
  /// Lists the state of this step, whose files are there, in pieces or not. On the root.
  void add(Offset step, double t, bool pieces);

 private:
  const OutputParams& params_;
  std::filesystem::path directory_;
  std::vector<output::PvdEntry> entries_;
};

}  // namespace tessera::physics
