// Which materials let waves grow in perfectly matched layers.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/log.hpp"
#include "physics/wave/anisotropy.hpp"
#include "physics/wave/layer_sides.hpp"

namespace tessera::physics::wave {

namespace {

/// Of a material that varies so many cells of a layer are looked at, spread over all of them.
constexpr std::size_t most_cells = 64;
/// Of Backward::most: what the viscosity of layers outweighs. Below a free side and behind it energy fell at 0.010 and
/// 0.017 and began to grow, or did not, at 0.10 (100 and 40 passages of a layer, degree 4); at 0.16 and 0.34 it grew.
constexpr double outweighed = 0.02;

/// The stiffness of the first node of a cell.
Stiffness stiffness_of(const Problem& problem, Index cell) {
  Stiffness C{problem.cells.dim, {}};
  for (int k = 0; k < problem.media.stiffness.components; ++k)
    C.values[static_cast<std::size_t>(k)] = problem.media.stiffness.at(problem.cells, cell, 0, k);
  return C;
}

Backward most_of(const Problem& problem, const std::vector<Index>& cells, int axis) {
  const std::size_t step = (cells.size() + most_cells - 1) / most_cells;
  Backward most{-1, {}};
  Stiffness last{0, {}};
  for (std::size_t i = 0; i < cells.size(); i += step) {
    const Stiffness C = stiffness_of(problem, cells[i]);
    if (C.values == last.values && C.dim == last.dim) continue;
    last = C;
    const Backward found = most_backward(C, axis);
    if (found.most > most.most) most = found;
  }
  return most;
}

std::string name_of(const MaterialParams& m) {
  return m.on.empty() ? "the material without `on`" : fmt::format("the material of '{}'", fmt::join(m.on, "', '"));
}

}  // namespace

void LayerSides::warn_of_backward_waves() const {
  if (!problem_.media.anisotropic) return;
  for (const LayerSide& side : sides_) {
    if (side.entry->multiaxial.value_or(0) > 0) continue;
    std::map<Index, std::vector<Index>> cells;  // of each material
    for (Index cell = 0; cell < mesh_.cells(); ++cell)
      if (const Index own = problem_.own(cell); own >= 0 && lies_in(side, cell))
        cells[problem_.material[static_cast<std::size_t>(own)]].push_back(own);
    for (const auto& [material, of] : cells) {
      const auto [most, direction] = most_of(problem_, of, side.axis);
      if (most <= outweighed) continue;
      warn(fmt::format(
          "the layer of type = \"pml\" at {}: in {} waves whose phase goes along ({:.2f}, {:.2f}{}) carry their energy "
          "against it along {}: they may grow in the layer without bound; give that side {}type = \"absorbing\"",
          side.plane(side.outer), name_of(problem_.params.materials[static_cast<std::size_t>(material)]), direction[0],
          direction[1], dim_ == 3 ? fmt::format(", {:.2f}", direction[2]) : "", "xyz"[side.axis],
          media_.size() > 1 ? "" : "multiaxial = 0.1, or "));
    }
  }
}

}  // namespace tessera::physics::wave
