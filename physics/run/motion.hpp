#pragma once
// What a model of something that accelerates has on a backend.
#include <array>
#include <memory>
#include <string>

#include "base/array.hpp"
#include "physics/run/leapfrog.hpp"
#include "physics/run/over_ranks.hpp"

namespace tessera::physics {

/// Of the step that a frequency found by a power method allows, the part that is taken to be stable: the method comes
/// from below.
constexpr double stable_part = 0.98;

/// M u'' = f(t, u, u') with a diagonal M, of the rows that a rank owns: v and a are vectors of these, u of all rows
/// that it sees, of which the ghosts are those of now. Data on time are evaluated on the host.
template <class Exec>
class Motion {
 public:
  virtual ~Motion() = default;
  /// In the numbers of the run; `ranks` and the motion must outlive it.
  virtual std::unique_ptr<Leapfrog<Exec>> leapfrog(const OverRanks<Exec>& ranks) = 0;

  /// a = M^-1 f(t, u, v); where lags() are not 0, v is that of all rows that this rank sees, as u.
  virtual void evaluate(double t, View<const double> u, View<const double> v, View<double> a) = 0;
  /// a = -M^-1 (K + rates beta K) u, with what f has of u alone and the damping beta K; 0 in rows where u is
  /// prescribed.
  virtual void restore_force(View<const double> u, View<double> a, double rates) = 0;
  /// x = M x.
  virtual void weigh(View<double> x) = 0;
  /// Whether prescribed values change.
  virtual bool prescribes() const = 0;
  /// The prescribed values and their rates at time t, in u and v of the rows that this rank owns.
  virtual void prescribe(double t, View<double> u, View<double> v) = 0;

  /// A frequency not above the highest one, found with applications of f; 0: a power method on restore_force finds it.
  virtual double frequency_from_below(const OverRanks<Exec>&) { return 0; }
  /// An estimate of the highest frequency of M^-1 K, from mesh and material of this rank.
  virtual double highest_frequency() const = 0;
  /// The same for the leapfrog: steps dt <= 2 / omega are stable, also with beta K v of the velocity half a step
  /// before.
  virtual double frequency_of_leaps() const { return highest_frequency(); }
  /// The least and the greatest beta of a damping beta K v, of all ranks; 0: there is none.
  virtual std::array<double, 2> lags() const { return {0, 0}; }
  /// The largest number of M^-1 C, with the damping C but for beta K; of this rank.
  virtual double strongest_damping() const = 0;
  /// Where the highest frequency of leaps is: "at (1, 2, 3)".
  virtual std::string place_of_highest() const = 0;
};

}  // namespace tessera::physics
