#pragma once
// The deck's coefficients on the mesh, and the assembled system.
#include <span>

#include "physics/convection_diffusion/params.hpp"
#include "physics/forms/convection_data.hpp"
#include "physics/scalar/problem.hpp"
#include "physics/scalar/solution.hpp"

namespace tessera::physics::convection_diffusion {

/// Throws Error(usage) where a velocity has not one component an axis, or depends on an axis that is not there.
void check_velocity(const std::vector<std::vector<deck::Expression>>& velocity,
                    const std::vector<MaterialParams>& materials, int dim);

/// What the rows of make_system say. `became`: what a dof of the solution is in the system (Unfolded), empty without
/// periodic sides. Borrows both.
WeakForm weak_form(const Params& params, std::span<const Index> became);

/// WeakForm::add of discretisation = "upwind".
void add_upwinding(const Params& params, std::span<const Index> became, const Solution& solution,
                   const std::vector<Index>& cells, const std::vector<char>& inside, const std::vector<Index>& slot,
                   std::vector<double>& residual);

/// Coefficients at the quadrature points. SUPG also gets div k where k varies, from its values there. Throws
/// Error(usage) where k is not positive definite or a value is not finite. `sources`: with sources and reactions.
forms::ConvectionData convection_data(const Params& params, const Problem& problem, bool sources = true);

/// Whether the velocity of some material is no constant.
bool velocity_varies(const Params& params);

/// The largest of the cells.
double largest_peclet(const Problem& problem, const forms::ConvectionData& data);
/// space.cell_peclet of the summary; warns where plain elements will oscillate.
void report_peclet(const Params& params, double peclet, output::Summary& summary);

/// Fills `system`; says in the summary what was taken and why. Phases: assemble.setup, coefficients, assemble,
/// boundary.
template <class Exec>
void make_system(Exec& exec, const Params& params, const Problem& problem, System<Exec>& system,
                 output::Summary& summary);

}  // namespace tessera::physics::convection_diffusion
