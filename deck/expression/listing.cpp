#include "deck/expression/listing.hpp"

#include <limits>

namespace tessera::deck::expressions {

Listing::Listing(const Program& program) {
  constexpr std::int32_t not_placed = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> place(program.registers(), not_placed);
  for (const Program::Number& number : program.numbers()) {
    numbers.push_back(number.value);
    place[number.result] = -static_cast<std::int32_t>(numbers.size());
  }
  for (std::int32_t& one : place)
    if (one == not_placed) one = registers++;
  for (const auto variables : {program.uniform(), program.varying()})
    for (const Program::Variable& variable : variables)
      steps.push_back({Op::variable, place[variable.result], static_cast<std::int32_t>(variable.variable), 0, 0});
  for (const auto instructions : {program.once(), program.each_point()})
    for (const Program::Instruction& i : instructions)
      steps.push_back({i.op, place[i.result], place[i.a], place[i.b], place[i.c]});
  result = place[program.result()];
}

}  // namespace tessera::deck::expressions
