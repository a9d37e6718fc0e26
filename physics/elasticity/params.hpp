#pragma once
// The deck of linear elasticity.
#include <string>
#include <vector>

#include "physics/sections.hpp"

namespace tessera::physics::elasticity {

/// One of three descriptions: isotropic (one value each of young and poisson), orthotropic in the axes x, y, z, or a
/// whole matrix.
struct MaterialParams {
  std::vector<std::string> on;
  std::vector<deck::Expression> young;      ///< E, or E_x, E_y, E_z
  std::vector<deck::Expression> poisson;    ///< nu, or nu_xy, nu_yz, nu_xz: of the strain along the second axis
  std::vector<deck::Expression> shear;      ///< of orthotropic ones: G_xy, G_yz, G_xz
  std::vector<deck::Expression> stiffness;  ///< upper half of D, row by row
  std::vector<deck::Expression> expansion;  ///< thermal, one or one an axis
  deck::Expression temperature;             ///< above that without stress
  std::vector<deck::Expression> body_force;
  deck::Expression density;  ///< of modes; 0: not given
  deck::Where where;
};

struct BoundaryParams {
  std::vector<std::string> on;
  std::string type;
  std::vector<deck::Expression> value;  ///< of all components; of a pressure one
  std::optional<deck::Expression> value_x, value_y, value_z;
  std::vector<deck::Expression> stiffness;  ///< of springs, per area: one for all directions, or one an axis
  deck::Expression normal_stiffness;
  deck::Where where;

  /// The value of component c; nothing where the entry does not say.
  std::optional<deck::Expression> component(int c) const;
};

struct Params : CommonParams {
  std::string plane = "strain";  ///< of plane problems without an axis: strain | stress
  deck::Where where_plane;       ///< where the deck says so
  std::vector<MaterialParams> materials;
  std::vector<BoundaryParams> boundaries;
};

deck::SectionDescription physics_description();
deck::SectionDescription material_description();
deck::SectionDescription boundary_description();
/// Reads the sections above, and params.physics. Throws Error(usage) for entries that say too little or two things at
/// once.
void read(const deck::Deck& deck, Params& params);
std::vector<deck::Expression> expressions_of(const Params& params);

}  // namespace tessera::physics::elasticity
