#include "deck/expression/tree.hpp"

#include <algorithm>
#include <bit>

#include "deck/expression/vector_math.hpp"

namespace tessera::deck::expressions {

std::size_t Tree::Hash::operator()(const Node& node) const {
  std::uint64_t hash = static_cast<std::uint64_t>(node.op);
  for (const std::uint64_t part : {std::uint64_t{node.a}, std::uint64_t{node.b}, std::uint64_t{node.c},
                                   std::uint64_t{node.variable}, std::bit_cast<std::uint64_t>(node.value)})
    hash = (std::rotl(hash, 23) ^ part) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

bool Tree::Same::operator()(const Node& left, const Node& right) const {
  return left.op == right.op && left.a == right.a && left.b == right.b && left.c == right.c &&
         left.variable == right.variable &&
         std::bit_cast<std::uint64_t>(left.value) == std::bit_cast<std::uint64_t>(right.value);
}

NodeId Tree::add(const Node& node) {
  const auto [entry, is_new] = numbers_.try_emplace(node, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return entry->second;
}

NodeId Tree::constant(double value) { return add({.value = value}); }

NodeId Tree::variable(std::uint32_t number) { return add({.op = Op::variable, .variable = number}); }

NodeId Tree::apply(Op op, NodeId a, NodeId b, NodeId c) {
  const int count = operands(op);
  if (is_constant(a) && (count < 2 || is_constant(b)) && (count < 3 || is_constant(c)))
    return constant(kernel(op).value(nodes_[a].value, nodes_[b].value, nodes_[c].value));
  if (op == Op::negate && nodes_[a].op == Op::negate) return nodes_[a].a;
  if (op == Op::multiply && is_constant(a, 1)) return b;
  if ((op == Op::multiply || op == Op::divide) && is_constant(b, 1)) return a;
  if (op == Op::power && is_constant(b, 1)) return a;
  if (op == Op::power && is_constant(b, 0)) return constant(1);
  if (op == Op::select && is_constant(a)) return nodes_[a].value != 0 ? b : c;
  if (op == Op::select && b == c) return b;
  return add({.op = op, .a = a, .b = count > 1 ? b : 0, .c = count > 2 ? c : 0});
}

std::vector<char> Tree::used_by(NodeId root) const {
  std::vector<char> used(root + std::size_t{1}, 0);
  used[root] = 1;
  for (NodeId node = root + 1; node-- > 0;) {
    if (!used[node]) continue;
    const Node& n = nodes_[node];
    const NodeId of[] = {n.a, n.b, n.c};
    for (int i = 0; i < std::min(3, operands(n.op)); ++i) used[of[i]] = 1;
  }
  return used;
}

NodeId Tree::copy(const Tree& from, NodeId root, std::span<const NodeId> variables) {
  const std::vector<char> used = from.used_by(root);
  std::vector<NodeId> of(used.size());
  for (NodeId node = 0; node <= root; ++node) {
    if (!used[node]) continue;
    const Node& n = from[node];
    of[node] = n.op == Op::constant   ? constant(n.value)
               : n.op == Op::variable ? variables[n.variable]
                                      : apply(n.op, of[n.a], of[n.b], of[n.c]);
  }
  return of[root];
}

}  // namespace tessera::deck::expressions
