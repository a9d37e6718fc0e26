#pragma once
// Several expressions of one point as a list of instructions, for who has a point at a time: a node of a mesh.
#include <span>
#include <vector>

#include "deck/expression/formulas.hpp"
#include "deck/expression/listing.hpp"

namespace tessera::deck::expressions {

/// The values of several expressions, what they have in common computed once. The first registers are the variables, by
/// their numbers. Operands below 0 are numbers: -1 is the first. Op::constant stores: results[result] = a.
struct NodeProgram {
  /// `roots`: a node of the tree for each result; those that are constantly 0 are not stored.
  NodeProgram(const Tree& tree, std::span<const NodeId> roots, int variables);
  std::vector<Step> steps;
  std::vector<double> numbers;
  std::int32_t registers = 0;
};

/// The same, borrowed.
struct NodeProgramView {
  const Step* steps = nullptr;
  const double* numbers = nullptr;
  std::int32_t count = 0;  ///< of steps

  /// registers [registers], of which the first are the variables; results are 0 where nothing is stored.
  TESSERA_HD void run(double* registers, double* results) const {
    for (std::int32_t s = 0; s < count; ++s) {
      const Step& step = steps[s];
      const auto operand = [&](std::int32_t of) { return of < 0 ? numbers[-1 - of] : registers[of]; };
      if (step.op == Op::constant)
        results[step.result] = operand(step.a);
      else
        registers[step.result] = value_of(step.op, operand(step.a), operand(step.b), operand(step.c));
    }
  }
};

}  // namespace tessera::deck::expressions
