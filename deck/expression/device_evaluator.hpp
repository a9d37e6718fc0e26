#pragma once
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "base/disk_cache.hpp"
#include "deck/expression.hpp"
#include "deck/expression/kernel_arguments.hpp"
#include "deck/expression/operations.hpp"

namespace tessera::deck {

/// For tests: ways that are not taken, another file for NVRTC, another folder for what was compiled.
struct DeviceEvaluatorOptions {
  bool compile = true, interpret = true;
  std::string nvrtc;
  std::filesystem::path cache = DiskCache::default_folder();
};

/// Evaluates several expressions at points on the device: what they have in common is computed once a point. They are
/// compiled by NVRTC when this is made, for the device at hand, which takes 0.1 to 1 s the first time and is then found
/// in a DiskCache. Where there is no NVRTC, or an expression is so large that compiling it would take long, a kernel
/// interprets it; one with more intermediate results than that has room for is evaluated on the host and copied. The
/// summary has a warning where NVRTC cannot be used. Values are those of an Evaluator but for the rounding of functions
/// (CUDA's are within 1 to 3 units in the last place); +, -, *, / are exactly those. Of CUDA builds.
class DeviceEvaluator {
 public:
  /// Values of a variable on the device: that of point i is values[i * stride]; without `values`, `value` for all.
  using Input = expressions::KernelInput;
  /// Where on the device the values of an expression go: that of the point with place p to values[p * stride].
  using Output = expressions::KernelOutput;
  /// Inputs by the numbers of the variables.
  using Inputs = std::array<Input, expressions::variables.size()>;

  /// Point i has place first + i, or with a list on the device of cells with `points` each: list[i / points] * points +
  /// i % points. So the values at the points of some cells get where those of all cells stand.
  struct Cells {
    const Index* list = nullptr;
    int points = 1;
    Offset first = 0;
  };

  /// How an expression is evaluated.
  enum class Way { compiled, interpreted, on_host };

  DeviceEvaluator(Cuda& exec, std::vector<Expression> expressions, const DeviceEvaluatorOptions& options = {});
  ~DeviceEvaluator();
  DeviceEvaluator(DeviceEvaluator&&) noexcept;

  /// The variables at points on the device, and t.
  static Inputs at_points(const Points& points, double t);
  static Inputs at_points(const double* xyz, double t) { return at_points(Points{xyz}, t); }

  /// Values at `count` points to outputs[k], k by expression; waits. Throws Error(usage) like Evaluator::evaluate,
  /// naming the first expression that is not finite somewhere and its first such point; Error(internal) where one
  /// depends on the solution and there are no values of that.
  void evaluate(Cuda& exec, const Inputs& inputs, Offset count, std::span<const Output> outputs);

  /// The same without a look at the values, and without waiting unless an expression is evaluated on the host.
  void enqueue(Cuda& exec, const Inputs& inputs, Offset count, std::span<const Output> outputs, const Cells& cells);
  void enqueue(Cuda& exec, const Inputs& inputs, Offset count, std::span<const Output> outputs) {
    enqueue(exec, inputs, count, outputs, Cells());
  }

  /// The first expression that had no finite value since this was last asked, and the least place of such a value.
  /// Waits.
  struct NotFinite {
    std::size_t expression;
    Offset place;
  };
  std::optional<NotFinite> first_not_finite(Cuda& exec);
  /// Throws what an Evaluator throws for the expression at this point, on the host, where the device found `value`.
  [[noreturn]] void refuse(std::size_t expression, double value, const Points& point, double t) const;

  Way way(std::size_t expression) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::deck
