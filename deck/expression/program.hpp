#pragma once
// An expression as a list of instructions on registers, each a loop over a block of points.
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "deck/expression/tree.hpp"
#include "deck/expression/vector_math.hpp"

namespace tessera::deck::expressions {

/// Values of a variable: that of point i is values[i * stride].
struct Input {
  const double* values = nullptr;
  std::size_t stride = 0;
};

/// The same expression in the tree `to`, with powers as products where pow would gain nothing: x^4 = (x x)^2 is within
/// 2 ulp. Whatever evaluates an expression evaluates this one.
NodeId copy_without_small_powers(const Tree& tree, NodeId root, Tree& to);

class Program {
 public:
  using Register = std::uint32_t;
  struct Number {
    Register result;
    double value;
  };
  struct Variable {
    Register result;
    std::uint32_t variable;
  };
  struct Instruction {
    Loop loop;
    Op op;
    Register result, a, b, c;
  };

  /// A node that several others use is computed once; what depends on constants and time alone, once a call.
  Program(const Tree& tree, NodeId root);

  /// Registers of one thread and one program, as many numbers each as the longest block so far. Constants stay in them
  /// from call to call, and what depends on time alone as long as that stays.
  struct Workspace {
    Array<double, Host> registers;
    std::size_t length = 0;
  };

  /// values[i] = f(inputs of point i), `inputs` by the numbers of the variables. A value does not depend on the other
  /// points. Returns the first i whose value is not finite, or `count`.
  std::size_t evaluate(std::span<const Input> inputs, std::size_t count, double* values, Workspace& workspace) const;

  std::size_t registers() const { return registers_; }
  std::size_t instructions() const { return once_.size() + each_block_.size(); }

  /// What it consists of, for others that run it: registers that hold a number throughout, variables that are the same
  /// for all points and those that are not, instructions of the first kind and of the second, and the value's register.
  std::span<const Number> numbers() const { return numbers_; }
  std::span<const Variable> uniform() const { return uniform_; }
  std::span<const Variable> varying() const { return varying_; }
  std::span<const Instruction> once() const { return once_; }
  std::span<const Instruction> each_point() const { return each_block_; }
  Register result() const { return result_; }

 private:
  class Compiler;
  void run(const std::vector<Instruction>& instructions, std::size_t points, Workspace& workspace) const;
  void prepare(std::span<const Input> inputs, std::size_t length, Workspace& workspace) const;

  std::vector<Number> numbers_;
  std::vector<Variable> uniform_, varying_;
  std::vector<Instruction> once_, each_block_;
  Register result_ = 0;
  std::size_t registers_ = 0;
  std::size_t block_ = 0;  ///< points
};

}  // namespace tessera::deck::expressions
