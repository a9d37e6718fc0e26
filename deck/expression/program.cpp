#include "deck/expression/program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::deck::expressions {

namespace {

/// Bytes that all registers of a block should stay within, for the nearest cache, and the points of a block: more of
/// them gain nothing, fewer pay for the calls.
constexpr std::size_t bytes_of_registers = 24 << 10;
constexpr std::size_t least_points = 32, most_points = 256;

std::size_t padded(std::size_t count) { return (count + vector_length - 1) / vector_length * vector_length; }

}  // namespace

NodeId copy_without_small_powers(const Tree& tree, NodeId root, Tree& to) {
  const std::vector<char> used = tree.used_by(root);
  std::vector<NodeId> of(used.size());
  for (NodeId node = 0; node <= root; ++node) {
    if (!used[node]) continue;
    const Node& n = tree[node];
    const NodeId a = of[n.a];
    if (n.op == Op::constant)
      of[node] = to.constant(n.value);
    else if (n.op == Op::variable)
      of[node] = to.variable(n.variable);
    else if (n.op == Op::power && tree.is_constant(n.b, -1))
      of[node] = to.apply(Op::divide, to.constant(1), a);
    else if (n.op == Op::power && (tree.is_constant(n.b, 2) || tree.is_constant(n.b, 3) || tree.is_constant(n.b, 4))) {
      const NodeId square = to.apply(Op::multiply, a, a);
      const double exponent = tree[n.b].value;
      of[node] = exponent == 2 ? square : to.apply(Op::multiply, square, exponent == 3 ? a : square);
    } else
      of[node] = to.apply(n.op, a, of[n.b], of[n.c]);
  }
  return of[root];
}

/// Gives each node a register. Constants, variables and what is computed once keep theirs; another one is free after
/// its node's last use.
class Program::Compiler {
 public:
  Compiler(Program& program, const Tree& tree, NodeId root)
      : program_(program), tree_(tree), used_(tree.used_by(root)), once_(used_.size()), register_(used_.size()) {
    find_last_uses(root);
    for (NodeId node = 0; node <= root; ++node)
      if (used_[node]) emit(node);
    program_.result_ = register_[root];
    program_.registers_ = count_;
  }

 private:
  void find_last_uses(NodeId root) {
    last_use_.assign(used_.size(), 0);
    for (NodeId node = 0; node <= root; ++node) {
      const Node& n = tree_[node];
      const NodeId of[] = {n.a, n.b, n.c};
      if (used_[node])
        for (int i = 0; i < std::min(3, operands(n.op)); ++i) last_use_[of[i]] = node;
    }
    last_use_[root] = root + 1;
  }

  Register take() {
    if (free_.empty()) return count_++;
    const Register r = free_.back();
    free_.pop_back();
    return r;
  }

  void emit(NodeId node) {
    const Node& n = tree_[node];
    if (n.op == Op::constant) {
      once_[node] = 1;
      register_[node] = count_++;
      program_.numbers_.push_back({register_[node], n.value});
    } else if (n.op == Op::variable) {
      once_[node] = n.variable == time_variable;
      register_[node] = count_++;
      (once_[node] ? program_.uniform_ : program_.varying_).push_back({register_[node], n.variable});
    } else {
      emit_operation(node, n);
    }
  }

  void emit_operation(NodeId node, const Node& n) {
    const int count = std::min(3, operands(n.op));
    const NodeId of[] = {n.a, count > 1 ? n.b : n.a, count > 2 ? n.c : n.a};
    once_[node] = once_[of[0]] && once_[of[1]] && once_[of[2]];
    register_[node] = once_[node] ? count_++ : take();  // before operands are freed: loops do not work in place
    (once_[node] ? program_.once_ : program_.each_block_)
        .push_back({kernel(n.op).loop, n.op, register_[node], register_[of[0]], register_[of[1]], register_[of[2]]});
    for (int i = 0; i < count; ++i) {
      const NodeId operand = of[i];
      const bool keeps = once_[operand] || tree_[operand].op == Op::variable;
      if (keeps || last_use_[operand] != node) continue;
      free_.push_back(register_[operand]);
      last_use_[operand] = 0;  // x*x gives back x once
    }
  }

  Program& program_;
  const Tree& tree_;
  std::vector<char> used_, once_;
  std::vector<NodeId> last_use_;
  std::vector<Register> register_, free_;
  Register count_ = 0;
};

Program::Program(const Tree& tree, NodeId root) {
  Root plain;
  plain.node = copy_without_small_powers(tree, root, plain.tree);
  const Compiler compiled(*this, plain.tree, plain.node);
  block_ = std::clamp(bytes_of_registers / (8 * registers_) / vector_length * vector_length, least_points, most_points);
}

void Program::run(const std::vector<Instruction>& instructions, std::size_t points, Workspace& workspace) const {
  double* const registers = workspace.registers.data();
  const auto at = [&](Register r) { return registers + r * workspace.length; };
  for (const Instruction& i : instructions) i.loop(points, at(i.a), at(i.b), at(i.c), at(i.result));
}

/// Registers for blocks of `length` points, and in them what does not change from block to block.
void Program::prepare(std::span<const Input> inputs, std::size_t length, Workspace& workspace) const {
  bool is_new = workspace.length < length;
  if (is_new) {
    workspace.registers = Array<double, Host>(static_cast<Offset>(registers_ * length));
    workspace.length = length;
    for (const Number& number : numbers_)
      fill(number.value, length, workspace.registers.data() + number.result * length);
  }
  for (const Variable& variable : uniform_) {
    double* const to = workspace.registers.data() + variable.result * workspace.length;
    const double value = *inputs[variable.variable].values;
    is_new |= std::bit_cast<std::uint64_t>(*to) != std::bit_cast<std::uint64_t>(value);
    if (is_new) fill(value, workspace.length, to);
  }
  if (is_new) run(once_, workspace.length, workspace);
}

std::size_t Program::evaluate(std::span<const Input> inputs, std::size_t count, double* values,
                              Workspace& workspace) const {
  if (count == 0) return 0;
  const std::size_t most = std::min(padded(count), block_);
  prepare(inputs, most, workspace);
  const auto at = [&](Register r) { return workspace.registers.data() + r * workspace.length; };
  std::size_t bad = count;
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t points = std::min(most, count - first), length = padded(points);
    for (const Variable& variable : varying_) {
      const Input& input = inputs[variable.variable];
      gather(input.values + first * input.stride, input.stride, points, at(variable.result));
    }
    run(each_block_, length, workspace);
    const double* const result = at(result_);
    double nothing = 0;  // or NaN
#pragma omp simd reduction(+ : nothing)
    for (std::size_t i = 0; i < points; ++i) {
      values[first + i] = result[i];
      nothing += result[i] - result[i];
    }
    if (nothing == 0 || bad < count) continue;
    for (bad = first; std::isfinite(values[bad]);) ++bad;
  }
  return bad;
}

}  // namespace tessera::deck::expressions
