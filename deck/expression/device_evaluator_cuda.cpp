#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "base/array.hpp"
#include "base/error.hpp"
#include "base/loaded_kernel.hpp"
#include "base/log.hpp"
#include "base/nvrtc.hpp"
#include "deck/expression/cuda_source.hpp"
#include "deck/expression/device_evaluator.hpp"
#include "deck/expression/interpreter.hpp"
#include "deck/expression/parse.hpp"

namespace tessera::deck {

namespace {

using expressions::KernelArguments;
using expressions::Program;
using expressions::Root;
using Way = DeviceEvaluator::Way;

/// Points of one launch, and of one copy where the host evaluates.
constexpr Offset most_points = Offset{1} << 30;
constexpr Offset host_points = Offset{1} << 16;
constexpr unsigned long long none = ~0ull;

/// Expressions first .. first + count, and their kernel where they are compiled.
struct Group {
  std::size_t first = 0, count = 0;
  std::optional<LoadedKernel> kernel;
};

/// One expression that is not compiled.
struct Single {
  std::size_t expression;
  std::vector<char> uses;  ///< by variable
  Program program;
  std::optional<expressions::DeviceListing> listing;  ///< where it is interpreted
  Program::Workspace workspace = {};                  ///< where the host evaluates it
};

/// Once for each reason in a process.
void say_why_not_compiled(const std::string& problem) {
  static std::mutex guard;
  static std::set<std::string> said;
  const std::lock_guard lock(guard);
  if (said.insert(problem).second)
    warn(
        fmt::format("expressions are interpreted on the GPU, which is slower than compiled ones: {}; put the CUDA "
                    "toolkit's lib64 on LD_LIBRARY_PATH or name the library in TESSERA_NVRTC",
                    problem));
}

std::optional<LoadedKernel> compile(const std::vector<const Root*>& roots, const DeviceEvaluatorOptions& options) {
  const Nvrtc& nvrtc = Nvrtc::library(options.nvrtc);
  std::string problem = nvrtc.problem();
  if (nvrtc.usable()) {
    const std::string source = expressions::cuda_source(expressions::join(roots));
    const std::vector<std::string> words = {"--gpu-architecture=" + LoadedKernel::architecture(), "--fmad=false",
                                            "--std=c++17"};
    const std::string key = fmt::format("NVRTC {} {}\n{}", nvrtc.version(), fmt::join(words, " "), source);
    const DiskCache cache(options.cache);
    if (const std::optional<std::string> kept = cache.read(key))
      if (std::optional<LoadedKernel> kernel = LoadedKernel::load(*kept, "evaluate", problem)) return kernel;
    if (const std::optional<std::string> made = nvrtc.compile(source, words, problem)) {
      cache.write(key, *made);
      if (std::optional<LoadedKernel> kernel = LoadedKernel::load(*made, "evaluate", problem)) return kernel;
    }
  }
  say_why_not_compiled(problem);
  return {};
}

/// Variables that an expression has.
std::vector<char> variables_of(const Root& root) {
  std::vector<char> uses(expressions::variables.size(), 0);
  const std::vector<char> used = root.tree.used_by(root.node);
  for (expressions::NodeId node = 0; node < used.size(); ++node)
    if (used[node] && root.tree[node].op == expressions::Op::variable) uses[root.tree[node].variable] = 1;
  return uses;
}

double item(const double* on_device) {
  double value = 0;
  copy_bytes(Device{}, on_device, Host{}, &value, sizeof value);
  return value;
}

}  // namespace

struct DeviceEvaluator::State {
  std::vector<Expression> expressions;
  std::vector<Way> ways;
  std::vector<std::size_t> of_solution;  ///< variables of the solution that are used
  std::vector<Group> groups;
  std::vector<Single> singles;
  Array<unsigned long long, Device> bad;  ///< by expression, the least place
  Array<double, Device> column;           ///< values from the host

  State(std::vector<Expression> given, const DeviceEvaluatorOptions& options)
      : expressions(std::move(given)),
        ways(expressions.size(), Way::compiled),
        bad(static_cast<Offset>(expressions.size())) {
    forget_bad();
    for (std::size_t v = expressions::solution_variable; v < expressions::variables.size(); ++v)
      if (std::any_of(this->expressions.begin(), this->expressions.end(),
                      [&](const Expression& one) { return one.depends_on(static_cast<Variable>(v)); }))
        of_solution.push_back(v);
    make_groups(options);
    for (Group& group : groups) {
      std::vector<const Root*> roots;
      for (std::size_t k = group.first; k < group.first + group.count; ++k) roots.push_back(&expressions[k].root());
      group.kernel = compile(roots, options);
      for (std::size_t k = group.first; !group.kernel && k < group.first + group.count; ++k) add_single(k, options);
    }
  }

  void forget_bad() {
    if (!bad.empty()) fill_bytes(Device{}, bad.data(), 0xff, bad.bytes());
  }

  /// Neighbours together, as many as one kernel takes.
  void make_groups(const DeviceEvaluatorOptions& options) {
    std::size_t weight = 0;
    for (std::size_t k = 0; k < expressions.size(); ++k) {
      const std::size_t own = weight_of(expressions[k].root());
      if (!options.compile || own > expressions::most_weight) {
        add_single(k, options);
        continue;
      }
      const bool follows = !groups.empty() && groups.back().first + groups.back().count == k;
      if (!follows || groups.back().count == expressions::most_roots || weight + own > expressions::most_weight) {
        groups.push_back({k, 0, {}});
        weight = 0;
      }
      ++groups.back().count;
      weight += own;
    }
  }

  void add_single(std::size_t k, const DeviceEvaluatorOptions& options) {
    const Root& root = expressions[k].root();
    Single one{k, variables_of(root), Program(root.tree, root.node), {}};
    const expressions::Listing listing(one.program);
    const bool fits = options.interpret && listing.registers <= expressions::most_registers;
    if (fits) one.listing.emplace(listing);
    ways[k] = fits ? Way::interpreted : Way::on_host;
    singles.push_back(std::move(one));
  }

  /// Points first .. first + count of the arguments.
  static KernelArguments arguments_of(const Inputs& inputs, Offset first, Offset count, const Cells& cells) {
    KernelArguments result{};
    for (std::size_t v = 0; v < inputs.size(); ++v) {
      result.inputs[v] = inputs[v];
      if (inputs[v].values) result.inputs[v].values += first * inputs[v].stride;
    }
    if (cells.list) result.cells = cells.list + first / cells.points;
    result.per_cell = cells.points;
    result.count = static_cast<int>(count);
    result.first = cells.first + first;
    return result;
  }

  void enqueue(Cuda& exec, KernelArguments& arguments, std::span<const Output> outputs) {
    for (const Group& group : groups) {
      if (!group.kernel) continue;
      std::copy_n(outputs.begin() + static_cast<std::ptrdiff_t>(group.first), group.count, arguments.outputs);
      arguments.bad = bad.data() + group.first;
      const Offset blocks = blocks_over_points(exec, arguments.count, expressions::kernel_block);
      group.kernel->launch(exec, blocks, expressions::kernel_block, arguments);
    }
    for (Single& one : singles) {
      arguments.outputs[0] = outputs[one.expression];
      arguments.bad = bad.data() + one.expression;
      if (one.listing)
        interpret(exec, *one.listing, arguments);
      else
        on_host(exec, one, arguments);
    }
  }

  void on_host(Cuda& exec, Single& one, const KernelArguments& all) {
    if (column.empty()) column = Array<double, Device>(host_points);
    // Whole cells, so that the part has a list of its own.
    const Offset step = all.cells ? std::max<Offset>(1, host_points / all.per_cell) * all.per_cell : host_points;
    if (column.size() < step) column = Array<double, Device>(step);
    std::vector<double> values(static_cast<std::size_t>(step));
    std::vector<std::vector<double>> copies(one.uses.size());
    for (Offset begin = 0; begin < all.count; begin += step) {
      const Offset count = std::min(step, all.count - begin);
      KernelArguments part = all;
      part.count = static_cast<int>(count);
      part.first += begin;
      if (part.cells) part.cells += begin / part.per_cell;
      std::vector<expressions::Input> inputs(one.uses.size());
      for (std::size_t v = 0; v < one.uses.size(); ++v) {
        if (!one.uses[v]) continue;
        const Input& input = all.inputs[v];
        if (!input.values) {
          inputs[v] = {&input.value, 0};
          continue;
        }
        copies[v].resize(static_cast<std::size_t>((count - 1) * input.stride + 1));
        copy_bytes(Device{}, input.values + begin * input.stride, Host{}, copies[v].data(),
                   sizeof(double) * copies[v].size());
        inputs[v] = {copies[v].data(), static_cast<std::size_t>(input.stride)};
      }
      one.program.evaluate(inputs, static_cast<std::size_t>(count), values.data(), one.workspace);
      copy_bytes(Host{}, values.data(), Device{}, column.data(), sizeof(double) * static_cast<std::size_t>(count));
      store_values(exec, column.data(), part);
    }
  }
};

DeviceEvaluator::DeviceEvaluator(Cuda&, std::vector<Expression> expressions, const DeviceEvaluatorOptions& options)
    : state_(std::make_unique<State>(std::move(expressions), options)) {}
DeviceEvaluator::~DeviceEvaluator() = default;
DeviceEvaluator::DeviceEvaluator(DeviceEvaluator&&) noexcept = default;

DeviceEvaluator::Inputs DeviceEvaluator::at_points(const Points& points, double t) {
  Inputs inputs{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    inputs[axis] = {points.xyz + axis, 3, 0};
    if (points.gradient) inputs[expressions::gradient_variable + axis] = {points.gradient + axis, 3, 0};
  }
  if (points.u) inputs[expressions::solution_variable] = {points.u, 1, 0};
  inputs[expressions::time_variable] = {nullptr, 0, t};
  return inputs;
}

void DeviceEvaluator::enqueue(Cuda& exec, const Inputs& inputs, Offset count, std::span<const Output> outputs,
                              const Cells& cells) {
  if (outputs.size() != state_->expressions.size())
    throw Error(ExitCode::internal,
                fmt::format("{} expressions have {} outputs", state_->expressions.size(), outputs.size()));
  // Axes that the space does not have stay 0, as on the host.
  for (const std::size_t v : state_->of_solution)
    if (!inputs[v == expressions::solution_variable ? v : expressions::gradient_variable].values)
      throw Error(ExitCode::internal, "expressions are evaluated without a solution");
  const Offset step = most_points / cells.points * cells.points;
  for (Offset first = 0; first < count; first += step) {
    KernelArguments arguments = State::arguments_of(inputs, first, std::min(step, count - first), cells);
    state_->enqueue(exec, arguments, outputs);
  }
}

std::optional<DeviceEvaluator::NotFinite> DeviceEvaluator::first_not_finite(Cuda& exec) {
  exec.synchronize();
  const std::vector<unsigned long long> bad = to_vector(state_->bad);
  const auto first = std::find_if(bad.begin(), bad.end(), [](unsigned long long place) { return place != none; });
  if (first == bad.end()) return {};
  state_->forget_bad();
  return NotFinite{static_cast<std::size_t>(first - bad.begin()), static_cast<Offset>(*first)};
}

void DeviceEvaluator::refuse(std::size_t expression, double value, const Points& point, double t) const {
  const Expression& of = state_->expressions[expression];
  double on_host = 0;
  Evaluator(of).evaluate(point, 1, t, &on_host);  // throws, but for a value at the edge of what there is
  throw Error(
      ExitCode::usage,
      fmt::format("the expression '{}' is {} at (x, y, z) = ({}, {}, {}), t = {} on the GPU, and {} on the host",
                  expressions::shown(of.text()), value, point.xyz[0], point.xyz[1], point.xyz[2], t, on_host),
      "it must be finite at every point where it is used", of.where());
}

void DeviceEvaluator::evaluate(Cuda& exec, const Inputs& inputs, Offset count, std::span<const Output> outputs) {
  enqueue(exec, inputs, count, outputs);
  const std::optional<NotFinite> bad = first_not_finite(exec);
  if (!bad) return;
  std::array<double, expressions::variables.size()> at{};
  for (std::size_t v = 0; v < at.size(); ++v)
    at[v] = inputs[v].values ? item(inputs[v].values + bad->place * inputs[v].stride) : inputs[v].value;
  const Output& output = outputs[bad->expression];
  refuse(bad->expression, item(output.values + bad->place * output.stride),
         {at.data(), &at[expressions::solution_variable], &at[expressions::gradient_variable]},
         at[expressions::time_variable]);
}

DeviceEvaluator::Way DeviceEvaluator::way(std::size_t expression) const { return state_->ways[expression]; }

}  // namespace tessera::deck
