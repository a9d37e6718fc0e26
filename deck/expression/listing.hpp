#pragma once
// A program for one point at a time, which the device runs where there is no compiler.
#include <cstdint>
#include <vector>

#include "deck/expression/formulas.hpp"
#include "deck/expression/kernel_arguments.hpp"
#include "deck/expression/program.hpp"

namespace tessera::deck::expressions {

/// result = op(a, b, c). Operands below 0 are numbers: -1 is the first. Of Op::variable, a is the variable.
struct Step {
  Op op;
  std::int32_t result, a, b, c;
};

/// The instructions of a Program, with numbers apart from registers.
struct Listing {
  explicit Listing(const Program& program);
  std::vector<Step> steps;
  std::vector<double> numbers;
  std::int32_t registers = 0;
  std::int32_t result = 0;  ///< an operand
};

/// The same, borrowed.
struct ListingView {
  const Step* steps;
  const double* numbers;
  std::int32_t count;  ///< of steps
  std::int32_t result;
};

/// The value at point i. registers[r * stride] is register r.
TESSERA_HD inline double interpret(const ListingView& listing, const KernelInput* inputs, int i, double* registers,
                                   int stride) {
  const auto operand = [&](std::int32_t of) {
    return of < 0 ? listing.numbers[-1 - of] : registers[static_cast<Offset>(of) * stride];
  };
  for (std::int32_t s = 0; s < listing.count; ++s) {
    const Step& step = listing.steps[s];
    registers[static_cast<Offset>(step.result) * stride] =
        step.op == Op::variable ? input_of(inputs[step.a], i)
                                : value_of(step.op, operand(step.a), operand(step.b), operand(step.c));
  }
  return operand(listing.result);
}

}  // namespace tessera::deck::expressions
