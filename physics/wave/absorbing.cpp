// Of problem.hpp what absorbing boundaries are made of.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "physics/wave/absorbing.hpp"
#include "physics/wave/anisotropy.hpp"
#include "physics/wave/sides.hpp"

namespace tessera::physics::wave {

using assembly::spectral::Coefficients;
using assembly::spectral::SideNode;

std::vector<assembly::spectral::CellSide> absorbing_sides(const Problem& problem) {
  const Params& params = problem.params;
  const mesh::Mesh& mesh = problem.space.mesh;
  std::vector<assembly::spectral::CellSide> sides;
  std::vector<char> taken(static_cast<std::size_t>(mesh.facets.size()), 0);
  for (const BoundaryParams& boundary : params.boundaries) {
    const mesh::Group group = sides_of(mesh, boundary);
    if (boundary.type != "absorbing") continue;
    if (group.dim != mesh.dim - 1)
      throw Error(
          ExitCode::usage,
          fmt::format("an absorbing boundary on '{}', which is not made of facets", fmt::join(boundary.on, "', '")),
          "name groups of facets", boundary.where);
    for (const Index facet : group.entities)
      if (!mesh.facets.exterior[static_cast<std::size_t>(facet)])
        throw Error(
            ExitCode::usage,
            fmt::format("the absorbing boundary '{}' has facets inside the mesh", fmt::join(boundary.on, "', '")),
            "waves are let out through sides of the mesh: name one of these", boundary.where);
    for (const Index facet : group.entities) {
      const Index own = problem.own(mesh.facets.cell[facet]);
      if (own < 0 || std::exchange(taken[static_cast<std::size_t>(facet)], 1)) continue;
      sides.push_back({own, mesh.facets.side[facet]});
    }
  }
  return sides;
}

namespace {

void add_impedance(const Problem& problem, const SideNode& node, double area, std::vector<double>& block) {
  const int dim = problem.cells.dim;
  const Coefficients& stiffness = problem.media.stiffness;
  Stiffness C{dim, {}};
  for (int k = 0; k < stiffness.components; ++k)
    C.values[static_cast<std::size_t>(k)] = stiffness.at(problem.cells, node.cell, node.place, k);
  std::array<double, 3> normal = node.normal;
  for (double& n : normal) n /= area;
  const Eigen::MatrixXd Z = impedance(C, problem.media.mass.at(problem.cells, node.cell, node.place), normal);
  std::size_t entry = 0;
  for (int a = 0; a < dim; ++a)
    for (int b = 0; b < dim; ++b) block[entry++] += area * Z(a, b);
}

}  // namespace

Absorbing absorbing_nodes(const Problem& problem) {
  const auto C = static_cast<std::size_t>(problem.components()), dim = static_cast<std::size_t>(problem.cells.dim);
  const Media& media = problem.media;
  std::map<Index, std::vector<double>> blocks;
  assembly::spectral::for_each_side_node(
      problem.mesh(), problem.space.dofs, problem.cells, problem.absorbing, [&](const SideNode& node) {
        std::vector<double>& block = blocks[node.dof];
        block.resize(C * C);
        const double area = std::hypot(node.normal[0], node.normal[1], node.normal[2]);
        const double mass = media.mass.at(problem.cells, node.cell, node.place);
        const double fast = mass * media.fast.at(problem.cells, node.cell, node.place),
                     slow = mass * media.slow.at(problem.cells, node.cell, node.place);
        if (media.anisotropic) {
          add_impedance(problem, node, area, block);
          return;
        }
        for (std::size_t a = 0; a < C; ++a) {
          block[a * C + a] += area * slow;
          for (std::size_t b = 0; C == dim && b < C; ++b)
            block[a * C + b] += (fast - slow) * node.normal[a] * node.normal[b] / area;
        }
      });
  Absorbing result;
  for (const auto& [dof, block] : blocks) {
    result.dofs.push_back(dof);
    result.blocks.insert(result.blocks.end(), block.begin(), block.end());
  }
  return result;
}

}  // namespace tessera::physics::wave
