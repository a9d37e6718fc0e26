#pragma once
#include <cmath>

#include "base/types.hpp"

namespace tessera::physics {

/// Steps of one length from a start to an end, which the last one meets exactly. A length that divides the interval but
/// for rounding does so: all steps are of that length, and a matrix of one is that of all.
class Steps {
 public:
  Steps() = default;
  Steps(double start, double end, double step) : start_(start), end_(end), step_(step) {
    const double ratio = (end - start) / step, whole = std::round(ratio);
    constexpr double rounding = 1e-9;
    divides_ = whole >= 1 && std::abs(ratio - whole) <= rounding * whole;
    count_ = static_cast<Offset>(divides_ ? whole : std::ceil(ratio));
  }

  Offset count() const { return count_; }
  /// After so many steps.
  double time(Offset step) const { return step >= count_ ? end_ : start_ + static_cast<double>(step) * step_; }
  /// Of that step, the first of which is 0.
  double length(Offset step) const { return step + 1 < count_ || divides_ ? step_ : end_ - time(step); }

 private:
  double start_ = 0, end_ = 0, step_ = 1;
  Offset count_ = 0;
  bool divides_ = true;
};

}  // namespace tessera::physics
