#pragma once
// What a model of something that accelerates has on a backend.
#include <string>

#include "base/array.hpp"
#include "solvers/time/right_hand_side.hpp"

namespace tessera::physics {

/// M u'' = f(t, u, u') with a diagonal M, of the rows that a rank owns: v and a are vectors of these, u of all rows
/// that it sees, of which the ghosts are those of now. Where damping is large at some nodes it solves for the
/// acceleration (solves_damping). Data on time are evaluated on the host; nothing waits for the device.
template <class Exec>
class Motion : public solvers::Acceleration<Exec> {
 public:
  /// a = -M^-1 K u, what f has of u alone; 0 in rows where u is prescribed.
  virtual void restore_force(View<const double> u, View<double> a) = 0;
  /// Whether prescribed values change.
  virtual bool prescribes() const = 0;
  /// The prescribed values and their rates at time t, in u and v of the rows that this rank owns.
  virtual void prescribe(double t, View<double> u, View<double> v) = 0;

  /// An estimate of the highest frequency of M^-1 K, from mesh and material of this rank.
  virtual double highest_frequency() const = 0;
  /// The largest number of M^-1 C, with the damping C; of this rank.
  virtual double strongest_damping() const = 0;
  /// Where the highest frequency is: "at (1, 2, 3)".
  virtual std::string place_of_highest() const = 0;
};

}  // namespace tessera::physics
