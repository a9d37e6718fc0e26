#include "deck/expression/cuda_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "deck/expression/formulas.hpp"
#include "deck/expression/kernel_arguments.hpp"
#include "deck/expression/program.hpp"

namespace tessera::deck::expressions {

namespace {

static_assert(variables.size() <= most_variables);

constexpr std::size_t operations = static_cast<std::size_t>(Op::count);

/// Name and formula of an operation in the text.
struct Formula {
  const char* name = nullptr;
  const char* text = nullptr;
};

const std::array<Formula, operations>& formulas() {
  static const auto table = [] {
    std::array<Formula, operations> result{};
#define TESSERA_ROW(name, formula) result[static_cast<std::size_t>(Op::name)] = {#name, #formula};
    TESSERA_FORMULAS(TESSERA_ROW)
#undef TESSERA_ROW
    return result;
  }();
  return table;
}

/// Operations that are an instruction or a few; others take some hundred.
bool is_short(Op op) { return op <= Op::select && op != Op::power && op != Op::divide; }

/// A kernel with more long operations than this calls them as functions; one with less has a copy at each place. 560
/// operations of 32 random expressions take NVRTC 13.0 2.3 s to compile so, and 9.4 s as copies.
constexpr std::size_t most_copies = 32;

/// What a long operation costs the compiler beside a short one.
constexpr std::size_t long_weight = 8;

/// Exact, whatever the value.
std::string number(double value) {
  if (std::isfinite(value)) return fmt::format("{:a}", value);
  return fmt::format("__longlong_as_double({:#x}ll)", std::bit_cast<std::uint64_t>(value));
}

class Writer {
 public:
  explicit Writer(const Roots& roots) : roots_(roots) {
    NodeId last = 0;
    for (const NodeId root : roots.nodes) last = std::max(last, root);
    used_.assign(last + std::size_t{1}, 0);
    for (const NodeId root : roots.nodes) {
      const std::vector<char> by_this = roots.tree.used_by(root);
      for (std::size_t node = 0; node < by_this.size(); ++node) used_[node] |= by_this[node];
    }
  }

  std::string write() {
    text_ = "#define TESSERA_HD __host__ __device__\n";
    text_ += kernel_arguments_text;
    text_ += '\n';
    write_functions();
    text_ +=
        "extern \"C\" __global__ void __launch_bounds__(kernel_block)\n"
        "evaluate(const __grid_constant__ KernelArguments arguments) {\n"
        "for (int i = blockIdx.x * kernel_block + threadIdx.x; i < arguments.count; i += gridDim.x * kernel_block) {\n"
        "const long long place = place_of(arguments, i);\n";
    for (NodeId node = 0; node < used_.size(); ++node) {
      if (!used_[node]) continue;
      write_node(node);
      // At once: a value that waits for the end takes a register.
      for (std::size_t root = 0; root < roots_.nodes.size(); ++root)
        if (roots_.nodes[root] == node) write_store(root, node);
    }
    text_ += "}\n}\n";
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void append(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  void write_functions() {
    std::array<std::size_t, operations> uses{};
    for (NodeId node = 0; node < used_.size(); ++node)
      if (used_[node]) ++uses[static_cast<std::size_t>(roots_.tree[node].op)];
    constexpr const char* parameters[] = {"", "double a", "double a, double b", "double a, double b, double c"};
    std::size_t copies = 0;
    for (std::size_t op = 0; op < operations; ++op)
      if (!is_short(static_cast<Op>(op))) copies += uses[op];
    for (std::size_t op = 0; op < operations; ++op) {
      if (uses[op] == 0 || !formulas()[op].text) continue;
      const bool copied = copies <= most_copies || is_short(static_cast<Op>(op));
      append("static __device__ {} double op_{}({}) {{ return {}; }}\n", copied ? "__forceinline__" : "__noinline__",
             formulas()[op].name, parameters[operands(static_cast<Op>(op))], formulas()[op].text);
    }
  }

  void write_node(NodeId node) {
    const Node& n = roots_.tree[node];
    append("const double r{} = ", node);
    if (n.op == Op::constant)
      append("{};\n", number(n.value));
    else if (n.op == Op::variable)
      append("input_of(arguments.inputs[{}], i);\n", n.variable);
    else if (operands(n.op) == 1)
      append("op_{}(r{});\n", formulas()[static_cast<std::size_t>(n.op)].name, n.a);
    else if (operands(n.op) == 2)
      append("op_{}(r{}, r{});\n", formulas()[static_cast<std::size_t>(n.op)].name, n.a, n.b);
    else
      append("op_{}(r{}, r{}, r{});\n", formulas()[static_cast<std::size_t>(n.op)].name, n.a, n.b, n.c);
  }

  void write_store(std::size_t root, NodeId node) {
    append(
        "if (!store(arguments.outputs[{0}], place, r{1})) atomicMin(arguments.bad + {0}, (unsigned long long)place);\n",
        root, node);
  }

  const Roots& roots_;
  std::vector<char> used_;
  std::string text_;
};

}  // namespace

Roots join(std::span<const Root* const> roots) {
  Roots result;
  for (const Root* root : roots) result.nodes.push_back(copy_without_small_powers(root->tree, root->node, result.tree));
  return result;
}

std::size_t weight_of(const Root& root) {
  std::size_t weight = 0;
  const std::vector<char> used = root.tree.used_by(root.node);
  for (NodeId node = 0; node < used.size(); ++node)
    if (used[node]) weight += is_short(root.tree[node].op) ? 1 : long_weight;
  return weight;
}

std::string cuda_source(const Roots& roots) {
  if (roots.nodes.size() > most_roots) throw Error(ExitCode::internal, "a kernel for too many expressions");
  return Writer(roots).write();
}

}  // namespace tessera::deck::expressions
