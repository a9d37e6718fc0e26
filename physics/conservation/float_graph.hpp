#pragma once
// The rows of the node graph in single precision.
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "physics/conservation/graph.hpp"
#include "physics/conservation/node_passes.hpp"

namespace tessera::physics::conservation {

/// Coefficients of the rows as floats, and the view that passes read.
template <class Space>
struct FloatGraph {
  Array<float, Space> c, boundary_c, mass;
  Array<double, Space> lumped_mass;
  GraphViewOf<float> view;
};

/// m_i of the first `owned` nodes, on the host.
template <class Space>
std::vector<double> masses_of(const Graph<Space>& graph, Offset owned) {
  std::vector<double> masses(static_cast<std::size_t>(owned));
  copy_bytes(Space{}, graph.edges.node_lumped_mass.data(), Host{}, masses.data(), masses.size() * sizeof(double));
  return masses;
}

/// Those of a graph, with lengths times `unit`, so that neither they nor their squares leave the range of floats. The
/// graph loses its own: each array in double goes as soon as it is rounded.
template <class Exec>
FloatGraph<typename Exec::Space> rounded(Exec& exec, Graph<typename Exec::Space>& graph, double unit, int dim) {
  using Space = typename Exec::Space;
  const GraphView of = view_of(graph);
  auto& coefficients = graph.loop.lists.coefficients;
  graph.edges.coefficients = {};
  coefficients.stiffness = {};
  const double of_mass = std::pow(unit, dim), of_c = of_mass / unit;
  const auto round = [&](double factor, Array<double, Space>& from) {
    Array<float, Space> to(from.size());
    for_each(exec, from.size(), RoundPass{factor, from.data(), to.data()});
    exec.synchronize();
    from = {};
    return to;
  };
  FloatGraph<Space> result;
  result.c = round(of_c, coefficients.c);
  result.boundary_c = round(of_c, coefficients.boundary_c);
  result.mass = round(of_mass, coefficients.mass);
  result.lumped_mass = Array<double, Space>(graph.edges.nodes);
  for_each(exec, graph.edges.nodes, ScalePass{of_mass, of.lumped_mass, result.lumped_mass.data()});
  result.view = {.lists = of.lists,
                 .degree = of.degree,
                 .neighbour = of.neighbour,
                 .c = result.c.data(),
                 .stride = of.stride,
                 .boundary = of.boundary,
                 .boundary_c = result.boundary_c.data(),
                 .boundary_stride = of.boundary_stride,
                 .mass = result.mass.data(),
                 .lumped_mass = result.lumped_mass.data()};
  return result;
}

}  // namespace tessera::physics::conservation
