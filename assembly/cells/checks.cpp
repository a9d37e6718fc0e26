#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assembly/cells/data.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"
#include "base/error.hpp"

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
    Index least = 0, greatest = -1;
    for (const Index dof : map.blocks[b].dofs) least = std::min(least, dof), greatest = std::max(greatest, dof);
    if (least < 0 || greatest >= map.dofs)
      throw Error(ExitCode::internal,
                  fmt::format("dof {} in a space of {} dofs", least < 0 ? least : greatest, map.dofs), help);
  }
}

void check_data(const DiffusionData& data, Offset cells) {
  if (data.c.components != 1 || data.f.components != 1)
    throw Error(ExitCode::internal, "reaction and source are scalars", "give one component each");
  if (!data.region.empty() && static_cast<Offset>(data.region.size()) != cells)
    throw Error(ExitCode::internal, fmt::format("{} regions for {} cells", data.region.size(), cells),
                "give one region for each cell, or none");
  Index last = 0;
  for (const Index region : data.region) last = std::max(last, region);
  for (const Coefficient* coefficient : {&data.k, &data.c, &data.f})
    if (!coefficient->per_point && !coefficient->values.empty() &&
        static_cast<Offset>(coefficient->values.size()) < (Offset{last} + 1) * coefficient->components)
      throw Error(ExitCode::internal,
                  fmt::format("a coefficient has {} values, region {} needs more", coefficient->values.size(), last),
                  "give the coefficient in every region");
}

void check_system(Index dofs, Index rows, Offset entries, bool has_slots) {
  if (rows != dofs || entries != rows || !has_slots)
    throw Error(ExitCode::internal,
                fmt::format("a matrix of {} rows and a vector of {} for {} dofs", rows, entries, dofs),
                "take the matrix from make_matrix()");
}

void check_reduction(Offset targets, Offset sources) {
  if (targets > std::numeric_limits<Index>::max() || sources > std::numeric_limits<Index>::max())
    throw Error(ExitCode::memory,
                fmt::format("reduction lists of {} non-zeros and {} element values do not fit 32-bit numbers", targets,
                            sources),
                "choose assembly.strategy = \"nonzeros\" or \"colour\"");
}

void throw_long_row(Offset longest) {
  throw Error(ExitCode::mesh, fmt::format("a dof has more than {} neighbours", longest),
              "the mesh has a vertex with thousands of cells: remesh it");
}

View<const double> block_values(const Coefficient& coefficient, int dim, Offset points, const char* name,
                                Offset& first) {
  const int tensor = dim * (dim + 1) / 2;
  if (coefficient.components != 1 && coefficient.components != tensor)
    throw Error(ExitCode::internal, fmt::format("coefficient {} has {} components", name, coefficient.components),
                fmt::format("give 1, or {} of a symmetric tensor", tensor));
  const View<const double> all(coefficient.values.data(), static_cast<Offset>(coefficient.values.size()));
  if (!coefficient.per_point) return all;
  const Offset count = points * coefficient.components;
  if (first + count > all.size())
    throw Error(
        ExitCode::internal,
        fmt::format("coefficient {} has {} values at points, at least {} are needed", name, all.size(), first + count),
        "give one value for each of quadrature_points()");
  first += count;
  return all.part(first - count, count);
}

}  // namespace tessera::assembly
