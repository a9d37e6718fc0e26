#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/cells/checks.hpp"
#include "assembly/cells/lists.hpp"
#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

void check_map(const mesh::Mesh& mesh, const DofMap& map) {
  const char* const help = "make the dof map from the mesh it is used with";
  if (mesh.blocks.size() != map.blocks.size())
    throw Error(ExitCode::internal,
                fmt::format("the dof map has {} blocks, the mesh {}", map.blocks.size(), mesh.blocks.size()), help);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    if (mesh.blocks[b].cells() != map.blocks[b].cells())
      throw Error(ExitCode::internal,
                  fmt::format("block {} of the dof map has {} cells, that of the mesh {}", b, map.blocks[b].cells(),
                              mesh.blocks[b].cells()),
                  help);
    using Range = std::pair<Index, Index>;
    const std::span<const Index> dofs = map.blocks[b].dofs.view();
    const auto [least, greatest] = parallel_reduce(
        default_threads(), static_cast<Offset>(dofs.size()), Range{0, -1},
        [&](Offset first, Offset last) {
          Index low = 0, high = -1;
          for (Offset i = first; i < last; ++i) low = std::min(low, dofs[i]), high = std::max(high, dofs[i]);
          return Range{low, high};
        },
        [](const Range& x, const Range& y) {
          return Range{std::min(x.first, y.first), std::max(x.second, y.second)};
        });
    if (least < 0 || greatest >= map.dofs)
      throw Error(ExitCode::internal,
                  fmt::format("dof {} in a space of {} dofs", least < 0 ? least : greatest, map.dofs), help);
  }
}

bool are_equal(std::span<const Index> a, std::span<const Index> b) {
  if (a.size() != b.size() || a.data() == b.data()) return a.size() == b.size();
  return parallel_reduce(
      default_threads(), static_cast<Offset>(a.size()), true,
      [&](Offset first, Offset last) { return std::equal(a.begin() + first, a.begin() + last, b.begin() + first); },
      [](bool x, bool y) { return x && y; });
}

namespace {

/// Throws Error(internal) unless a coefficient has the components of its rank.
void check_rank(const forms::NamedCoefficient& coefficient, int dim) {
  const int given = coefficient.values->components, tensor = dim * (dim + 1) / 2;
  const auto refuse = [&](const std::string& help) {
    throw Error(ExitCode::internal,
                fmt::format("coefficient {} has {} components in {} dimensions", coefficient.name, given, dim), help);
  };
  switch (coefficient.rank) {
    case forms::Rank::scalar:
      if (given != 1) refuse("it is a scalar: give one");
      break;
    case forms::Rank::vector:
      if (given != dim) refuse("give one an axis");
      break;
    case forms::Rank::scalar_or_tensor:
      if (given != 1 && given != tensor) refuse(fmt::format("give 1, or {} of a symmetric tensor", tensor));
      break;
    case forms::Rank::matrix:
      if (given != 1 && given != tensor && given != dim * dim)
        refuse(fmt::format("give 1, {} of a symmetric tensor, or {} of a matrix", tensor, dim * dim));
      break;
    case forms::Rank::voigt:
      if (given != tensor && !(dim == 2 && given == 4)) refuse(fmt::format("give {} of a strain", tensor));
      break;
    case forms::Rank::voigt_matrix:
      if (given != tensor * (tensor + 1) / 2 && !(dim == 2 && given == 10))
        refuse(fmt::format("give the upper half of a matrix of {} rows", tensor));
  }
}

}  // namespace

void check_data(std::span<const forms::NamedCoefficient> coefficients, const std::vector<Index>& region, Offset cells,
                int dim) {
  if (!region.empty() && static_cast<Offset>(region.size()) != cells)
    throw Error(ExitCode::internal, fmt::format("{} regions for {} cells", region.size(), cells),
                "give one region for each cell, or none");
  const Index last = parallel_reduce(
      default_threads(), static_cast<Offset>(region.size()), Index{0},
      [&](Offset first, Offset end) {
        Index most = 0;
        for (Offset i = first; i < end; ++i) most = std::max(most, region[i]);
        return most;
      },
      [](Index x, Index y) { return std::max(x, y); });
  for (const forms::NamedCoefficient& coefficient : coefficients) {
    const forms::Coefficient& of = *coefficient.values;
    if (of.values.empty()) continue;
    check_rank(coefficient, dim);
    if (!of.per_point && static_cast<Offset>(of.values.size()) < (Offset{last} + 1) * of.components)
      throw Error(
          ExitCode::internal,
          fmt::format("coefficient {} has {} values, region {} needs more", coefficient.name, of.values.size(), last),
          "give the coefficient in every region");
  }
}

void check_system(Index dofs, int components, Index rows, Offset entries, bool has_slots) {
  if (rows != dofs || entries != Offset{rows} * components || !has_slots)
    throw Error(ExitCode::internal,
                fmt::format("a matrix of {} rows of nodes and a vector of {} for {} dofs of {}", rows, entries, dofs,
                            components),
                "take the matrix from make_matrix() or make_block_matrix()");
}

void check_components(int of_matrix, int of_form) {
  if (of_matrix != of_form)
    throw Error(ExitCode::internal, fmt::format("a form of {} unknowns a node in rows of {}", of_form, of_matrix),
                "take the matrix from make_matrix() for one, from make_block_matrix() for several");
}

void check_reduction(Offset targets, Offset sources) {
  if (targets > std::numeric_limits<Index>::max() || sources > std::numeric_limits<Index>::max())
    throw Error(ExitCode::memory,
                fmt::format("reduction lists of {} non-zeros and {} element values do not fit 32-bit numbers", targets,
                            sources),
                "choose assembly.strategy = \"nonzeros\" or \"colour\"");
}

void check_shared_sources(int nodes, std::size_t sources) {
  if (sources > most_shared_sources)
    throw Error(ExitCode::usage,
                fmt::format("the strategy \"shared\" numbers values with 16 bits, and a cell of {} nodes has {}", nodes,
                            sources),
                "choose another assembly.strategy, or a lower order");
}

View<const double> block_values(const forms::NamedCoefficient& coefficient, Offset points, Offset& first) {
  const forms::Coefficient& of = *coefficient.values;
  const View<const double> all(of.values.data(), static_cast<Offset>(of.values.size()));
  if (!of.per_point) return all;
  const Offset count = points * of.components;
  if (first + count > all.size())
    throw Error(ExitCode::internal,
                fmt::format("coefficient {} has {} values at points, at least {} are needed", coefficient.name,
                            all.size(), first + count),
                "give one value for each of quadrature_points()");
  first += count;
  return all.part(first - count, count);
}

}  // namespace tessera::assembly
