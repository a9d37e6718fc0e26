#include "deck/expression/manual.hpp"

#include <fmt/format.h>

#include "deck/expression/operations.hpp"

namespace tessera::deck::expressions {

namespace {

/// `a` `b` `c`
template <class Table>
std::string quoted(const Table& table) {
  std::string text;
  for (const auto& entry : table) {
    if constexpr (requires { entry.name; })
      text += fmt::format("{}`{}`", text.empty() ? "" : " ", entry.name);
    else
      text += fmt::format("{}`{}`", text.empty() ? "" : " ", entry);
  }
  return text;
}

}  // namespace

std::string manual() {
  return fmt::format(
      "An expression is a string, such as `\"sin(pi*x)*exp(-t)\"`; a number may stand in its place.\n\n"
      "| | |\n|---|---|\n"
      "| variables | {} |\n"
      "| constants | {}, and numbers: `2`, `.5`, `1e-3` |\n"
      "| operators, from the loosest | `c ? a : b`, `\\|\\|`, `&&`, `<` `>` `<=` `>=` `==` `!=`, `+` `-`, `*` `/` and "
      "signs, `^` (from the right: `2^-x^2` is `2^(-(x^2))`, `-x^2` is `-(x^2)`) |\n"
      "| functions | {} |\n\n"
      "`log` and `ln` are natural; `mod(a, b)` is a - b floor(a/b); `rint` takes halves to the even number; `min`, "
      "`max` "
      "and `sum` take any number of arguments; `if(c, a, b)` is `c ? a : b`. Conditions are 1 or 0, and what is not 0 "
      "is true. A value must be finite wherever it is used; the branch that is not taken may be anything.\n\n"
      "Keys that say so may depend on the solution: on {} and its gradient {}. The problem is then not linear, see "
      "`[newton]`.\n",
      quoted(std::span(variables).first(solution_variable)), quoted(constants()), quoted(functions()),
      quoted(std::span(variables).subspan(solution_variable, 1)),
      quoted(std::span(variables).subspan(gradient_variable)));
}

}  // namespace tessera::deck::expressions
