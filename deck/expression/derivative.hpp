#pragma once
#include "deck/expression/tree.hpp"

namespace tessera::deck::expressions {

/// df/d(variable), simplified a little. Where f jumps or has a kink it is that of one side, or what its formula gives:
/// abs has 0 at 0; sign, floor, ceil, rint and comparisons have 0 everywhere; min, max, mod and ?: that of the operand
/// or branch that holds at the point. Formulas are infinite or NaN where a factor is (sqrt, cbrt and x^a with a < 1 at
/// 0, hypot and atan2 at the origin), and a^b with b dependent takes log(a). It is recursive along chains of signs and
/// numbers, 2*(-(3*(-x))), only.
Root derivative(const Root& f, std::uint32_t variable);

}  // namespace tessera::deck::expressions
