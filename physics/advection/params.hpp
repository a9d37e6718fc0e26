#pragma once
// The deck of scalar conservation laws.
#include <optional>
#include <string>
#include <vector>

#include "physics/sections.hpp"

namespace tessera::physics::advection {

/// F(x, t, u) = v(x, t) u + f(u), one expression an axis; an empty list is 0.
struct FluxParams {
  std::vector<deck::Expression> velocity, function;
  deck::Where where;
};

struct BoundaryParams {
  std::vector<std::string> on;
  std::string type;
  std::optional<deck::Expression> value;
  deck::Where where;
};

struct Params : CommonParams {
  std::string limiter = "convex";
  std::string mass = "consistent";
  bool relaxed_bounds = false;
  FluxParams flux;
  std::vector<BoundaryParams> boundaries;  ///< but periodic ones
  std::vector<BoundaryParams> periodic;
};

deck::SectionDescription physics_description();
deck::SectionDescription flux_description();
deck::SectionDescription boundary_description();
/// Reads the sections above. Throws Error(usage) for a flux that is nothing, for functions that are not those of u
/// alone, and for keys that a type of boundary or a limiter does not have.
void read(const deck::Deck& deck, Params& params);
std::vector<deck::Expression> expressions_of(const Params& params);

}  // namespace tessera::physics::advection
