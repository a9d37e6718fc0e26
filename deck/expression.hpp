#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"

namespace tessera::deck {

namespace expressions {
struct Root;
}

/// The variables of an expression.
enum class Variable { x, y, z, t, u, ux, uy, uz };

/// Which of them a place of a deck knows: x, y, z, t; those and the solution u; those and its gradient ux, uy, uz.
enum class Knows { place, solution, gradient };

/// Where expressions are evaluated. What they do not use may be null.
struct Points {
  const double* xyz;                 ///< [count, 3]
  const double* u = nullptr;         ///< [count]
  const double* gradient = nullptr;  ///< [count, 3]
};

struct Replacement;

/// A real function of x, y, z, t and, where a deck allows it, of the solution: a number, or an expression in the
/// language of muParser that also knows `pi`. Operators + - * / ^ (binds tighter than a sign, to the right),
/// comparisons, && ||, and `c ? a : b`; functions sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log
/// (natural) ln log2 log10 sqrt cbrt abs sign floor ceil rint erf erfc atan2 pow hypot mod min max sum if(c, a, b).
/// Parsed and compiled once, when it is made; copies share that. Each thread evaluates an `Evaluator` of its own.
class Expression {
 public:
  Expression(double value = 0);
  /// Throws Error(usage) with the position in the expression: `where` is the place of its first character.
  explicit Expression(const std::string& text, const std::optional<Position>& where = {}, Knows knows = Knows::place);

  bool is_constant() const;  ///< no variable occurs in it
  double constant() const;   ///< its value when constant
  bool depends_on(Variable variable) const;
  bool depends_on_time() const { return depends_on(Variable::t); }
  /// On u or its gradient.
  bool depends_on_solution() const;
  /// On ux, uy or uz.
  bool depends_on_gradient() const;
  /// Throws Error(usage) with the caret under the first y, z, uy or uz that a problem of `dim` axes does not have:
  /// there it is 0, which nobody means who writes it.
  void require_axes(int dim) const;
  const std::string& text() const;
  const std::optional<Position>& where() const;
  const expressions::Root& root() const;  ///< its tree, for what evaluates it elsewhere

 private:
  friend class Evaluator;
  friend Expression derivative(const Expression& expression, Variable variable);
  friend Expression substitute(const Expression& f, std::span<const Replacement> by);
  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  struct Algebra;
  struct State;
  std::shared_ptr<const State> state_;
};

/// The derivative of an expression: one again, with the same place and a text of its own. That parses to it, unless it
/// would be longer than muParser reads; then it is "d/dx (f)". Where f jumps or has a kink the derivative is that of
/// one side (deck/expression/derivative.hpp says which).
Expression derivative(const Expression& expression, Variable variable);

/// What stands in the place of a variable.
struct Replacement {
  Variable variable;
  Expression by;
};
/// f with other expressions in the place of some of its variables, all at once. It has the place of f, and a text of
/// its own, as a derivative has.
Expression substitute(const Expression& f, std::span<const Replacement> by);
/// Sum and product, with the place of a.
Expression operator+(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);

/// Evaluates one expression; not shared between threads. It owns no more than the registers of a block of points, and
/// none before it is used. Constant expressions cost nothing.
class Evaluator {
 public:
  explicit Evaluator(const Expression& expression);
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  /// f(xyz[0..2], t), not checked: infinite or NaN where the expression is. For many points `evaluate` is several times
  /// faster; the values are the same.
  double operator()(const double* xyz, double t = 0);
  /// The same at points, by this thread.
  void at(const Points& points, std::size_t count, double t, double* values);
  void at(const double* xyz, std::size_t count, double t, double* values) { at(Points{xyz}, count, t, values); }
  /// values[i] = f(point i, t); throws Error(usage) naming the expression and the point where a value is not finite.
  /// Large counts are spread over `threads` (0: default_threads()); the values do not depend on how many.
  void evaluate(const Points& points, std::size_t count, double t, double* values, int threads = 0);
  void evaluate(const double* xyz, std::size_t count, double t, double* values, int threads = 0) {
    evaluate(Points{xyz}, count, t, values, threads);
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::deck
