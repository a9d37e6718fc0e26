#pragma once
// The meaning of an expression: nodes that share what is the same.
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "deck/expression/operations.hpp"

namespace tessera::deck::expressions {

/// Number of a node. Operands are made before what uses them: their numbers are smaller, so that a loop over numbers
/// visits every operand before its users, without recursion.
using NodeId = std::uint32_t;

struct Node {
  Op op = Op::constant;
  NodeId a = 0, b = 0, c = 0;  ///< operands; those that the operation does not have are 0
  std::uint32_t variable = 0;  ///< of Op::variable
  double value = 0;            ///< of Op::constant
};

/// Nodes of which no two are the same operation on the same operands. Operations on constants are done at once, by the
/// standard library; what else is simplified keeps every bit of every value, also of infinities, NaN and -0.
class Tree {
 public:
  NodeId constant(double value);
  NodeId variable(std::uint32_t number);
  NodeId apply(Op op, NodeId a, NodeId b = 0, NodeId c = 0);

  const Node& operator[](NodeId node) const { return nodes_[node]; }
  bool is_constant(NodeId node) const { return nodes_[node].op == Op::constant; }
  bool is_constant(NodeId node, double value) const { return is_constant(node) && nodes_[node].value == value; }
  /// Which nodes `root` is made of, itself included: a flag for each number up to its own.
  std::vector<char> used_by(NodeId root) const;
  /// A copy of a node of another tree, with nodes of this one in the place of its variables, by their numbers.
  NodeId copy(const Tree& from, NodeId root, std::span<const NodeId> variables);

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  struct Same {
    bool operator()(const Node& left, const Node& right) const;
  };
  NodeId add(const Node& node);
  std::vector<Node> nodes_;
  std::unordered_map<Node, NodeId, Hash, Same> numbers_;
};

/// An expression: a node of a tree.
struct Root {
  Tree tree;
  NodeId node = 0;
};

}  // namespace tessera::deck::expressions
