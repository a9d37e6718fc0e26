#include "physics/grid/nodal_rows.hpp"

#include <algorithm>
#include <cmath>

#include "physics/evaluate.hpp"

namespace tessera::physics::grid {

namespace {

/// Coefficients along a line of nodes, which belong to one thread.
class LineOfNodes {
 public:
  LineOfNodes(const deck::Expression& source, const std::vector<deck::Expression>& velocity, std::size_t nodes)
      : values_(1 + velocity.size(), std::vector<double>(nodes)), points_(3 * nodes) {
    evaluators_.emplace_back(source);
    for (const deck::Expression& component : velocity) evaluators_.emplace_back(component);
  }

  void evaluate(const BoxGrid& grid, Index j, Index k) {
    const std::size_t nodes = points_.size() / 3;
    for (std::size_t i = 0; i < nodes; ++i) {
      points_[3 * i] = grid.coordinate(0, static_cast<Offset>(i));
      points_[3 * i + 1] = grid.coordinate(1, j);
      points_[3 * i + 2] = grid.coordinate(2, k);
    }
    for (std::size_t e = 0; e < evaluators_.size(); ++e) {
      evaluators_[e].at(points_.data(), nodes, 0, values_[e].data());
      for (double& value : values_[e])
        if (!std::isfinite(value)) value = 0;  // unknowns were checked, so it has a Dirichlet value
    }
  }

  double source(Index i) const { return values_[0][i]; }
  bool flows() const { return values_.size() > 1; }
  double velocity(int axis, Index i) const { return values_[1 + axis][i]; }
  const double* point(Index i) const { return &points_[3 * static_cast<std::size_t>(i)]; }

 private:
  std::vector<deck::Evaluator> evaluators_;
  std::vector<std::vector<double>> values_;  // [source, velocity], [nodes]
  std::vector<double> points_;
};

class Rows {
 public:
  Rows(const BoxGrid& grid, const Solution& s)
      : grid_(grid),
        s_(s),
        dim_(grid.problem.dim),
        k_(material().diffusivity.front().constant()),
        c_(material().reaction.constant()) {
    step_ = {1, grid.nodes[0], Offset{grid.nodes[0]} * grid.nodes[1]};
    const mesh::Mesh box = outline(grid);
    for (int side = 0; side < 2 * dim_; ++side)
      slope_.push_back(entry_of(s.boundaries, box.groups[side].name, "neumann"));
  }

  const MaterialParams& material() const { return s_.materials[s_.material.front()]; }

  /// The row of a node; its terms are added to `sums`.
  double at(const std::array<Index, 3>& node, const LineOfNodes& line, forms::CellSums& sums) const {
    const Offset number = node[0] + step_[1] * node[1] + step_[2] * node[2];
    const double* const u = s_.u.data() + number;
    double volume = 1;
    for (int a = 0; a < dim_; ++a) volume *= width(a, node[a]);
    // Through the faces to neighbours: k (u - u') / h times the area.
    double flow = 0, carried = 0;
    for (int a = 0; a < dim_; ++a) {
      const double weight = k_ * volume / (width(a, node[a]) * grid_.problem.h[a]);
      if (node[a] > 0) flow += weight * (*u - u[-step_[a]]);
      if (node[a] < grid_.nodes[a] - 1) flow += weight * (*u - u[step_[a]]);
      if (line.flows()) carried += line.velocity(a, node[0]) * derivative(a, node[a], number, u, line.point(node[0]));
    }
    const double source = volume * line.source(node[0]), reaction = volume * c_ * *u;
    carried *= volume;
    sums.add({source, reaction, carried, std::abs(source) + std::abs(reaction) + std::abs(carried)});
    return flow + carried + reaction - source;
  }

 private:
  bool at_end(int axis, Index i) const { return i == 0 || i == grid_.nodes[axis] - 1; }
  double width(int axis, Index i) const { return (at_end(axis, i) ? 0.5 : 1.0) * grid_.problem.h[axis]; }

  double derivative(int axis, Index i, Offset number, const double* u, const double* point) const {
    const double h = grid_.problem.h[axis];
    const Offset step = step_[axis];
    if (!at_end(axis, i)) return (u[step] - u[-step]) / (2 * h);
    if (!std::binary_search(s_.fixed.begin(), s_.fixed.end(), static_cast<Index>(number))) {
      const BoundaryParams* const side = slope_[2 * static_cast<std::size_t>(axis) + (i > 0 ? 1 : 0)];
      if (!side) return 0;
      return (i > 0 ? 1 : -1) * deck::Evaluator(side->value)(point) / k_;
    }
    return i == 0 ? (u[step] - u[0]) / h : (u[0] - u[-step]) / h;
  }

  const BoxGrid& grid_;
  const Solution& s_;
  int dim_;
  double k_, c_;
  std::array<Offset, 3> step_;
  std::vector<const BoundaryParams*> slope_;  // [sides] its Neumann entry, or null
};

}  // namespace

NodalRows difference_rows(const BoxGrid& grid, const Solution& solution,
                          const std::vector<deck::Expression>& velocity) {
  const Rows rows(grid, solution);
  NodalRows result;
  result.residual.resize(static_cast<std::size_t>(grid.node_count()));
  const Offset lines = Offset{grid.nodes[1]} * grid.nodes[2];
  std::vector<forms::CellSums> sums(static_cast<std::size_t>(lines));
  const auto make = [&] {
    return LineOfNodes(rows.material().source, velocity, static_cast<std::size_t>(grid.nodes[0]));
  };
  for_each_with(make, lines, solution.threads, [&](LineOfNodes& line, Offset number) {
    const Index j = static_cast<Index>(number % grid.nodes[1]), k = static_cast<Index>(number / grid.nodes[1]);
    line.evaluate(grid, j, k);
    for (Index i = 0; i < grid.nodes[0]; ++i)
      result.residual[i + grid.nodes[0] * number] = rows.at({i, j, k}, line, sums[number]);
  });
  for (const forms::CellSums& of_line : sums) result.sums.add(of_line);
  return result;
}

}  // namespace tessera::physics::grid
