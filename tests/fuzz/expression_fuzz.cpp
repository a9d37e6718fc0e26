// libFuzzer target: any text as an expression. Evaluating what parses must give a number or an error with a place.
#include <cstddef>
#include <cstdint>
#include <string>

#include "deck/expression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const deck::Expression expression(text, Position{"deck.toml", 3, 7, "u = \"" + text + "\"", 1});
    deck::Evaluator evaluate(expression);
    const double points[] = {0, 0, 0, 0.5, -2, 1e3};
    double values[2];
    evaluate(points, 0.25);
    const deck::Expression slope = derivative(expression, deck::Variable::x);
    deck::Evaluator{slope}(points, 0.25);
    evaluate.evaluate(points, 2, 0.25, values);
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage || error.report().empty()) __builtin_trap();
  }
  return 0;
}
