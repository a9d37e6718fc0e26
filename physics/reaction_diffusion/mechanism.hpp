#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "deck/section.hpp"
#include "physics/reaction_diffusion/reaction_types.hpp"

namespace tessera::physics::reaction_diffusion {

/// J / (mol K): CODATA 2018, exact.
inline constexpr double gas_constant = 8.31446261815324;

/// k = factor T^exponent exp(-energy / (R T)).
struct Arrhenius {
  double factor = 0;  ///< in the units of k, over K^exponent
  double exponent = 0;
  double energy = 0;  ///< of activation, J / mol
  double at(double temperature) const;
};

/// A species and how many of it: {"B", 2}.
using Amount = std::pair<std::string, double>;

/// One reaction of a mechanism: its rate is k times the product of its reactants, each as often as it stands there.
struct MechanismReaction {
  std::vector<Amount> reactants;  ///< whole numbers; none: a source
  std::vector<Amount> products;   ///< any numbers; none: a sink
  double k = 0;
  deck::Where where = {};  ///< where it is written, for errors; unknown: that of the mechanism
};

/// "2 B + C -> A + C", of which either side may be empty, with its rate constant. Throws Error(usage) in words where
/// the text is no such equation.
MechanismReaction parse_reaction(const std::string& equation, double k, const deck::Where& where = {});
/// The same with k from the temperature in K. Throws Error(usage) where that is not positive.
MechanismReaction parse_reaction(const std::string& equation, const Arrhenius& arrhenius, double temperature,
                                 const deck::Where& where = {});

/// A chemical mechanism under the law of mass action.
struct Mechanism {
  std::vector<std::string> species;  ///< in the order of the components of u
  std::vector<MechanismReaction> reactions;
  deck::Where where = {};
};

/// Most species of a mechanism.
inline constexpr int most_mechanism_species = 32;

/// A mechanism as kernels read it, in the space where the nodes are.
template <class Space>
class MechanismTables {
 public:
  /// Throws Error(usage) in words: no species or more than 32, names that are empty or stand twice, names in reactions
  /// that are no species (nearest first), amounts that are not positive, reactants that are not whole, rate constants
  /// that are negative or not finite, no reactions.
  explicit MechanismTables(const Mechanism& mechanism);

  int species() const { return species_; }
  /// The functor that views these tables; bound >= species().
  template <int bound>
  MassAction<bound> mass_action() const {
    MassAction<bound> result;
    result.species_count = species_;
    result.groups = static_cast<int>(group_first_.size()) - 1;
    result.group_first = group_first_.data();
    result.k = k_.data();
    result.reactant_first = reactant_first_.data();
    result.reactant = reactant_.data();
    result.order = order_.data();
    result.change_first = change_first_.data();
    result.changed = changed_.data();
    result.change = change_.data();
    return result;
  }

 private:
  int species_;
  Array<double, Space> k_, change_;
  Array<Index, Space> group_first_, reactant_first_, reactant_, order_, change_first_, changed_;
};

}  // namespace tessera::physics::reaction_diffusion
