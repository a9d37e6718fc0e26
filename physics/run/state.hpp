#pragma once
#include <functional>
#include <vector>

#include "assembly/space/numbers_of_cells.hpp"
#include "linalg/crs.hpp"

namespace tessera::physics {

/// A state of a run through time on the host, of all that a rank sees.
struct State {
  double t = 0;
  Offset step = 0;
  std::vector<double> u;     ///< [rows]
  std::vector<double> rate;  ///< du/dt, [rows]; empty: not known, of the first state of implicit schemes
  /// What the scheme needs beside u to go on: vectors [rows], numbers, and numbers of cells; empty at the beginning.
  struct Kept {
    std::vector<std::vector<double>> vectors = {};
    std::vector<double> numbers = {};
    assembly::NumbersOfCells of_cells = {};
  } kept = {};
};

/// Who looks at the states of a run. Collective where ranks share it.
struct StateVisitor {
  /// Whether the state after this step, which went from t_before to t, is looked at; `last`: it is the last one.
  std::function<bool(Offset step, double t_before, double t, bool last)> shows;
  /// `may_take`: u may be another of its length afterwards, of any values.
  std::function<void(State&, bool may_take)> visit;
  std::function<bool()> looks_at_rates;  ///< whether the next state that is looked at has du/dt
  /// Whether the state after this step is kept, and who keeps it.
  std::function<bool(Offset step)> saves;
  std::function<void(const State&)> save;
  /// Whether values at points are wanted after this step, and who takes the product of `weights` [points, rows] with u.
  std::function<bool(Offset step)> samples;
  const linalg::Crs<Host>* weights = nullptr;
  const linalg::Crs<Host>* rate_weights = nullptr;          ///< of what accelerates: the product with du/dt is added
  const linalg::Crs<Host>* acceleration_weights = nullptr;  ///< the same of the rate of that, by the leapfrog alone
  std::function<void(Offset step, double t, std::vector<double> values)> sample;
};

}  // namespace tessera::physics
