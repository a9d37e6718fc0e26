#include "deck/expression/operations.hpp"

#include <numbers>

namespace tessera::deck::expressions {

int operands(Op op) {
  if (op <= Op::variable) return 0;
  if (op == Op::select) return 3;
  return (op >= Op::add && op <= Op::either) || op >= Op::atan2 ? 2 : 1;
}

std::span<const Function> functions() {
  static constexpr Function table[] = {
      {"sin", Op::sin, 1},          {"cos", Op::cos, 1},     {"tan", Op::tan, 1},          {"asin", Op::asin, 1},
      {"acos", Op::acos, 1},        {"atan", Op::atan, 1},   {"sinh", Op::sinh, 1},        {"cosh", Op::cosh, 1},
      {"tanh", Op::tanh, 1},        {"asinh", Op::asinh, 1}, {"acosh", Op::acosh, 1},      {"atanh", Op::atanh, 1},
      {"exp", Op::exp, 1},          {"log", Op::log, 1},     {"ln", Op::log, 1},           {"log2", Op::log2, 1},
      {"log10", Op::log10, 1},      {"sqrt", Op::sqrt, 1},   {"cbrt", Op::cbrt, 1},        {"abs", Op::abs, 1},
      {"sign", Op::sign, 1},        {"floor", Op::floor, 1}, {"ceil", Op::ceil, 1},        {"rint", Op::rint, 1},
      {"erf", Op::erf, 1},          {"erfc", Op::erfc, 1},   {"atan2", Op::atan2, 2},      {"pow", Op::power, 2},
      {"hypot", Op::hypot, 2},      {"mod", Op::mod, 2},     {"min", Op::min, any_number}, {"max", Op::max, any_number},
      {"sum", Op::add, any_number}, {"if", Op::select, 3},
  };
  return table;
}

std::span<const Constant> constants() {
  static constexpr Constant table[] = {{"pi", std::numbers::pi}, {"_pi", std::numbers::pi}, {"_e", std::numbers::e}};
  return table;
}

}  // namespace tessera::deck::expressions
