#pragma once
// Rates that a deck writes down, with their derivatives.
#include <string>
#include <vector>

#include "deck/expression/node_program.hpp"
#include "deck/section.hpp"

namespace tessera::physics::reaction_diffusion {

/// Most fields whose rates are expressions, and most intermediate results that a node keeps of them.
inline constexpr int most_fields_of_rates = 16, most_registers = 128;

/// f(x, y, z, t, u) of `fields` as programs: the rates [n], df/du [n, n] and df/dt [n].
struct RatePrograms {
  deck::expressions::NodeProgram rates, jacobian, in_time;
};

/// Rates in the names of fields, parsed and looked at.
class Rates {
 public:
  Rates() = default;
  /// Throws Error(usage) with the place of a mistake, and for more than 16 fields.
  Rates(const std::vector<deck::PlacedString>& texts, const std::vector<std::string>& fields);

  int fields() const { return static_cast<int>(roots_.size()); }
  /// Throws Error(usage) with the caret under the first y or z that a mesh of `dim` dimensions does not have.
  void require_axes(int dim) const;
  /// Throws Error(usage) where a rate needs more than most_registers.
  RatePrograms compile() const;

 private:
  std::vector<deck::PlacedString> texts_;
  std::vector<std::vector<std::size_t>> uses_;  ///< [fields][variables] where each first stands
  std::vector<deck::expressions::Root> roots_;
};

}  // namespace tessera::physics::reaction_diffusion
