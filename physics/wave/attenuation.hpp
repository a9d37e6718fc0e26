#pragma once
// Quality factors that are the same over a band of frequencies, by standard linear solids.
#include <array>

#include "physics/wave/params.hpp"

namespace tessera::physics::wave {

/// Moduli M(omega) = M_U (1 - sum_l Y_l / (1 + i omega tau_l)) with Q = Re M / Im M nearly the same in a band. H.
/// Emmerich & M. Korn, Geophysics 52 (1987) 1252-1264. The times tau_l are those of the band; the numbers Y_l, which
/// are not negative, so that no wave gains energy, follow from Q by least squares of 1 / Q over the band.
class ConstantQuality {
 public:
  static constexpr int mechanisms = 3;
  using Numbers = std::array<double, mechanisms>;

  explicit ConstantQuality(const AttenuationParams& params);

  const Numbers& times() const { return times_; }
  Numbers fit(double quality) const;
  /// Of a compliance 1 / M(omega) = (1 + sum_l Z_l / (1 + i omega tau_l)) / M_U, which is that of a fluid, Z_l >= 0.
  Numbers fit_compliance(double quality) const;
  /// Of these numbers, at a frequency.
  static double quality(const Numbers& times, const Numbers& Y, double frequency);
  static double quality_of_compliance(const Numbers& times, const Numbers& Z, double frequency);
  /// M_U over the modulus rho c^2 of the phase speed c at the reference frequency.
  double unrelaxed(const Numbers& Y) const;
  double unrelaxed_of_compliance(const Numbers& Z) const;
  /// The largest relative difference of Q from what was asked for in the band.
  double deviation(double quality) const;
  double deviation_of_compliance(double quality) const;

 private:
  Numbers fit_at(const Numbers& times, double quality, double sign) const;
  double deviation_at(const Numbers& times, const Numbers& Y, double quality) const;

  double low_, high_, reference_;
  Numbers times_{};
};

}  // namespace tessera::physics::wave
