#pragma once
// Expressions at many points, in parallel. What is thrown does not depend on the number of threads.
#include <algorithm>
#include <span>
#include <vector>

#include "assembly/space/quadrature_points.hpp"
#include "base/team.hpp"
#include "deck/expression.hpp"

namespace tessera::physics {

/// Calls work(state, item) for [0, count) on all threads, each with its own make(); rethrows what the lowest item that
/// fails has thrown.
template <class Make, class Work>
void for_each_with(Make make, Offset count, int threads, Work work) {
  parallel_ranges(threads, count, [&](Offset first, Offset last, int) {
    auto state = make();
    for (Offset item = first; item < last; ++item) work(state, item);
  });
}

/// Calls work(evaluator, item) for [0, count) on all threads: an evaluator of the expression belongs to one of them.
template <class Work>
void with_evaluators(const deck::Expression& expression, Offset count, int threads, Work work) {
  for_each_with([&] { return deck::Evaluator(expression); }, count, threads, work);
}

/// Cells whose points are in memory at a time, of each thread.
inline constexpr Index evaluation_cells = 256;

/// Calls visit(block, first cell in the block, cells, xyz) on all threads, with the quadrature points of some cells,
/// [cells, points of a cell, 3].
template <class Visit>
void for_each_points(const mesh::Mesh& mesh, const assembly::QuadraturePoints& points, int threads, Visit visit) {
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const Index cells = mesh.blocks[block].cells();
    for_each_with([] { return std::vector<double>(); }, (cells + evaluation_cells - 1) / evaluation_cells, threads,
                  [&](std::vector<double>& xyz, Offset chunk) {
                    const Index first = static_cast<Index>(chunk) * evaluation_cells,
                                count = std::min(evaluation_cells, cells - first);
                    xyz.resize(3 * static_cast<std::size_t>(points.per_cell(block)) * count);
                    points.of_cells(block, first, count, xyz.data());
                    visit(block, first, count, std::span<const double>(xyz));
                  });
  }
}

/// Values of an expression at points [count, 3]; u [count]: the solution there, where it depends on that. Throws
/// Error(usage) at the first point where one is not finite.
std::vector<double> evaluate(const deck::Expression& expression, std::span<const double> points, int threads,
                             std::span<const double> u = {});

/// The same at points[which[i]].
std::vector<double> evaluate(const deck::Expression& expression, std::span<const double> points,
                             std::span<const Index> which, int threads);

}  // namespace tessera::physics
