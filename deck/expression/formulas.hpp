#pragma once
// What each operation computes, as C++ and as text: the kernels that are compiled at run time and the one that
// interprets take it from the same line.
#include <cmath>

#include "base/types.hpp"
#include "deck/expression/operations.hpp"

/// F(name of the operation, its value of the operands a, b, c). Compile what uses it without fused multiply-adds.
#define TESSERA_FORMULAS(F)                       \
  F(negate, -a)                                   \
  F(add, a + b)                                   \
  F(subtract, a - b)                              \
  F(multiply, (a * b))                            \
  F(divide, a / b)                                \
  F(power, pow(a, b))                             \
  F(less, a < b ? 1.0 : 0.0)                      \
  F(greater, a > b ? 1.0 : 0.0)                   \
  F(less_equal, a <= b ? 1.0 : 0.0)               \
  F(greater_equal, a >= b ? 1.0 : 0.0)            \
  F(equal, a == b ? 1.0 : 0.0)                    \
  F(not_equal, a != b ? 1.0 : 0.0)                \
  F(both, a != 0.0 && b != 0.0 ? 1.0 : 0.0)       \
  F(either, a != 0.0 || b != 0.0 ? 1.0 : 0.0)     \
  F(select, a != 0.0 ? b : c)                     \
  F(sin, sin(a))                                  \
  F(cos, cos(a))                                  \
  F(tan, tan(a))                                  \
  F(asin, asin(a))                                \
  F(acos, acos(a))                                \
  F(atan, atan(a))                                \
  F(sinh, sinh(a))                                \
  F(cosh, cosh(a))                                \
  F(tanh, tanh(a))                                \
  F(asinh, asinh(a))                              \
  F(acosh, acosh(a))                              \
  F(atanh, atanh(a))                              \
  F(exp, exp(a))                                  \
  F(log, log(a))                                  \
  F(log2, log2(a))                                \
  F(log10, log10(a))                              \
  F(sqrt, sqrt(a))                                \
  F(cbrt, cbrt(a))                                \
  F(abs, fabs(a))                                 \
  F(sign, a < 0.0 ? -1.0 : (a > 0.0 ? 1.0 : 0.0)) \
  F(floor, floor(a))                              \
  F(ceil, ceil(a))                                \
  F(rint, rint(a))                                \
  F(erf, erf(a))                                  \
  F(erfc, erfc(a))                                \
  F(atan2, atan2(a, b))                           \
  F(hypot, hypot(a, b))                           \
  F(mod, a - b * floor(a / b))                    \
  F(min, b < a ? b : a)                           \
  F(max, a < b ? b : a)

namespace tessera::deck::expressions {

/// The value of an operation, on the host by the standard library's functions.
TESSERA_HD inline double value_of(Op op, double a, double b, double c) {
#define TESSERA_CASE(name, formula) \
  case Op::name: return formula;
  switch (op) {
    TESSERA_FORMULAS(TESSERA_CASE)
    default: return 0;  // constants and variables are no operations
  }
#undef TESSERA_CASE
}

}  // namespace tessera::deck::expressions
