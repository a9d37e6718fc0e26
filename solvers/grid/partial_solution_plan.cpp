#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <tuple>

#include "solvers/grid/partial_solution.hpp"

namespace tessera::solvers::grid {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Rows first .. first + length - 1, counted from 1. Children come before their parents in a vector of nodes.
struct Node {
  Index first, length;
  std::vector<Index> separators;  ///< counted from the node's first row, from 1
  int height, depth;
};

/// Sine vectors of equal shape on the separators.
struct Family {
  double sigma;
  std::vector<double> shape;                      ///< v(s)
  std::vector<std::pair<Index, double>> members;  ///< j, alpha_j
};

/// Radix 4 halves an odd number of times once, at the top.
std::vector<Index> separators_of(Index length, int radix) {
  const Index cells = length + 1;
  int halvings = 0;
  for (Index rest = cells; rest % 2 == 0; rest /= 2) ++halvings;
  if (radix == 4 && halvings > 0 && halvings % 2 == 0) return {cells / 4, cells / 2, 3 * (cells / 4)};
  if (halvings > 0) return {cells / 2};
  // No middle: the largest power of two leaves a block on the left that is regular all the way down.
  Index power = 1;
  while (power <= length / 2) power *= 2;
  return {power};
}

/// Adds the partition of rows first .. first + length - 1; the height of its root.
int partition(std::vector<Node>& nodes, Index first, Index length, int radix, int depth) {
  if (length == 0) return 0;
  Node node{first, length, separators_of(length, radix), 0, depth};
  Index begin = 0;
  for (std::size_t child = 0; child <= node.separators.size(); ++child) {
    const Index end = child < node.separators.size() ? node.separators[child] : length + 1;
    node.height = std::max(node.height, partition(nodes, first + begin, end - begin - 1, radix, depth + 1));
    begin = end;
  }
  ++node.height;
  nodes.push_back(node);
  return node.height;
}

/// sqrt(2 / cells) sin(j s pi / cells), the argument reduced exactly.
double sine_vector(Index cells, Index j, Index s) {
  const Offset turn = static_cast<Offset>(j) * s % (2 * static_cast<Offset>(cells));
  const double sign = turn > cells ? -1 : 1;
  Offset part = turn % cells;
  part = std::min(part, cells - part);  // sin(x) = sin(pi - x)
  return sign * std::sqrt(2.0 / cells) * std::sin(pi * static_cast<double>(part) / cells);
}

std::vector<Family> families_of(const Node& node) {
  const Index cells = node.length + 1;
  const double unit = std::sqrt(2.0 / cells), half = std::sqrt(0.5);
  std::vector<Family> families;
  if (node.separators.size() == 3) {
    families = {{1, {half, 1, half}, {}}, {1, {half, -1, half}, {}}, {-1, {1, 0, -1}, {}}};
    for (Index j = 1; j < cells; ++j) {
      if (j % 4 == 0) continue;
      const Index family = j % 2 == 0 ? 2 : (j % 8 == 1 || j % 8 == 7 ? 0 : 1);
      families[family].members.emplace_back(j, j % 8 < 4 ? unit : -unit);
    }
  } else {
    families = {{1, {1}, {}}, {-1, {1}, {}}};
    for (Index j = 1; j < cells; ++j) {
      const double alpha = sine_vector(cells, j, node.separators[0]);
      if (std::abs(alpha) > 1e-14 * unit) families[(j + 1) % 2].members.emplace_back(j, alpha);
    }
  }
  std::erase_if(families, [](const Family& family) { return family.members.empty(); });
  return families;
}

/// weight * row of f or u.
struct Term {
  Index row;
  double weight;
};

/// A family of the group that is being put together.
struct OpenFamily {
  std::pair<Index, Index> poles;  ///< first, count
  std::vector<Term> rhs, rim;
};

class Planner {
 public:
  Planner(Index n, double h, Stencil stencil, int radix) : h_(h), stencil_(stencil), slot_(n + 2, no_row) {
    plan_.rows = n;
    partition(nodes_, 1, n, radix, 0);
  }

  HostPlan make() {
    int highest = 0, deepest = 0;
    for (const Node& node : nodes_) {
      highest = std::max(highest, node.height);
      deepest = std::max(deepest, node.depth);
    }
    for (int height = 1; height < highest; ++height) reduce(height);
    for (int depth = 0; depth <= deepest; ++depth) substitute(depth);
    return std::move(plan_);
  }

 private:
  void open_step(bool reduction) {
    plan_.steps.push_back({.reduction = reduction,
                           .group = count(plan_.groups),
                           .family = count(plan_.families),
                           .output = count(plan_.outputs)});
  }
  void close_step() {
    Step& step = plan_.steps.back();
    step.group_count = count(plan_.groups) - step.group;
    step.family_count = count(plan_.families) - step.family;
    step.output_count = count(plan_.outputs) - step.output;

    if (step.group_count == 0) plan_.steps.pop_back();
  }
  template <class Item>
  static Index count(const std::vector<Item>& items) {
    return static_cast<Index>(items.size());
  }

  /// Nodes of one height give to the rows beside them.
  void reduce(int height) {
    struct Beside {
      const Node *left = nullptr, *right = nullptr;
    };
    std::map<Index, Beside> rows;
    for (const Node& node : nodes_) {
      if (node.height != height) continue;
      if (node.first > 1) rows[node.first - 1].right = &node;
      if (node.first + node.length <= plan_.rows) rows[node.first + node.length].left = &node;
    }
    open_step(true);
    std::vector<std::pair<Index, Index>> updated;
    for (const auto& [row, beside] : rows) {
      const bool merged = beside.left && beside.right && beside.left->length == beside.right->length;
      if (beside.right) add_reduction(*beside.right, 1, merged ? beside.left : nullptr);
      if (beside.left && !merged) add_reduction(*beside.left, -1, nullptr);
      const Index slot = slot_[row] == no_row ? plan_.slots++ : slot_[row];
      close_group({{slot, row_of_f(row), 0}}, [](Index, Index) { return 1.0; });
      updated.emplace_back(row, slot);
    }
    for (const auto& [row, slot] : updated) slot_[row] = slot;
    close_step();
  }

  /// What `node` gives to the row on its left (side 1) or right (-1); `mirror` lies on the other side of the left row.
  void add_reduction(const Node& node, int side, const Node* mirror) {
    const std::vector<Family> families = families_of(node);
    for (std::size_t k = 0; k < families.size(); ++k) {
      const Family& family = families[k];
      std::vector<Term> rhs;
      add_rhs(rhs, node, family, side == 1 ? 1.0 : family.sigma);
      if (mirror) add_rhs(rhs, *mirror, family, family.sigma);
      open_.push_back({poles_of(node, family, k, true), rhs, {}});
    }
  }

  void substitute(int depth) {
    open_step(false);
    for (const Node& node : nodes_) {
      if (node.depth != depth) continue;
      const std::vector<Family> families = families_of(node);
      for (std::size_t k = 0; k < families.size(); ++k) {
        const Family& family = families[k];
        std::vector<Term> rhs, rim;
        add_rhs(rhs, node, family, 1);
        if (node.first > 1) rim.push_back({node.first - 2, 1});
        if (node.first + node.length <= plan_.rows) rim.push_back({node.first + node.length - 1, family.sigma});
        open_.push_back({poles_of(node, family, k, false), rhs, rim});
      }
      std::vector<Output> outputs;
      for (Index s : node.separators) outputs.push_back({node.first + s - 2, no_row, 0});
      close_group(outputs, [&](Index output, Index family) { return families[family].shape[output]; });
    }
    close_step();
  }

  Index row_of_f(Index row) const { return slot_[row] == no_row ? row - 1 : -slot_[row] - 1; }

  void add_rhs(std::vector<Term>& rhs, const Node& node, const Family& family, double sign) const {
    for (std::size_t s = 0; s < node.separators.size(); ++s)
      if (family.shape[s] != 0) rhs.push_back({row_of_f(node.first + node.separators[s] - 1), sign * family.shape[s]});
  }

  /// Poles are the same for all nodes of a shape.
  std::pair<Index, Index> poles_of(const Node& node, const Family& family, std::size_t number, bool reduction) {
    const auto [found, fresh] = known_.try_emplace({node.length, number, reduction});
    if (!fresh) return found->second;
    found->second = {count(plan_.poles), static_cast<Index>(family.members.size())};
    const Index cells = node.length + 1;
    for (const auto& [j, alpha] : family.members) {
      const double sine = std::sin(pi * j / (2.0 * cells)), sine2 = sine * sine;
      const double edge = sine_vector(cells, j, 1);
      if (stencil_ == Stencil::star) {  // coupling 1 / h^2
        const double g = 1 / (h_ * h_);
        plan_.poles.push_back(
            {4 * sine2 * g, reduction ? edge * alpha * g : alpha * alpha, reduction ? 0 : alpha * edge * g});
      } else {  // K w = 4 sin^2 / h w, M w = mass w; the coupling is an operator
        const double mass = h_ * (6 - 4 * sine2) / 6;
        plan_.poles.push_back(
            {4 * sine2 / (h_ * mass), (reduction ? edge : alpha) * alpha / mass, reduction ? 0 : alpha * edge / mass});
      }
    }
    return found->second;
  }

  /// The number of a row among those of the group from `first` on; adds it where it is new.
  Index source(std::size_t first, Index row) {
    const auto begin = plan_.sources.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found = std::find(begin, plan_.sources.end(), row);
    const auto number = static_cast<Index>(found - begin);
    if (found == plan_.sources.end()) plan_.sources.push_back(row);
    return number;
  }

  template <class Weight>
  void close_group(const std::vector<Output>& outputs, Weight weight) {
    Group group{.family = count(plan_.families),
                .family_count = count(open_),
                .output = count(plan_.outputs),
                .output_count = count(outputs),
                .row = count(plan_.sources)};
    for (const OpenFamily& family : open_)
      for (const Term& term : family.rhs) source(group.row, term.row);
    group.row_count = count(plan_.sources) - group.row;
    group.rim = count(plan_.sources);
    for (const OpenFamily& family : open_)
      for (const Term& term : family.rim) source(group.rim, term.row);
    group.rim_count = count(plan_.sources) - group.rim;
    assert(group.row_count <= most_rows && group.rim_count <= most_rims && group.family_count <= most_families &&
           group.output_count <= most_outputs);
    add_families(group);
    for (Output output : outputs) {
      output.weight = count(plan_.weights);
      for (Index family = 0; family < group.family_count; ++family)
        plan_.weights.push_back(weight(count(plan_.outputs) - group.output, family));
      plan_.outputs.push_back(output);
    }
    plan_.groups.push_back(group);
    open_.clear();
  }

  void add_families(Group& group) {
    Step& step = plan_.steps.back();
    const Index number = count(plan_.groups);
    std::vector<std::vector<double>> rims;
    Index poles = 0;
    for (const OpenFamily& family : open_) {
      const Index first = count(plan_.weights);
      plan_.weights.resize(plan_.weights.size() + static_cast<std::size_t>(group.row_count), 0);
      for (const Term& term : family.rhs) plan_.weights[first + source(group.row, term.row)] = term.weight;
      std::vector<double> rim(static_cast<std::size_t>(group.rim_count), 0);
      for (const Term& term : family.rim) rim[source(group.rim, term.row)] = term.weight;
      plan_.weights.insert(plan_.weights.end(), rim.begin(), rim.end());
      const auto line = std::find(rims.begin(), rims.end(), rim);
      const auto rim_line = static_cast<Index>(line - rims.begin());
      if (line == rims.end()) rims.push_back(rim);
      plan_.families.push_back({number, family.poles.first, family.poles.second, first, rim_line, step.problem_count});
      step.problem_count += family.poles.second;
      step.most_poles = std::max(step.most_poles, family.poles.second);
      poles += family.poles.second;
    }
    group.rim_lines = group.rim_count > 0 ? count(rims) : 0;
    step.most_group_poles = std::max(step.most_group_poles, poles);
    step.most_lines = std::max(step.most_lines, group.family_count + group.rim_lines);
  }

  double h_;
  Stencil stencil_;
  HostPlan plan_;
  std::vector<Node> nodes_;
  std::vector<OpenFamily> open_;
  std::vector<Index> slot_;  ///< of a row, counted from 1
  std::map<std::tuple<Index, std::size_t, bool>, std::pair<Index, Index>> known_;
};

}  // namespace

Index HostPlan::most_problems() const {
  Index most = 0;
  for (const Step& step : steps) most = std::max(most, step.problem_count);
  return most;
}

Offset HostPlan::problems() const {
  Offset sum = 0;
  for (const Step& step : steps) sum += step.problem_count;
  return sum;
}

Offset HostPlan::rows_moved() const {
  Offset moved = static_cast<Offset>(sources.size() + outputs.size());
  for (const Output& output : outputs) moved += output.base != no_row;
  return moved;
}

HostPlan make_plan(Index n, double h, Stencil stencil, int radix) { return Planner(n, h, stencil, radix).make(); }

HostPlan make_trivial_plan() {
  HostPlan plan;
  plan.rows = 1;
  plan.poles = {{0, 1, 0}};
  plan.sources = {0};
  plan.weights = {1, 1};
  plan.families = {{0, 0, 1, 0, 0, 0}};
  plan.outputs = {{0, no_row, 1}};
  plan.groups = {{0, 1, 0, 1, 0, 1, 1, 0, 0}};
  plan.steps = {{.reduction = false,
                 .group_count = 1,
                 .family_count = 1,
                 .output_count = 1,
                 .problem_count = 1,
                 .most_poles = 1,
                 .most_group_poles = 1,
                 .most_lines = 1}};
  return plan;
}

}  // namespace tessera::solvers::grid
