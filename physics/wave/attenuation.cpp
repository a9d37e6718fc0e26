#include "physics/wave/attenuation.hpp"

#include <cmath>
#include <complex>
#include <eigen3/Eigen/Dense>
#include <limits>
#include <numbers>

namespace tessera::physics::wave {

namespace {

constexpr int samples = 60;

double sample(double low, double high, int i) { return low * std::pow(high / low, i / (samples - 1.0)); }

/// M(omega) / M_U
std::complex<double> relative_modulus(const ConstantQuality::Numbers& times, const ConstantQuality::Numbers& Y,
                                      double frequency) {
  const double omega = 2 * std::numbers::pi * frequency;
  std::complex<double> result = 1;
  for (std::size_t l = 0; l < times.size(); ++l) result -= Y[l] / std::complex<double>(1, omega * times[l]);
  return result;
}

/// M_U / M(omega)
std::complex<double> relative_compliance(const ConstantQuality::Numbers& times, const ConstantQuality::Numbers& Z,
                                         double frequency) {
  ConstantQuality::Numbers negative = Z;
  for (double& z : negative) z = -z;
  return relative_modulus(times, negative, frequency);
}

}  // namespace

ConstantQuality::ConstantQuality(const AttenuationParams& params)
    : low_(params.band.at(0)),
      high_(params.band.at(1)),
      reference_(params.reference.value_or(std::sqrt(low_ * high_))) {
  // Equal steps of the logarithm over a part of the band, or beyond it: that which is best for little attenuation.
  constexpr double little = 1000;
  const double middle = std::sqrt(low_ * high_), half = std::sqrt(high_ / low_);
  double best = std::numeric_limits<double>::infinity();
  for (int step = 20; step <= 150; ++step) {
    Numbers times;
    for (int l = 0; l < mechanisms; ++l)
      times[static_cast<std::size_t>(l)] =
          1 / (2 * std::numbers::pi * middle *
               std::pow(half, step / 100.0 * (l - (mechanisms - 1) / 2.0) / ((mechanisms - 1) / 2.0)));
    const double deviation = deviation_at(times, fit_at(times, little, 1), little);
    if (deviation >= best) continue;
    best = deviation;
    times_ = times;
  }
}

/// sum_l Y_l (omega tau_l + s / Q) / (1 + omega^2 tau_l^2) = 1 / Q, times Q, at frequencies of the band, with the sign
/// s 1 for a modulus and -1 for a compliance. Of the few sets of numbers that are not 0 the best one whose numbers are
/// positive.
ConstantQuality::Numbers ConstantQuality::fit_at(const Numbers& times, double quality, double sign) const {
  Eigen::Matrix<double, samples, mechanisms> A;
  for (int i = 0; i < samples; ++i)
    for (int l = 0; l < mechanisms; ++l) {
      const double x = 2 * std::numbers::pi * sample(low_, high_, i) * times[static_cast<std::size_t>(l)];
      A(i, l) = quality * (x + sign / quality) / (1 + x * x);
    }
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(samples);
  Numbers best{};
  double least = std::numeric_limits<double>::infinity();
  for (int set = 1; set < 1 << mechanisms; ++set) {
    std::vector<int> columns;
    for (int l = 0; l < mechanisms; ++l)
      if (set >> l & 1) columns.push_back(l);
    Eigen::MatrixXd part(samples, static_cast<Eigen::Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = A.col(columns[k]);
    const Eigen::VectorXd Y = part.colPivHouseholderQr().solve(ones);
    const double rest = (part * Y - ones).squaredNorm();
    if (Y.minCoeff() < 0 || rest >= least) continue;
    least = rest;
    best = {};
    for (std::size_t k = 0; k < columns.size(); ++k)
      best[static_cast<std::size_t>(columns[k])] = Y[static_cast<Eigen::Index>(k)];
  }
  return best;
}

ConstantQuality::Numbers ConstantQuality::fit(double quality) const { return fit_at(times_, quality, 1); }
ConstantQuality::Numbers ConstantQuality::fit_compliance(double quality) const { return fit_at(times_, quality, -1); }

double ConstantQuality::quality(const Numbers& times, const Numbers& Y, double frequency) {
  const std::complex<double> modulus = relative_modulus(times, Y, frequency);
  return modulus.real() / modulus.imag();
}

double ConstantQuality::quality_of_compliance(const Numbers& times, const Numbers& Z, double frequency) {
  const std::complex<double> compliance = relative_compliance(times, Z, frequency);
  return -compliance.real() / compliance.imag();
}

double ConstantQuality::unrelaxed_of_compliance(const Numbers& Z) const {
  const double slower = std::sqrt(relative_compliance(times_, Z, reference_)).real();  // c_U / c
  return slower * slower;
}

double ConstantQuality::unrelaxed(const Numbers& Y) const {
  const double slower = (1.0 / std::sqrt(relative_modulus(times_, Y, reference_))).real();  // c_U / c
  return slower * slower;
}

double ConstantQuality::deviation_at(const Numbers& times, const Numbers& Y, double of) const {
  double most = 0;
  for (int i = 0; i < samples; ++i) most = std::max(most, std::abs(of / quality(times, Y, sample(low_, high_, i)) - 1));
  return most;
}
double ConstantQuality::deviation_of_compliance(double of) const {
  const Numbers Z = fit_compliance(of);
  double most = 0;
  for (int i = 0; i < samples; ++i)
    most = std::max(most, std::abs(of / quality_of_compliance(times_, Z, sample(low_, high_, i)) - 1));
  return most;
}
double ConstantQuality::deviation(double of) const { return deviation_at(times_, fit(of), of); }

}  // namespace tessera::physics::wave
