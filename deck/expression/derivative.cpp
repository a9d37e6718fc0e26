#include "deck/expression/derivative.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace tessera::deck::expressions {

namespace {

/// Formulas over a tree, written as one writes them; zeros and ones disappear, constants come first in products. Other
/// than a tree by itself it takes 0 a for 0, whatever a is.
class Calculus {
 public:
  explicit Calculus(Tree tree) : tree(std::move(tree)) {}

  NodeId number(double value) { return tree.constant(value); }
  NodeId of(Op op, NodeId a, NodeId b = 0) { return tree.apply(op, a, b); }
  bool is_zero(NodeId a) const { return tree.is_constant(a, 0); }

  NodeId negative(NodeId a) {
    const Node n = tree[a];
    if ((n.op == Op::multiply || n.op == Op::divide) && tree.is_constant(n.a)) return of(n.op, negative(n.a), n.b);
    if (n.op == Op::subtract) return of(Op::subtract, n.b, n.a);
    return is_zero(a) ? a : of(Op::negate, a);
  }
  NodeId sum(NodeId a, NodeId b) {
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    if (tree[b].op == Op::negate) return difference(a, tree[b].a);
    return of(Op::add, a, b);
  }
  NodeId difference(NodeId a, NodeId b) {
    if (is_zero(b)) return a;
    if (is_zero(a)) return negative(b);
    if (a == b) return number(0);
    if (tree[b].op == Op::negate) return sum(a, tree[b].a);
    return of(Op::subtract, a, b);
  }
  /// c ? 0 : r or c ? r : 0. Times anything it is 0 where it is 0: sqrt(max(u, 0)) has the slope 0 for u < 0, not 0/0.
  bool is_zero_somewhere(NodeId a) const {
    return tree[a].op == Op::select && (is_zero(tree[a].b) || is_zero(tree[a].c));
  }
  /// The same with f(r) in the place of r.
  template <class F>
  NodeId in_branch(NodeId a, F f) {
    const Node n = tree[a];
    return is_zero(n.b) ? select(n.a, n.b, f(n.c)) : select(n.a, f(n.b), n.c);
  }
  NodeId product(NodeId a, NodeId b) {
    if (is_zero(a) || is_zero(b)) return number(0);
    if (tree.is_constant(b)) std::swap(a, b);
    if (tree.is_constant(a, -1)) return negative(b);
    if (is_zero_somewhere(a)) std::swap(a, b);
    if (is_zero_somewhere(b)) return in_branch(b, [&](NodeId branch) { return product(a, branch); });
    const Node right = tree[b];
    if (right.op == Op::negate) return negative(product(a, right.a));
    if (tree[a].op == Op::negate) return negative(product(tree[a].a, b));
    // c (d r) = (c d) r for numbers c, d; a (c r) = c a r; a (c / r) = c a / r.
    if (right.op == Op::multiply && tree.is_constant(right.a))
      return tree.is_constant(a) ? of(Op::multiply, of(Op::multiply, a, right.a), right.b)
                                 : product(product(right.a, a), right.b);
    if (right.op == Op::divide && tree.is_constant(right.a)) return quotient(product(right.a, a), right.b);
    if (const Node left = tree[a]; left.op == Op::divide && tree.is_constant(left.a))
      return quotient(product(left.a, b), left.b);
    return of(Op::multiply, a, b);
  }
  NodeId quotient(NodeId a, NodeId b) {
    if (is_zero(a)) return a;
    if (is_zero_somewhere(a)) return in_branch(a, [&](NodeId branch) { return quotient(branch, b); });
    if (tree[a].op == Op::negate) return negative(quotient(tree[a].a, b));
    return of(Op::divide, a, b);
  }
  NodeId square(NodeId a) { return of(Op::power, a, number(2)); }
  NodeId select(NodeId condition, NodeId yes, NodeId no) { return tree.apply(Op::select, condition, yes, no); }

  /// d/dv of an operation on a, b with derivatives da, db; f is the operation itself.
  NodeId derivative(Op op, NodeId f, NodeId a, NodeId b, NodeId da, NodeId db);

  Tree tree;

 private:
  NodeId of_power(NodeId f, NodeId a, NodeId b, NodeId da, NodeId db);
  NodeId of_function(Op op, NodeId f, NodeId a);
};

/// (a^b)' = b a^(b-1) a' + a^b log(a) b'
NodeId Calculus::of_power(NodeId f, NodeId a, NodeId b, NodeId da, NodeId db) {
  const NodeId less = tree.is_constant(b) ? number(tree[b].value - 1) : of(Op::subtract, b, number(1));
  const NodeId by_base = is_zero(da) ? number(0) : product(product(b, of(Op::power, a, less)), da);
  const NodeId by_exponent = is_zero(db) ? number(0) : product(product(f, of(Op::log, a)), db);
  return sum(by_base, by_exponent);
}

/// Of functions of one argument: df/da.
NodeId Calculus::of_function(Op op, NodeId f, NodeId a) {
  const NodeId one = number(1);
  switch (op) {
    case Op::sin: return of(Op::cos, a);
    case Op::cos: return negative(of(Op::sin, a));
    case Op::tan: return quotient(one, square(of(Op::cos, a)));
    case Op::asin: return quotient(one, of(Op::sqrt, difference(one, square(a))));
    case Op::acos: return quotient(number(-1), of(Op::sqrt, difference(one, square(a))));
    case Op::atan: return quotient(one, sum(one, square(a)));
    case Op::sinh: return of(Op::cosh, a);
    case Op::cosh: return of(Op::sinh, a);
    case Op::tanh: return quotient(one, square(of(Op::cosh, a)));
    case Op::asinh: return quotient(one, of(Op::sqrt, sum(one, square(a))));
    case Op::acosh: return quotient(one, of(Op::sqrt, difference(square(a), one)));
    case Op::atanh: return quotient(one, difference(one, square(a)));
    case Op::exp: return f;
    case Op::log: return quotient(one, a);
    case Op::log2: return quotient(number(1 / std::numbers::ln2), a);
    case Op::log10: return quotient(number(1 / std::numbers::ln10), a);
    case Op::sqrt: return quotient(number(0.5), f);
    case Op::cbrt: return quotient(one, product(number(3), square(f)));
    case Op::abs: return of(Op::sign, a);
    case Op::erf: return product(number(2 / std::sqrt(std::numbers::pi)), of(Op::exp, negative(square(a))));
    case Op::erfc: return product(number(-2 / std::sqrt(std::numbers::pi)), of(Op::exp, negative(square(a))));
    default: return number(0);  // sign, floor, ceil, rint
  }
}

NodeId Calculus::derivative(Op op, NodeId f, NodeId a, NodeId b, NodeId da, NodeId db) {
  if (is_logical(op)) return number(0);
  switch (op) {
    case Op::negate: return negative(da);
    case Op::add: return sum(da, db);
    case Op::subtract: return difference(da, db);
    case Op::multiply: return sum(product(da, b), product(a, db));
    case Op::divide:
      if (is_zero(db)) return quotient(da, b);
      return quotient(difference(product(da, b), product(a, db)), square(b));
    case Op::power: return of_power(f, a, b, da, db);
    case Op::atan2:  // atan(a / b)
      return quotient(difference(product(da, b), product(a, db)), sum(square(a), square(b)));
    case Op::hypot: return quotient(sum(product(a, da), product(b, db)), f);
    case Op::mod: return is_zero(db) ? da : difference(da, product(db, of(Op::floor, of(Op::divide, a, b))));
    case Op::min: return select(of(Op::less, b, a), db, da);
    case Op::max: return select(of(Op::less, a, b), db, da);
    default: return is_zero(da) ? da : product(of_function(op, f, a), da);
  }
}

}  // namespace

Root derivative(const Root& f, std::uint32_t variable) {
  Calculus calculus(f.tree);
  const NodeId zero = calculus.number(0), one = calculus.number(1);
  const std::vector<char> used = f.tree.used_by(f.node);
  std::vector<NodeId> of(used.size(), zero);
  for (NodeId node = 0; node <= f.node; ++node) {
    if (!used[node]) continue;
    const Node n = calculus.tree[node];
    if (n.op == Op::variable)
      of[node] = n.variable == variable ? one : zero;
    else if (n.op == Op::select)
      of[node] = calculus.select(n.a, of[n.b], of[n.c]);
    else if (n.op != Op::constant)
      of[node] = calculus.derivative(n.op, node, n.a, n.b, of[n.a], operands(n.op) > 1 ? of[n.b] : zero);
  }
  return {std::move(calculus.tree), of[f.node]};
}

}  // namespace tessera::deck::expressions
