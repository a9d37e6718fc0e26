#pragma once
// The scheme of physics/conservation/ for the compressible Euler equations.
#include "assembly/space/dof_map.hpp"
#include "physics/conservation/scheme.hpp"
#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

using conservation::Limiter, conservation::limiter_named, conservation::Scheme;

/// Of the low order.
enum class Viscosity {
  guaranteed,  ///< by a bound of the fastest wave: keeps density and internal energy positive
  scalar,      ///< by the fastest wave of Roe's mean; of perfect gases, and of Limiter::none
  roe          ///< Roe's tensor, of the same
};

struct SchemeParams {
  Gas gas;
  Limiter limiter = Limiter::convex;
  bool consistent_mass = true;  ///< of the high order; else the lumped one
  int passes = 2;               ///< of the limiter
  bool relaxed = true;          ///< whether bounds are relaxed, so that smooth extrema keep their order
  double viscosity_factor = 1;  ///< of the entropy commutator
  double relaxation = 1;        ///< factor of the part by which bounds may be wider
  Viscosity viscosity = Viscosity::guaranteed;
  bool entropy_fix = true;  ///< of Viscosity::roe: expansion shocks open
  bool in_float = false;    ///< what passes read and keep, but for the state; see has_float()
  bool at_end = false;      ///< of Limiter::convex, see conservation::LimitParams

  conservation::LimitParams limits() const {
    return {limiter, consistent_mass, passes, relaxed, viscosity_factor, relaxation, at_end};
  }
};

/// Whether a scheme has passes in float: with the guaranteed viscosity, of limiters none, convex and monolithic, and of
/// perfect gases of gamma up to 2.
bool has_float(const SchemeParams& params);

/// States [density, energy, momentum]. Mesh of intervals, triangles, quads, tets, hexes or mixed, order 1. `owned`:
/// nodes that are computed. Collective where `exchange` is.
template <class Exec>
std::unique_ptr<Scheme<Exec>> make_scheme(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                          const SchemeParams& params, Index owned,
                                          typename Scheme<Exec>::Exchange exchange = {},
                                          typename Scheme<Exec>::FloatExchange float_exchange = {},
                                          const typename Scheme<Exec>::Sum& sum = {});

}  // namespace tessera::physics::euler
