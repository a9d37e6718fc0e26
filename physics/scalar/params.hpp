#pragma once
// The deck of a module of one unknown u with diffusion, reaction and source, stationary.
#include <optional>
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
  deck::Expression conductance = {};  ///< of a contact
  std::optional<double> gap = {};     ///< of a contact: the most that its sides are apart
};

/// A whole deck of a model of one number u.
struct Params : CommonParams {
  std::vector<MaterialParams> materials;
  std::vector<BoundaryParams> boundaries;
  std::vector<BoundaryParams> contacts;  ///< entries of [[boundary]], from begin_on_mesh on
};

/// u, and flux = -k grad u.
std::vector<FieldInfo> scalar_fields();
/// Kinds of [[quantity]] beside those of every field.
inline std::vector<std::string> flux_quantities() { return {"flux", "flux_gradient"}; }

/// `knows`: whether values of neumann and robin may depend on u.
deck::Section<BoundaryParams> boundary_section(deck::Knows knows = deck::Knows::place);
/// Keys of a contact in [[boundary]]: how the choices of `type` end, and their help.
inline const std::string contact_help =
    "; contact: conductance (u_1 - u_2) flows from one side to the other, of two sides of `on` that lie on each other "
    "without sharing nodes, or of one group inside the mesh, which is split";
/// Help of the keys of a contact.
deck::KeyInfo conductance_info(), gap_info();
/// Throws Error(usage) where a boundary names no group, has an alpha and is not robin, prescribes a u that depends on
/// u, or is a contact with too much or too little.
void check_boundaries(const std::vector<BoundaryParams>& boundaries);
/// Every expression of these sections, for checks that hold for all of them.
std::vector<deck::Expression> expressions_of(const Params& params);
/// Whether a coefficient or the source depends on u or its gradient.
bool depends_on_solution(const MaterialParams& material);

}  // namespace tessera::physics::scalar
