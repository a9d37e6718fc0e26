#pragma once

#include "solvers/grid/line_levels.hpp"
#include "solvers/grid/partial_solution.hpp"

namespace tessera::solvers::grid {

/// Many problems of one shape that differ by their shift: f, u [systems, rows, n], shifts [systems].
template <class Exec, class T>
class BatchSolver {
 public:
  virtual ~BatchSolver() = default;
  virtual void solve(Exec& exec, Index systems, const double* shifts, const T* f, T* u) = 0;
  /// Bytes that have to move for that many systems.
  virtual double bytes(Index systems) const = 0;
};

/// What steps of a plan work on. Lines of n unknowns, contiguous.
template <class T>
struct PlaneData {
  PlanView plan;
  Line line;
  double row_spacing;
  Index rows, slots;
  const double* shifts;
  const T* f;
  T* u;
  T* updated;  ///< [systems, slots, n]
  T* partial;  ///< [systems, families of the step, chunks, n]

  TESSERA_HD const T* row_of_f(Offset system, Index row) const {
    return row >= 0 ? f + (system * rows + row) * line.n : updated_row(system, -row - 1);
  }
  TESSERA_HD T* row_of_u(Offset system, Index row) const { return u + (system * rows + row) * line.n; }
  TESSERA_HD T* updated_row(Offset system, Index slot) const { return updated + (system * slots + slot) * line.n; }
  TESSERA_HD LineCoupling coupling(Offset system) const { return line_coupling(line, row_spacing, shifts[system]); }
};

/// Partial solution over rows with all lines solved on chip: a line, its right-hand side and the sum over its poles
/// never leave it.
template <class Exec, class T>
class PlaneSolver;

template <class T>
class PlaneSolver<Threads, T> final : public BatchSolver<Threads, T> {
 public:
  /// Whether a line of n unknowns fits: any does.
  static bool fits(Threads&, Index) { return true; }
  PlaneSolver(Threads& exec, const HostPlan& plan, const Line& line, double row_spacing, Index most_systems,
              bool fixed_shifts);
  void solve(Threads& exec, Index systems, const double* shifts, const T* f, T* u) override;
  double bytes(Index systems) const override {
    return sizeof(T) * static_cast<double>(plan_.rows_moved) * line_.n * systems;
  }

 private:
  void run(Threads& exec, const Step& step, Index systems, const PlaneData<T>& data);

  Plan<Host> plan_;
  Line line_;
  double row_spacing_;
  int threads_;
  Offset scratch_rows_;  ///< of a thread
  Array<T> updated_, partial_, scratch_;
};

/// Shared memory of a device in bytes, and its multiprocessors.
struct ChipLimits {
  int shared_of_block, shared_of_processor, processors;
};

template <class T>
class PlaneSolver<Cuda, T> final : public BatchSolver<Cuda, T> {
 public:
  /// Whether a block holds a line of n unknowns and its right-hand sides.
  static bool fits(Cuda& exec, Index n);
  /// `fixed_shifts`: no kernel writes the shifts, so that they may be read while the kernel before still runs.
  PlaneSolver(Cuda& exec, const HostPlan& plan, const Line& line, double row_spacing, Index most_systems,
              bool fixed_shifts);
  void solve(Cuda& exec, Index systems, const double* shifts, const T* f, T* u) override;
  double bytes(Index systems) const override {
    return sizeof(T) * static_cast<double>(plan_.rows_moved) * line_.n * systems;
  }

 private:
  /// Poles of a chunk; 0: a group is done as one, without sums in memory.
  Index chunk_poles(const Step& step, Index systems) const;
  void run(Cuda& exec, const Step& step, Index systems, const PlaneData<T>& data) const;

  Plan<Device> plan_;
  Line line_;
  double row_spacing_;
  bool fixed_shifts_;
  ChipLimits limits_;
  Array<T, Device> updated_, partial_;
};

}  // namespace tessera::solvers::grid
