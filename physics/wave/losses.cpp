#include "physics/wave/losses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assembly/spectral/coarse_rule.hpp"
#include "assembly/spectral/view.hpp"
#include "physics/wave/material_grid.hpp"

namespace tessera::physics::wave {

namespace {

using Numbers = ConstantQuality::Numbers;

/// The factor of a modulus, bulk or shear, and its key.
struct Quality {
  const char* name;
  const std::optional<deck::Expression>& given;
};
Quality quality_of(const MaterialParams& m, bool shear) {
  if (m.q) return {"q", m.q};
  if (shear) return {"q_mu", m.q_mu};
  return {"q_kappa", m.q_kappa};
}

/// What the places of a material become. Factors that follow each other and are the same are fitted once.
class Lossy {
 public:
  Lossy(const ConstantQuality& qualities, Medium medium, Media& media)
      : qualities_(qualities), medium_(medium), media_(media) {}

  void set(std::size_t place, double bulk, double shear) {
    if (medium_ == Medium::acoustic) return fluid(place, bulk);
    if (medium_ == Medium::sh) return single(place, shear);
    if (media_.anisotropic) return single(place, bulk);
    isotropic(place, bulk, shear);
  }

 private:
  struct Fit {
    double quality = 0;
    Numbers numbers{};
  };

  const Numbers& fit(Fit& last, double quality) {
    if (quality == last.quality) return last.numbers;
    const bool is_fluid = medium_ == Medium::acoustic;
    last.quality = quality;
    last.numbers = !(quality > 0) ? Numbers{} : is_fluid ? qualities_.fit_compliance(quality) : qualities_.fit(quality);
    if (quality > 0)
      media_.deviation = std::max(
          media_.deviation, is_fluid ? qualities_.deviation_of_compliance(quality) : qualities_.deviation(quality));
    return last.numbers;
  }

  /// The compliance of a sudden load is rho over the square of its speed.
  void fluid(std::size_t place, double quality) {
    const Numbers& Z = fit(fits_[0], quality);
    const double factor = qualities_.unrelaxed_of_compliance(Z);
    media_.mass.values[place] /= factor;
    media_.fast.values[place] *= std::sqrt(factor);
    std::copy(Z.begin(), Z.end(), &media_.compliance.values[place * Z.size()]);
  }
  /// All moduli by one factor.
  void single(std::size_t place, double quality) {
    const Numbers& Y = fit(fits_[0], quality);
    const double factor = qualities_.unrelaxed(Y);
    const auto moduli = static_cast<std::size_t>(media_.stiffness.components);
    double* const stiffness = &media_.stiffness.values[place * moduli];
    double* const to = &media_.attenuated.values[place * (moduli + Y.size())];
    for (std::size_t k = 0; k < moduli; ++k) to[k] = stiffness[k] *= factor;
    std::copy(Y.begin(), Y.end(), to + moduli);
    media_.fast.values[place] *= std::sqrt(factor);
  }
  void isotropic(std::size_t place, double of_bulk, double of_shear) {
    const Numbers &bulk = fit(fits_[0], of_bulk), &shear = fit(fits_[1], of_shear);
    double* const stiffness = &media_.stiffness.values[place * 2];
    double* const to = &media_.attenuated.values[place * (2 + 2 * bulk.size())];
    const double kappa = (stiffness[0] + 2 * stiffness[1] / 3) * qualities_.unrelaxed(bulk),
                 mu = stiffness[1] * qualities_.unrelaxed(shear);
    to[0] = kappa;
    to[1] = mu;
    std::copy(bulk.begin(), bulk.end(), to + 2);
    std::copy(shear.begin(), shear.end(), to + 2 + bulk.size());
    stiffness[0] = kappa - 2 * mu / 3;
    stiffness[1] = mu;
    media_.fast.values[place] = std::sqrt((kappa + 4 * mu / 3) / media_.mass.values[place]);
  }

  const ConstantQuality& qualities_;
  Medium medium_;
  Media& media_;
  Fit fits_[2];
};

/// W/w of a place, which is a cell or a node of one: 0 where nothing remembers.
double coarse_ratio(const Problem& problem, std::size_t place, bool of_cell) {
  namespace spectral = assembly::spectral;
  const int n = problem.cells.n, dim = problem.cells.dim;
  const spectral::CoarseRule& rule = spectral::coarse_rule(n - 1);
  if (of_cell) return rule.largest_ratio(dim);
  int node = static_cast<int>(place % static_cast<std::size_t>(problem.cells.places));
  double ratio = 1;
  for (int axis = 0; axis < dim; ++axis, node /= n) {
    const int i = spectral::coarse_number(n, node % n);
    ratio *= i < 0 ? 0 : rule.ratio[i];
  }
  return ratio;
}

/// The least quality factor of which the relaxed modulus is positive at a place of this ratio.
double least_quality(const ConstantQuality& qualities, double ratio) {
  const auto relaxed = [&](double quality) {
    const Numbers Y = qualities.fit(quality);
    return ratio * std::accumulate(Y.begin(), Y.end(), 0.0);
  };
  double low = 1, high = 1e6;
  while (high > 1.0001 * low) {
    const double middle = std::sqrt(low * high);
    (relaxed(middle) < 1 ? high : low) = middle;
  }
  return high;
}

/// A sum over few points with large weights takes more from their moduli than a sum over all: what is left must be
/// positive, or strains that are large there would give energy (CoarseOperator).
void check_relaxed(const Problem& problem, const MaterialParams& m, const ConstantQuality& qualities,
                   const std::vector<std::size_t>& where, const std::vector<Index>& dofs, bool shear,
                   const std::vector<double>& values, Media& media) {
  double quality = 0, sum = 0;
  for (std::size_t i = 0; i < where.size(); ++i) {
    const double ratio = coarse_ratio(problem, where[i], dofs.empty());
    if (ratio == 0 || values[i] == 0) continue;
    if (values[i] != quality) {
      quality = values[i];
      const Numbers Y = qualities.fit(quality);
      sum = std::accumulate(Y.begin(), Y.end(), 0.0);
    }
    media.most_relaxed = std::max(media.most_relaxed, ratio * sum);
    if (ratio * sum < 1) continue;
    const double* const x = dofs.empty() ? nullptr : &problem.material_points()[3 * static_cast<std::size_t>(dofs[i])];
    throw Error(ExitCode::usage,
                fmt::format("the quality factor {} is {:g}{}, and memory = \"coarse\" of order {} holds those above "
                            "{:.4g} in this band",
                            quality_of(m, shear).name, quality,
                            x ? fmt::format(" at ({:g}, {:g}, {:g})", x[0], x[1], x[2]) : "", problem.cells.n - 1,
                            least_quality(qualities, ratio)),
                "choose memory = \"nodes\" in [attenuation], which holds all", m.where);
  }
}

}  // namespace

bool qualities_vary(const MaterialParams& m) {
  for (const bool shear : {false, true})
    if (const auto [name, given] = quality_of(m, shear); given && !m.number(name, *given).is_constant()) return true;
  return false;
}

void set_losses(const Problem& problem, const MaterialParams& m, const ConstantQuality& qualities,
                const std::vector<std::size_t>& where, const std::vector<Index>& dofs, Media& media) {
  std::vector<double> of[2];
  for (const bool shear : {false, true}) {
    std::vector<double>& values = of[shear ? 1 : 0];
    values.assign(where.size(), 0);
    const auto [name, given] = quality_of(m, shear);
    if (!given) continue;
    if (dofs.empty())
      values.assign(where.size(), given->constant());
    else
      values = evaluate_number(m, m.number(name, *given), problem.material_points(), dofs, problem.space.threads);
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (values[i] >= 2) continue;
      const double* const x =
          dofs.empty() ? nullptr : &problem.material_points()[3 * static_cast<std::size_t>(dofs[i])];
      throw Error(ExitCode::usage,
                  fmt::format("the quality factor {} is {:g}{}", name, values[i],
                              x ? fmt::format(" at ({:g}, {:g}, {:g})", x[0], x[1], x[2]) : ""),
                  "it must be 2 at least", m.where);
    }
  }
  if (media.coarse)
    for (const bool shear : {false, true})
      if (shear ? !media.anisotropic : problem.medium != Medium::sh)
        check_relaxed(problem, m, qualities, where, dofs, shear, of[shear ? 1 : 0], media);
  Lossy lossy(qualities, problem.medium, media);
  for (std::size_t i = 0; i < where.size(); ++i) lossy.set(where[i], of[0][i], of[1][i]);
}

}  // namespace tessera::physics::wave
