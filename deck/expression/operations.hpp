#pragma once
// What expressions are made of: operations, and the names by which a deck calls them.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::deck::expressions {

/// What a node of an expression does with its operands. Truth is 1 or 0; every value but 0 is true, NaN as well.
/// The order counts: operands() and is_logical() go by it.
enum class Op : std::uint8_t {
  // without operands
  constant,
  variable,
  // -a, a + b, a - b, a * b, a / b, a^b
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  // a < b, a > b, a <= b, a >= b, a == b, a != b
  less,
  greater,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  // a && b, a || b, a ? b : c
  both,
  either,
  select,
  // functions of a
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  exp,
  log,
  log2,
  log10,
  sqrt,
  cbrt,
  abs,
  sign,
  floor,
  ceil,
  rint,
  erf,
  erfc,
  // functions of a and b; mod is a - b floor(a / b)
  atan2,
  hypot,
  mod,
  // b < a ? b : a, and a < b ? b : a
  min,
  max,
  count
};

/// Operands of an operation: 0 to 3.
int operands(Op op);
/// Whether its values are 1 and 0 alone.
constexpr bool is_logical(Op op) { return op >= Op::less && op <= Op::either; }

/// An operator between two operands as muParser reads it: those of a higher precedence bind tighter; all of one
/// precedence are taken from left to right, but ^ from right to left. A sign binds like a product.
struct Operator {
  std::string_view name;
  Op op;
  int precedence;
};
constexpr int or_precedence = 1, and_precedence = 2, comparison_precedence = 4, sum_precedence = 5,
              product_precedence = 6, sign_precedence = 6, power_precedence = 7;
constexpr std::array<Operator, 13> operators = {{
    // a name that begins with another one stands before it
    {"<=", Op::less_equal, comparison_precedence},
    {">=", Op::greater_equal, comparison_precedence},
    {"==", Op::equal, comparison_precedence},
    {"!=", Op::not_equal, comparison_precedence},
    {"<", Op::less, comparison_precedence},
    {">", Op::greater, comparison_precedence},
    {"&&", Op::both, and_precedence},
    {"||", Op::either, or_precedence},
    {"+", Op::add, sum_precedence},
    {"-", Op::subtract, sum_precedence},
    {"*", Op::multiply, product_precedence},
    {"/", Op::divide, product_precedence},
    {"^", Op::power, power_precedence},
}};

/// A function of a deck.
struct Function {
  std::string_view name;
  Op op;
  int arguments;  ///< any_number: one or more, taken two at a time from the left
};
constexpr int any_number = -1;
std::span<const Function> functions();

/// A name for a number.
struct Constant {
  std::string_view name;
  double value;
};
std::span<const Constant> constants();

/// Variables by their number. `t` is the same for all points of an evaluation. Those of the solution, u and its
/// gradient, are known in some places only.
constexpr std::array<std::string_view, 8> variables = {"x", "y", "z", "t", "u", "ux", "uy", "uz"};
constexpr std::uint32_t time_variable = 3, solution_variable = 4, gradient_variable = 5;

}  // namespace tessera::deck::expressions
