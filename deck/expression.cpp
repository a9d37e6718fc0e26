#include "deck/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/team.hpp"
#include "deck/expression/derivative.hpp"
#include "deck/expression/parse.hpp"
#include "deck/expression/program.hpp"
#include "deck/expression/text.hpp"

namespace tessera::deck {

using expressions::Input;
using expressions::Program;
using expressions::Root;

struct Expression::State {
  std::string text;
  std::optional<Position> where;
  expressions::FirstUses uses{};
  Root root;
  std::optional<Program> program;  ///< of an expression with variables
  double value = 0;                ///< of one without

  explicit State(double constant) : text(fmt::format("{}", constant)), value(constant) {
    uses.fill(std::string::npos);
    root.node = root.tree.constant(constant);
  }
  State(std::string given_text, std::optional<Position> place, const expressions::FirstUses& given_uses, Root given)
      : text(std::move(given_text)), where(std::move(place)), uses(given_uses), root(std::move(given)) {
    if (is_constant())
      value = root.tree[root.node].value;
    else
      program.emplace(root.tree, root.node);
  }
  bool has(std::size_t variable) const { return uses[variable] != std::string::npos; }
  bool is_constant() const {
    return std::all_of(uses.begin(), uses.end(), [](std::size_t use) { return use == std::string::npos; });
  }
  bool uses_gradient() const {
    constexpr std::size_t first = expressions::gradient_variable;
    return has(first) || has(first + 1) || has(first + 2);
  }
  /// Throws Error(internal) where it is evaluated without the solution that it depends on.
  void require_solution(const Points& points) const {
    if ((has(expressions::solution_variable) && !points.u) || (uses_gradient() && !points.gradient))
      throw Error(ExitCode::internal, fmt::format("'{}' is evaluated without a solution", expressions::shown(text)),
                  "");
  }
};

Expression::Expression(double value) : state_(std::make_shared<const State>(value)) {}

Expression::Expression(const std::string& text, const std::optional<Position>& where, Knows knows) {
  const std::uint32_t known = knows == Knows::place      ? expressions::solution_variable
                              : knows == Knows::solution ? expressions::gradient_variable
                                                         : static_cast<std::uint32_t>(expressions::variables.size());
  const expressions::FirstUses uses = expressions::check(text, where, known);
  state_ = std::make_shared<const State>(text, where, uses, expressions::parse(text, where));
  if (is_constant() && !std::isfinite(state_->value))
    throw Error(ExitCode::usage, fmt::format("the expression '{}' is {}", expressions::shown(text), state_->value),
                "a finite value is needed", where);
}

bool Expression::is_constant() const { return state_->is_constant(); }
double Expression::constant() const { return state_->value; }
bool Expression::depends_on(Variable variable) const { return state_->has(static_cast<std::size_t>(variable)); }
bool Expression::depends_on_solution() const { return depends_on(Variable::u) || depends_on_gradient(); }
bool Expression::depends_on_gradient() const { return state_->uses_gradient(); }
void Expression::require_axes(int dim) const {
  for (std::size_t axis = static_cast<std::size_t>(dim); axis < 3; ++axis)
    for (const std::size_t variable : {axis, expressions::gradient_variable + axis})
      if (state_->has(variable))
        throw Error(
            ExitCode::usage,
            fmt::format("the expression '{}' uses {}, but the mesh has {} dimension{}",
                        expressions::shown(state_->text), expressions::variables[variable], dim, dim == 1 ? "" : "s"),
            fmt::format("a problem in {}-D knows {}", dim, dim == 1 ? "x" : "x and y"),
            expressions::place(state_->where, state_->uses[variable], expressions::variables[variable].size()));
}
const std::string& Expression::text() const { return state_->text; }
const std::optional<Position>& Expression::where() const { return state_->where; }
const Root& Expression::root() const { return state_->root; }

/// Expressions that are made of others.
struct Expression::Algebra {
  /// The expression of a tree that was made of `f`, with its place there, and its own text, or where that would be too
  /// long with this one.
  static Expression of(Root root, const State& f, const std::string& too_long) {
    expressions::FirstUses uses;
    uses.fill(std::string::npos);
    const std::vector<char> used = root.tree.used_by(root.node);
    for (expressions::NodeId node = 0; node < used.size(); ++node)
      if (const std::uint32_t v = root.tree[node].variable;
          used[node] && root.tree[node].op == expressions::Op::variable)
        uses[v] = f.has(v) ? f.uses[v] : 0;
    std::optional<std::string> text = expressions::to_text(root.tree, root.node);
    Expression result;
    result.state_ = std::make_shared<const State>(std::move(text).value_or(too_long), f.where, uses, std::move(root));
    return result;
  }

  static std::array<expressions::NodeId, expressions::variables.size()> variables(expressions::Tree& tree) {
    std::array<expressions::NodeId, expressions::variables.size()> nodes{};
    for (std::uint32_t v = 0; v < nodes.size(); ++v) nodes[v] = tree.variable(v);
    return nodes;
  }

  static Expression combine(expressions::Op op, const Expression& a, const Expression& b, const char* sign) {
    Root root;
    const auto nodes = variables(root.tree);
    const auto left = root.tree.copy(a.state_->root.tree, a.state_->root.node, nodes),
               right = root.tree.copy(b.state_->root.tree, b.state_->root.node, nodes);
    root.node = root.tree.apply(op, left, right);
    return of(std::move(root), *a.state_, fmt::format("({}) {} ({})", a.text(), sign, b.text()));
  }
};

Expression derivative(const Expression& expression, Variable variable) {
  const Expression::State& f = *expression.state_;
  return Expression::Algebra::of(
      expressions::derivative(f.root, static_cast<std::uint32_t>(variable)), f,
      fmt::format("d/d{} ({})", expressions::variables[static_cast<std::size_t>(variable)], f.text));
}

Expression substitute(const Expression& f, std::span<const Replacement> by) {
  Root root;
  const auto own = Expression::Algebra::variables(root.tree);
  auto nodes = own;
  std::string words;
  for (const Replacement& one : by) {
    const Root& with = one.by.state_->root;
    nodes[static_cast<std::size_t>(one.variable)] = root.tree.copy(with.tree, with.node, own);
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ",
                         expressions::variables[static_cast<std::size_t>(one.variable)], one.by.text());
  }
  root.node = root.tree.copy(f.state_->root.tree, f.state_->root.node, nodes);
  return Expression::Algebra::of(std::move(root), *f.state_, fmt::format("{} with {}", f.text(), words));
}

Expression operator+(const Expression& a, const Expression& b) {
  return Expression::Algebra::combine(expressions::Op::add, a, b, "+");
}
Expression operator*(const Expression& a, const Expression& b) {
  return Expression::Algebra::combine(expressions::Op::multiply, a, b, "*");
}

struct Evaluator::State {
  std::shared_ptr<const Expression::State> expression;
  Program::Workspace workspace = {};
};

Evaluator::Evaluator(const Expression& expression) : state_(std::make_unique<State>(State{expression.state_})) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

namespace {

/// Points that one thread takes at least: below this, starting a team costs more than it saves.
constexpr std::size_t points_per_thread = 8192;

/// Variables at points from number `first` on, and t.
std::array<Input, expressions::variables.size()> inputs(const Points& points, std::size_t first, const double& t) {
  const double* const xyz = points.xyz + 3 * first;
  const double* const gradient = points.gradient ? points.gradient + 3 * first : nullptr;
  const auto axis = [&](int a) { return Input{gradient ? gradient + a : nullptr, 3}; };
  return {{{xyz, 3},
           {xyz + 1, 3},
           {xyz + 2, 3},
           {&t, 0},
           {points.u ? points.u + first : nullptr, 1},
           axis(0),
           axis(1),
           axis(2)}};
}

/// `t`: where the expression has it.
std::string place_of(const Points& points, std::size_t i, std::optional<double> t, bool of_solution) {
  const double* p = points.xyz + 3 * i;
  std::string place = fmt::format("(x, y, z) = ({}, {}, {})", p[0], p[1], p[2]);
  if (t) place += fmt::format(", t = {}", *t);
  if (of_solution && points.u) place += fmt::format(", u = {}", points.u[i]);
  if (of_solution && points.gradient)
    place += fmt::format(", grad u = ({}, {}, {})", points.gradient[3 * i], points.gradient[3 * i + 1],
                         points.gradient[3 * i + 2]);
  return place;
}

}  // namespace

double Evaluator::operator()(const double* xyz, double t) {
  double value = 0;
  at(xyz, 1, t, &value);
  return value;
}

void Evaluator::at(const Points& points, std::size_t count, double t, double* values) {
  if (count == 0) return;  // there need be no array, of which `inputs` would take addresses
  const Expression::State& f = *state_->expression;
  f.require_solution(points);
  if (f.program)
    f.program->evaluate(inputs(points, 0, t), count, values, state_->workspace);
  else
    std::fill(values, values + count, f.value);
}

void Evaluator::evaluate(const Points& points, std::size_t count, double t, double* values, int threads) {
  const Expression::State& f = *state_->expression;
  if (!f.program) {
    if (!std::isfinite(f.value))
      throw Error(ExitCode::usage, fmt::format("a coefficient is {}", f.value), "a finite value is needed", f.where);
    std::fill(values, values + count, f.value);
    return;
  }
  if (count == 0) return;
  f.require_solution(points);
  const std::size_t wanted = std::max<std::size_t>(1, count / points_per_thread);
  const std::size_t allowed =
      inside_parallel() ? 1 : static_cast<std::size_t>(threads > 0 ? threads : default_threads());
  const int parts = static_cast<int>(std::min(wanted, allowed));
  Scratch<Program::Workspace> others(parts);
  std::vector<Offset> first_bad(static_cast<std::size_t>(parts), static_cast<Offset>(count));
  parallel_ranges(parts, static_cast<Offset>(count), [&](Offset first, Offset last, int part) {
    Program::Workspace& workspace = part == 0 ? state_->workspace : others.of(part);
    const std::size_t length = static_cast<std::size_t>(last - first);
    const std::size_t bad =
        f.program->evaluate(inputs(points, static_cast<std::size_t>(first), t), length, values + first, workspace);
    if (bad < length) first_bad[static_cast<std::size_t>(part)] = first + static_cast<Offset>(bad);
  });
  // The first point without a finite value, whatever the number of threads.
  const Offset bad = *std::min_element(first_bad.begin(), first_bad.end());
  if (bad < static_cast<Offset>(count)) {
    const auto when = f.has(static_cast<std::size_t>(Variable::t)) ? std::optional(t) : std::nullopt;
    const bool of_solution = f.has(expressions::solution_variable) || f.uses_gradient();
    throw Error(ExitCode::usage,
                fmt::format("the expression '{}' is {} at {}", expressions::shown(f.text), values[bad],
                            place_of(points, static_cast<std::size_t>(bad), when, of_solution)),
                "it must be finite at every point where it is used; look for a division by zero, or sqrt or log of a "
                "negative number",
                f.where);
  }
}

}  // namespace tessera::deck
