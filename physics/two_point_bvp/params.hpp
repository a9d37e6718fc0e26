#pragma once
#include <optional>
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "physics/sections.hpp"

namespace tessera::physics::two_point_bvp {

/// [physics].
struct Equation {
  std::string type;
  std::optional<deck::Expression> f;
  std::string f_file;
  int output_every = 0;
  deck::Where where;
};

/// The uniform grid of a box of shape interval: n cells, and an unknown at every node but the last, where u = 0.
struct Grid {
  double min = 0, max = 1;
  Offset n = 1;

  double h() const { return (max - min) / static_cast<double>(n); }
  /// Node i, 0 <= i <= n; a weighted mean of both ends, so that the far end is hit exactly.
  double x(Offset i) const {
    return (min * static_cast<double>(n - i) + max * static_cast<double>(i)) / static_cast<double>(n);
  }
};

/// A whole deck of the module.
struct Params : CommonParams {
  Grid grid;
  Equation equation;
};

/// u, and flux = -u'.
std::vector<FieldInfo> fields();

deck::Schema schema();
/// Reads and checks the deck. Throws Error(usage), also for a mesh that is not an interval box.
Params read(const deck::Deck& deck);

}  // namespace tessera::physics::two_point_bvp
