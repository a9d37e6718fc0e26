#pragma once
// What ranks find out together of a solution that they share, and one rank alone: `share` is null there. All functions
// are collective.
#include <functional>
#include <span>
#include <vector>

#include "assembly/space/numbers_of_cells.hpp"
#include "physics/model.hpp"

namespace tessera::physics::in_common {

/// Calls work on each rank; what one throws all throw (on_each_rank).
void each(const Share* share, const std::function<void()>& work);
/// Calls work where the summary and the files of a run are made.
void root(const Share* share, const std::function<void()>& work);
/// All values become their sums over ranks, added in the order of ranks.
void add(const Share* share, std::span<double> values);
double sum(const Share* share, double value);
/// All values become the largest of any rank; NaN where one is.
void largest(const Share* share, std::span<double> values);
bool any(const Share* share, bool value);

/// On the root: whether each of `found` is so on some rank; where it is, its `width` values become those of the lowest
/// such rank. found [n], values [n, width].
void first_found(const Share* share, std::vector<char>& found, std::vector<double>& values, std::size_t width);

/// values [dofs, components] of the own dofs are those that others have of their ghosts.
void update_ghosts(const NodalSolution& solution, int components, std::vector<double>& values);

/// On the root, which has the whole: values [dofs of the whole, components], from values [dofs, components] of which
/// the own dofs count.
std::vector<double> gather_nodes(const Share& share, int components, std::span<const double> values);
/// The way back: [rows] of all that this rank sees in the space of the solution, from the whole on the root.
std::vector<double> scatter_nodes(const Share& share, const IndexMap& map, int components, Offset rows,
                                  std::span<const double> whole);
/// The same of numbers of the cells: [cells of the whole].
std::vector<double> gather_cells(const NodalSolution& solution, std::span<const double> values);

/// On the root: values [n, width] of all ranks behind each other, in the order of ranks.
std::vector<double> gather_rows(const Share* share, const std::vector<double>& values);

/// On the root: those of all cells of the whole that have some, in ascending order, of values [cells of this rank];
/// `width` is the same on all ranks that have some.
assembly::NumbersOfCells gather_of_cells(const Share* share, const assembly::NumbersOfCells& own);
/// The way back: those of the cells that this rank sees, from the whole on the root.
assembly::NumbersOfCells scatter_of_cells(const Share* share, const assembly::NumbersOfCells& whole);

}  // namespace tessera::physics::in_common
