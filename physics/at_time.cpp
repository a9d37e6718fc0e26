#include "physics/at_time.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tessera::physics {

deck::Expression at_time(const deck::Expression& expression, double t) {
  if (!expression.depends_on_time()) return expression;
  const std::array<deck::Replacement, 1> now{{{deck::Variable::t, deck::Expression(t)}}};
  deck::Expression result = substitute(expression, now);
  if (result.is_constant() && !std::isfinite(result.constant()))
    throw Error(ExitCode::usage,
                fmt::format("the expression '{}' is {} at t = {:g}", expression.text(), result.constant(), t),
                "end the run before that time, or write an expression that has a value there", expression.where());
  return result;
}

ExactParams at_time(ExactParams exact, double t) {
  for (std::vector<deck::Expression>* list : {&exact.u, &exact.gradient})
    for (deck::Expression& e : *list) e = at_time(e, t);
  return exact;
}

}  // namespace tessera::physics
