#pragma once
// The deck of a module of one unknown u with diffusion, reaction and source, stationary.
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "physics/sections.hpp"

namespace tessera::physics::scalar {

struct MaterialParams {
  std::vector<std::string> on;
  std::vector<deck::Expression> diffusivity{
      deck::Expression(1.0)};  ///< 1, or dim(dim+1)/2: xx xy yy | xx xy xz yy yz zz
  deck::Expression reaction;
  deck::Expression source;
  deck::Where where;
  const char* diffusivity_key = "diffusivity";  ///< what the deck calls it
};

struct BoundaryParams {
  std::vector<std::string> on;
  std::string type;
  deck::Expression value;
  deck::Expression alpha;
  deck::Where where;
};

/// A whole deck of a model of one number u.
struct Params : CommonParams {
  std::vector<MaterialParams> materials;
  std::vector<BoundaryParams> boundaries;
};

/// u, and flux = -k grad u.
std::vector<FieldInfo> scalar_fields();
/// Kinds of [[quantity]] beside those of every field.
inline std::vector<std::string> flux_quantities() { return {"flux", "flux_gradient"}; }

/// `knows`: whether values of neumann and robin may depend on u.
deck::Section<BoundaryParams> boundary_section(deck::Knows knows = deck::Knows::place);
/// Throws Error(usage) where a boundary names no group, has an alpha and is not robin, or prescribes a u that depends
/// on u.
void check_boundaries(const std::vector<BoundaryParams>& boundaries);
/// Every expression of these sections, for checks that hold for all of them.
std::vector<deck::Expression> expressions_of(const Params& params);
/// Whether a coefficient or the source depends on u or its gradient.
bool depends_on_solution(const MaterialParams& material);

}  // namespace tessera::physics::scalar
