#pragma once
// Checks that throw Error(internal), unless they say otherwise, where sizes do not fit together.
#include <span>

#include "assembly/space/dof_map.hpp"
#include "base/view.hpp"
#include "forms/field.hpp"
#include "mesh/mesh.hpp"

namespace tessera::assembly {

void check_map(const mesh::Mesh& mesh, const DofMap& map);
/// Whether the lists agree, number by number.
bool are_equal(std::span<const Index> a, std::span<const Index> b);
/// Regions one a cell or none, components as the ranks say, a value in every region.
void check_data(std::span<const forms::NamedCoefficient> coefficients, const std::vector<Index>& region, Offset cells,
                int dim);
void check_system(Index dofs, int components, Index rows, Offset entries, bool has_slots);
/// Unknowns a node of a matrix, and of the form that fills it.
void check_components(int of_matrix, int of_form);
/// shared: its lists number the values of a partition with 16 bits, of which 65535 is that of none. Throws Error(usage)
/// where one cell of so many nodes has more.
inline constexpr std::size_t most_shared_sources = 65535;
void check_shared_sources(int nodes, std::size_t sources);

/// A coefficient's values of one block of `points` quadrature points; `first` counts those of the blocks before it.
View<const double> block_values(const forms::NamedCoefficient& coefficient, Offset points, Offset& first);

}  // namespace tessera::assembly
