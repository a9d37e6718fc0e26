#pragma once
// The deck of waves.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deck/grid_table.hpp"
#include "deck/time_function.hpp"
#include "physics/sections.hpp"
#include "physics/wave/plane_wave.hpp"

namespace tessera::physics::wave {

enum class Medium {
  acoustic,  ///< pressure p: p'' / kappa = div(grad p / rho)
  elastic,   ///< displacement u: rho u'' = div sigma(u); in two dimensions plane strain, P and SV waves
  sh,        ///< displacement u out of the plane: rho u'' = div(mu grad u)
  coupled,   ///< fluids beside elastic solids: u in the solids, in fluids a potential chi with u = grad chi / rho
};

/// A number of a material: an expression, or a column of the material's grid.
struct MaterialNumber {
  deck::Expression expression;
  int column = -1;

  bool is_constant() const { return column < 0 && expression.is_constant(); }
};

/// Density and one of the pairs, or numbers, that a medium takes: see kinds(). What the grid has is there as a 1.
struct MaterialParams {
  std::vector<std::string> on;
  std::optional<deck::Expression> density, vp, vs, lambda, mu, young, poisson, bulk;
  std::optional<deck::Expression> vpv, vph, vsv, vsh, eta;        ///< of layers, and
  std::vector<deck::Expression> axis;                             ///< the normal of these; empty: the last axis
  std::vector<deck::Expression> stiffness;                        ///< C_ij, the upper triangle by rows
  std::optional<deck::Expression> q_kappa, q_mu;                  ///< quality factors of both moduli; none: no loss
  std::optional<deck::Expression> q;                              ///< of all moduli
  std::optional<deck::Expression> rayleigh_alpha, rayleigh_beta;  ///< of a damping alpha M v + beta K v
  deck::PlacedString file;                                        ///< of the grid; empty: there is none
  std::optional<std::string> outside;                             ///< of the grid: refuse, or nearest
  std::shared_ptr<const deck::GridTable> grid;
  deck::Where where;

  bool attenuates() const { return q_kappa || q_mu || q; }
  bool damps() const { return rayleigh_alpha || rayleigh_beta; }
  /// All numbers that it is given by, in this order, but for losses.
  std::vector<MaterialNumber> values() const;
  /// That of a name, which `given` stands for where it is not of the grid.
  MaterialNumber number(const std::string& name, const deck::Expression& given) const;
  /// Of coupled media: whether it is one.
  bool is_fluid() const;
};

/// Where quality factors hold.
struct AttenuationParams {
  std::vector<double> band;         ///< the least and the highest frequency, Hz
  std::optional<double> reference;  ///< at which speeds and moduli are given; none: the middle of the band
  std::string memory = "nodes";     ///< of solids: where they remember, at all nodes or at coarse points of cells
  deck::Where where;

  bool is_coarse() const { return memory == "coarse"; }
};

struct BoundaryParams {
  std::vector<std::string> on;
  std::string type;
  std::vector<deck::Expression> value;  ///< of prescribed ones, one a component
  /// Of perfectly matched layers: their elements, or their thickness; what waves along the normal come back with; the
  /// damping along the side, of that across it.
  std::optional<int> layers;
  std::optional<double> thickness, reflection, multiaxial;
  bool grow = false;  ///< the layer is not in the mesh: it grows outward
  deck::Where where;

  bool is_pml() const { return type == "pml"; }
  bool grows() const { return is_pml() && grow; }
};
/// What layers have where a deck leaves it open.
inline constexpr int default_layers = 3;
inline constexpr double default_reflection = 3e-4;

/// Acts at a point, times a function of time.
struct PointSourceParams : deck::TimeFunctionParams {
  std::vector<double> at;
  std::vector<double> force;   ///< one number an axis
  std::vector<double> moment;  ///< xx yy xy, or xx yy zz xy yz xz
  deck::TimeFunction function;
  deck::Where where;

  std::array<double, 3> point() const;
};

struct Params : CommonParams {
  Medium medium = Medium::elastic;
  std::vector<MaterialParams> materials;
  std::vector<BoundaryParams> boundaries;
  std::vector<PointSourceParams> point_sources;
  std::vector<PlaneWaveParams> plane_waves;
  std::optional<AttenuationParams> attenuation;

  /// Whether a material has a quality factor.
  bool attenuates() const;
  /// Whether a material has a Rayleigh damping.
  bool damps() const;
  /// Whether a side has a perfectly matched layer.
  bool has_layers() const;
  /// Whether one of them grows out of the mesh.
  bool grows() const;
};

/// physics.medium of a deck that was not yet checked.
Medium medium_of(const deck::Deck& deck);
deck::SectionDescription physics_description();
deck::SectionDescription material_description();
deck::SectionDescription boundary_description();
deck::SectionDescription attenuation_description();
deck::SectionDescription source_description();
/// Reads the sections above, and params.physics. Throws Error(usage) for entries that say too little, two things at
/// once, or what the medium has not.
void read(const deck::Deck& deck, Params& params);
std::vector<deck::Expression> expressions_of(const Params& params);

}  // namespace tessera::physics::wave
