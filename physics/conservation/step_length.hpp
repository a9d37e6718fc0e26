#pragma once
// How long steps are: numbers of the host, or numbers that stand where the vectors are, so that work which is recorded
// once makes steps of any length.
#include "base/types.hpp"

namespace tessera::physics::conservation {

/// A number, or that many times the one at a place.
struct StepLength {
  double value;
  const double* at = nullptr;

  TESSERA_HD StepLength(double of) : value(of) {}
  TESSERA_HD StepLength(double factor, const double* place) : value(factor), at(place) {}
  TESSERA_HD_INLINE double operator()() const { return at ? value * *at : value; }
  /// `factor` times it.
  StepLength part(double factor) const { return {factor * value, at}; }
};

/// The length of a step by the longest one of a state: at most `most`, and of its first stage, which is `stage` of it,
/// at most `cfl` times the longest.
struct StepRule {
  double cfl, most, stage = 1;

  TESSERA_HD_INLINE double length(double longest) const {
    const double wanted = cfl * (longest / stage);
    return most < wanted ? most : wanted;
  }
};

}  // namespace tessera::physics::conservation
