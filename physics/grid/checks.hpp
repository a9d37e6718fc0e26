#pragma once
// What every method of grids refuses, at its place in the deck.
#include <string>
#include <utility>

#include "physics/grid/box_grid.hpp"

namespace tessera::physics::grid {

/// What methods say differently.
struct GridWords {
  std::string asker;      ///< what asks for a grid, as the deck says it: solver.type = "bcr"
  std::string way_out;    ///< what to choose instead
  std::string box;        ///< a box mesh to copy
  std::string all_sides;  ///< "all sides"
  std::string bare_side;  ///< of a side without a boundary: "has none"
  bool neumann = false;   ///< Neumann sides are fine, too, and a side without a boundary has du/dn = 0
};

/// Checks of a deck that asks for a grid. Each throws Error(usage) that names what is no grid and what to do.
class GridChecks {
 public:
  GridChecks(const deck::Deck& deck, const Params& params, GridWords words)
      : deck_(deck), params_(params), words_(std::move(words)) {}

  /// "<asker> <what>", "<help>, or choose <way out>"; at [physics] where there is no place.
  [[noreturn]] void refuse(const std::string& what, const std::string& help, deck::Where where) const;

  /// A plain box of straight cells, its nodes in order, with an unknown inside.
  void mesh() const;
  /// A coefficient that is one finite number.
  double constant(const char* name, const deck::Expression& expression, const MaterialParams& material) const;
  /// A scalar, constant and positive k.
  double diffusivity(const MaterialParams& material) const;
  /// Dirichlet values, or what else the words allow, on every side; names that are there and no contradictions.
  /// `outline`: that of the grid.
  void boundaries(const mesh::Mesh& outline) const;

 private:
  const deck::Deck& deck_;
  const Params& params_;
  GridWords words_;
};

}  // namespace tessera::physics::grid
