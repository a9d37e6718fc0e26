#pragma once
// What a [[probe]] may look at beside displacement, pressure and their rates: sums of weights over the nodes of its
// element.
#include "physics/wave/coupled.hpp"

namespace tessera::physics::wave {

/// Their names: of elastic solids "a_x", "strain_xx", "rotation_z", "p"; of SH waves "a", "strain_xz", "rotation_x"; of
/// pressures "a_x", and "u_x" and "v_x", which check_receivers refuses with the medium that has them.
std::vector<std::string> receiver_names(Medium medium);

/// On the whole mesh: throws Error(usage) for probes of what a medium has not, or of what the mesh's dimensions or the
/// scheme of the deck have not.
void check_receivers(const Problem& problem);
void check_receivers(const CoupledProblem& problem);

/// As Model::receiver.
std::optional<Receiver> make_receiver(const Problem& problem, const mesh::PointLocator& locator,
                                      const ProbeParams& probe);
/// Of coupled media all probes: in fluids u, v and a are those of grad chi / rho, and p = -chi''. Columns behind the
/// rows of the space are dofs of chi.
std::optional<Receiver> make_receiver(const CoupledProblem& problem, const mesh::PointLocator& locator,
                                      const ProbeParams& probe);

}  // namespace tessera::physics::wave
