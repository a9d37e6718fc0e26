#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace tessera::deck {

/// A real function of x, y, z, t: a number, or a muParser expression that also knows `pi`.
/// Copies share the parsed text; each thread should evaluate its own `Evaluator`.
class Expression {
 public:
  Expression(double value = 0);
  /// Throws Error(usage) with the position in the expression (offset into `where` when given).
  explicit Expression(const std::string& text, std::optional<Position> where = {});

  bool is_constant() const;  ///< no variable occurs in it
  double constant() const;   ///< its value when constant
  bool depends_on_time() const;
  const std::string& text() const;
  const std::optional<Position>& where() const;

 private:
  friend class Evaluator;
  struct State;
  std::shared_ptr<const State> state_;
};

/// Evaluates one expression; not shared between threads. Constant expressions cost nothing.
class Evaluator {
 public:
  explicit Evaluator(const Expression& expression);
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  double operator()(const double* xyz, double t = 0);
  /// values[i] = f(points[3 i ..], t); throws Error(usage) naming the expression and the point where a value is not finite.
  void evaluate(const double* points, std::size_t count, double t, double* values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::deck
