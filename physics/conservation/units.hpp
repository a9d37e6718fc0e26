#pragma once
// Units in which passes count that keep floats: powers of two, so that to change them rounds nothing.
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace tessera::physics::conservation {

/// Of passes in double: those of the deck.
template <class Real, int n>
struct Units {
  TESSERA_HD_INLINE double in_rows(int, double of_state) const { return of_state; }
  TESSERA_HD_INLINE double in_state(int, double of_rows) const { return of_rows; }
  TESSERA_HD_INLINE double step_in_rows(double dt) const { return dt; }
  TESSERA_HD_INLINE double step_of_rows(double dt) const { return dt; }
};

/// Of passes in float, whose range products of numbers in other units leave: in these of the flow coefficients and
/// states are about 1.
template <int n>
struct Units<float, n> {
  double up[n], down[n];  ///< of each number of a state
  double speed = 1, length = 1, steps = 1, inverse_steps = 1;

  TESSERA_HD Units() {
    for (int k = 0; k < n; ++k) up[k] = down[k] = 1;
  }
  TESSERA_HD_INLINE double in_rows(int k, double of_state) const { return up[k] * of_state; }
  TESSERA_HD_INLINE double in_state(int k, double of_rows) const { return down[k] * of_rows; }
  TESSERA_HD_INLINE double step_in_rows(double dt) const { return steps * dt; }
  TESSERA_HD_INLINE double step_of_rows(double dt) const { return inverse_steps * dt; }

  /// What numbers, speeds and lengths are multiplied by.
  void set_state(const std::vector<double>& numbers, double of_speed) {
    for (int k = 0; k < n; ++k) {
      up[k] = numbers[static_cast<std::size_t>(k)];
      down[k] = 1 / up[k];
    }
    speed = of_speed;
    set_steps();
  }
  void set_length(double of_length) {
    length = of_length;
    set_steps();
  }

 private:
  void set_steps() {
    steps = length / speed;
    inverse_steps = speed / length;
  }
};

/// A power of two by which lengths of a mean cell become about 1: by the geometric mean of the m_i of all ranks, whose
/// numbers `sum` adds up.
inline double unit_of_length(const std::vector<double>& masses, int dim,
                             const std::function<void(std::span<double>)>& sum) {
  double of[2] = {};
  for (const double mass : masses) {
    if (!(mass > 0)) continue;
    of[0] += std::log2(mass);
    of[1] += 1;
  }
  if (sum) sum(of);
  return of[1] > 0 ? std::exp2(-std::round(of[0] / (of[1] * dim))) : 1;
}

}  // namespace tessera::physics::conservation
