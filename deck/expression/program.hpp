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

class Program {
 public:
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

 private:
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
    Register result, a, b, c;
  };
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
