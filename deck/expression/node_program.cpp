#include "deck/expression/node_program.hpp"

#include <algorithm>

namespace tessera::deck::expressions {

NodeProgram::NodeProgram(const Tree& tree, std::span<const NodeId> roots, int variables) : registers(variables) {
  const NodeId last = *std::max_element(roots.begin(), roots.end());
  std::vector<char> used(last + 1, 0);
  for (const NodeId root : roots) {
    const std::vector<char> of_root = tree.used_by(root);
    for (NodeId node = 0; node <= root; ++node) used[node] |= of_root[node];
  }
  // A register is free after the last step that reads it; results are stored as soon as they are there.
  std::vector<NodeId> last_use(last + 1, 0);
  for (NodeId node = 0; node <= last; ++node) {
    const Node& n = tree[node];
    const NodeId of[] = {n.a, n.b, n.c};
    for (int i = 0; used[node] && i < operands(n.op); ++i) last_use[of[i]] = node;
  }
  std::vector<std::int32_t> place(last + 1, 0), free;
  for (NodeId node = 0; node <= last; ++node) {
    if (!used[node]) continue;
    const Node& n = tree[node];
    const int count = operands(n.op);
    if (n.op == Op::constant) {
      numbers.push_back(n.value);
      place[node] = -static_cast<std::int32_t>(numbers.size());
    } else if (n.op == Op::variable) {
      place[node] = static_cast<std::int32_t>(n.variable);
    } else {
      const NodeId of[] = {n.a, count > 1 ? n.b : n.a, count > 2 ? n.c : n.a};
      for (int i = 0; i < count; ++i) {
        const bool is_repeated = std::find(of, of + i, of[i]) != of + i;
        if (!is_repeated && place[of[i]] >= variables && last_use[of[i]] == node) free.push_back(place[of[i]]);
      }
      if (free.empty()) free.push_back(registers++);
      place[node] = free.back();
      free.pop_back();
      steps.push_back({n.op, place[node], place[of[0]], place[of[1]], place[of[2]]});
    }
    for (std::size_t k = 0; k < roots.size(); ++k)
      if (roots[k] == node && !tree.is_constant(node, 0))
        steps.push_back({Op::constant, static_cast<std::int32_t>(k), place[node], place[node], place[node]});
    if (last_use[node] == 0 && place[node] >= variables) free.push_back(place[node]);
  }
}

}  // namespace tessera::deck::expressions
