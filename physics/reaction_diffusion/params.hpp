#pragma once
// The deck of several fields that react and diffuse.
#include <optional>
#include <string>
#include <vector>

#include "physics/reaction_diffusion/rates.hpp"
#include "physics/reaction_diffusion/reaction_table.hpp"
#include "physics/run/splitting.hpp"
#include "physics/scalar/params.hpp"

namespace tessera::physics::reaction_diffusion {

/// What of a deck decides which keys there are.
struct Setup {
  std::string reaction = "gray_scott";
  std::vector<std::string> fields;
  std::vector<ReactionParameter> parameters;  ///< of a named reaction
  Mechanism mechanism;                        ///< of reaction = "mechanism"

  bool has_rates() const { return reaction == "expressions"; }
};
/// The names of `physics.reaction`: those of the table, and what a deck may bring.
std::vector<std::string> reaction_names();
/// Reads no more than it needs, so that unknown keys are found later. Throws Error(usage) for unknown reactions, and
/// for names of fields that are none, stand twice, or are not as many as the reaction has species.
Setup read_setup(const deck::Deck& deck);
/// Of a deck that is not known: Gray and Scott's.
Setup default_setup();

struct Params : CommonParams {
  Setup setup;
  bool lumped = false;
  std::vector<scalar::Params> of_field;  ///< materials and boundaries of each
  std::vector<scalar::BoundaryParams> periodic;
  std::vector<double> parameters;  ///< of a named reaction, in the order of its row
  Rates rates;                     ///< of reaction = "expressions"
  solvers::OdeOptions odes;
  SplitScheme splitting = SplitScheme::strang;
  deck::Where reaction_where;
};

/// The sections of a deck with this set-up: [physics], [reaction], [[material]], [[boundary]].
deck::Schema sections(const Setup& setup);
/// Reads these. params.setup is there.
void read(const deck::Deck& deck, Params& params);
/// What can be refused once the whole deck is read.
void check(const Params& params);
/// Every expression of these sections but rates.
std::vector<deck::Expression> expressions_of(const Params& params);
/// Whether a field does not diffuse: its diffusion is 0 in all materials.
bool is_still(const scalar::Params& field);

}  // namespace tessera::physics::reaction_diffusion
