#pragma once
// Plane waves that are under way when a run begins: u = d f(t - n.(x - x0) / c) and its rate of change.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "deck/time_function.hpp"

namespace tessera::physics::wave {

struct Params;
struct Problem;

struct PlaneWaveParams : deck::TimeFunctionParams {
  std::optional<std::string> wave;   ///< of elastic media "p" or "s"
  std::vector<double> direction;     ///< n, of any length
  std::vector<double> polarisation;  ///< of S waves in three dimensions: d but for what it has along n
  std::vector<double> at;            ///< x0; empty: the origin
  std::vector<std::string> on;       ///< groups of cells in which it is; empty: all of the medium
  deck::TimeFunction function;       ///< f
  double between = 0;                ///< times of f of which differences are its slope
  deck::Where where;

  /// f'(t), by central differences of order 4.
  double slope(double t) const;
};

deck::SectionDescription plane_wave_description();
/// Reads [[plane_wave]] into the params. Throws Error(usage) for what a wave of the medium has not, and for functions
/// without a rate of change.
void read_plane_waves(const deck::Deck& deck, Params& params);

/// Throws Error(usage) on the whole mesh where a wave is cut at time t at the border of its cells, or is nowhere in
/// them; and what plane_waves_at throws.
void check_plane_waves(const Problem& problem, double t);
/// u of the waves at time t and behind it its rate of change, 2 [rows], at the nodes of their cells as far as this rank
/// sees them; empty: there are none. `problem`: of the medium, of two that of the solids. Throws Error(usage) where
/// groups are unknown or of another medium, numbers are not those of the mesh's axes, and the medium of the cells is
/// not the same everywhere, is anisotropic or attenuates.
std::vector<double> plane_waves_at(const Problem& problem, double t);

/// Throws Error(usage) where a wave at the start is not as good as nothing at some of these nodes, 1 of [dofs], which
/// are in `what`: a layer, in which waves are no solutions. Collective where ranks share the space.
void refuse_plane_waves_in(const Problem& problem, std::span<const char> nodes, const std::string& what);

}  // namespace tessera::physics::wave
