#pragma once
// make_reactions, written once: reactions.cpp and reactions_cuda.cpp instantiate it.
#include "physics/reaction_diffusion/rate_systems.hpp"
#include "physics/reaction_diffusion/reactions.hpp"

namespace tessera::physics::reaction_diffusion {

template <class Exec>
std::unique_ptr<solvers::ReactionStep<Exec>> make_reactions(Exec& exec, const Params& params,
                                                            const Discretisation& space) {
  const Setup& setup = params.setup;
  const Offset nodes = space.index_map.owned();
  if (setup.has_rates()) {
    params.rates.require_axes(space.mesh.dim);
    const auto end = space.dof_points.begin() + 3 * static_cast<std::ptrdiff_t>(nodes);
    return make_rate_systems(exec, params.rates, std::vector<double>(space.dof_points.begin(), end), params.odes);
  }
  ReactionParams reaction{
      .name = setup.reaction, .parameters = {}, .mechanism = setup.mechanism, .where = params.reaction_where};
  if (setup.reaction == "mechanism") reaction.name = "mass_action";
  for (std::size_t i = 0; i < setup.parameters.size(); ++i)
    reaction.parameters.emplace_back(setup.parameters[i].name, params.parameters[i]);
  return make_reaction_step(exec, reaction, nodes, params.odes);
}

}  // namespace tessera::physics::reaction_diffusion
