#pragma once
// The leapfrog of what accelerates, as a model steps it.
#include <vector>

#include "assembly/space/numbers_of_cells.hpp"
#include "linalg/crs.hpp"

namespace tessera::physics {

/// u(t) and v half a step before, where the backend computes and in the numbers of the run. Explicit Newmark (beta = 0,
/// gamma = 1/2) is
///   v(t + dt/2) = v(t - before/2) + (before + dt)/2 a(t),   u(t + dt) = u(t) + dt v(t + dt/2),
/// and v(t) lies between the two. What damps solves for a(t) with v(t) = v(t - before/2) + before/2 a(t), so it bounds
/// no step. Hughes, The Finite Element Method, section 9.1. Collective where ranks share it; nothing waits for the
/// device but what gives vectors to the host.
template <class Exec>
class Leapfrog {
 public:
  using Space = typename Exec::Space;
  virtual ~Leapfrog() = default;

  /// From u [rows seen] and v [own rows] at t, of which the first step is dt long.
  virtual void start(double t, double dt, const std::vector<double>& u, const std::vector<double>& v) = 0;
  /// From u(t) and what v() has given.
  virtual void restore(const std::vector<double>& u, const std::vector<double>& v) = 0;
  /// What beside u() and v() it takes to go on: vectors [rows seen], of which the own rows count; of one medium none.
  virtual std::vector<std::vector<double>> others() const { return {}; }
  /// From what others() has given, after restore.
  virtual void restore_others(const std::vector<std::vector<double>>&) {}
  /// The same of cells: of all that this rank sees what some of them remember.
  virtual assembly::NumbersOfCells of_cells() const { return {}; }
  virtual void restore_of_cells(const assembly::NumbersOfCells&) {}
  /// From t to t + dt; the last step was `before` long.
  virtual void step(double t, double before, double dt) = 0;

  /// Makes the step without moving the state, for rate() and Vector::next_v, until `forget_ahead`.
  virtual void look_ahead(double t, double before, double dt) = 0;
  virtual void forget_ahead() = 0;

  virtual std::vector<double> u() const = 0;  ///< [rows seen]
  virtual std::vector<double> v() const = 0;  ///< [own rows], half a step before
  /// [own rows] v(t), after look_ahead(t, before, dt).
  virtual std::vector<double> rate(double before, double dt) const = 0;

  enum class Vector { u, v, next_v };
  /// values += factor weights x, of weights of own rows alone. Of a model whose receivers have columns behind the rows,
  /// these are numbers of its own.
  virtual void add_sums(const linalg::Crs<Space>& weights, Vector of, double factor, View<double> values) = 0;
  /// Queues (v, v) of all ranks, of now, for `square`, which waits for no later work.
  virtual void ask_square() = 0;
  virtual double square() = 0;
};

}  // namespace tessera::physics
