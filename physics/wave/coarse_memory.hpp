#pragma once
// How many numbers solids remember at coarse points of their cells.
#include "assembly/spectral/coarse_rule.hpp"
#include "assembly/spectral/view.hpp"
#include "forms/attenuation.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

struct CoarseNumbers {
  int points, strains, parts;

  explicit CoarseNumbers(const Problem& solid) {
    const int dim = solid.cells.dim;
    points = assembly::spectral::power(assembly::spectral::coarse_points(solid.cells.n), dim);
    const auto of_law = [&](auto law) {
      strains = law.strains(dim);
      parts = law.parts;
    };
    if (solid.medium != Medium::elastic)
      of_law(forms::AttenuatedGradient());
    else if (solid.media.anisotropic)
      of_law(forms::AttenuatedAnisotropicStress());
    else
      of_law(forms::AttenuatedStress());
  }
  int remembered() const { return forms::mechanisms * strains * points; }
  /// In the shared memory of a GPU, while a cell is there.
  int slots() const { return (strains + parts) * points; }
};

}  // namespace tessera::physics::wave
