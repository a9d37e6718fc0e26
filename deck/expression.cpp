#include "deck/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numbers>
#include <vector>

#include "base/host_memory.hpp"
#include "base/team.hpp"

namespace tessera::deck {

namespace {

const std::vector<std::string>& variable_names() {
  static const std::vector<std::string> names = {"x", "y", "z", "t"};
  return names;
}

const std::vector<std::string>& constant_names() {
  static const std::vector<std::string> names = {"pi", "_pi", "_e"};
  return names;
}

struct Function1 {
  const char* name;
  double (*call)(double);
};
struct Function2 {
  const char* name;
  double (*call)(double, double);
};

// The functions of a deck. muParser's own list also has a random number, and names that differ between versions.
constexpr Function1 functions1[] = {
    {"sin", [](double a) { return std::sin(a); }},
    {"cos", [](double a) { return std::cos(a); }},
    {"tan", [](double a) { return std::tan(a); }},
    {"asin", [](double a) { return std::asin(a); }},
    {"acos", [](double a) { return std::acos(a); }},
    {"atan", [](double a) { return std::atan(a); }},
    {"sinh", [](double a) { return std::sinh(a); }},
    {"cosh", [](double a) { return std::cosh(a); }},
    {"tanh", [](double a) { return std::tanh(a); }},
    {"asinh", [](double a) { return std::asinh(a); }},
    {"acosh", [](double a) { return std::acosh(a); }},
    {"atanh", [](double a) { return std::atanh(a); }},
    {"exp", [](double a) { return std::exp(a); }},
    {"log", [](double a) { return std::log(a); }},
    {"ln", [](double a) { return std::log(a); }},
    {"log2", [](double a) { return std::log2(a); }},
    {"log10", [](double a) { return std::log10(a); }},
    {"sqrt", [](double a) { return std::sqrt(a); }},
    {"cbrt", [](double a) { return std::cbrt(a); }},
    {"abs", [](double a) { return std::fabs(a); }},
    {"sign", [](double a) { return a < 0   ? -1.0
                                   : a > 0 ? 1.0
                                           : 0.0; }},
    {"floor", [](double a) { return std::floor(a); }},
    {"ceil", [](double a) { return std::ceil(a); }},
    {"rint", [](double a) { return std::rint(a); }},
    {"erf", [](double a) { return std::erf(a); }},
    {"erfc", [](double a) { return std::erfc(a); }},
};
constexpr Function2 functions2[] = {
    {"atan2", [](double a, double b) { return std::atan2(a, b); }},
    {"pow", [](double a, double b) { return std::pow(a, b); }},
    {"hypot", [](double a, double b) { return std::hypot(a, b); }},
    {"mod", [](double a, double b) { return a - b * std::floor(a / b); }},
};

double minimum(const double* values, int count) { return *std::min_element(values, values + count); }
double maximum(const double* values, int count) { return *std::max_element(values, values + count); }
double sum(const double* values, int count) {
  double result = 0;
  for (int i = 0; i < count; ++i) result += values[i];
  return result;
}
double choose(double condition, double yes, double no) { return condition != 0 ? yes : no; }

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& function : functions1) result.push_back(function.name);
    for (const auto& function : functions2) result.push_back(function.name);
    for (const char* name : {"min", "max", "sum", "if"}) result.push_back(name);
    return result;
  }();
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// muParser wants "sin(" without a blank: "sin (" becomes " sin(", so that characters after it keep their places.
std::string join_calls(std::string text) {
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    std::size_t name_end = open;
    while (name_end > 0 && (text[name_end - 1] == ' ' || text[name_end - 1] == '\t')) --name_end;
    std::size_t name = name_end;
    while (name > 0 && (std::isalnum(static_cast<unsigned char>(text[name - 1])) || text[name - 1] == '_')) --name;
    if (name < name_end) std::rotate(text.begin() + name, text.begin() + name_end, text.begin() + open);
  }
  return text;
}

/// A muParser with its own variables.
class Machine {
 public:
  explicit Machine(const std::string& text) {
    parser_.ClearFun();
    for (const auto& function : functions1) parser_.DefineFun(function.name, function.call);
    for (const auto& function : functions2) parser_.DefineFun(function.name, function.call);
    parser_.DefineFun("min", minimum);
    parser_.DefineFun("max", maximum);
    parser_.DefineFun("sum", sum);
    parser_.DefineFun("if", choose);
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.DefineConst("_pi", std::numbers::pi);  // muParser's own has twelve digits
    parser_.DefineConst("_e", std::numbers::e);
    for (std::size_t i = 0; i < 4; ++i) parser_.DefineVar(variable_names()[i], &variables_[i]);
    parser_.SetExpr(join_calls(text));
    parser_.Eval();  // muParser parses when it first evaluates; errors belong here
  }
  Machine(const Machine&) = delete;

  double operator()(const double* xyz, double t) {
    variables_ = {xyz[0], xyz[1], xyz[2], t};
    return parser_.Eval();
  }
  int results() const { return parser_.GetNumResults(); }

 private:
  std::array<double, 4> variables_{};
  mu::Parser parser_;
};

/// Position of characters [offset, offset + length) of the expression in the deck.
std::optional<Position> place(const std::optional<Position>& where, std::size_t offset, std::size_t length) {
  if (!where || where->column < 1) return where;
  Position result = *where;
  result.column += static_cast<int>(offset);
  result.length = static_cast<int>(std::max<std::size_t>(length, 1));
  return result;
}

/// Where in a text each variable first stands; npos: nowhere.
using FirstUses = std::array<std::size_t, 4>;

/// Which variables the text uses. Looks at names before muParser does, since its own messages cannot suggest any.
FirstUses scan_names(const std::string& text, const std::optional<Position>& where) {
  FirstUses used;
  used.fill(std::string::npos);
  auto is_digit = [&](std::size_t i) { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); };
  auto is_letter = [&](std::size_t i) {
    return i < text.size() && (std::isalpha(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  auto fail = [&](std::size_t at, std::size_t length, const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, fmt::format("{} in the expression '{}' (character {})", what, text, at + 1), help,
                place(where, at, length));
  };
  for (std::size_t i = 0; i < text.size();) {
    if (is_digit(i) || (text[i] == '.' && is_digit(i + 1))) {
      while (is_digit(i) || (i < text.size() && text[i] == '.')) ++i;
      if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        const std::size_t exponent = i + 1 + (i + 1 < text.size() && (text[i + 1] == '+' || text[i + 1] == '-'));
        if (is_digit(exponent)) i = exponent;
        while (is_digit(i)) ++i;
      }
    } else if (is_letter(i)) {
      const std::size_t begin = i;
      while (is_letter(i) || is_digit(i)) ++i;
      const std::string name = text.substr(begin, i - begin);
      const std::size_t next = text.find_first_not_of(" \t", i);
      if (next != std::string::npos && text[next] == '(') {
        if (contains(variable_names(), name) || contains(constant_names(), name))
          fail(begin, name.size(), fmt::format("'{}' is not a function", name),
               fmt::format("a product is written {}*(...)", name));
        if (!contains(function_names(), name))
          fail(begin, name.size(), fmt::format("unknown function '{}'", name), suggest(name, function_names()));
      } else if (const auto variable = std::find(variable_names().begin(), variable_names().end(), name);
                 variable != variable_names().end()) {
        std::size_t& first = used[static_cast<std::size_t>(variable - variable_names().begin())];
        first = std::min(first, begin);
      } else if (!contains(constant_names(), name)) {
        if (contains(function_names(), name))
          fail(begin, name.size(), fmt::format("function '{}' without arguments", name),
               fmt::format("write {}(...)", name));
        std::string help = "variables are x, y, z, t; constants pi";
        std::vector<std::string> names = variable_names();
        names.insert(names.end(), constant_names().begin(), constant_names().end());
        names.insert(names.end(), function_names().begin(), function_names().end());
        if (name.size() > 1 && !nearest_names(name, names).empty())
          help = suggest(name, names) + " Variables are x, y, z, t";
        fail(begin, name.size(), fmt::format("unknown variable '{}'", name), help);
      }
    } else if (text.compare(i, 2, "**") == 0) {
      fail(i, 2, "'**'", "a power is written with ^: x^2");
    } else if (text[i] == '=' && text.compare(i, 2, "==") != 0 &&
               (i == 0 || std::string("=<>!").find(text[i - 1]) == std::string::npos)) {
      fail(i, 1, "an assignment", "== compares; an expression cannot assign");
    } else {
      ++i;
    }
  }
  return used;
}

/// Where a muParser error is: for a missing parenthesis the one left open, where muParser names no place the end.
std::size_t error_offset(const mu::Parser::exception_type& error, const std::string& text) {
  if (error.GetCode() == mu::ecMISSING_PARENS) {
    int open = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
      open += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
      if (open < 0) return i;
    }
  }
  const bool has_place = error.GetPos() >= 0 && error.GetPos() < static_cast<int>(text.size());
  return has_place ? static_cast<std::size_t>(error.GetPos()) : text.size();
}

std::string message_of(mu::EErrorCodes code, std::string token) {
  while (!token.empty() && token.back() == ' ') token.pop_back();
  switch (code) {
    case mu::ecUNEXPECTED_EOF: return "it ends too early";
    case mu::ecMISSING_PARENS: return "a parenthesis is missing";
    case mu::ecUNEXPECTED_PARENS: return fmt::format("unexpected parenthesis '{}'", token);
    case mu::ecTOO_MANY_PARAMS: return fmt::format("too many arguments of '{}'", token);
    case mu::ecTOO_FEW_PARAMS: return fmt::format("too few arguments of '{}'", token);
    case mu::ecMISSING_ELSE_CLAUSE: return "'?' needs its ':'";
    case mu::ecEMPTY_EXPRESSION: return "it is empty";
    default: return token.empty() ? "it cannot be understood" : fmt::format("unexpected '{}'", token);
  }
}

}  // namespace

struct Expression::State {
  std::string text;
  std::optional<Position> where;
  FirstUses uses{std::string::npos, std::string::npos, std::string::npos, std::string::npos};
  double value = 0;

  bool has(std::size_t variable) const { return uses[variable] != std::string::npos; }
  bool constant() const { return !has(0) && !has(1) && !has(2) && !has(3); }
};

Expression::Expression(double value) {
  State state;
  state.text = fmt::format("{}", value);
  state.value = value;
  state_ = std::make_shared<const State>(std::move(state));
}

Expression::Expression(const std::string& text, std::optional<Position> where) {
  State state;
  state.text = text;
  state.where = where;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(ExitCode::usage, "the expression is empty",
                "write a number or a function of x, y, z, t, e.g. \"sin(pi*x)\"", where);
  state.uses = scan_names(text, where);
  const double point[3] = {0.5, 0.25, 0.125};
  note_failed_request(0);
  try {
    Machine machine(text);
    state.value = machine(point, 0);
    if (machine.results() != 1)
      throw Error(ExitCode::usage,
                  fmt::format("the expression '{}' has {} values, one is expected", text, machine.results()),
                  "a list of expressions is written [\"...\", \"...\"]; the decimal separator is a point", where);
  } catch (const mu::Parser::exception_type& error) {
    // Streams, by which numbers are read, keep a bad_alloc to themselves.
    if (last_failed_request() != 0) throw std::bad_alloc();
    const std::string token = error.GetToken();
    const std::size_t at = error_offset(error, text);
    throw Error(ExitCode::usage,
                fmt::format("the expression '{}' is not valid: {} (character {})", text,
                            message_of(error.GetCode(), token), at + 1),
                "multiplication is written *, a power ^, the decimal separator is a point; operators: + - * / ^ < > <= "
                ">= == != && || ?:",
                place(where, at, 1));
  }
  if (state.constant() && !std::isfinite(state.value))
    throw Error(ExitCode::usage, fmt::format("the expression '{}' is {}", text, state.value),
                "a finite value is needed", where);
  state_ = std::make_shared<const State>(std::move(state));
}

bool Expression::is_constant() const { return state_->constant(); }
double Expression::constant() const { return state_->value; }
bool Expression::depends_on_time() const { return state_->has(3); }
void Expression::require_axes(int dim) const {
  for (std::size_t axis = static_cast<std::size_t>(dim); axis < 3; ++axis)
    if (state_->has(axis))
      throw Error(ExitCode::usage,
                  fmt::format("the expression '{}' uses {}, but the mesh has {} dimension{}", state_->text,
                              variable_names()[axis], dim, dim == 1 ? "" : "s"),
                  fmt::format("a problem in {}-D knows {}", dim, dim == 1 ? "x" : "x and y"),
                  place(state_->where, state_->uses[axis], 1));
}
const std::string& Expression::text() const { return state_->text; }
const std::optional<Position>& Expression::where() const { return state_->where; }

struct Evaluator::State {
  std::shared_ptr<const Expression::State> expression;
  std::vector<std::unique_ptr<Machine>> machines;  ///< one a thread, made when first needed; none for a constant

  Machine& machine(std::size_t thread) {
    while (machines.size() <= thread) machines.push_back(std::make_unique<Machine>(expression->text));
    return *machines[thread];
  }
};

Evaluator::Evaluator(const Expression& expression) : state_(std::make_unique<State>()) {
  state_->expression = expression.state_;
  if (!expression.is_constant()) state_->machine(0);
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

double Evaluator::operator()(const double* xyz, double t) {
  const Expression::State& expression = *state_->expression;
  return expression.constant() ? expression.value : (*state_->machines.front())(xyz, t);
}

namespace {

/// Points that one thread takes at least: below this, starting a team costs more than it saves.
constexpr std::size_t points_per_thread = 2048;

}  // namespace

void Evaluator::evaluate(const double* points, std::size_t count, double t, double* values, int threads) {
  const Expression::State& expression = *state_->expression;
  if (expression.constant()) {
    if (!std::isfinite(expression.value))
      throw Error(ExitCode::usage, fmt::format("a coefficient is {}", expression.value), "a finite value is needed",
                  expression.where);
    std::fill(values, values + count, expression.value);
    return;
  }
  const std::size_t wanted = std::max<std::size_t>(1, count / points_per_thread);
  const std::size_t allowed =
      inside_parallel() ? 1 : static_cast<std::size_t>(threads > 0 ? threads : default_threads());
  const int parts = static_cast<int>(std::min(wanted, allowed));
  state_->machine(static_cast<std::size_t>(parts - 1));  // parsed here, not in the threads

  std::vector<Offset> first_bad(static_cast<std::size_t>(parts), static_cast<Offset>(count));
  parallel_ranges(parts, static_cast<Offset>(count), [&](Offset first, Offset last, int part) {
    Machine& machine = *state_->machines[static_cast<std::size_t>(part)];
    Offset& bad = first_bad[static_cast<std::size_t>(part)];
    for (Offset i = first; i < last; ++i) {
      values[i] = machine(points + 3 * i, t);
      if (!std::isfinite(values[i])) bad = std::min(bad, i);
    }
  });
  // The first point without a finite value, whatever the number of threads.
  const Offset bad = *std::min_element(first_bad.begin(), first_bad.end());
  if (bad < static_cast<Offset>(count)) {
    const double* p = points + 3 * bad;
    throw Error(ExitCode::usage,
                fmt::format("the expression '{}' is {} at (x, y, z) = ({}, {}, {}), t = {}", expression.text,
                            values[bad], p[0], p[1], p[2], t),
                "it must be finite at every point where it is used; look for a division by zero, or sqrt or log of a "
                "negative number",
                expression.where);
  }
}

}  // namespace tessera::deck
