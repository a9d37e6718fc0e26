#pragma once
// Expressions as the text of a CUDA kernel, and in one tree. Needs no CUDA.
#include <span>
#include <string>
#include <vector>

#include "deck/expression/tree.hpp"

namespace tessera::deck::expressions {

/// Several expressions in one tree, where what they have in common is one node.
struct Roots {
  Tree tree;
  std::vector<NodeId> nodes;
};

/// The same expressions, with powers as products like those of a Program.
Roots join(std::span<const Root* const> roots);

/// How long the compiler takes for an expression, in units of a sum; and what it takes a second or so for, all
/// expressions of a kernel together. Beyond, it may take minutes: 190 s for 2000 powers.
std::size_t weight_of(const Root& root);
inline constexpr std::size_t most_weight = 2048;

/// Text of the kernel `extern "C" __global__ void evaluate(KernelArguments)` (kernel_arguments.hpp) that computes the
/// values of at most most_roots expressions at points, each node once: `const double r7 = op_sin(r3);`. Operations are
/// functions whose bodies stand in formulas.hpp, numbers are hexadecimal; nothing else comes from what a user wrote. To
/// be compiled without fused multiply-adds. Not recursive.
std::string cuda_source(const Roots& roots);

}  // namespace tessera::deck::expressions
