#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "physics/reaction_diffusion/mechanism.hpp"
#include "solvers/odes/ode_systems.hpp"

namespace tessera::physics::reaction_diffusion {

/// Which reaction, and its numbers.
struct ReactionParams {
  std::string name;
  std::vector<std::pair<std::string, double>> parameters = {};  ///< left out: those of the table
  Mechanism mechanism = {};                                     ///< of name = "mass_action"
  deck::Where where = {};                                       ///< of the name in the deck
};

/// What a parameter may be.
enum class ParameterRange { not_negative, positive, any };

/// A number of a reaction.
struct ReactionParameter {
  std::string name;
  std::string help;
  ParameterRange range = ParameterRange::not_negative;
  double value = 0;  ///< where nobody says another one: that of the type in reaction_types.hpp
};

template <class Exec>
using MakeReactionStep = std::unique_ptr<solvers::ReactionStep<Exec>> (*)(Exec& exec, const ReactionParams& params,
                                                                          const std::vector<double>& values,
                                                                          Offset count,
                                                                          const solvers::OdeOptions& options);

/// A row of the table of reactions.
struct ReactionEntry {
  std::string name;
  std::string help;
  std::vector<std::string> species;  ///< in the order of the components of u; empty: those of the mechanism
  std::vector<ReactionParameter> parameters;
  std::string source = {};  ///< where it is from
  MakeReactionStep<Threads> make_threads = nullptr;
  MakeReactionStep<Cuda> make_cuda = nullptr;  ///< nullptr in builds without CUDA
};

const std::vector<ReactionEntry>& reactions();

/// The reaction of that name; throws Error(usage) with the nearest names.
const ReactionEntry& find_reaction(const std::string& name, const deck::Where& where = {});

/// The reaction that `params` name, at `count` nodes; `exec` must outlive it. Throws Error(usage) for unknown
/// reactions, parameters and methods (nearest names first), parameters that stand twice, are not finite, or are
/// negative and may not be, for what MechanismTables refuses, for a mechanism given to another reaction, and for
/// options without a meaning.
template <class Exec>
std::unique_ptr<solvers::ReactionStep<Exec>> make_reaction_step(Exec& exec, const ReactionParams& params, Offset count,
                                                                const solvers::OdeOptions& options = {});

}  // namespace tessera::physics::reaction_diffusion
