#pragma once
// What muParser makes of a text, and texts to ask it about.
#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "deck/expression/operations.hpp"

namespace tessera::deck::testing {

/// The value times 1 + r epsilon for a random |r| < 4: what a function could as well have given.
inline double disturbed(double value) {
  static std::minstd_rand random(7);
  std::uniform_real_distribution<double> r(-4, 4);
  return value * (1 + r(random) * std::numeric_limits<double>::epsilon());
}

/// muParser with the functions of a deck, one point at a time. Its optimiser is off, which moves terms about: x/3 + x/3
/// becomes 0.666...*x. `disturbed(a)` is one more function.
class Oracle {
 public:
  explicit Oracle(const std::string& text) {
    parser_.EnableOptimizer(false);
    parser_.ClearFun();
    define_functions();
    parser_.DefineFun("disturbed", disturbed);
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.DefineConst("_pi", std::numbers::pi);
    parser_.DefineConst("_e", std::numbers::e);
    const char* names[] = {"x", "y", "z", "t"};
    for (int i = 0; i < 4; ++i) parser_.DefineVar(names[i], &variables_[i]);
    parser_.SetExpr(text);
  }
  Oracle(const Oracle&) = delete;
  double operator()(const double* xyz, double t) {
    variables_ = {xyz[0], xyz[1], xyz[2], t};
    return parser_.Eval();
  }

 private:
  using F1 = double (*)(double);
  using F2 = double (*)(double, double);
  void define_functions() {
    const std::pair<const char*, F1> one[] = {
        {"sin", std::sin},     {"cos", std::cos},
        {"tan", std::tan},     {"asin", std::asin},
        {"acos", std::acos},   {"atan", std::atan},
        {"sinh", std::sinh},   {"cosh", std::cosh},
        {"tanh", std::tanh},   {"asinh", std::asinh},
        {"acosh", std::acosh}, {"atanh", std::atanh},
        {"exp", std::exp},     {"log", std::log},
        {"ln", std::log},      {"log2", std::log2},
        {"log10", std::log10}, {"sqrt", std::sqrt},
        {"cbrt", std::cbrt},   {"abs", std::fabs},
        {"floor", std::floor}, {"ceil", std::ceil},
        {"rint", std::rint},   {"erf", std::erf},
        {"erfc", std::erfc},   {"sign", [](double a) { return a < 0 ? -1.0 : a > 0 ? 1.0 : 0.0; }}};
    for (const auto& [name, function] : one) parser_.DefineFun(name, function);
    const std::pair<const char*, F2> two[] = {{"atan2", std::atan2},
                                              {"pow", std::pow},
                                              {"hypot", std::hypot},
                                              {"mod", [](double a, double b) {
                                                 const volatile double whole =
                                                     b * std::floor(a / b);  // volatile: no fused operation
                                                 return a - whole;
                                               }}};
    for (const auto& [name, function] : two) parser_.DefineFun(name, function);
    parser_.DefineFun("min", [](const double* v, int n) { return *std::min_element(v, v + n); });
    parser_.DefineFun("max", [](const double* v, int n) { return *std::max_element(v, v + n); });
    parser_.DefineFun("sum", [](const double* v, int n) {
      double result = 0;
      for (int i = 0; i < n; ++i) result += v[i];
      return result;
    });
    parser_.DefineFun("if", [](double condition, double yes, double no) { return condition != 0 ? yes : no; });
  }

  std::array<double, 4> variables_{};
  mu::Parser parser_;
};

/// An expression, and the same with every function and power inside disturbed(...).
struct Sample {
  std::string text, disturbed;
};

/// Equal, or both NaN.
inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Whether `value` is `expected` but for the errors of functions, of which the disturbed expression has an idea.
enum class Answer { right, wrong, not_known };
inline Answer judge(double value, double expected, const Sample& sample, const double* xyz, double t) {
  if (same(value, expected)) return Answer::right;
  Oracle disturbed(sample.disturbed);
  double spread = 2 * std::numeric_limits<double>::epsilon() * std::fabs(expected);
  for (int i = 0; i < 100; ++i) {
    if (std::fabs(value - expected) <= spread) return Answer::right;
    const double other = disturbed(xyz, t);
    if (std::isfinite(other) && std::isfinite(expected))
      spread = std::max(spread, 2 * std::fabs(other - expected));
    else if (!same(other, expected))
      return Answer::not_known;
  }
  return Answer::wrong;
}

/// Random expressions by their grammar, with few parentheses, so that precedence matters.
class RandomExpressions {
 public:
  /// `tame`: numbers of size 1 only, so that values can be told from those beside.
  explicit RandomExpressions(unsigned seed, bool tame = false) : random_(seed), tame_(tame) {}

  Sample next() { return ternary(1 + below(3)); }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(double p) { return below(1000) < 1000 * p; }
  std::string blank() { return chance(0.2) ? " " : ""; }
  template <std::size_t n>
  std::string one_of(const char* const (&list)[n]) {
    return list[below(n)];
  }
  void append(Sample& to, const std::string& between, const Sample& more) {
    const std::string spaced = blank() + between + blank();
    to.text += spaced + more.text;
    to.disturbed += spaced + more.disturbed;
  }
  template <class Part>
  Sample chain(double p, int longest, Part part, const std::vector<std::string>& names) {
    Sample result = part();
    if (chance(p))
      for (int i = 1 + below(longest); i > 0; --i)
        append(result, names[static_cast<std::size_t>(below(static_cast<int>(names.size())))], part());
    return result;
  }

  Sample ternary(int depth) {
    Sample result = chain(0.04, 2, [&] { return conjunction(depth); }, {"||"});
    if (chance(0.08)) {
      append(result, "?", ternary(depth - 1));
      append(result, ":", ternary(depth - 1));
    }
    return result;
  }
  Sample conjunction(int depth) {
    return chain(0.04, 2, [&] { return comparison(depth); }, {"&&"});
  }
  Sample comparison(int depth) {
    return chain(0.08, 2, [&] { return sum(depth); }, {"<", ">", "<=", ">=", "==", "!="});
  }
  Sample sum(int depth) {
    return chain(0.5, 2, [&] { return product(depth); }, {"+", "-"});
  }
  Sample product(int depth) {
    return chain(0.4, 2, [&] { return sign(depth); }, {"*", "/"});
  }
  Sample sign(int depth) {
    const std::string sign = chance(0.1) ? "-" : chance(0.03) ? "+" : "";
    const Sample of = power(depth);
    return {sign + of.text, sign + of.disturbed};
  }
  Sample power(int depth) {
    Sample result = atom(depth);
    if (!chance(0.15)) return result;
    const std::string sign = chance(0.2) ? "-" : "";
    const Sample exponent = chance(0.7) ? Sample{std::to_string(below(5)), std::to_string(below(1))} : power(depth - 1);
    result.text += "^" + sign + exponent.text;
    result.disturbed = "disturbed(" + result.disturbed + "^" + sign +
                       (exponent.disturbed == "0" ? exponent.text : exponent.disturbed) + ")";
    return result;
  }
  Sample atom(int depth) {
    if (depth <= 0 || chance(0.35)) return leaf();
    if (chance(0.3)) return call("", {ternary(depth - 1)});
    if (chance(0.15)) return call(one_of({"min", "max", "sum"}), arguments(depth - 1, 1 + below(4)));
    if (chance(0.2)) return call(one_of({"atan2", "pow", "hypot", "mod"}), arguments(depth - 1, 2));
    if (chance(0.05)) return call("if", arguments(depth - 1, 3));
    const std::string name = one_of({"sin",   "cos",   "tan",   "asin",  "acos", "atan", "sinh", "cosh",  "tanh",
                                     "asinh", "acosh", "atanh", "exp",   "log",  "ln",   "log2", "log10", "sqrt",
                                     "cbrt",  "abs",   "sign",  "floor", "ceil", "rint", "erf",  "erfc"});
    // Arguments where the function has a value, mostly.
    Sample argument = ternary(depth - 1);
    const bool positive = name.starts_with("log") || name == "ln" || name == "sqrt" || name == "acosh";
    const bool small = name == "asin" || name == "acos" || name == "atanh";
    if ((positive || small) && chance(0.8)) {
      const Sample inside = call(positive ? "abs" : "sin", {argument});
      argument = {(positive ? "1+" : "0.9*") + inside.text, (positive ? "1+" : "0.9*") + inside.disturbed};
    }
    return call(name, {argument});
  }
  Sample leaf() {
    std::string text;
    if (chance(0.65))
      text = one_of({"x", "y", "z", "t"});
    else if (chance(0.3))
      text = one_of({"pi", "_pi", "_e"});
    else if (tame_)
      text = one_of({"0", "1", "2", "3", "0.5", ".5", "1.5", "0.1"});
    else
      text = one_of({"0", "1", "2", "3", "7", "0.5", ".5", "1.", "1e3", "2.5e-3", "1E+2", "0.1", "1e-400", "12345678"});
    return {text, text};
  }
  std::vector<Sample> arguments(int depth, int count) {
    std::vector<Sample> result;
    for (int i = 0; i < count; ++i) result.push_back(ternary(depth));
    return result;
  }
  Sample call(const std::string& name, const std::vector<Sample>& given) {
    Sample result = given.front();
    for (std::size_t i = 1; i < given.size(); ++i) append(result, ",", given[i]);
    result = {name + "(" + result.text + ")", name + "(" + result.disturbed + ")"};
    if (!name.empty()) result.disturbed = "disturbed(" + result.disturbed + ")";
    return result;
  }

  std::minstd_rand random_;
  bool tame_;
};

/// Coordinates [count, 3] in (-1.5, 1.5) and, a few, at 0, 0.5 and 1, where much changes.
inline std::vector<double> random_points(std::size_t count, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<double> points(3 * count);
  for (double& p : points) {
    p = 3 * (static_cast<double>(random() % 1000003) / 1000003) - 1.5;
    if (random() % 10 == 0) p = 0.5 * static_cast<double>(random() % 3);
  }
  return points;
}

}  // namespace tessera::deck::testing
